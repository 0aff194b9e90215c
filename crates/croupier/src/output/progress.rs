//! How far a long run has come, shown on standard error where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for so many bytes.
pub fn progress(words: &'static str, bytes: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %  {binary_bytes_per_sec}  {eta}");
    // The template is fixed; if it were wrong, a plain bar would do.
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(bytes).with_style(style).with_message(words)
}

/// A bar for so many rounds.
pub fn rounds(rounds: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {per_sec}  {eta}");
    ProgressBar::new(rounds).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A progress bar for messages whose number becomes known later.
pub fn messages(words: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %  {per_sec}  {eta}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())).with_message(words)
}
