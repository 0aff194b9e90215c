//! Is the generator of the simulated devices good? The usual tests, at 99 % (S21).
//!
//! The bytes are drawn in one piece, and dice and pockets are made of them exactly as a device makes them
//! ([`crate::draw`]). The tests are those that regulators and testing laboratories name: equidistribution, serial,
//! overlapping pairs, poker, gap, coupon collector, runs, permutations, serial correlation; and on the bytes themselves
//! bits, bytes and runs of bits.
//!
//! Many tests are made, so that the level of 1 % is shared by all of them (Holm): of a hundred checks of a good generator
//! one fails. Figures that are too good to be chance fail too.

mod battery;
mod bytes;
mod paper;

use rand::TryRng;
use serde::Serialize;

pub use bytes::{Recorded, Spent};

use crate::draw;
use crate::statistics::holm;

/// The level that all tests share: confidence of 99 %.
pub const LEVEL: f64 = 0.01;
/// Fewer bytes than this do not fill the cells of all tests.
pub const LEAST_BYTES: usize = 200_000;
/// What is drawn when nothing else is said.
pub const BYTES: usize = 4 << 20;

/// A test of a stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GeneratorTest {
    /// `dice`, `wheel of 37` …
    pub stream: String,
    /// The test.
    pub test: &'static str,
    /// Draws in the stream.
    pub draws: u64,
    /// Chi-square.
    pub statistic: f64,
    /// Degrees of freedom.
    pub freedom: f64,
    /// How likely a value so far from its mean is, in either direction.
    pub p: f64,
    /// The same, corrected for the number of tests (Holm).
    pub adjusted: f64,
    /// Whether it is what chance gives.
    pub passed: bool,
}

/// A check of a generator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// Where the bytes came from.
    pub source: String,
    /// How many there were.
    pub bytes: u64,
    /// The level that all tests share.
    pub level: f64,
    /// The tests.
    pub tests: Vec<GeneratorTest>,
    /// Whether all were passed.
    pub passed: bool,
}

/// Why a generator cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// Too few bytes.
    #[error("{0} bytes are too few: the tests need at least {LEAST_BYTES}")]
    TooFew(usize),
    /// The source has none.
    #[error("the generator gives no bytes: {0}")]
    Source(String),
}

impl CheckError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            CheckError::TooFew(_) => "too_few_bytes",
            CheckError::Source(_) => "no_bytes",
        }
    }
}

/// Draws so many bytes from a source and checks them.
///
/// # Errors
/// When they are too few, or the source gives none.
pub fn check<R: TryRng + ?Sized>(name: &str, source: &mut R, bytes: usize) -> Result<Check, CheckError> {
    if bytes < LEAST_BYTES {
        return Err(CheckError::TooFew(bytes));
    }
    let mut drawn = vec![0; bytes];
    source.try_fill_bytes(&mut drawn).map_err(|error| CheckError::Source(error.to_string()))?;
    check_bytes(name, &drawn)
}

/// Checks bytes that were recorded.
///
/// # Errors
/// When they are too few.
pub fn check_bytes(name: &str, bytes: &[u8]) -> Result<Check, CheckError> {
    if bytes.len() < LEAST_BYTES {
        return Err(CheckError::TooFew(bytes.len()));
    }
    let mut found = battery::of_bytes(bytes);
    // Every device has its own bytes, so that its tests are independent.
    let quarter = bytes.len() / 4;
    for (sides, part) in [6, 37, 38, 39].into_iter().zip(bytes.chunks_exact(quarter)) {
        let name = if sides == 6 { "dice".to_owned() } else { format!("wheel of {sides}") };
        found.extend(battery::of_draws(&name, usize::from(sides), &drawn(sides, part)));
    }
    let adjusted = holm(&found.iter().map(|test| test.p).collect::<Vec<_>>());
    for (test, adjusted) in found.iter_mut().zip(adjusted) {
        (test.adjusted, test.passed) = (adjusted, adjusted >= LEVEL);
    }
    let passed = found.iter().all(|test| test.passed);
    Ok(Check { source: name.to_owned(), bytes: bytes.len() as u64, level: LEVEL, tests: found, passed })
}

/// What a device draws from these bytes, until they are spent.
fn drawn(sides: u8, bytes: &[u8]) -> Vec<u8> {
    let mut source = Recorded::new(bytes);
    std::iter::from_fn(|| draw::below(sides, &mut source).ok()).collect()
}
