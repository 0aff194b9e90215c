//! The journal: one program for all tests of the crate, so that it is linked once.

mod common;
mod damage;
mod faults;
mod suite;
