//! The comparison on paper.

use paper::{Bar, Bars, Chart, Column, Paper, Table};

use super::{Compared, ComparedSpot, Comparison, Offer};
use crate::words::{MADE_BY, percent};

impl Comparison {
    /// The comparison as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new("Pay tables side by side");
        paper.landscape().made_by(MADE_BY);
        for (place, layout) in self.layouts.iter().enumerate() {
            paper.subtitle(format!(
                "{}: {}, {}, {}",
                letter(place),
                layout.title,
                layout.layout_name,
                layout.pay_table
            ));
            paper.anchor(format!("Rulebook hash of {}", letter(place)), &layout.hash);
        }
        paper.heading("In short");
        paper.facts(self.layouts.iter().enumerate().map(|(place, layout)| (letter(place), in_short(layout))));
        if self.layouts.iter().any(|layout| layout.bets.is_some()) {
            let bars = self.layouts.iter().enumerate().filter_map(|(place, layout)| {
                let edge = layout.bets.as_ref()?;
                Some(Bar::new(
                    letter(place),
                    edge.decimal * 100.0,
                    format!("{} ({})", percent(edge.decimal), edge.exact),
                ))
            });
            paper.chart(Chart::Bars(Bars {
                bars: bars.collect(),
                ..Bars::new("What the house keeps of the given bets, %")
            }));
        }
        paper.heading("Every bet");
        let columns = self.layouts.iter().enumerate().flat_map(|(place, _)| {
            let more = (place > 0).then(|| Column::figure("more"));
            [format!("{} pays", letter(place)), "edge".to_owned(), "edge %".to_owned()]
                .into_iter()
                .map(Column::figure)
                .chain(more)
        });
        let mut table = Table::new("", std::iter::once(Column::name("Spot")).chain(columns));
        for spot in &self.spots {
            table.row(cells(spot));
        }
        paper.table(table);
        paper.note(
            "Edge: what the house keeps of a unit in the mean, exact, counted over all outcomes of the compiled pay table. \
             More: the difference to A; above zero costs the player more. A dash: the layout has not got the bet.",
        );
        paper
    }
}

fn letter(place: usize) -> String {
    char::from(b'A' + u8::try_from(place % 26).unwrap_or(0)).to_string()
}

fn in_short(layout: &Compared) -> String {
    let spots = format!("{} bets", layout.spots);
    let Some(against) = &layout.against_first else { return spots };
    format!(
        "{spots}; of {} that A has too the house keeps more on {}, less on {}; {} more of a unit in the mean",
        against.common,
        against.dearer,
        against.cheaper,
        percent(against.mean.decimal)
    )
}

fn cells(spot: &ComparedSpot) -> Vec<String> {
    let dash = || "–".to_owned();
    let mut cells = vec![spot.spot.clone()];
    for (place, offer) in spot.offers.iter().enumerate() {
        let of = |get: fn(&Offer) -> String| offer.as_ref().map_or_else(dash, get);
        cells.push(of(|offer| offer.pays.iter().map(|pay| pay.odds.as_str()).collect::<Vec<_>>().join(" / ")));
        cells.push(of(|offer| offer.edge.exact.clone()));
        cells.push(of(|offer| percent(offer.edge.decimal)));
        if place > 0 {
            cells.push(of(|offer| offer.more.as_ref().map_or_else(|| "–".to_owned(), |more| percent(more.decimal))));
        }
    }
    cells
}
