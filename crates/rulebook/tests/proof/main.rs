//! The proof of the rulebooks: every figure and every rule, checked against what the documents say in prose.
//!
//! `naive` is a second evaluator written from the prose alone. The files beside this folder are golden: counts per
//! layout, hashes, and rulebooks that are not coherent with the message each must get. `UPDATE_GOLDEN=1 cargo test -p
//! rulebook` rewrites the golden files; read the difference before you commit it.

mod naive;
mod support;

mod cells;
mod counts;
mod documents;
mod edges;
mod established;
mod examples;
mod exposure;
mod hashes;
mod incoherent;
mod layouts;
mod money;
mod multi_piece;
mod notation;
mod prorata;
mod robustness;
mod structure;
