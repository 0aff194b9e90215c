//! What a player sees of the own terminal, and a terminal as others see it.

use floor::{Body, Floor, Sender, TableId, Terminal, TerminalId};
use serde::Serialize;
use utoipa::ToSchema;

use super::pit::{DoubtSection, doubt};
use super::table::outcome;
use crate::error::Error;
use crate::view::{Money, Words};

/// A stake on a spot.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct BetRow {
    /// Where.
    #[schema(example = "single/2")]
    pub spot: String,
    /// The multi-piece bet it belongs to; 0 for a plain bet.
    pub group: u16,
    /// How much stands there now; 0.00 when it is gone.
    pub stake: Money,
}

/// A multi-piece bet.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PiecesRow {
    /// Its number at the terminal in this round.
    pub group: u16,
    /// Its notation.
    #[schema(example = "neighbours/21/2")]
    pub bet: String,
    /// The unit.
    pub unit: Money,
}

/// The last round of a visit.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct LastBetsSection {
    /// Which round.
    pub round: u64,
    /// Its result; `null` if it is void.
    pub outcome: Option<String>,
    /// What was bet.
    pub staked: Money,
    /// What came back.
    pub returned: Money,
}

/// What became of a ticket that was in doubt.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TicketBecame {
    /// It is on paper: its printer said so, it was presented, or two people found it in hand.
    OnPaper,
    /// It was not printed, and the amount went back into the credit.
    Returned,
    /// It was not printed, and two people paid it by hand.
    PaidByHand,
}

/// The last ticket of the terminal whose doubt is over. Its number is shown nowhere.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct LastTicketSection {
    /// Which ticket.
    pub ticket: u64,
    /// How much.
    pub amount: Money,
    /// What became of it.
    pub became: TicketBecame,
}

fn last_ticket(last: floor::LastTicket) -> LastTicketSection {
    let became = match last.became {
        floor::TicketBecame::OnPaper => TicketBecame::OnPaper,
        floor::TicketBecame::Returned => TicketBecame::Returned,
        floor::TicketBecame::PaidByHand => TicketBecame::PaidByHand,
    };
    LastTicketSection { ticket: last.ticket.0, amount: last.amount.into(), became }
}

/// What a player sees of the own terminal.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OwnSection {
    /// Which terminal.
    pub terminal: u32,
    /// Its name.
    pub name: String,
    /// Its layout.
    pub layout: String,
    /// Its kind.
    pub kind: String,
    /// Whether it can be used.
    pub usable: bool,
    /// Why not.
    pub why: Option<Words>,
    /// Which visit is there; `null` when no player is (D7).
    pub visit: Option<u64>,
    /// What can be bet or cashed out.
    pub credit: Money,
    /// What is put aside for a ticket that is being printed.
    pub printing: Money,
    /// The sum of the bets.
    pub staked: Money,
    /// The ticket that is being printed or in doubt, to be offered again until its printer has reported (D25).
    pub doubt: Option<DoubtSection>,
    /// The last ticket that is no longer in doubt, and what became of it (S17).
    pub last_ticket: Option<LastTicketSection>,
    /// The player's own limit for the visit (S4); it ends with the visit.
    pub loss_limit: Option<Money>,
    /// What may still be lost under it.
    pub loss_left: Option<Money>,
    /// The last round of this visit.
    pub last: Option<LastBetsSection>,
    /// The own multi-piece bets.
    pub pieces: Vec<PiecesRow>,
    /// The tables the player may choose from, its own among them; empty where there is no choice (D29).
    pub tables: Vec<TableChoice>,
    /// When the player called an attendant who has not answered yet: milliseconds since 1970.
    pub called: Option<i64>,
    /// When the pit last answered such a call: an attendant comes.
    pub answered: Option<i64>,
}

/// A table the player may choose (D29).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TableChoice {
    /// Which.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// The title of its game.
    pub title: Words,
    /// The hash of its rulebook: its rules and pay table are shown before the first bet.
    pub rulebook: String,
    /// Whether it is open.
    pub open: bool,
    /// Whether it is the one that is chosen.
    pub chosen: bool,
    /// Why it cannot be chosen now; `null` when it can.
    pub why: Option<Error>,
}

fn choices(floor: &Floor, terminal: &Terminal) -> Vec<TableChoice> {
    let choice = |id: &TableId| {
        let table = floor.table(*id)?;
        let rulebook = floor.rulebook_of(table)?;
        let chosen = terminal.table() == *id;
        let body = Body::ChooseTable { terminal: terminal.id(), table: *id };
        let refused = floor.may(Sender::Terminal(terminal.id()), &body, floor.now()).err();
        Some(TableChoice {
            id: id.0,
            name: table.name().to_owned(),
            title: (&rulebook.identity().title).into(),
            rulebook: rulebook.hash().to_string(),
            open: table.is_open(),
            chosen,
            why: refused.filter(|_| !chosen).map(Error::from),
        })
    };
    terminal.choices().iter().filter_map(choice).collect()
}

/// A terminal's own section.
pub fn own(floor: &Floor, id: TerminalId) -> Option<OwnSection> {
    let terminal = floor.terminal(id)?;
    let layout = floor.layout_of(terminal)?;
    let table = floor.table(terminal.table())?;
    let rulebook = floor.rulebook_of(table)?;
    let last = terminal.last_round().and_then(|round| table.archived(round)).and_then(|archived| {
        let entry = archived.entry(id).filter(|entry| entry.visit().is_some() && entry.visit() == terminal.visit())?;
        Some(LastBetsSection {
            round: archived.id().0,
            outcome: archived.outcome().map(|index| outcome(rulebook, index)),
            staked: entry.staked().into(),
            returned: entry.entitled().into(),
        })
    });
    let why = unusable(terminal);
    Some(OwnSection {
        terminal: id.0,
        name: terminal.name().to_owned(),
        layout: layout.id().to_owned(),
        kind: terminal.kind().to_owned(),
        usable: why.is_none(),
        why,
        visit: terminal.visit().map(|visit| visit.0),
        credit: terminal.credit().into(),
        printing: terminal.prepared().into(),
        staked: terminal.staked().into(),
        doubt: floor.doubt_of(id).map(|found| doubt(floor, &found)),
        last_ticket: floor.last_ticket_of(id).map(last_ticket),
        loss_limit: terminal.loss_limit().map(Money),
        loss_left: floor.terminal_view(id).and_then(|view| view.loss_left).map(Money),
        last,
        pieces: terminal
            .groups()
            .iter()
            .map(|group| PiecesRow { group: group.id, bet: group.bet.clone(), unit: group.unit.into() })
            .collect(),
        tables: choices(floor, terminal),
        called: floor.attendant_called(id).map(|at| at.0),
        answered: terminal.attended().map(|at| at.0),
    })
}

fn unusable(terminal: &Terminal) -> Option<Words> {
    match terminal.locked() {
        Some(floor::LockReason::Person(_, reason)) => {
            Some(Words::new(format!("This terminal is locked: {reason}"), format!("终端已锁定：{reason}")))
        }
        Some(floor::LockReason::Meters) => {
            Some(Words::new("This terminal is locked: its meters do not agree", "终端已锁定：计数不符"))
        }
        None if !terminal.is_live() => Some(Words::new("This terminal is not connected", "终端未连接")),
        None => None,
    }
}

/// The bets that stand at a terminal.
pub fn bets(floor: &Floor, id: TerminalId) -> Vec<BetRow> {
    let Some((terminal, layout)) = floor.terminal(id).and_then(|t| Some((t, floor.layout_of(t)?))) else {
        return Vec::new();
    };
    let row = |stake: &floor::Stake| {
        let spot = layout.table().spot(stake.spot)?.spot.to_string();
        Some(BetRow { spot, group: stake.group, stake: stake.amount.into() })
    };
    terminal.stakes().iter().filter_map(row).collect()
}

/// A terminal, for the administration and the pit.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TerminalRow {
    /// Which.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its table.
    pub table: u16,
    /// Its layout.
    pub layout: String,
    /// Its kind.
    pub kind: String,
    /// Whether its link is up.
    pub live: bool,
    /// Why it is locked.
    pub locked: Option<String>,
    /// The tables its player may choose from, its own among them; empty where there is no choice (D29).
    pub tables: Vec<u16>,
    /// Whether a player is there.
    pub visited: bool,
}

/// A terminal.
pub fn terminal(floor: &Floor, terminal: &Terminal) -> TerminalRow {
    TerminalRow {
        id: terminal.id().0,
        name: terminal.name().to_owned(),
        table: terminal.table().0,
        layout: floor.layout_of(terminal).map_or_else(String::new, |layout| layout.id().to_owned()),
        kind: terminal.kind().to_owned(),
        live: terminal.is_live(),
        locked: terminal.locked().map(|reason| match reason {
            floor::LockReason::Person(_, reason) => reason.clone(),
            floor::LockReason::Meters => "its meters do not agree (S11)".to_owned(),
        }),
        tables: terminal.choices().iter().map(|table| table.0).collect(),
        visited: terminal.visit().is_some(),
    }
}
