//! Who is on the floor, and what they do next. Mostly it makes sense.

mod cage;
mod dealer;
mod device;
mod host;
mod live;
mod mischief;
mod office;
mod pit;
mod player;
pub(crate) mod settings;

use floor::*;
use rulebook::{Act, Cents, Hash, OutcomeIndex, Rank};

use crate::chance::Chance;
use crate::game::Game;
use crate::kept::Kept;
use crate::model::Model;
use crate::model::calls::{Called, PATIENCE};

/// What a person wants done.
pub(crate) type Deed = (Sender, Body);

/// What everyone can see.
pub(crate) struct Scene<'a> {
    pub seed: u64,
    pub floor: &'a Floor,
    pub model: &'a Model,
    pub kept: &'a Kept,
    pub at: Moment,
}

impl Scene<'_> {
    /// A person's next act; `None` if there is nothing to do.
    pub fn deed(&self, chance: &mut Chance) -> Option<Deed> {
        if self.model.programs.waiting.is_some() && chance.one_in(6) {
            let witness = chance.pick(&self.model.serving(Post::Administrator)).filter(|_| !chance.one_in(5));
            return Some((self.serving(Post::Administrator, chance)?, Body::AcceptProgram { witness }));
        }
        if self.floor.clock_ahead().is_some() && chance.one_in(40) {
            let witness = chance.pick(&self.model.serving(Post::Administrator)).filter(|_| !chance.one_in(5));
            return Some((self.serving(Post::Administrator, chance)?, Body::AcceptClock { witness }));
        }
        if self.floor.missing_record().is_some() && chance.one_in(4) {
            let managers = self.model.serving(Post::Pit(Rank::ShiftManager));
            let witness = chance.pick(&managers);
            return Some((
                self.serving(Post::Administrator, chance)?,
                Body::AcceptLoss { statement: reason(), witness },
            ));
        }
        if self.waited().next().is_some() && chance.one_in(8) {
            return self.as_called(chance);
        }
        if chance.one_in(3) && self.is_due() {
            return Some((Sender::System, Body::Elapse));
        }
        let table = self.some_table(chance)?;
        let is_live = self.model.table(table).ok()?.mode != TableMode::Terminals;
        match chance.below(100) {
            0..24 => self.dealer(table, chance),
            24..62 if is_live => self.live_table(table, chance),
            24..62 => self.player(table, chance),
            62..78 => self.device(table, chance),
            78..83 => self.host(chance),
            83..89 => self.pit(table, chance),
            89..93 => self.cage(chance),
            93..95 => self.office(chance),
            _ if chance.wrong(1) => Some(self.mischief(chance)),
            _ => self.dealer(table, chance),
        }
    }

    fn some_table(&self, chance: &mut Chance) -> Option<TableId> {
        let tables: Vec<TableId> = (0..).map(TableId).take(self.model.tables.len()).collect();
        chance.pick(&tables)
    }

    fn game(&self, table: TableId) -> Option<Game> {
        self.model.table(table).ok().map(|table| table.game)
    }

    /// A person who may do this, as a sender.
    fn somebody(&self, table: TableId, act: Act, chance: &mut Chance) -> Option<Sender> {
        self.person(table, act, chance).map(Sender::Staff)
    }

    fn person(&self, table: TableId, act: Act, chance: &mut Chance) -> Option<StaffId> {
        let mut people = self.model.qualified(self.game(table)?, act);
        // Mostly it is the dealer who has the table, or a higher rank (D26).
        if !chance.one_in(40) {
            let found = self.model.table(table).ok()?;
            people.retain(|id| self.model.has_table(*id, found));
        }
        chance.pick(&people)
    }

    /// Calls for a second person that no one has answered for a quarter of an hour (D28).
    fn waited(&self) -> impl Iterator<Item = &Called> {
        self.model.calls.iter().filter(|call| self.at.since(call.at) >= PATIENCE)
    }

    /// Someone of whom this holds; a dishonest person does not mind that it does not.
    fn one_who(&self, chance: &mut Chance, may: impl Fn(StaffId) -> bool) -> Option<Sender> {
        let mut people: Vec<StaffId> = (0..).map(StaffId).take(self.model.staff.len()).collect();
        if !chance.wrong(2) {
            people.retain(|id| may(*id));
        }
        chance.pick(&people).map(Sender::Staff)
    }

    fn serving(&self, post: Post, chance: &mut Chance) -> Option<Sender> {
        chance.pick(&self.model.serving(post)).map(Sender::Staff)
    }

    /// Two people who may do this together; now and then the second one is missing or the first.
    fn two(&self, table: TableId, first: Act, second: Act, chance: &mut Chance) -> Option<(Sender, Option<StaffId>)> {
        let by = self.person(table, first, chance)?;
        // No second person has come for a quarter of an hour (D28).
        let waited = self.waited().next().is_some();
        if waited && self.model.rank(by) >= Some(Rank::ShiftManager) && !chance.one_in(4) {
            return Some((Sender::Staff(by), None));
        }
        let mut others = self.model.qualified(self.game(table)?, second);
        others.retain(|other| *other != by);
        let witness = if chance.wrong(20) { chance.of_these([None, Some(by)]) } else { chance.pick(&others) };
        Some((Sender::Staff(by), witness))
    }

    /// What the dice or the wheel really show in a round.
    pub fn truth(&self, game: Game, round: RoundId) -> Option<OutcomeIndex> {
        let mixed = (self.seed ^ round.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD1B5_4A32_D192_ED03) >> 17;
        game.rulebook().outcomes().indices().nth(usize::try_from(mixed).ok()? % game.outcomes())
    }

    fn any_outcome(&self, game: Game, chance: &mut Chance) -> Option<OutcomeIndex> {
        game.rulebook().outcomes().indices().nth(chance.below(game.outcomes()))
    }

    /// The device that deals at a table.
    pub fn mechanism(&self, table: TableId) -> Option<DeviceId> {
        let is_here = |device: &crate::model::Device| {
            device.place == DevicePlace::Table(table) && matches!(device.kind, DeviceKind::Tumbler | DeviceKind::Wheel)
        };
        self.device_id(is_here)
    }

    fn device_id(&self, wanted: impl Fn(&crate::model::Device) -> bool) -> Option<DeviceId> {
        (0..).map(DeviceId).zip(&self.model.devices).find(|(_, device)| wanted(device)).map(|(id, _)| id)
    }
}

/// Whole dollars.
fn dollars(amount: i64) -> Cents {
    Cents::new(amount * 100)
}

/// An unused ticket number.
fn new_number(chance: &mut Chance) -> TicketHash {
    TicketHash(chance.bytes())
}

/// One of a few programs.
fn some_release(chance: &mut Chance) -> Release {
    Release { program: Hash([chance.of_these([1, 2, 3]); 32]), rulebooks: Hash([0; 32]) }
}

/// The reason that a person gives for an act.
fn reason() -> String {
    "as seen at the table".to_owned()
}
