//! A floor on a journal: one program for all tests of the crate, so that it is linked once.

mod common;
mod copies;
mod crash_matrix;
mod engine;
mod faults;
mod format;
mod golden;
mod recovery;
mod settlement;
mod stepped;
mod tampering;
mod visibility;
