//! The PAR sheet on paper.

use paper::{Bar, Bars, Chart, Column, Paper, Table};
use rulebook::{Fraction, decimal};

use super::{ParRow, ParSheet, VOLATILITY_FACTOR};
use crate::words::{MADE_BY, float};

impl ParSheet {
    /// The sheet as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new(format!("{}, {}: PAR sheet", self.title, self.layout_name));
        let approved = if self.approved { "approved document" } else { "example, not approved" };
        paper
            .subtitle(format!("{} · {} version {} · {approved}", self.operator, self.game, self.version))
            .anchor("Rulebook hash", &self.hash)
            .made_by(MADE_BY)
            .landscape();
        if !self.approved {
            paper.stamp("example");
        }
        self.basis(&mut paper);
        self.families(&mut paper);
        self.spots(&mut paper);
        self.method(&mut paper);
        paper
    }

    fn basis(&self, paper: &mut Paper) {
        paper.heading("What is priced");
        let mut facts = vec![
            ("Layout".to_owned(), format!("{} ({})", self.layout_name, self.layout_paragraph)),
            ("Pay table".to_owned(), format!("{} ({})", self.pay_table, self.pay_table_paragraph)),
        ];
        if let Some(from) = &self.in_force_from {
            facts.push(("In force from".to_owned(), from.clone()));
        }
        facts.extend([
            ("An outcome".to_owned(), format!("{}; all equally likely", self.device)),
            ("Outcomes".to_owned(), self.outcomes.to_string()),
            ("Bets".to_owned(), format!("{}, with {} winning cells", self.spots.len(), self.winning_cells)),
            (
                "Proof sum".to_owned(),
                format!("one unit on every spot over every outcome leaves the players {}", self.net),
            ),
            ("Stakes".to_owned(), format!("in steps of {}, so that every payout is whole cents (D9)", self.step)),
        ]);
        paper.facts(facts);
    }

    fn families(&self, paper: &mut Paper) {
        paper.heading("Kinds of bet, ranked by what the house keeps");
        let bar = |row: &super::FamilyRow| {
            let edge = float(row.mean) * 100.0;
            Bar::new(&row.name, edge, format!("{edge:.2} %"))
        };
        paper.chart(Chart::Bars(Bars {
            title: "House edge, mean of the kind's spots, %".to_owned(),
            bars: self.families.iter().map(bar).collect(),
        }));
        let mut table = Table::new(
            "",
            [
                Column::name("Kind"),
                Column::figure("Spots"),
                Column::figure("Edge from"),
                Column::figure("to"),
                Column::figure("Mean"),
                Column::figure("Mean %"),
                Column::words("Wins"),
                Column::name("§"),
            ],
        );
        for row in &self.families {
            let wins = row.wins.clone();
            let edges = [row.least, row.most, row.mean].map(|edge| edge.to_string());
            let cells = [row.name.clone(), row.spots.to_string()].into_iter().chain(edges);
            table.row(cells.chain([hundred(row.mean, 4), wins, row.paragraph.clone()]));
        }
        paper.table(table);
    }

    fn spots(&self, paper: &mut Paper) {
        paper.heading("Every bet");
        let mut table = Table::new(
            "",
            [
                Column::name("Spot"),
                Column::figure("Pays to 1 (ways)"),
                Column::figure("True odds to 1"),
                Column::figure("Ways"),
                Column::figure("Hit"),
                Column::figure("Hit %"),
                Column::figure("One in"),
                Column::figure("Edge"),
                Column::figure("Edge %"),
                Column::figure("Variance"),
                Column::figure("≈"),
                Column::figure("σ"),
                Column::figure("VI"),
                Column::name("§"),
            ],
        );
        for row in &self.spots {
            table.row(cells(row));
        }
        paper.table(table);
    }

    fn method(&self, paper: &mut Paper) {
        paper.heading("What each figure is computed from");
        paper.paragraph(format!(
            "Every figure is counted over the {} equally likely outcomes of the compiled pay table, the same table from \
             which every bet is settled. Fractions are exact, in lowest terms; decimals are those fractions, rounded half \
             away from zero in the last place shown.",
            self.outcomes
        ));
        let volatility = format!(
            "volatility index, {VOLATILITY_FACTOR} × σ: by the normal distribution 90 % of sessions of n rounds end within \
             VI × √n units of their mean. For few rounds of long odds that is rough; the command “session” is exact."
        );
        paper.facts([
            (
                "Pays",
                "what one unit wins; the stake comes back besides. In brackets the ways, where there are several odds.",
            ),
            ("Ways", "outcomes in which the bet is paid."),
            ("Hit", "ways ÷ outcomes; “one in” is its inverse."),
            ("True odds", "losing outcomes ÷ winning outcomes: what would be fair if there were one odds."),
            (
                "Edge",
                "−(sum of the net results over all outcomes) ÷ outcomes, per unit staked; positive for the house.",
            ),
            ("Variance", "mean of the squared net result less the square of its mean, per unit staked and round."),
            ("σ", "standard deviation: the root of the variance."),
            ("VI", volatility.as_str()),
        ]);
        let marked: Vec<&ParRow> = self.spots.iter().filter(|row| row.mark.is_some()).collect();
        if !marked.is_empty() {
            paper.paragraph(format!(
                "{} of the {} bets are marked: their odds are not read from the document but inferred or assumed, by the \
                 decision named beside the paragraph.",
                marked.len(),
                self.spots.len()
            ));
        }
    }
}

fn cells(row: &ParRow) -> Vec<String> {
    let pays = match row.pays.as_slice() {
        [one] => one.odds.clone(),
        several => several.iter().map(|p| format!("{} ({})", p.odds, p.ways)).collect::<Vec<_>>().join(" / "),
    };
    let paragraph = match &row.mark {
        Some(mark) => format!("{} [{mark}]", row.paragraph),
        None => row.paragraph.clone(),
    };
    let inverse = if row.ways == 0 { String::new() } else { decimal(row.hit.recip(), 2) };
    vec![
        row.spot.clone(),
        pays,
        decimal(row.true_odds, 3),
        row.ways.to_string(),
        row.hit.to_string(),
        hundred(row.hit, 4),
        inverse,
        row.edge.to_string(),
        hundred(row.edge, 4),
        row.variance.to_string(),
        decimal(row.variance, 4),
        format!("{:.4}", row.deviation),
        format!("{:.3}", row.volatility),
        paragraph,
    ]
}

fn hundred(share: Fraction, places: u32) -> String {
    decimal(share * Fraction::from_integer(100), places)
}
