//! What an attacker tries, one file for each subject. Each of these succeeded once, or would without what stops it.

mod certificates;
mod clones;
mod sign_in;
