//! The statistics that the laboratory needs: chi-square, its power, many tests at once.

mod chi_square;
mod many;
mod normal;
mod power;

pub use chi_square::{ChiSquare, contingency, goodness_of_fit};
pub use many::{bonferroni, holm};
pub use normal::{two_sided, upper_quantile};
pub use power::{detectable, needed};
