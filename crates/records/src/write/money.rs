//! Money: every movement a row, but for wagers, which are summed by terminal and round.

use floor::{
    Account, Adjustment, Cause, Event, RoundId, StaffId, TableId, TableMode, TerminalId, TicketId, Transfer, VisitId,
};
use rulebook::Cents;
use rusqlite::{CachedStatement, params};

use super::{Before, Metered, State, Writer};
use crate::{Error, account};

/// What a movement is about, beside its accounts.
#[derive(Copy, Clone, Default)]
struct About {
    terminal: Option<TerminalId>,
    table: Option<TableId>,
    round: Option<RoundId>,
    ticket: Option<TicketId>,
    staff: Option<StaffId>,
}

impl Writer<'_> {
    pub(super) fn money(&mut self, event: &Event, before: &Before, moved: &[Transfer]) -> Result<(), Error> {
        let written = match event {
            // Chips on a layout become money when the round ends.
            Event::ChipsPlaced { .. }
            | Event::ChipsTaken { .. }
            | Event::UnderMinimumRefused { .. }
            | Event::ExcessRejected { .. } => Ok(()),
            Event::RoundSettled { round, table, .. }
            | Event::RoundVoided { round, table, .. }
            | Event::ChipsSettled { round, table, .. } => self.round_money(*round, *table, moved),
            Event::RoundCorrected { round, adjustments, .. } | Event::SettledRoundVoided { round, adjustments, .. } => {
                self.adjusted_money(*round, adjustments, before, moved)
            }
            event => {
                let about = about(event, before);
                let mut insert = self.insert()?;
                moved.iter().try_for_each(|transfer| self.post(&mut insert, *transfer, about))
            }
        };
        self.visits(event, moved);
        written
    }

    /// Keeps in mind the visits of the terminals whose money has moved: the event that ends a visit still belongs to it.
    fn visits(&mut self, event: &Event, moved: &[Transfer]) {
        let State { floor, visits, .. } = &mut *self.state;
        visits.resize(floor.terminals().len(), None);
        let mut look = |id: TerminalId| {
            if let Some(known) = visits.get_mut(id.index()) {
                *known = floor.terminal(id).and_then(floor::Terminal::visit);
            }
        };
        let touched = moved.iter().flat_map(|transfer| [transfer.from, transfer.to]).filter_map(account::terminal);
        touched.for_each(&mut look);
        if let Event::RoundSettled { table, .. } | Event::RoundVoided { table, .. } = event {
            floor.table(*table).map_or(&[][..], floor::Table::terminals).iter().copied().for_each(look);
        }
    }

    /// The visit whose credit a transfer moves; money that is kept for a player who has left is of no visit.
    fn visit(&self, transfer: Transfer) -> Option<VisitId> {
        let id = account::terminal(transfer.from).or(account::terminal(transfer.to))?;
        let now = self.state.floor.terminal(id).and_then(floor::Terminal::visit);
        now.or_else(|| self.state.visits.get(id.index()).copied().flatten())
    }

    fn insert(&self) -> Result<CachedStatement<'_>, Error> {
        Ok(self.connection.prepare_cached(
            "INSERT INTO money
             (sequence, at, cause, amount, source, target, terminal, shift, table_id, round, ticket, staff, visit)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?)
    }

    fn post(&self, insert: &mut CachedStatement<'_>, transfer: Transfer, about: About) -> Result<(), Error> {
        let Transfer { from, to, amount, cause } = transfer;
        let terminal = account::terminal(from).or(account::terminal(to)).or(about.terminal);
        let table = account::table(from).or(account::table(to)).or(about.table);
        // Money that comes to a terminal is the drop of the table where it stands then; it may be moved later.
        let drop = matches!(cause, Cause::CashIn | Cause::TicketIn | Cause::AttendantIn);
        let stands =
            || terminal.filter(|_| drop).and_then(|id| self.state.floor.terminal(id)).map(|found| found.table());
        let table = table.or_else(stands);
        insert.execute(params![
            self.sequence,
            self.at.0,
            account::cause(cause),
            amount.get(),
            account::account(from),
            account::account(to),
            terminal.map(|id| id.0),
            account::shift(from).or(account::shift(to)).map(|id| id.0),
            table.map(|id| id.0),
            about.round.map(|id| id.0),
            about.ticket.map(|id| id.0),
            about.staff.map(|id| id.0),
            self.visit(transfer).map(|id| id.0),
        ])?;
        Ok(())
    }

    /// The money of a round that ends: what was wagered, what was withdrawn or returned, what the house collects and
    /// what the bets win. A part of a settlement that is not the last moves nothing.
    fn round_money(&mut self, round: RoundId, table: TableId, moved: &[Transfer]) -> Result<(), Error> {
        let Some(found) = self.state.floor.table(table).filter(|found| found.round().is_none()) else {
            return Ok(());
        };
        let live = found.mode() != TableMode::Terminals;
        let terminals = found.terminals().to_vec();
        self.wagers(&terminals, table, round)?;
        let about = About { round: Some(round), ..About::default() };
        let (chips, stakes) = (Account::Chips(table), Account::Stakes(table));
        let mut insert = self.insert()?;
        let mut collected = 0_i64;
        for transfer in moved {
            match transfer.cause {
                Cause::Collect => collected = collected.saturating_add(transfer.amount.get()),
                // A terminal's are in its meters.
                Cause::BetReturned if transfer.to != chips => {}
                Cause::BetReturned => {
                    // Chips that go back were placed first.
                    self.post(
                        &mut insert,
                        Transfer { from: chips, to: stakes, cause: Cause::Wager, ..*transfer },
                        about,
                    )?;
                    self.post(&mut insert, *transfer, about)?;
                }
                _ => {}
            }
        }
        if collected > 0 {
            let amount = Cents::new(collected);
            if live {
                let wager = Transfer { from: chips, to: stakes, amount, cause: Cause::Wager };
                self.post(&mut insert, wager, about)?;
            }
            let collect = Transfer { from: stakes, to: Account::HouseWin(table), amount, cause: Cause::Collect };
            self.post(&mut insert, collect, about)?;
        }
        let paid = moved.iter().filter(|transfer| !matches!(transfer.cause, Cause::Collect | Cause::BetReturned));
        for transfer in paid {
            self.post(&mut insert, *transfer, about)?;
        }
        Ok(())
    }

    /// What the meters of a table's terminals have counted since it was last written down. No terminal moves in the
    /// middle of a round (S12), so that it was wagered here.
    fn wagers(&mut self, terminals: &[TerminalId], table: TableId, round: RoundId) -> Result<(), Error> {
        let stakes = Account::Stakes(table);
        let about = About { round: Some(round), ..About::default() };
        let mut written: Vec<(TerminalId, Metered)> = Vec::with_capacity(terminals.len());
        let mut insert = self.insert()?;
        let mut update =
            self.connection.prepare_cached("UPDATE terminals SET wagers = ?, bets_returned = ? WHERE terminal = ?")?;
        for id in terminals {
            let Some(terminal) = self.state.floor.terminal(*id) else { continue };
            let Some(metered) = self.state.metered.get(id.index()) else { continue };
            let meters = terminal.meters();
            let now = Metered { wagers: meters.wagers.get(), bets_returned: meters.bets_returned.get() };
            if now == *metered {
                continue;
            }
            let credit = Account::Credit(*id);
            let (wagered, returned) = (now.wagers - metered.wagers, now.bets_returned - metered.bets_returned);
            if wagered > 0 {
                let amount = Cents::new(wagered);
                let wager = Transfer { from: credit, to: stakes, amount, cause: Cause::Wager };
                self.post(&mut insert, wager, about)?;
            }
            if returned > 0 {
                let amount = Cents::new(returned);
                let back = Transfer { from: stakes, to: credit, amount, cause: Cause::BetReturned };
                self.post(&mut insert, back, about)?;
            }
            update.execute(params![now.wagers, now.bets_returned, id.0])?;
            written.push((*id, now));
        }
        drop((insert, update));
        for (id, now) in written {
            if let Some(metered) = self.state.metered.get_mut(id.index()) {
                *metered = now;
            }
        }
        Ok(())
    }

    /// The movements of a correction come adjustment by adjustment: each has the terminal whose bets it concerns.
    fn adjusted_money(
        &self,
        round: RoundId,
        adjustments: &[Adjustment],
        before: &Before,
        moved: &[Transfer],
    ) -> Result<(), Error> {
        let mut insert = self.insert()?;
        let mut rest = moved.iter();
        for adjustment in adjustments {
            let uncollected = before.entry(adjustment).map_or(Cents::ZERO, |(.., uncollected)| uncollected);
            let amounts = [adjustment.credited, adjustment.taken, adjustment.payable, adjustment.unpaid];
            let plain = amounts.iter().filter(|amount| **amount != Cents::ZERO).count();
            let own = plain + usize::from(adjustment.uncollected != uncollected);
            let about = About { terminal: Some(adjustment.terminal), round: Some(round), ..About::default() };
            for transfer in rest.by_ref().take(own) {
                self.post(&mut insert, *transfer, about)?;
            }
        }
        let about = About { round: Some(round), ..About::default() };
        rest.try_for_each(|transfer| self.post(&mut insert, *transfer, about))
    }
}

/// What a movement is about, by its event.
fn about(event: &Event, before: &Before) -> About {
    let mut about = About::default();
    match event {
        Event::AttendantIn { by, .. } | Event::AttendantPaid { by, .. } => about.staff = Some(*by),
        Event::FloatMoved { by, .. } => about.staff = Some(*by),
        Event::Recovered { table, round, by, .. } => {
            about.table = Some(*table);
            about.round = *round;
            about.staff = Some(*by);
        }
        Event::TicketIn { ticket, .. }
        | Event::TicketPrepared { ticket, .. }
        | Event::TicketPrinted { ticket, .. }
        | Event::PrintFailed { ticket }
        | Event::TicketResolved { ticket, .. }
        | Event::TicketExpired { ticket }
        | Event::TicketSold { ticket, .. }
        | Event::TicketRedeemed { ticket, .. } => about.ticket = Some(*ticket),
        Event::ExpiredPaid { ticket, by, .. } => {
            about.ticket = Some(*ticket);
            about.staff = Some(*by);
        }
        Event::CorrectionPaid { .. } | Event::PayablePaid { .. } => {
            if let Event::PayablePaid { by, .. } = event {
                about.staff = Some(*by);
            }
            about.terminal = before.about.map(|(terminal, _)| terminal);
            about.round = before.about.and_then(|(_, round)| round);
        }
        Event::ChipsCorrected { round, by, .. } | Event::RecordCorrected { round, by, .. } => {
            about.round = Some(*round);
            about.staff = Some(*by);
        }
        Event::Decided { table, round, ruling, by, .. } => {
            about.table = Some(*table);
            about.round = *round;
            about.staff = Some(*by);
            if let floor::Ruling::Pay { terminal, .. } | floor::Ruling::TakeBack { terminal, .. } = &**ruling {
                about.terminal = Some(*terminal);
            }
        }
        _ => {}
    }
    about
}
