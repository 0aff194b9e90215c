//! The records: one program for all tests of the crate, so that it is linked once.

mod follow;
mod live;
mod recall;
mod reports;
mod search;
mod secrecy;
mod support;
