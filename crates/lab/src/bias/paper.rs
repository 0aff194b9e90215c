//! An examination and a validation on paper.

use paper::{Column, Paper, Table};

use super::{Examination, Order, POWER, Validation};
use crate::words::{MADE_BY, chance, count, percent};

impl Examination {
    /// The examination as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new(format!("{}: is the device biased?", self.title));
        paper.subtitle(format!("{} results of {}", count(self.rounds), self.game));
        paper.anchor("Rulebook hash", &self.hash).made_by(MADE_BY);
        paper.heading("Verdict");
        paper.paragraph(self.verdict());
        let mut facts = vec![("Results".to_owned(), count(self.rounds))];
        if let Some(order) = self.order {
            let words = match order {
                Order::Known => "known: each die is tested for itself",
                Order::Unknown => "not known: the dice are tested together",
            };
            facts.push(("Which die is which".to_owned(), words.to_owned()));
        }
        if let Some(times) = self.not_alternated {
            facts.push(("Direction not alternated".to_owned(), format!("{} times", count(times))));
        }
        facts.push((
            "e-value".to_owned(),
            format!(
                "{:.3} now, {:.3} at its highest; {:.0} would be an alarm",
                self.e_value, self.highest_e_value, self.e_threshold
            ),
        ));
        paper.facts(facts);
        paper.heading("Tests");
        paper.table(self.table());
        let mut most = Table::new("", [Column::name("Test"), Column::words("What stands out most")]);
        for finding in self.findings.iter().filter(|finding| !finding.most.is_empty()) {
            most.row([finding.subject.to_owned(), finding.most.clone()]);
        }
        paper.table(most);
        for skipped in &self.skipped {
            paper.note(format!("Not tested: {}, from {} rounds on.", skipped.subject, count(skipped.rounds)));
        }
        self.method(&mut paper);
        paper
    }

    fn verdict(&self) -> String {
        let found: Vec<&str> =
            self.findings.iter().filter(|finding| finding.biased).map(|finding| finding.subject).collect();
        let level = percent(self.level);
        match (found.as_slice(), self.alarm_at) {
            ([], None) => format!(
                "Nothing here is more than chance: no test is significant at {level} for all of them together, and the \
                 e-value never reached {:.0}.",
                self.e_threshold
            ),
            (found, alarm) => {
                let tests = if found.is_empty() {
                    String::new()
                } else {
                    format!("More than chance at {level} for all tests together: {}. ", found.join("; "))
                };
                let alarm = alarm.map_or_else(String::new, |round| {
                    format!("The e-value reached {:.0} at round {}.", self.e_threshold, count(round))
                });
                format!("{tests}{alarm}").trim_end().to_owned()
            }
        }
    }

    fn table(&self) -> Table {
        let columns = [
            Column::name("Test"),
            Column::figure("Counted"),
            Column::figure("χ²"),
            Column::figure("df"),
            Column::figure("p"),
            Column::figure("Holm"),
            Column::figure("Effect w"),
            Column::figure("Found from w"),
            Column::figure("More rounds"),
        ];
        let mut table = Table::new("", columns);
        for finding in &self.findings {
            let more = match finding.more_rounds {
                None => "–".to_owned(),
                Some(0) if finding.biased => "sure".to_owned(),
                Some(rounds) => count(rounds),
            };
            table.row([
                finding.subject.to_owned(),
                count(finding.observations),
                format!("{:.2}", finding.statistic),
                format!("{:.0}", finding.freedom),
                chance(finding.p),
                chance(finding.adjusted),
                format!("{:.4}", finding.effect),
                finding.detectable.map_or_else(String::new, |effect| format!("{effect:.4}")),
                more,
            ]);
        }
        table
    }

    fn method(&self, paper: &mut Paper) {
        paper.heading("How to read this");
        paper.facts([
            ("χ², df, p", "chi-square, its degrees of freedom, and how likely so large a value is on a fair device.".to_owned()),
            ("Holm", format!("p corrected for the number of tests; below {} it is more than chance.", self.level)),
            ("Effect w", "the size of the bias (Cohen's w) less what chance gives: 0.09 is a face that comes a fifth too often.".to_owned()),
            ("Found from w", format!("the smallest bias that so many results show with a probability of {}.", percent(POWER))),
            ("More rounds", "how many more would confirm a bias of the size found, with that probability; – if there is none.".to_owned()),
            ("e-value", "what a gambler who began with one unit and bet against the device's fairness would have. It may be looked at after every round: on a fair device it ever reaches the threshold with a probability of at most one in that.".to_owned()),
        ]);
    }
}

impl Validation {
    /// The rates as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new("Bias tests: false alarms and power");
        paper.subtitle(format!("{} runs of each device, seed {}", count(self.runs), self.seed)).made_by(MADE_BY);
        let columns = [
            Column::name("Device"),
            Column::words("Bias"),
            Column::figure("Rounds"),
            Column::figure("Tests at the end"),
            Column::figure("Watch, any round"),
            Column::figure("Half by round"),
        ];
        let mut table = Table::new("", columns);
        for row in &self.rows {
            table.row([
                row.device.clone(),
                row.bias.clone(),
                count(row.rounds),
                format!("{:.2} %", row.by_tests * 100.0),
                format!("{:.2} %", row.by_watch * 100.0),
                row.median_alarm.map_or_else(|| "–".to_owned(), count),
            ]);
        }
        paper.heading("Share of runs in which the device was called biased");
        paper.table(table);
        let error = (self.level * (1.0 - self.level) / self.runs.max(1) as f64).sqrt();
        paper.note(format!(
            "Both methods promise at most {} on fair devices. One standard error of that rate is {:.2} % here.",
            percent(self.level),
            error * 100.0
        ));
        paper
    }
}
