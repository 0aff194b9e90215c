//! A check on paper.

use paper::{Column, Paper, Table};

use super::Check;
use crate::words::{MADE_BY, chance, count, percent};

impl Check {
    /// The check as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new("Generator of the simulated devices: statistical tests");
        paper.subtitle(format!("{} bytes of {}", count(self.bytes), self.source)).made_by(MADE_BY);
        paper.heading("Verdict");
        let failed: Vec<String> = self
            .tests
            .iter()
            .filter(|test| !test.passed)
            .map(|test| format!("{} of {}", test.test, test.stream))
            .collect();
        let confidence = percent(1.0 - self.level);
        paper.paragraph(if self.passed {
            format!(
                "Passed: none of {} tests stands out, at a confidence of {confidence} for all of them together (S21).",
                self.tests.len()
            )
        } else {
            format!("Failed at a confidence of {confidence}: {}.", failed.join("; "))
        });
        paper.heading("Tests");
        let columns = [
            Column::name("Stream"),
            Column::name("Test"),
            Column::figure("Draws"),
            Column::figure("χ²"),
            Column::figure("df"),
            Column::figure("p"),
            Column::figure("Holm"),
            Column::name(""),
        ];
        let mut table = Table::new("", columns);
        for test in &self.tests {
            table.row([
                test.stream.clone(),
                test.test.to_owned(),
                count(test.draws),
                format!("{:.2}", test.statistic),
                format!("{:.0}", test.freedom),
                chance(test.p),
                chance(test.adjusted),
                if test.passed { "passed" } else { "failed" }.to_owned(),
            ]);
        }
        paper.table(table);
        paper.note(
            "p counts both ends: what is too even to be chance fails as well. Holm is p corrected for the number of tests. \
             Of a hundred checks of a good generator one fails; repeat a check that fails once.",
        );
        paper
    }
}
