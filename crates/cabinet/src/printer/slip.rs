//! A ticket as it goes on paper (S15).

use jiff::Timestamp;
use jiff::tz::{self, TimeZone};
use serde::{Deserialize, Serialize};

/// A ticket, as the host gives it to the terminal that prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slip {
    /// Its sequence.
    pub id: u64,
    /// Its number: 18 digits.
    pub number: String,
    /// Its amount, in the form `1234.50`.
    pub amount: String,
    /// The amount in words.
    pub words: Words,
    /// The floor that issued it.
    pub floor: String,
    /// The terminal that prints it.
    #[serde(default)]
    pub terminal: Option<String>,
    /// When it was issued, in milliseconds since 1970.
    pub issued: i64,
    /// When it expires.
    pub expires: i64,
    /// Whether it replaces an earlier one.
    #[serde(default)]
    pub reprint: bool,
    /// Whether it is worth nothing.
    #[serde(default)]
    pub demonstration: bool,
}

/// Words in the language that printers have characters for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// English.
    pub en: String,
}

/// How a line is set.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Weight {
    /// As text.
    Plain,
    /// Large.
    Large,
}

/// A line of a ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Text.
    Text(Weight, String),
    /// The number as a barcode.
    Barcode(String),
}

impl Slip {
    /// Whether its number can be printed as a barcode.
    #[must_use]
    pub fn is_printable(&self) -> bool {
        self.number.len() == 18 && self.number.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// What is on the paper, from top to bottom. Printers have ASCII only.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        let text = |text: String| Line::Text(Weight::Plain, plain(&text));
        let large = |text: String| Line::Text(Weight::Large, plain(&text));
        let mut lines = vec![large("CASH-OUT TICKET".to_owned())];
        if self.reprint {
            lines.push(large("DUPLICATE".to_owned()));
        }
        lines.push(text(self.floor.clone()));
        lines.push(text(self.grouped()));
        lines.push(Line::Barcode(self.number.clone()));
        lines.push(text(format!("Validation {}", self.grouped())));
        lines.push(large(format!("S$ {}", self.amount)));
        lines.push(text(self.words.en.clone()));
        lines.push(text(format!("Terminal {}", self.terminal.as_deref().unwrap_or("-"))));
        lines.push(text(format!("Issued {}", local(self.issued))));
        lines.push(text(format!("Expires {}", local(self.expires))));
        lines.push(text(format!("Ticket {}", self.id)));
        if self.demonstration {
            lines.push(large("DEMONSTRATION - NO VALUE".to_owned()));
        }
        lines
    }

    /// The number in groups, as it is read out.
    fn grouped(&self) -> String {
        let ends = [2, 6, 10, 14, 18];
        let parts = ends.iter().scan(0, |from, to| {
            let part = self.number.get(*from..*to).unwrap_or_default();
            *from = *to;
            Some(part)
        });
        parts.collect::<Vec<_>>().join("-")
    }
}

/// A moment in local time: eight hours ahead of UTC, as on the floor.
fn local(at: i64) -> String {
    match Timestamp::from_millisecond(at) {
        Ok(moment) => moment.to_zoned(TimeZone::fixed(tz::offset(8))).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => format!("{at} ms"),
    }
}

/// What a printer can print: no control character gets into a job by a name.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '?' }).take(60).collect()
}

#[cfg(test)]
pub(crate) fn example() -> Slip {
    Slip {
        id: 17,
        number: "004218273645546372".to_owned(),
        amount: "1234.50".to_owned(),
        words: Words { en: "one thousand two hundred thirty-four dollars and fifty cents".to_owned() },
        floor: "main".to_owned(),
        terminal: Some("T 1".to_owned()),
        issued: 1_790_000_000_000,
        expires: 1_800_000_000_000,
        reprint: true,
        demonstration: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_says_everything_it_must() {
        let lines = example().lines();
        let all: Vec<&str> = lines
            .iter()
            .map(|line| match line {
                Line::Text(_, text) | Line::Barcode(text) => text.as_str(),
            })
            .collect();
        assert_eq!(
            all,
            [
                "CASH-OUT TICKET",
                "DUPLICATE",
                "main",
                "00-4218-2736-4554-6372",
                "004218273645546372",
                "Validation 00-4218-2736-4554-6372",
                "S$ 1234.50",
                "one thousand two hundred thirty-four dollars and fifty cents",
                "Terminal T 1",
                "Issued 2026-09-21 22:13:20",
                "Expires 2027-01-15 16:00:00",
                "Ticket 17",
            ]
        );
    }

    #[test]
    fn a_name_brings_no_commands_into_a_job() {
        let slip = Slip { floor: "a\u{1b}*\n\u{1d}zb金".to_owned(), ..example() };
        assert!(slip.lines().contains(&Line::Text(Weight::Plain, "a?*??zb?".to_owned())));
    }
}
