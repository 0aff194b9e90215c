//! Writing: each event becomes rows.

mod corrections;
mod house;
mod money;
mod past;
mod people;
mod rounds;
mod slips;
mod tickets;
mod totals;

use std::borrow::Cow;

use floor::{Event, Floor, Meters, Moment, Record, RoundId, TerminalId, Transfer, VisitId};
use rulebook::Cents;
use rusqlite::{Connection, OptionalExtension, params};

use crate::Error;
use crate::changes::{LineRef, Pending, WhatRef};
use crate::describe;

/// What the records keep in mind between events: all of it can be read from a floor and the database at its sequence.
#[derive(Default)]
pub(crate) struct State {
    floor: Floor,
    /// By terminal: the meters up to which wagers have become rows.
    metered: Vec<Metered>,
    /// By terminal: the meters that are in the database, with the credit and what is put aside.
    meters: Vec<Option<(Meters, Cents, Cents)>>,
    /// By terminal: the visit there.
    visits: Vec<Option<VisitId>>,
    /// By table: changes of the round that are not yet in the database. Empty between batches.
    pending: Vec<Pending>,
}

/// The meters of a terminal that are written in sums.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
struct Metered {
    wagers: i64,
    bets_returned: i64,
}

impl State {
    pub(crate) fn resume(connection: &Connection, floor: Floor) -> Result<State, Error> {
        let mut statement = connection.prepare("SELECT wagers, bets_returned FROM terminals ORDER BY terminal")?;
        let metered = statement.query_map([], |row| Ok(Metered { wagers: row.get(0)?, bets_returned: row.get(1)? }))?;
        let metered: Vec<Metered> = metered.collect::<Result<_, _>>()?;
        if metered.len() != floor.terminals().len() {
            return Err(Error::damaged("the state has other terminals than the records"));
        }
        let visits = floor.terminals().iter().map(floor::Terminal::visit).collect();
        Ok(State { floor, metered, visits, meters: Vec::new(), pending: Vec::new() })
    }
}

/// Writes events of one batch.
pub(crate) struct Writer<'a> {
    connection: &'a Connection,
    state: &'a mut State,
    sequence: u64,
    at: Moment,
}

/// What an event changes and the rows still want to know.
#[derive(Default)]
struct Before {
    /// What each terminal with bets was entitled to, and what of it could not be collected.
    entries: Vec<(TerminalId, Cents, Cents)>,
    /// The chips of a live table, in play or as settled.
    chips: Vec<floor::ChipShare>,
    /// The result of a round that is corrected.
    outcome: Option<rulebook::OutcomeIndex>,
    /// Whose payment at the cage or whose ticket it is, where the event does not say.
    about: Option<(TerminalId, Option<RoundId>)>,
    /// What the tray or the box of a live table should hold.
    held: Option<Cents>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(connection: &'a Connection, state: &'a mut State) -> Writer<'a> {
        Writer { connection, state, sequence: 0, at: Moment(0) }
    }

    pub(crate) fn record(&mut self, sequence: u64, record: &Record) -> Result<(), Error> {
        self.sequence = sequence;
        self.at = record.at;
        match &record.event {
            // The two events that come in great numbers.
            Event::BetsChanged { terminal, changes, added, removed, .. } => {
                self.state.floor.apply(record)?;
                self.change(*terminal, None, |layout| WhatRef::Bets { layout, changes, added, removed })
            }
            Event::CloseAcknowledged { terminal, round } => {
                self.state.floor.apply(record)?;
                self.change(*terminal, Some(*round), |_| WhatRef::Acknowledged)
            }
            _ => {
                let whole = self.whole(record);
                let record = whole.as_ref();
                let before = self.before(&record.event)?;
                let leaving = self.leaving(&record.event);
                let seen = self.seen(record);
                let moved = self.state.floor.apply_and_tell(record)?;
                leaving.map_or(Ok(()), |leaving| self.left(leaving))?;
                self.past_changed(&record.event)?;
                self.event(&record.event, &before, &moved)?;
                self.people(seen)?;
                self.happening(record, &before)
            }
        }
    }

    /// A correction with what came before it in parts, as if it had that itself.
    fn whole<'r>(&self, record: &'r Record) -> Cow<'r, Record> {
        match self.state.floor.whole(&record.event) {
            Cow::Borrowed(_) => Cow::Borrowed(record),
            Cow::Owned(event) => Cow::Owned(Record { event, ..record.clone() }),
        }
    }

    fn event(&mut self, event: &Event, before: &Before, moved: &[Transfer]) -> Result<(), Error> {
        self.house(event)?;
        self.round(event, before)?;
        self.correction(event, before)?;
        self.money(event, before, moved)?;
        self.totals(event, before, moved)?;
        self.ticket(event)?;
        self.slip(event, before)?;
        self.alert(event)
    }

    /// What must be looked at before the event is applied.
    fn before(&self, event: &Event) -> Result<Before, Error> {
        let floor = &self.state.floor;
        let mut before = Before::default();
        match event {
            Event::RoundVoided { table, .. } => {
                let chips = floor.table(*table).and_then(|table| table.round()).map(|round| round.chips());
                before.chips = rounds::returned_chips(chips.unwrap_or_default());
            }
            Event::RoundCorrected { round, table, .. }
            | Event::SettledRoundVoided { round, table, .. }
            | Event::ChipsCorrected { round, table, .. }
            | Event::RecordCorrected { round, table, .. } => {
                if let Some(archived) = describe::archived(floor, *table, *round) {
                    let uncollected = |paid: Cents, entitled: Cents| Cents::new(paid.get() - entitled.get());
                    let entries = archived.entries().iter();
                    before.entries = entries
                        .map(|entry| (entry.terminal(), entry.entitled(), uncollected(entry.paid(), entry.entitled())))
                        .collect();
                    before.chips = archived.shares().to_vec();
                    before.outcome = archived.outcome();
                }
            }
            Event::FloatMoved { table, movement, .. } => {
                let drop = matches!(movement, floor::FloatMovement::Drop(_));
                before.held = floor.table(*table).map(|table| if drop { table.drop() } else { table.float() });
            }
            Event::CorrectionPaid { payable, .. } | Event::PayablePaid { payable, .. } => {
                let found = floor.payables().find(|waiting| waiting.id() == *payable);
                before.about = found.map(|waiting| (waiting.terminal(), waiting.round()));
            }
            Event::PrintFailed { ticket }
            | Event::TicketReprinted { ticket, .. }
            | Event::TicketReplaced { ticket, .. }
            | Event::TicketResolved { ticket, .. } => {
                let mut select = self.connection.prepare_cached("SELECT terminal FROM tickets WHERE ticket = ?")?;
                let terminal: Option<Option<u32>> = select.query_row([ticket.0], |row| row.get(0)).optional()?;
                before.about = terminal.flatten().map(|terminal| (TerminalId(terminal), None));
            }
            _ => {}
        }
        Ok(before)
    }

    /// Adds a change to the list of its round.
    fn change<'e>(
        &mut self,
        terminal: TerminalId,
        round: Option<RoundId>,
        what: impl FnOnce(u8) -> WhatRef<'e>,
    ) -> Result<(), Error> {
        let floor = &self.state.floor;
        let Some(found) = floor.terminal(terminal) else { return Ok(()) };
        let table = found.table();
        let playing = || floor.table(table).and_then(|table| table.round()).map(|round| round.id());
        let Some(round) = round.or_else(playing) else { return Ok(()) };
        let line = LineRef { sequence: self.sequence, at: self.at, terminal, what: what(found.layout()) };
        if self.state.pending.len() <= table.index() {
            self.state.pending.resize_with(table.index() + 1, Pending::default);
        }
        let Some(pending) = self.state.pending.get_mut(table.index()) else { return Ok(()) };
        if pending.round != Some(round) {
            write_changes(self.connection, pending)?;
        }
        pending.add(round, &line)
    }

    /// Writes the lists that the batch has added to, and the meters that it has moved.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        self.meters()?;
        self.state.pending.iter_mut().try_for_each(|pending| write_changes(self.connection, pending))
    }

    fn meters(&mut self) -> Result<(), Error> {
        let State { floor, meters: written, .. } = &mut *self.state;
        written.resize(floor.terminals().len(), None);
        let connection = self.connection;
        let mut insert = connection
            .prepare_cached("INSERT OR REPLACE INTO meters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
        for (terminal, written) in floor.terminals().iter().zip(written) {
            let (meters, credit, prepared) = (terminal.meters(), terminal.credit(), terminal.prepared());
            if written.as_ref().is_some_and(|(m, c, p)| m == meters && *c == credit && *p == prepared) {
                continue;
            }
            insert.execute(params![
                terminal.id().0,
                meters.cash_in.get(),
                meters.tickets_in.get(),
                meters.attendant_in.get(),
                meters.wins.get(),
                meters.bets_returned.get(),
                meters.tickets_out.get(),
                meters.attendant_out.get(),
                meters.wagers.get(),
                meters.corrections.get(),
                meters.decisions.get(),
                credit.get(),
                prepared.get(),
            ])?;
            *written = Some((meters.clone(), credit, prepared));
        }
        Ok(())
    }

    /// What happened in words: of every event of a round, and of every significant one.
    fn happening(&mut self, record: &Record, before: &Before) -> Result<(), Error> {
        let Some(happening) = describe::happening(&self.state.floor, record, before.about) else { return Ok(()) };
        if happening.kind.is_none() && happening.round.is_none() {
            return Ok(());
        }
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO events (sequence, at, kind, code, table_id, round, terminal, device, staff, words)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        insert.execute(params![
            self.sequence,
            self.at.0,
            happening.kind.map(describe::Kind::as_str),
            happening.code,
            happening.table.map(|id| id.0),
            happening.round.map(|id| id.0),
            happening.terminal.map(|id| id.0),
            happening.device.map(|id| id.0),
            happening.staff.map(|id| id.0),
            happening.words,
        ])?;
        Ok(())
    }

    fn alert(&mut self, event: &Event) -> Result<(), Error> {
        match event {
            Event::AlertRaised { alert, table, what } => {
                let (code, words) = describe::alert(&self.state.floor, what);
                self.connection
                    .prepare_cached("INSERT INTO alerts (alert, at, code, table_id, words) VALUES (?, ?, ?, ?, ?)")?
                    .execute(params![alert.0, self.at.0, code, table.map(|id| id.0), words])?;
            }
            Event::AlertRepeated { alert, what, .. } => {
                let (_, words) = describe::alert(&self.state.floor, what);
                self.connection
                    .prepare_cached("UPDATE alerts SET words = ? WHERE alert = ?")?
                    .execute(params![words, alert.0])?;
            }
            Event::AlertAcknowledged { alert, by } | Event::Countersigned { alert, by } => {
                self.connection
                    .prepare_cached("UPDATE alerts SET acknowledged_at = ?, acknowledged_by = ? WHERE alert = ?")?
                    .execute(params![self.at.0, by.0, alert.0])?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Writes what a round's list has been added to; the list is empty then.
fn write_changes(connection: &Connection, pending: &mut Pending) -> Result<(), Error> {
    if let Some(round) = pending.round.take() {
        connection.prepare_cached("INSERT INTO changes (round, first, lines) VALUES (?, ?, ?)")?.execute(params![
            round.0,
            pending.first,
            pending.lines
        ])?;
        pending.lines.clear();
    }
    Ok(())
}
