//! Tables and terminals as they come and go.

use super::Applied;
use crate::accumulator::Accumulator;
use crate::answers::Answers;
use crate::command::*;
use crate::ids::*;
use crate::ledger::Meters;
use crate::state::*;
use rulebook::{Cents, Hash};
use std::collections::VecDeque;

impl Floor {
    pub(super) fn table_added(
        &mut self,
        id: TableId,
        name: &str,
        rulebook: Hash,
        mode: TableMode,
        settings: &TableSettings,
    ) -> Applied {
        let rulebook = self.rulebook_place(rulebook)?;
        if id.index() != self.tables.len() {
            return self.misfit("tables are numbered in order");
        }
        self.tables.push(Table {
            id,
            name: name.to_owned(),
            rulebook,
            mode,
            settings: settings.clone(),
            pending: None,
            open: false,
            closes_at: None,
            dealer: None,
            terminals: Vec::new(),
            live: 0,
            round: None,
            archive: VecDeque::new(),
            history: VecDeque::new(),
            rounds_settled: 0,
            rounds_void: 0,
            accounts: TableAccounts::default(),
            recording_period: None,
            next_recording_period: None,
            past: Accumulator::default(),
            recalled: Vec::new(),
            recalled_at: Moment::default(),
            recalling: Vec::new(),
            serviced: Vec::new(),
            reports_of: None,
            readings: VecDeque::new(),
            earlier: Earlier::None,
            rest: None,
        });
        Ok(())
    }

    pub(super) fn terminal_enrolled(
        &mut self,
        id: TerminalId,
        table: TableId,
        name: &str,
        kind: &str,
        layout: u8,
    ) -> Applied {
        if id.index() != self.terminals.len() {
            return self.misfit("terminals are numbered in order");
        }
        self.table_mut(table)?.terminals.push(id);
        self.terminals.push(Terminal {
            id,
            table,
            layout,
            live: false,
            acknowledged: None,
            visit: None,
            stakes: Vec::new(),
            staked: Cents::ZERO,
            groups: Vec::new(),
            credit: Cents::ZERO,
            prepared: Cents::ZERO,
            drop: Cents::ZERO,
            lost_in_visit: Cents::ZERO,
            loss_limit: None,
            last_round: None,
            meters: Meters::default(),
            answers: Answers::default(),
            name: name.to_owned(),
            kind: kind.to_owned(),
            locked: None,
            lost_in: None,
            attended: None,
            choices: Vec::new(),
        });
        Ok(())
    }

    pub(super) fn terminal_moved(&mut self, id: TerminalId, table: TableId, kind: &str, layout: u8) -> Applied {
        let terminal = self.terminal_mut(id)?;
        let (from, live) = (terminal.table, u32::from(terminal.live));
        terminal.table = table;
        terminal.kind = kind.to_owned();
        terminal.layout = layout;
        terminal.last_round = None;
        let old = self.table_mut(from)?;
        old.terminals.retain(|terminal| *terminal != id);
        old.live = old.live.saturating_sub(live);
        let new = self.table_mut(table)?;
        let place = new.terminals.partition_point(|terminal| *terminal < id);
        new.terminals.insert(place, id);
        new.live = new.live.saturating_add(live);
        Ok(())
    }

    /// The player has moved to another table: the old one no longer waits for this terminal, and a round there that is closed
    /// does not wait for it either.
    pub(super) fn table_chosen(&mut self, id: TerminalId, table: TableId, layout: u8) -> Applied {
        let terminal = self.terminal_mut(id)?;
        let (from, kind, live) = (terminal.table, terminal.kind.clone(), terminal.live);
        let acknowledged = terminal.acknowledged;
        if let Some(round) = self.table_mut(from)?.round.as_mut().filter(|round| round.closed_at.is_some())
            && live
            && acknowledged != Some(round.id)
        {
            round.awaiting = round.awaiting.saturating_sub(1);
        }
        self.terminal_moved(id, table, &kind, layout)?;
        let closed = self.table_mut(table)?.round.as_ref().filter(|round| round.closed_at.is_some());
        if let Some(round) = closed.map(|round| round.id) {
            let terminal = self.terminal_mut(id)?;
            terminal.acknowledged = Some(round);
            terminal.lost_in = Some(round);
        }
        Ok(())
    }

    /// A terminal lost or back is no longer awaited in a round that is closed.
    pub(super) fn terminal_link(&mut self, id: TerminalId, up: bool, at: Moment) -> Applied {
        let tagged = self.is_tagged();
        let terminal = self.terminal_mut(id)?;
        let table = terminal.table;
        terminal.live = up;
        let acknowledged = terminal.acknowledged;
        let found = self.table_mut(table)?;
        found.live = if up { found.live.saturating_add(1) } else { found.live.saturating_sub(1) };
        let returning = found.round.as_mut().and_then(|round| round.returning.as_mut());
        if let Some(returning) = returning.filter(|returning| at < returning.until) {
            returning.missing.retain(|missing| *missing != id);
            if !up {
                returning.missing.push(id);
            }
        }
        if let Some(round) = found.round.as_mut().filter(|round| round.closed_at.is_some()) {
            let round_id = round.id;
            let silent = acknowledged != Some(round_id);
            if !up && (silent || mutant!("lost-terminal-counted-twice")) {
                round.awaiting = round.awaiting.saturating_sub(1);
            }
            let terminal = self.terminal_mut(id)?;
            terminal.acknowledged = Some(round_id);
            if silent && tagged {
                terminal.lost_in = Some(round_id);
            }
        }
        Ok(())
    }
}
