//! A simulation on paper.

use paper::{Column, Paper, Table};

use super::Simulation;
use crate::words::{MADE_BY, chance, count, float, percent};

impl Simulation {
    /// The simulation as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper =
            Paper::new(format!("{} simulated rounds of {}, layout {}", count(self.rounds), self.game, self.layout));
        paper.anchor("Rulebook hash", &self.hash).made_by(MADE_BY);
        paper.heading("Verdict");
        paper.paragraph(self.words());
        let mut facts = vec![
            ("Seed".to_owned(), self.seed.to_string()),
            ("Generator".to_owned(), self.generator.to_owned()),
            (
                "Largest difference".to_owned(),
                format!("{:.2} standard errors of at most {:.2}", self.verdict.largest_z, self.verdict.allowed_z),
            ),
        ];
        if let Some(outcomes) = self.verdict.outcomes {
            let words =
                format!("χ² {:.2} with {:.0} df, p {}", outcomes.statistic, outcomes.freedom, chance(outcomes.p));
            facts.push(("Outcomes".to_owned(), words));
        }
        paper.facts(facts);
        self.live(&mut paper);
        paper.heading("Return of a unit staked, drawn and exact");
        paper.table(self.table());
        paper
    }

    fn words(&self) -> String {
        let level = percent(self.verdict.level);
        let lines = self.verdict.lines;
        let lines = if lines == 1 { "the figure".to_owned() } else { format!("all {lines} figures") };
        if self.verdict.agrees {
            format!(
                "Chance agrees with the exact figures: {lines} within the allowed error, at a level of {level} (Bonferroni)."
            )
        } else {
            format!("Chance and the exact figures disagree at a level of {level} (Bonferroni).")
        }
    }

    fn live(&self, paper: &mut Paper) {
        if self.players.is_empty() {
            return;
        }
        paper.heading("The boxes, pro rata");
        let columns = [
            Column::name("Player"),
            Column::figure("Bet"),
            Column::figure("At risk"),
            Column::figure("Edge on what is at risk"),
            Column::figure("Edge on the bet"),
        ];
        let mut table = Table::new("", columns);
        for player in &self.players {
            table.row([
                player.player.clone(),
                player.bet.to_string(),
                player.at_risk.to_string(),
                percent(float(player.edge)),
                percent(float(player.edge_of_bet)),
            ]);
        }
        paper.table(table);
    }

    fn table(&self) -> Table {
        let columns = [
            Column::name(if self.mode == "spots" { "Spot" } else { "" }),
            Column::figure("Hits"),
            Column::figure("Drawn"),
            Column::figure("Exact"),
            Column::figure("≈"),
            Column::figure("Standard error"),
            Column::figure("z"),
            Column::figure("p"),
        ];
        let mut table = Table::new("", columns);
        for line in &self.lines {
            table.row([
                line.id.clone(),
                line.hits.map_or_else(String::new, count),
                format!("{:.6}", line.returned),
                line.exact.to_string(),
                format!("{:.6}", float(line.exact)),
                format!("{:.6}", line.standard_error),
                format!("{:+.2}", line.z).replace('-', "−"),
                chance(line.p),
            ]);
        }
        table
    }
}
