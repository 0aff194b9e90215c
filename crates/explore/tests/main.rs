//! The exploration: one program for all tests of the crate, so that it is linked once.

mod alphabet;
mod common;
mod faults;
mod floors;
mod insiders;
mod merges;
#[cfg(feature = "mutants")]
mod mutants;
mod regressions;
