//! A session on paper.

use paper::{Band, BandPoint, Bin, Chart, Column, Histogram, Line, Lines, Paper, Rule, Scale, Table};
use rulebook::decimal;

use super::{HoldPoint, Ruin, Session};
use crate::words::{MADE_BY, amount, count, float, percent};

impl Session {
    /// The session as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new(format!("{} rounds of {}", count(self.rounds), self.title));
        paper
            .subtitle(format!("{}, {} ({} version {})", self.title, self.layout_name, self.game, self.version))
            .anchor("Rulebook hash", &self.hash)
            .made_by(MADE_BY);
        self.bets(&mut paper);
        self.result(&mut paper);
        if let Some(ruin) = &self.ruin {
            put_ruin(&mut paper, ruin, self.rounds);
        }
        self.hold(&mut paper);
        paper.heading("How these figures are obtained");
        paper.paragraph(format!(
            "The result of one round is read from the compiled pay table for every outcome, each equally likely. The \
             distribution after {} rounds is its convolution with itself, worked out with a Fourier transform on the \
             lattice of possible results: no sampling. No probability above is further from the truth than {:.1e}.",
            count(self.rounds),
            self.error
        ));
        paper
    }

    fn bets(&self, paper: &mut Paper) {
        paper.heading("The bets of a round");
        let weighted = self.sets.len() > 1;
        let mut table = Table::new("", [Column::figure("Weight"), Column::words("Bets"), Column::figure("Staked")]);
        for set in &self.sets {
            let weight = if weighted { set.weight.to_string() } else { String::new() };
            table.row([weight, set.bets.join(", "), set.staked.to_string()]);
        }
        if !weighted {
            table.columns.remove(0);
            table.rows.iter_mut().for_each(|row| drop(row.cells.remove(0)));
        }
        paper.table(table);
    }

    fn result(&self, paper: &mut Paper) {
        paper.heading(format!("The player's result after {} rounds", count(self.rounds)));
        let edge = decimal(self.edge * rulebook::Fraction::from_integer(100), 4);
        paper.facts([
            ("House edge on what is staked".to_owned(), format!("{edge} %  ({})", self.edge)),
            ("Mean result".to_owned(), amount(self.mean)),
            ("Standard deviation".to_owned(), amount(self.deviation)),
            ("Probability of being ahead".to_owned(), percent(self.ahead)),
            ("… of being even".to_owned(), percent(self.even)),
            ("… of being behind".to_owned(), percent(self.behind)),
        ]);
        let bins = self.bins.iter().map(|bin| Bin { from: bin.from, to: bin.to, share: bin.share });
        paper.chart(Chart::Histogram(Histogram {
            title: format!("Distribution of the result after {} rounds", count(self.rounds)),
            x_label: "the player's result".to_owned(),
            y_label: "probability".to_owned(),
            bins: bins.collect(),
            rules: vec![
                Rule { name: "even".to_owned(), at: 0.0 },
                Rule { name: "mean".to_owned(), at: self.mean / 100.0 },
            ],
            split: Some(0.0),
        }));
        let mut table = Table::new("", [Column::figure("Probability"), Column::figure("Result not above")]);
        for quantile in &self.quantiles {
            table.row([percent(quantile.probability), amount(quantile.result.get() as f64)]);
        }
        paper.table(table);
    }

    fn hold(&self, paper: &mut Paper) {
        paper.heading("The house's hold by the number of rounds");
        let mut table = Table::new(
            "",
            [
                Column::figure("Rounds"),
                Column::figure("99 % from"),
                Column::figure("95 % from"),
                Column::figure("Median"),
                Column::figure("95 % to"),
                Column::figure("99 % to"),
                Column::figure("House behind"),
            ],
        );
        for point in &self.hold {
            let holds = [point.low_99, point.low_95, point.median, point.high_95, point.high_99];
            let cells = std::iter::once(count(point.rounds)).chain(holds.map(percent));
            table.row(cells.chain([percent(point.house_behind)]));
        }
        let band = |name: &str, low: fn(&HoldPoint) -> f64, high: fn(&HoldPoint) -> f64| Band {
            name: name.to_owned(),
            points: self
                .shown()
                .map(|point| BandPoint { x: point.rounds as f64, low: low(point) * 100.0, high: high(point) * 100.0 })
                .collect(),
        };
        paper.chart(Chart::Lines(Lines {
            title: "Hold as a share of the turnover, %".to_owned(),
            x_label: "rounds".to_owned(),
            y_label: "hold, %".to_owned(),
            x_scale: Scale::Logarithmic,
            lines: vec![Line {
                name: "median".to_owned(),
                points: self.shown().map(|point| (point.rounds as f64, point.median * 100.0)).collect(),
            }],
            bands: vec![
                band("99 % of sessions", |point| point.low_99, |point| point.high_99),
                band("95 %", |point| point.low_95, |point| point.high_95),
            ],
            rules: vec![Rule { name: "edge".to_owned(), at: float(self.edge) * 100.0 }],
        }));
        paper.table(table);
    }

    /// The first rounds would dwarf the rest.
    fn shown(&self) -> impl Iterator<Item = &HoldPoint> {
        let from = if self.rounds >= 1000 { 50 } else { 1 };
        self.hold.iter().filter(move |point| point.rounds >= from)
    }
}

fn put_ruin(paper: &mut Paper, ruin: &Ruin, rounds: u64) {
    paper.heading("Bankroll and stopping rules");
    let mut facts = vec![("Bankroll".to_owned(), amount(ruin.bankroll.get() as f64))];
    if let Some(target) = ruin.target {
        facts.push(("Stops at".to_owned(), amount(target.get() as f64)));
    }
    facts.push((format!("Ruin within {} rounds", count(rounds)), percent(ruin.broke)));
    if ruin.target.is_some() {
        facts.push(("Target reached".to_owned(), percent(ruin.reached)));
    }
    facts.push(("Still playing".to_owned(), percent(ruin.playing)));
    facts.push(("Rounds played in the mean".to_owned(), format!("{:.1}", ruin.mean_rounds)));
    paper.facts(facts);
    let line = |name: &str, share: fn(&super::RuinPoint) -> f64| Line {
        name: name.to_owned(),
        points: ruin.course.iter().map(|point| (point.round as f64, share(point) * 100.0)).collect(),
    };
    let mut lines = vec![line("ruin", |point| point.broke)];
    if ruin.target.is_some() {
        lines.push(line("target reached", |point| point.reached));
    }
    paper.chart(Chart::Lines(Lines {
        title: "What has become of the bankroll, %".to_owned(),
        x_label: "rounds".to_owned(),
        y_label: "probability, %".to_owned(),
        x_scale: Scale::Linear,
        lines,
        bands: Vec::new(),
        rules: Vec::new(),
    }));
    paper.note(format!(
        "Ruin: the bankroll does not cover the stakes of the next round. Worked out round by round on the lattice of \
         bankrolls; no probability is further from the truth than {:.1e}.",
        ruin.error
    ));
}
