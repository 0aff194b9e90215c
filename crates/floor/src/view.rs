//! What each screen shows. This is the only place that decides who sees what: a player sees their own bets and credit
//! and no other player's, a display none at all, the console sums, the pit its tables, the cage its shift and what it
//! has to pay.

use rulebook::{Cents, Citation, Family, LimitScope, OutcomeIndex, Play, Rulebook, Spot, SpotIndex, Text};

use crate::command::*;
use crate::doubt::Doubt;
use crate::event::Group;
use crate::ids::*;
use crate::state::*;

/// The state of a round, for everyone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundView {
    /// Which round.
    pub id: RoundId,
    /// How far it has come.
    pub phase: Phase,
    /// What is shown or announced now, in the words of the document: the notice for bets, or that there are no more.
    pub notice: Option<Text>,
    /// When bets close by themselves.
    pub closes_at: Option<Moment>,
    /// Whether a reported ground halts it.
    pub halted: bool,
    /// Whether it waits for an attestation.
    pub interrupted: bool,
}

/// The table, for everyone who can see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableView {
    /// Which table.
    pub id: TableId,
    /// Its name.
    pub name: String,
    /// The title of the game.
    pub game: Text,
    /// Whether it is open.
    pub open: bool,
    /// When it closes, once announced (S3).
    pub closes_at: Option<Moment>,
    /// The round in progress.
    pub round: Option<RoundView>,
    /// Limits by kind of bet (S4).
    pub limits: Vec<(Family, Limit)>,
    /// The largest differential of a live table.
    pub differential: Option<Cents>,
    /// Limits that hold from the next round on, once announced (S12).
    pub announced: Option<Vec<(Family, Limit)>>,
    /// Recent results, oldest first: for information only.
    pub history: Vec<OutcomeIndex>,
    /// What became of the last round: its result, or `None` for a void one.
    pub last_round: Option<(RoundId, Option<OutcomeIndex>)>,
}

/// What a Player Terminal shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalView {
    /// Which terminal.
    pub id: TerminalId,
    /// Its table.
    pub table: TableView,
    /// Its layout.
    pub layout: String,
    /// Whether it can be used.
    pub usable: bool,
    /// What can be bet or cashed out.
    pub credit: Cents,
    /// What is put aside for a ticket that is being printed.
    pub printing: Cents,
    /// The own bets that are registered; each with the multi-piece bet it belongs to, zero for none.
    pub bets: Vec<(Spot, u16, Cents)>,
    /// The own multi-piece bets.
    pub pieces: Vec<Group>,
    /// The sum of the bets.
    pub staked: Cents,
    /// The player's own limit for the visit (S4).
    pub loss_limit: Option<Cents>,
    /// The last round of this visit: what was bet and what came back.
    pub last: Option<LastRound>,
    /// The ticket in doubt, until its printer has reported or two people have resolved it (D25).
    pub doubt: Option<Doubt>,
    /// The last ticket whose doubt is over, and what became of it: the screen never has to guess (S17).
    pub last_ticket: Option<LastTicket>,
    /// What may still be lost in this visit under the player's own limit; the limit ends with the visit (S4).
    pub loss_left: Option<Cents>,
}

/// The last round of a visit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LastRound {
    /// Which.
    pub round: RoundId,
    /// Its result; `None` if it is void.
    pub outcome: Option<OutcomeIndex>,
    /// What was bet.
    pub staked: Cents,
    /// What came back.
    pub returned: Cents,
}

/// What hangs over the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplayView {
    /// The table.
    pub table: TableView,
    /// The areas lit: the spots that win by the last result, until bets open again.
    pub lit: Vec<Spot>,
    /// The paragraph that says a display is for information only.
    pub information_only: Citation,
}

/// What the dealer's console shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleView {
    /// The table.
    pub table: TableView,
    /// The dealer who has it.
    pub dealer: Option<StaffId>,
    /// Terminals enrolled, live, and with bets.
    pub terminals: (usize, u32, usize),
    /// Live terminals that have not yet acknowledged the close (D12).
    pub awaiting: u32,
    /// Stakes in all.
    pub staked: Cents,
    /// The outcome that costs the house most, and how much.
    pub worst: Option<(OutcomeIndex, Cents)>,
    /// The result entered, and what it would return in all.
    pub entered: Option<(OutcomeIndex, Cents)>,
    /// The ground a device has reported, with its paragraph and words.
    pub ground: Option<(OpenGround, Citation, Text)>,
    /// What the host proposes after an interruption.
    pub proposal: Option<crate::Proposal>,
    /// The boxes of a live table: each with what stands there and what exceeds.
    pub boxes: Vec<BoxView>,
}

/// A betting box of a live table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxView {
    /// Which spot.
    pub spot: Spot,
    /// Who has how much there, in the order of the positions.
    pub bets: Vec<(Position, Cents)>,
    /// The sum.
    pub total: Cents,
    /// What exceeds the box or the differential.
    pub excess: Cents,
    /// Positions whose bet is under the minimum.
    pub under_minimum: Vec<Position>,
    /// Those of them to whom the minimum was pointed out: their bets may be refused (5.2).
    pub advised: Vec<Position>,
    /// What of it was recorded after the close, in the order of the positions (D20).
    pub late: Vec<(Position, Cents)>,
}

/// A table as the pit sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PitTable {
    /// The table.
    pub table: TableView,
    /// The dealer who has it.
    pub dealer: Option<StaffId>,
    /// Players: terminals with a visit.
    pub players: usize,
    /// Rounds settled and void.
    pub rounds: (u64, u64),
    /// What has been bet in settled rounds.
    pub turnover: Cents,
    /// What the house has won.
    pub win: Cents,
    /// What the house stands to lose in the round, at worst.
    pub liability: Option<Cents>,
}

/// What the pit sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PitView {
    /// Every table.
    pub tables: Vec<PitTable>,
    /// Alerts to acknowledge (S19).
    pub alerts: Vec<Alert>,
    /// What corrections could not collect.
    pub uncollected: Cents,
    /// What corrections left to be paid at the cage.
    pub payable: Cents,
    /// The same, one by one: the pit pays by hand what the cage cannot (D25).
    pub payables: Vec<Payable>,
    /// Tickets in doubt (D25).
    pub doubts: Vec<Doubt>,
    /// The gaming day, in days since 1970 in local time (D27).
    pub day: i64,
    /// Who has moved what in this gaming day, alone and with a second person (D27).
    pub moved: Vec<(StaffId, Alone)>,
    /// The floor's thresholds.
    pub thresholds: Thresholds,
}

/// What the cage sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CageView {
    /// The cashier's shift.
    pub shift: Option<CageShift>,
    /// Tickets outstanding: how many, and how much.
    pub outstanding: (usize, Cents),
    /// What corrections left to be paid.
    pub payables: Vec<Payable>,
    /// Tickets in doubt (D25).
    pub doubts: Vec<Doubt>,
    /// What the cashier has moved in this gaming day; not while a drawer is open that was not counted yet.
    pub moved: Option<Alone>,
}

/// A cashier's shift as the cashier sees it: what the drawer should hold is shown only once it has been counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CageShift {
    /// Which.
    pub id: ShiftId,
    /// The float it began with.
    pub float: Cents,
    /// What was counted last.
    pub counted: Option<Cents>,
    /// What the drawer should hold, after a count.
    pub expected: Option<Cents>,
}

impl Floor {
    /// The table, for everyone who can see it.
    #[must_use]
    // § etg 3.3 · rws-taisai 3.3
    pub fn table_view(&self, id: TableId) -> Option<TableView> {
        let table = self.table(id)?;
        let rulebook = self.rulebook_of(table)?;
        let limits = |settings: &TableSettings| {
            rulebook.families().keys().map(|family| (*family, settings.limit_of(*family))).collect()
        };
        Some(TableView {
            id,
            name: table.name.clone(),
            game: rulebook.identity().title.clone(),
            open: table.open,
            closes_at: table.closes_at,
            round: table.round.as_ref().map(|round| round_view(rulebook, round)),
            limits: limits(&table.settings),
            differential: table.settings.differential.filter(|_| rulebook.limits().scope == LimitScope::Box),
            announced: table.pending.as_ref().map(limits),
            history: table.history.iter().map(|(_, outcome)| *outcome).collect(),
            last_round: table.archive.back().map(|archived| (archived.id, archived.outcome)),
        })
    }

    /// What a Player Terminal shows: its own bets and credit.
    #[must_use]
    pub fn terminal_view(&self, id: TerminalId) -> Option<TerminalView> {
        let terminal = self.terminal(id)?;
        let layout = self.layout_of(terminal)?;
        let table = self.table(terminal.table)?;
        let spot = |stake: &Stake| Some((layout.table().spot(stake.spot)?.spot, stake.group, stake.amount));
        let last = terminal.last_round.and_then(|round| table.archived(round)).and_then(|archived| {
            let entry = archived.entry(id).filter(|entry| entry.visit.is_some() && entry.visit == terminal.visit)?;
            let (staked, returned) = (entry.staked, entry.entitled);
            Some(LastRound { round: archived.id, outcome: archived.outcome, staked, returned })
        });
        Some(TerminalView {
            id,
            table: self.table_view(terminal.table)?,
            layout: layout.id().to_owned(),
            usable: terminal.available().is_ok(),
            credit: terminal.credit,
            printing: terminal.prepared,
            bets: terminal.stakes.iter().filter_map(spot).collect(),
            pieces: terminal.groups.clone(),
            staked: terminal.staked,
            loss_limit: terminal.loss_limit,
            last,
            doubt: self.doubt_of(id),
            last_ticket: self.last_ticket_of(id),
            loss_left: terminal
                .loss_limit
                .map(|limit| Cents::new(limit.get().saturating_sub(terminal.lost_in_visit.get()).max(0))),
        })
    }

    /// What hangs over a table.
    #[must_use]
    // § etg 5.8 · mbs-sicbo 6.3 · rws-taisai 5.11
    pub fn display_view(&self, id: TableId) -> Option<DisplayView> {
        let table = self.table(id)?;
        let rulebook = self.rulebook_of(table)?;
        let shown = match &table.round {
            None => table.archive.back().and_then(|archived| archived.outcome),
            Some(round) => round.outcome,
        };
        let mut lit: Vec<Spot> = Vec::new();
        for layout in rulebook.layouts() {
            let table = layout.table();
            let spots = shown.into_iter().flat_map(|outcome| table.lit(outcome));
            for spot in spots.filter_map(|spot| table.spot(spot)) {
                if !lit.contains(&spot.spot) {
                    lit.push(spot.spot);
                }
            }
        }
        let information_only = rulebook.irregularities().display.clone();
        Some(DisplayView { table: self.table_view(id)?, lit, information_only })
    }

    /// What the dealer's console shows.
    #[must_use]
    pub fn console_view(&self, id: TableId) -> Option<ConsoleView> {
        let table = self.table(id)?;
        let rulebook = self.rulebook_of(table)?;
        let round = table.round.as_ref();
        let betting = table.terminals.iter().filter_map(|t| self.terminal(*t)).filter(|t| !t.stakes.is_empty()).count();
        let ground = round.and_then(|round| round.ground).and_then(|open| {
            let ground = rulebook.ground(open.ground)?;
            Some((open, ground.paragraph.clone(), ground.name.clone()))
        });
        let on_terminals = rulebook.identity().play == Play::Terminals;
        Some(ConsoleView {
            table: self.table_view(id)?,
            dealer: table.dealer,
            terminals: (table.terminals.len(), table.live, betting),
            awaiting: round.map_or(0, Round::awaiting),
            staked: table.accounts.stakes,
            worst: round.filter(|_| on_terminals).map(|round| round.exposure.worst()),
            entered: round
                .and_then(|round| round.outcome)
                .and_then(|outcome| Some((outcome, self.would_return(id, outcome)?))),
            ground,
            proposal: round.filter(|round| round.interrupted.is_some()).and_then(|_| self.proposal(id)),
            boxes: self.box_views(table, rulebook),
        })
    }

    fn box_views(&self, table: &Table, rulebook: &Rulebook) -> Vec<BoxView> {
        let Some(round) = table.round.as_ref().filter(|_| table.mode == TableMode::BetsRecorded) else {
            return Vec::new();
        };
        let Some(layout) = rulebook.layouts().first() else { return Vec::new() };
        let excess = self.excess(table.id);
        let under = self.under_minimum_bets(table.id);
        let in_box = |index: SpotIndex| -> Option<BoxView> {
            let here = round.chips.iter().filter(|chip| chip.spot == index);
            let bets = by_position(here.clone())?;
            let late = by_position(here.filter(|chip| chip.late))?;
            (!bets.is_empty()).then_some(())?;
            Some(BoxView {
                spot: layout.table().spot(index)?.spot,
                total: Cents::checked_sum(bets.iter().map(|(_, amount)| *amount))?,
                bets,
                excess: excess.iter().find(|(spot, _)| *spot == index).map_or(Cents::ZERO, |(_, excess)| *excess),
                under_minimum: under
                    .iter()
                    .filter(|(_, spot, _)| *spot == index)
                    .map(|(position, ..)| *position)
                    .collect(),
                advised: round.advised.iter().filter(|(_, spot)| *spot == index).map(|(at, _)| *at).collect(),
                late,
            })
        };
        layout.table().indices().filter_map(in_box).collect()
    }

    /// What the pit sees.
    #[must_use]
    pub fn pit_view(&self) -> PitView {
        let row = |table: &Table| {
            let visited = |id: &&TerminalId| self.terminal(**id).is_some_and(|terminal| terminal.visit.is_some());
            Some(PitTable {
                table: self.table_view(table.id)?,
                dealer: table.dealer,
                players: table.terminals.iter().filter(visited).count(),
                rounds: (table.rounds_settled, table.rounds_void),
                turnover: table.accounts.turnover,
                win: table.accounts.house,
                liability: table
                    .round
                    .as_ref()
                    .filter(|_| table.mode == TableMode::Terminals)
                    .map(|round| round.exposure.worst().1),
            })
        };
        let (uncollected, payable) = self.corrections_left();
        PitView {
            tables: self.tables.iter().filter_map(row).collect(),
            alerts: self.alerts.values().cloned().collect(),
            uncollected,
            payable,
            payables: self.payables.values().cloned().collect(),
            doubts: self.doubts().collect(),
            day: self.gaming_day(),
            moved: self.moved().collect(),
            thresholds: self.thresholds(),
        }
    }

    /// What corrections could not collect, and what they left to be paid.
    #[must_use]
    pub fn corrections_left(&self) -> (Cents, Cents) {
        (Cents::new(self.books.uncollected.get().saturating_neg()), self.books.payable)
    }

    /// What a cashier sees.
    #[must_use]
    pub fn cage_view(&self, cashier: StaffId) -> CageView {
        let shift = self.person(cashier).and_then(|staff| staff.shift).and_then(|shift| self.shifts.get(&shift));
        let outstanding = self.owed_tickets().count();
        CageView {
            shift: shift.map(|shift| {
                let counted = self.counted(shift.id);
                let expected = counted.map(|_| shift.cash());
                CageShift { id: shift.id, float: shift.opening, counted, expected }
            }),
            outstanding: (outstanding, self.books.outstanding),
            payables: self.payables.values().cloned().collect(),
            doubts: self.doubts().collect(),
            moved: (!self.counts_blind(cashier)).then(|| self.moved_by(cashier)),
        }
    }
}

/// What each player has, in the order of the positions.
fn by_position<'a>(chips: impl Iterator<Item = &'a Chip>) -> Option<Vec<(Position, Cents)>> {
    let mut sums: Vec<(Position, Cents)> = Vec::new();
    for chip in chips {
        match sums.iter_mut().find(|(position, _)| *position == chip.position) {
            Some((_, amount)) => *amount = amount.checked_add(chip.amount)?,
            None => sums.push((chip.position, chip.amount)),
        }
    }
    sums.sort_unstable();
    Some(sums)
}

fn round_view(rulebook: &Rulebook, round: &Round) -> RoundView {
    let procedure = rulebook.procedure();
    RoundView {
        id: round.id,
        phase: round.phase,
        notice: match round.phase {
            Phase::Begun => None,
            Phase::Open => Some(procedure.opening.text.clone()),
            _ => Some(procedure.closing.text.clone()),
        },
        closes_at: round.closes_at.filter(|_| round.phase == Phase::Open),
        halted: round.is_halted(),
        interrupted: round.interrupted.is_some(),
    }
}
