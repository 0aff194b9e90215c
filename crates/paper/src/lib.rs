//! One small document model, printed as text, CSV, HTML and PDF.
//!
//! A report builds a [`Paper`] out of blocks; the look is decided here, once. All forms are made from the same blocks,
//! carry the same figures, and are the same bytes for the same paper: nothing in here reads a clock.
//!
//! ```
//! use paper::{Bar, Bars, Chart, Column, Format, Paper, Table};
//!
//! let mut paper = Paper::new("Gaming day 2026-01-31");
//! paper.subtitle("Table 3, Sic Bo").anchor("Checkpoint", "croupier checkpoint 4711 …");
//! paper.heading("Turnover");
//! paper.facts([("Rounds", "412"), ("Turnover", "18,240.00")]);
//! let mut table = Table::new("Bets", [Column::name("Spot"), Column::figure("Stake")]);
//! table.row(["small", "10.00"]).row(["triple/any", "2.00"]).total(["Total", "12.00"]);
//! paper.table(table);
//! paper.chart(Chart::Bars(Bars { bars: vec![Bar::new("small", 10.0, "10.00")], ..Bars::new("Stakes") }));
//!
//! assert!(paper.text(80).contains("triple/any   2.00"));
//! assert!(paper.csv().contains("triple/any,2.00"));
//! assert!(paper.html().starts_with("<!DOCTYPE html>"));
//! assert_eq!(Format::of_file("day.pdf").unwrap(), Format::Pdf);
//! assert!(paper.render(Format::Pdf).unwrap().starts_with(b"%PDF-"));
//! ```
//!
//! | block | text | CSV | HTML and PDF |
//! | --- | --- | --- | --- |
//! | heading, paragraph, note | words, broken to the width | – | words |
//! | facts: what, and how much | two columns | two columns | two columns |
//! | table | columns under a rule | a section under its title | a table whose head is repeated on every page |
//! | chart | bars and bands of signs | – | drawn |
//!
//! The file `plot.rs` turns charts into lines, areas and words at a place; HTML and PDF draw those. A PDF page is the
//! same kind of drawing.

mod chart;
mod csv;
mod format;
mod html;
mod ink;
mod model;
mod pdf;
mod plot;
mod text;
mod type_face;

pub use chart::{Band, BandPoint, Bar, Bars, Bin, Chart, Histogram, Line, Lines, Rule, Scale};
pub use format::{Format, UnknownFormat};
pub use model::{Align, Anchor, Block, Column, Paper, Row, Sheet, Table};
pub use pdf::PdfError;
