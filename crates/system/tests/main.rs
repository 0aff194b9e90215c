//! The simulation of the whole system: one program for all tests of the crate, so that it is linked once.

mod flaws;
mod seeds;
