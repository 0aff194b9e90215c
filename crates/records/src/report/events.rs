//! Significant events (S14).

use paper::{Column, Paper, Table};
use serde::Serialize;
use utoipa::ToSchema;

use super::{At, NoReport, Period, UpTo, subtitles};
use crate::Kind;
use crate::query::{EventFilter, EventRecord, Query};

/// An event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EventRow {
    /// Its record.
    pub sequence: u64,
    /// When.
    pub at: At,
    /// Of which kind.
    pub kind: Kind,
    /// What, in a word that does not change.
    pub code: String,
    /// The table it is about.
    pub table: Option<u16>,
    /// The terminal it is about.
    pub terminal: Option<u32>,
    /// The device it is about.
    pub device: Option<u16>,
    /// Who did it.
    pub who: Option<String>,
    /// In words.
    pub words: String,
}

/// Significant events of a time, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EventsReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// Which days.
    pub period: Period,
    /// Of which kind; `null`: of all.
    pub kind: Option<Kind>,
    /// The events.
    pub events: Vec<EventRow>,
}

impl Query<'_> {
    /// Significant events of gaming days, of the last if none is named.
    ///
    /// # Errors
    /// When there are no such days, or the database cannot be read.
    pub fn events_report(
        &self,
        kind: Option<Kind>,
        first: Option<&str>,
        last: Option<&str>,
        journal: Option<u64>,
    ) -> Result<EventsReport, NoReport> {
        let snapshot = self.snapshot()?;
        let period = self.period(first, last)?;
        let up_to = self.up_to(journal)?;
        let (from, to) = (Some(period.from.0), Some(period.to.0));
        let mut filter = EventFilter { kind, from, to, limit: Some(1_000), ..EventFilter::default() };
        let mut events = Vec::new();
        loop {
            let page = self.significant(&filter)?;
            for event in page.rows {
                events.push(self.event_row(event)?);
            }
            filter.before = page.next;
            if page.next.is_none() {
                break;
            }
        }
        drop(snapshot);
        events.reverse();
        Ok(EventsReport { up_to, period, kind, events })
    }

    fn event_row(&self, event: EventRecord) -> Result<EventRow, NoReport> {
        Ok(EventRow {
            sequence: event.sequence,
            at: At(event.at),
            kind: event.kind,
            code: event.code,
            table: event.table.map(|id| id.0),
            terminal: event.terminal.map(|id| id.0),
            device: event.device.map(|id| id.0),
            who: self.staff_name(event.staff)?,
            words: event.words,
        })
    }
}

impl EventsReport {
    /// The report as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let of = self.kind.map_or_else(String::new, |kind| format!(": {}", kind.as_str()));
        let mut paper = Paper::new(format!("Significant events{of}"));
        paper.landscape().subtitle(self.period.words());
        subtitles(&mut paper, &self.up_to);
        if self.events.is_empty() {
            paper.paragraph("None.");
        }
        let columns = [
            Column::figure("Record"),
            Column::name("When (UTC+8)"),
            Column::name("Kind"),
            Column::name("Code"),
            Column::figure("Table"),
            Column::figure("Terminal"),
            Column::figure("Device"),
            Column::name("Who"),
            Column::words("What"),
        ];
        let id = |id: Option<u32>| id.map_or_else(String::new, |id| id.to_string());
        let mut table = Table::new("", columns);
        for event in &self.events {
            table.row([
                event.sequence.to_string(),
                event.at.to_string(),
                event.kind.as_str().to_owned(),
                event.code.clone(),
                id(event.table.map(u32::from)),
                id(event.terminal),
                id(event.device.map(u32::from)),
                event.who.clone().unwrap_or_default(),
                event.words.clone(),
            ]);
        }
        paper.table(table);
        paper
    }
}
