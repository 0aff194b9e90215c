//! Names of people and things, and the game's own notation.

use floor::{
    Change, DeviceId, Floor, KeyHolder, Moment, Position, Purpose, RoundId, StaffId, Subject, TableId, TerminalId,
};
use rulebook::{Cents, GroundId, OutcomeIndex, PayTable, SpotIndex};

use super::rulebook;

/// Names as the floor has them now.
#[derive(Copy, Clone)]
pub(crate) struct Names<'a>(pub &'a Floor);

impl Names<'_> {
    pub(super) fn staff(self, id: StaffId) -> String {
        self.0.person(id).map_or_else(|| format!("staff {id}"), |person| person.name().to_owned())
    }

    /// A person and, if there is one, a witness.
    pub(super) fn both(self, by: StaffId, witness: Option<StaffId>) -> String {
        // D28: a person who acted alone is named twice in a few records.
        match witness {
            Some(witness) if witness == by => format!("{}, alone (D28)", self.staff(by)),
            Some(witness) => format!("{}, witnessed by {}", self.staff(by), self.staff(witness)),
            None => self.staff(by),
        }
    }

    /// Whose key it is.
    pub(super) fn holder(self, holder: KeyHolder) -> String {
        match holder {
            KeyHolder::Terminal(terminal) => self.terminal(terminal),
            KeyHolder::Device(device) => self.device(device),
        }
    }

    /// The person who did it, or that it happened by itself.
    pub(super) fn by(self, by: Option<StaffId>) -> String {
        by.map_or_else(|| "the host".to_owned(), |by| self.staff(by))
    }

    pub(super) fn terminal(self, id: TerminalId) -> String {
        self.0.terminal(id).map_or_else(|| format!("terminal {id}"), |terminal| terminal.name().to_owned())
    }

    /// What a second person is called for, with the name of the seat, device or person that it is about.
    pub(super) fn purpose(self, purpose: &Purpose) -> String {
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let about = purpose.subject.map_or_else(String::new, |id| match purpose.act.subject() {
            Subject::Terminal => format!(", {}", self.terminal(TerminalId(number(id)))),
            Subject::Device => format!(", {}", self.device(DeviceId(u16::try_from(id).unwrap_or(u16::MAX)))),
            Subject::Person => format!(", {}", self.staff(StaffId(number(id)))),
            other => format!(", {} {id}", other.as_str()),
        });
        let most = purpose.amount.map_or_else(String::new, |amount| format!(", at most {amount}"));
        format!("{}{about}{most}", purpose.act.words())
    }

    pub(super) fn table(self, id: TableId) -> String {
        self.0.table(id).map_or_else(|| format!("table {id}"), |table| table.name().to_owned())
    }

    pub(super) fn device(self, id: DeviceId) -> String {
        self.0.device(id).map_or_else(|| format!("device {id}"), |device| format!("{} {id}", device.name()))
    }

    pub(super) fn outcome(self, table: TableId, round: RoundId, outcome: OutcomeIndex) -> String {
        let found = rulebook(self.0, table, round).and_then(|rulebook| rulebook.outcomes().outcome(outcome));
        found.map_or_else(|| format!("outcome {}", outcome.get()), |outcome| outcome.to_string())
    }

    /// A ground with its paragraph.
    pub(super) fn ground(self, table: TableId, round: RoundId, ground: GroundId) -> String {
        match rulebook(self.0, table, round).and_then(|rulebook| rulebook.ground(ground)) {
            Some(listed) => format!("{} ({})", listed.name.en, listed.paragraph),
            None => ground.to_string(),
        }
    }

    /// A box of a live table.
    pub(super) fn chip_spot(self, table: TableId, spot: SpotIndex) -> String {
        let found = self.0.table(table).and_then(|table| self.0.rulebook_of(table));
        spot_name(found.and_then(|rulebook| rulebook.layouts().first()).map(|layout| layout.table()), spot)
    }

    pub(super) fn positions(self, list: &[(Position, Cents)]) -> String {
        let named: Vec<String> =
            list.iter().map(|(position, amount)| format!("position {position} {amount}")).collect();
        named.join(", ")
    }
}

/// A spot in the notation.
pub(crate) fn spot_name(pays: Option<&PayTable>, spot: SpotIndex) -> String {
    let priced = pays.and_then(|pays| pays.spot(spot));
    priced.map_or_else(|| format!("spot {}", spot.get()), |priced| priced.spot.to_string())
}

/// Changes of bets as they are read aloud.
pub(crate) fn changes(pays: Option<&PayTable>, changes: &[Change]) -> String {
    let change = |change: &Change| {
        let sign = if change.delta < Cents::ZERO { "" } else { "+" };
        let piece = if change.group == 0 { String::new() } else { format!(" [{}]", change.group) };
        format!("{} {sign}{}{piece}", spot_name(pays, change.spot), change.delta)
    };
    changes.iter().map(change).collect::<Vec<_>>().join(", ")
}

/// How long something took, in seconds.
pub(super) fn seconds(from: Moment, to: Moment) -> String {
    let milliseconds = to.since(from);
    format!("{}.{:03} s", milliseconds / 1_000, milliseconds.rem_euclid(1_000))
}
