//! A paper as a picture.

use super::Paper;
use crate::printer::widths;

/// A narrow bar in units of the picture.
const NARROW: usize = 3;
const LINE: usize = 26;
const BARS: usize = 110;

/// The paper as SVG: what a camera over the printer would see.
#[must_use]
pub fn svg(paper: &Paper) -> String {
    let bars = paper.barcode.as_deref().map(widths).unwrap_or_default();
    let width = bars.iter().sum::<usize>().max(100) * NARROW + 120;
    let (mut body, mut y) = (String::new(), 20);
    for line in &paper.lines {
        if line == "|" {
            let mut x = 60;
            for (place, units) in bars.iter().enumerate() {
                if place % 2 == 0 {
                    let bar = units * NARROW;
                    body.push_str(&format!("<rect x=\"{x}\" y=\"{y}\" width=\"{bar}\" height=\"{BARS}\"/>"));
                }
                x += units * NARROW;
            }
            y += BARS + 14;
        } else {
            let words = line.replace('&', "&amp;").replace('<', "&lt;");
            let middle = width / 2;
            y += LINE;
            body.push_str(&format!("<text x=\"{middle}\" y=\"{}\">{words}</text>", y - 6));
        }
    }
    let height = y + 24;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"monospace\" font-size=\"17\" text-anchor=\"middle\" shape-rendering=\"crispEdges\">\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>{body}</svg>"
    )
}
