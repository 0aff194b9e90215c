//! The simulator: one program for all tests of the crate, so that it is linked once.

mod batches;
mod perft;
mod seeds;
