//! A round in progress, and rounds of the past.

use crate::bounds;
use crate::command::{BoxSettings, Failed, Observation};
use crate::event::{ChipShare, Group, Need, VoidBy};
use crate::ids::*;
use rulebook::{Cents, Exposure, Face, GroundId, OutcomeIndex, Point, SpotIndex};
use serde::{Deserialize, Serialize};

/// How far a round has come.
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
#[cbor(index_only)]
pub enum Phase {
    /// The device was activated; bets are not yet open.
    #[n(0)]
    Begun,
    /// Bets are taken.
    #[n(1)]
    Open,
    /// No more bets.
    #[n(2)]
    Closed,
    /// A result is entered and waits to be confirmed.
    #[n(3)]
    Entered,
}

impl Phase {
    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Phase::Begun => "begun",
            Phase::Open => "open",
            Phase::Closed => "closed",
            Phase::Entered => "result entered",
        }
    }
}

/// A ground that a device reported and that is still open.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct OpenGround {
    /// What.
    #[n(0)]
    pub ground: GroundId,
    /// Which device.
    #[n(1)]
    pub device: DeviceId,
    /// Whether it is only proposed to the dealer.
    #[n(2)]
    pub proposed: bool,
}

/// What the devices have said of one tumble or spin of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Seen {
    /// The tumbler was set off, or the ball spun, in this round.
    #[n(0)]
    pub set_off: bool,
    /// The device said so, and not yet that it came to rest.
    #[n(1)]
    pub running: bool,
    /// It was set off after the close.
    #[n(2)]
    pub after_close: bool,
    /// A tumble of this round was too short; no later one cures it.
    #[n(3)]
    pub short: bool,
    /// Tumbles or revolutions of the last one.
    #[n(4)]
    pub times: Option<u8>,
    /// The dice were lawfully uncovered.
    #[n(5)]
    pub uncovered: bool,
    /// Dice read after the close.
    #[n(6)]
    pub dice: [Option<Face>; 3],
    /// The pocket read after the close.
    #[n(7)]
    pub pocket: Option<OutcomeIndex>,
    /// The ball came to rest before the close (D4).
    #[n(8)]
    pub rested_early: bool,
    /// The device said that it ended.
    #[n(9)]
    #[cbor(default)]
    #[serde(skip)]
    pub ended: bool,
    /// Two readings of it differ; the first is kept.
    #[n(10)]
    #[cbor(default)]
    #[serde(skip)]
    pub contradicted: bool,
    /// The cover was off, lawfully or not.
    #[n(11)]
    #[cbor(default)]
    #[serde(skip)]
    pub exposed: bool,
    /// The cover is off, as far as the device says.
    #[n(12)]
    #[cbor(default)]
    #[serde(skip)]
    pub off: bool,
    /// Where the ball came to rest before the close, if that was read (D24).
    #[n(13)]
    #[cbor(default)]
    #[serde(skip)]
    pub early: Option<OutcomeIndex>,
    /// The cover was off when the tumbler was set off, or came off while it ran: that is no tumble under cover (D19).
    #[n(14)]
    #[cbor(default)]
    #[serde(skip)]
    pub bare: bool,
    /// Dice read under the cover or before the close. They establish nothing, and they bind (D19).
    #[n(15)]
    #[cbor(default)]
    #[serde(skip)]
    pub concealed: [Option<Face>; 3],
    /// The wheel reported a spin again after its count of revolutions: a different count is that of a second spin (D18).
    #[n(16)]
    #[cbor(default)]
    #[serde(skip)]
    pub spun_again: bool,
}

/// A tumble or spin that is of no round in play (D18).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum Earlier {
    /// There is none: the next report of a device is about the round.
    #[default]
    #[n(0)]
    None,
    /// It was set off, and its end was not reported.
    #[n(1)]
    Running,
    /// It ended: its dice lie in the tumbler, or its ball on the wheel.
    #[n(2)]
    Ended,
    /// It was made for a round that became void, and its end was not reported.
    #[n(3)]
    Void,
}

impl Earlier {
    /// What a report changes. `of_round`: the report is of the round, or that round's tumble or spin was made.
    pub(crate) fn after(self, observation: Observation, of_round: bool) -> Earlier {
        match observation {
            Observation::Activated | Observation::Spun { .. } if of_round => Earlier::None,
            Observation::Activated | Observation::Spun { .. } => Earlier::Running,
            Observation::Tumbled { .. }
            | Observation::Rested { .. }
            | Observation::NoCompartment
            | Observation::FlungOut
                if self != Earlier::None =>
            {
                Earlier::Ended
            }
            _ => self,
        }
    }

    /// Whether a report is about it, in a round of which nothing was reported yet.
    pub(crate) fn is_meant(self, observation: Observation) -> bool {
        match observation {
            // The dice that lie there.
            Observation::DiceRead { .. } | Observation::NotFlat => self != Earlier::None,
            // A wheel repeats that it was spun; after a void round it is spun anew.
            Observation::Spun { .. } => self == Earlier::Running,
            // Its course and its end.
            Observation::Tumbled { .. }
            | Observation::Revolved { .. }
            | Observation::Rested { .. }
            | Observation::NoCompartment
            | Observation::FlungOut => matches!(self, Earlier::Running | Earlier::Void),
            _ => false,
        }
    }
}

/// Who entered the result, and which need of a second person is met (D19).
#[derive(Copy, Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Entered {
    /// Who.
    #[n(0)]
    pub by: StaffId,
    /// The second person.
    #[n(1)]
    pub witness: Option<StaffId>,
    /// The need that the second person has met.
    #[n(2)]
    pub met: Need,
}

/// A round in progress.
#[derive(Clone, Debug, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Round {
    #[n(0)]
    pub(crate) id: RoundId,
    #[n(1)]
    pub(crate) phase: Phase,
    #[n(2)]
    pub(crate) begun_at: Moment,
    #[n(3)]
    pub(crate) closes_at: Option<Moment>,
    #[n(4)]
    pub(crate) closed_at: Option<Moment>,
    #[n(5)]
    pub(crate) outcome: Option<OutcomeIndex>,
    #[n(6)]
    pub(crate) ground: Option<OpenGround>,
    /// Further grounds reported while that one is open; each is dealt with in its turn.
    #[n(7)]
    pub(crate) waiting: Vec<OpenGround>,
    /// Since when a ground has halted the round.
    #[n(8)]
    pub(crate) halted_at: Option<Moment>,
    #[n(9)]
    pub(crate) interrupted: Option<Moment>,
    #[n(10)]
    pub(crate) awaiting: u32,
    #[n(11)]
    pub(crate) seen: Seen,
    #[n(12)]
    pub(crate) exposure: Exposure,
    #[n(13)]
    pub(crate) returns: Vec<(TerminalId, Cents)>,
    #[n(14)]
    pub(crate) chips: Vec<Chip>,
    #[n(15)]
    pub(crate) left: Vec<Position>,
    /// The dice can be seen: from then on no chips are recorded (D20).
    #[n(30)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) visible: bool,
    /// A second tumble or spin was set aside before the first outcome was completely read: a reading does not tell which
    /// of them it is of (D18).
    #[n(40)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) doubtful: bool,
    /// The dealer has declared the dice uncovered (D20).
    #[n(43)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) declared: bool,
    /// The tumblers or wheels that have reported of this round (D19).
    #[n(42)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) reporters: Vec<DeviceId>,
    /// The person who set a measured ground aside: no one settles a round against the device alone (D19).
    #[n(44)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) set_aside: Vec<StaffId>,
    /// What was reported while the round was interrupted: it does not count, and it binds (D6, D19, D22).
    #[n(41)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) meanwhile: Seen,
    /// A bet changed after the ball had come to rest (D24).
    #[n(31)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) changed_after_rest: bool,
    /// The points that the dealer affirmed with the statement that the ball came to rest before the close (D4, D19).
    #[n(46)]
    #[serde(skip)]
    pub(crate) stated_rest: Option<Vec<Point>>,
    /// The cover came off after the close: dice that are read then were tumbled for this round, even if that was not reported.
    #[n(47)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) lifted: bool,
    /// Bets under the minimum that were pointed out (5.2).
    #[n(32)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) advised: Vec<(Position, SpotIndex)>,
    /// Tumbles or spins after the first one, each with its own readings (D18).
    #[n(16)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) later: Vec<Seen>,
    /// The device whose report of a second tumble or spin halts the round (D18).
    #[n(17)]
    #[serde(skip)]
    pub(crate) second: Option<DeviceId>,
    /// An attestation stands in place of what the device did not report (D19).
    #[n(18)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) replaced: bool,
    #[n(19)]
    #[serde(skip)]
    pub(crate) entered: Option<Entered>,
    /// A device fault about which the dealer has not yet said whether it affects the round (D21).
    #[n(20)]
    #[serde(skip)]
    pub(crate) fault: Option<(DeviceId, u16)>,
    /// What was reported to have failed in this round (D21).
    #[n(21)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) failed: Vec<Failed>,
    /// After a stoppage within the grace: until when its terminals must be back, and those that are not (D6).
    #[n(22)]
    #[serde(skip)]
    pub(crate) returning: Option<Returning>,
    /// When the host was back after a stoppage since the close: its terminals could not acknowledge the close before (D12).
    #[n(45)]
    #[serde(skip)]
    pub(crate) shows_from: Option<Moment>,
}

/// The terminals of a round that goes on after a short stoppage (D6).
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Returning {
    #[n(0)]
    pub from: Moment,
    #[n(1)]
    pub until: Moment,
    #[n(2)]
    pub missing: Vec<TerminalId>,
}

impl Seen {
    /// Whether a device has reported this tumble or spin; that the dealer began the round is no such report.
    #[must_use]
    pub fn reported(&self) -> bool {
        self.running || self.has_ended()
    }

    /// Whether the device has said that it ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        // A state of before knows the end of a tumble by its count and that of a spin by its pocket.
        self.ended || !self.running && self.times.is_some() || self.pocket.is_some() || self.rested_early
    }

    /// Whether anything was reported of it, be it only its end, a reading or a ground.
    pub(crate) fn is_reported(&self) -> bool {
        self.reported() || self.is_unannounced()
    }

    /// Whether its beginning was not reported: then it is not known to have been made for this round, and gives no outcome
    /// without a second person (D19).
    #[must_use]
    pub fn is_unannounced(&self) -> bool {
        !self.set_off && (self.has_ended() || self.was_read())
    }

    /// Whether the dice lie still, or the ball rests or has left the wheel. The count of revolutions does not say so.
    pub(crate) fn came_to_rest(&self) -> bool {
        match self.set_off {
            true => self.has_ended(),
            false => self.ended || self.pocket.is_some() || self.rested_early,
        }
    }

    /// Whether its dice were read, and how many times they were tumbled was not reported: the report of its end may still come.
    #[must_use]
    pub fn is_uncounted(&self) -> bool {
        self.set_off && self.times.is_none() && self.was_read()
    }

    /// Dice that are read lie still: the tumble has ended, even if that was not reported (D18, D19).
    pub(crate) fn lies(&mut self, dice: [Option<Face>; 3]) {
        let lies = !self.set_off || self.running && dice.iter().any(Option::is_some);
        self.ended |= lies;
        self.running &= !lies;
    }

    /// Whether a die of it was read, in the open or under the cover.
    pub(crate) fn was_read(&self) -> bool {
        self.dice.iter().chain(&self.concealed).any(Option::is_some)
    }

    /// Whether its dice could be seen, or were read.
    pub(crate) fn was_seen(&self) -> bool {
        self.uncovered || self.exposed || self.was_read()
    }

    /// Whether anything of a result was read after the close.
    pub(crate) fn names_a_result(&self) -> bool {
        self.pocket.is_some() || self.dice.iter().any(Option::is_some)
    }

    /// Whether anything was read of it that binds a result, in the open or under the cover (D19).
    pub(crate) fn binds(&self) -> bool {
        self.pocket.is_some() || self.was_read()
    }

    /// Whether it has ended and nothing makes it unlawful, as far as that was measured. One whose beginning was not reported is
    /// not known to be of this round.
    pub(crate) fn is_lawful(&self) -> bool {
        self.set_off && self.has_ended() && !self.short && !self.bare
    }

    /// The first reading of each die stays; another one that differs is remembered as such.
    pub(crate) fn read_dice(&mut self, dice: [Option<Face>; 3]) {
        for (known, read) in self.dice.iter_mut().zip(dice) {
            match (*known, read) {
                (None, read) => *known = read,
                (Some(known), Some(read)) if known != read => self.contradicted = true,
                _ => {}
            }
        }
    }

    /// The same for dice read under the cover or before the close.
    pub(crate) fn read_concealed(&mut self, dice: [Option<Face>; 3]) {
        for (known, read) in self.concealed.iter_mut().zip(dice) {
            *known = known.or(read);
        }
    }

    /// The same for a pocket.
    pub(crate) fn read_pocket(&mut self, pocket: OutcomeIndex) {
        match self.pocket {
            None => self.pocket = Some(pocket),
            Some(known) if known != pocket => self.contradicted = true,
            Some(_) => {}
        }
    }
}

/// Chips on a spot of a live table, in the order they were placed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Chip {
    /// Whose.
    #[n(0)]
    pub position: Position,
    /// Where.
    #[n(1)]
    pub spot: SpotIndex,
    /// How much.
    #[n(2)]
    pub amount: Cents,
    /// The Pit Employee who placed them for the player (5.13).
    #[n(3)]
    pub placed_by: Option<StaffId>,
    /// Recorded after the close (D20).
    #[n(4)]
    #[cbor(default)]
    #[serde(skip)]
    pub late: bool,
    /// Who recorded them after the close; `None`: a chip reader.
    #[n(5)]
    #[cbor(default)]
    #[serde(skip)]
    pub recorded_by: Option<StaffId>,
}

/// A round that has been settled or voided.
#[derive(Clone, Debug, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct ArchivedRound {
    #[n(0)]
    pub(crate) id: RoundId,
    #[n(1)]
    pub(crate) rulebook: u8,
    /// `None`: void.
    #[n(2)]
    pub(crate) outcome: Option<OutcomeIndex>,
    #[n(3)]
    pub(crate) ended_at: Moment,
    #[n(4)]
    pub(crate) entries: Vec<Entry>,
    #[n(5)]
    pub(crate) shares: Vec<ChipShare>,
    /// What the pit claims of players at a live table.
    #[n(6)]
    pub(crate) claims: Vec<(Position, Cents)>,
    /// What made it void.
    #[n(10)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) voided: Option<VoidBy>,
    /// The limits by which the boxes of a live table were worked out (D20); `None` for rounds of earlier versions.
    #[n(11)]
    #[serde(skip)]
    pub(crate) limits: Option<Box<BoxSettings>>,
}

/// One terminal's bets of a past round.
#[derive(Clone, Debug, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Entry {
    #[n(0)]
    pub(crate) terminal: TerminalId,
    #[n(1)]
    pub(crate) visit: Option<VisitId>,
    #[n(2)]
    pub(crate) layout: u8,
    #[n(3)]
    pub(crate) stakes: Vec<Stake>,
    #[n(4)]
    pub(crate) groups: Vec<Group>,
    #[n(5)]
    pub(crate) staked: Cents,
    /// What the bets return by the result as it stands.
    #[n(6)]
    pub(crate) entitled: Cents,
    /// What has been paid for them, at the cage to come included.
    #[n(7)]
    pub(crate) paid: Cents,
    #[n(8)]
    pub(crate) payable: Option<PayableId>,
}

/// A stake on a spot; `group` is zero for a plain bet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Stake {
    /// Where.
    #[n(0)]
    pub spot: SpotIndex,
    /// Which multi-piece bet it belongs to.
    #[n(1)]
    pub group: u16,
    /// How much.
    #[n(2)]
    pub amount: Cents,
}

impl ArchivedRound {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> RoundId {
        self.id
    }

    /// The place of the rulebook it was played by, in the order of installation.
    #[must_use]
    pub fn rulebook(&self) -> u8 {
        self.rulebook
    }

    /// Its result; `None` if it is void.
    #[must_use]
    pub fn outcome(&self) -> Option<OutcomeIndex> {
        self.outcome
    }

    /// What made it void, if it is.
    #[must_use]
    pub fn voided(&self) -> Option<VoidBy> {
        self.voided.filter(|_| self.outcome.is_none())
    }

    /// When it ended.
    #[must_use]
    pub fn ended_at(&self) -> Moment {
        self.ended_at
    }

    /// The terminals' bets.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the pit claims of players at a live table.
    #[must_use]
    pub fn claims(&self) -> &[(Position, Cents)] {
        &self.claims
    }

    /// The chips of a live table, as settled.
    #[must_use]
    pub fn shares(&self) -> &[ChipShare] {
        &self.shares
    }

    /// One terminal's bets.
    #[must_use]
    pub fn entry(&self, terminal: TerminalId) -> Option<&Entry> {
        let place = self.entries.binary_search_by_key(&terminal, |entry| entry.terminal).ok()?;
        self.entries.get(place)
    }

    pub(crate) fn entry_mut(&mut self, terminal: TerminalId) -> Option<&mut Entry> {
        let place = self.entries.binary_search_by_key(&terminal, |entry| entry.terminal).ok()?;
        self.entries.get_mut(place)
    }
}

impl Entry {
    /// Whose.
    #[must_use]
    pub fn terminal(&self) -> TerminalId {
        self.terminal
    }

    /// The visit that made them.
    #[must_use]
    pub fn visit(&self) -> Option<VisitId> {
        self.visit
    }

    /// The place of the layout they were made on in the round's rulebook.
    #[must_use]
    pub fn layout(&self) -> u8 {
        self.layout
    }

    /// The multi-piece bets among them.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The stakes.
    #[must_use]
    pub fn stakes(&self) -> &[Stake] {
        &self.stakes
    }

    /// The sum of the stakes.
    #[must_use]
    pub fn staked(&self) -> Cents {
        self.staked
    }

    /// What they return by the result as it stands.
    #[must_use]
    pub fn entitled(&self) -> Cents {
        self.entitled
    }

    /// What has been paid for them.
    #[must_use]
    pub fn paid(&self) -> Cents {
        self.paid
    }
}

impl Round {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> RoundId {
        self.id
    }

    /// How far it has come.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether bets are closed and every live terminal shows it: the close that the documents speak of (D12).
    pub(crate) fn close_shown(&self) -> bool {
        self.phase >= Phase::Closed && self.awaiting == 0
    }

    /// The ground a device has reported.
    #[must_use]
    pub fn ground(&self) -> Option<OpenGround> {
        self.ground
    }

    /// Whether it waits for an attestation.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.is_some()
    }

    /// The result entered.
    #[must_use]
    pub fn outcome(&self) -> Option<OutcomeIndex> {
        self.outcome
    }

    /// When it began.
    #[must_use]
    pub fn begun_at(&self) -> Moment {
        self.begun_at
    }

    /// When bets were closed.
    #[must_use]
    pub fn closed_at(&self) -> Option<Moment> {
        self.closed_at
    }

    /// What its bets would return on each outcome.
    #[must_use]
    pub fn exposure(&self) -> &Exposure {
        &self.exposure
    }

    /// Live terminals that have not yet acknowledged the close.
    #[must_use]
    pub fn awaiting(&self) -> u32 {
        self.awaiting
    }

    /// When bets close by themselves.
    #[must_use]
    pub fn closes_at(&self) -> Option<Moment> {
        self.closes_at
    }

    /// What the devices have said of the first tumble or spin, which gives the outcome (D18).
    #[must_use]
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// What devices reported while the round was interrupted, which does not count (D6).
    #[must_use]
    pub fn meanwhile(&self) -> &Seen {
        &self.meanwhile
    }

    /// Whether the ball came to rest before the close, by the wheel or by the dealer's statement (D4).
    #[must_use]
    pub fn rested_early(&self) -> bool {
        self.seen.rested_early || self.stated_rest.is_some()
    }

    /// Whether the first spin was not reported to begin, and its ball rested before the close: it gives no outcome by itself.
    pub(crate) fn is_vague(&self) -> bool {
        self.seen.is_unannounced() && self.seen.rested_early
    }

    /// Whether the dealer has stated that the ball came to rest before the close (D19).
    #[must_use]
    pub fn rest_is_stated(&self) -> bool {
        self.stated_rest.is_some()
    }

    /// Positions whose players have left; their bets are settled as they stand (Tai Sai 5.3).
    #[must_use]
    pub fn left(&self) -> &[Position] {
        &self.left
    }

    /// Tumbles or spins after the first one (D18).
    #[must_use]
    pub fn later(&self) -> &[Seen] {
        &self.later
    }

    /// The device whose report of a second tumble or spin halts the round (D18).
    #[must_use]
    pub fn second(&self) -> Option<DeviceId> {
        self.second
    }

    /// Whether a ground or a second tumble or spin halts the round.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.ground.is_some() || self.second.is_some()
    }

    /// A device fault about which the dealer has not yet said whether it affects the round (D21).
    #[must_use]
    pub fn fault(&self) -> Option<(DeviceId, u16)> {
        self.fault
    }

    /// What was reported to have failed (D21).
    #[must_use]
    pub fn failed(&self) -> &[Failed] {
        &self.failed
    }

    /// Who entered the result.
    #[must_use]
    pub fn entered(&self) -> Option<Entered> {
        self.entered
    }

    /// Everything that was read and binds the round's result: in the open, under the cover or before the close, and while
    /// the round was interrupted (D6, D19, D22).
    pub(crate) fn binding(&self) -> [&Seen; 2] {
        [&self.seen, &self.meanwhile]
    }

    /// The tumble or spin that readings belong to now: after a second activation never the first (D18).
    pub(crate) fn current(&self) -> &Seen {
        self.later.last().filter(|_| self.second.is_some()).unwrap_or(&self.seen)
    }

    pub(crate) fn current_mut(&mut self) -> &mut Seen {
        match self.later.last_mut() {
            Some(last) if self.second.is_some() && !mutant!("readings-of-two-tumbles-mixed") => last,
            _ => &mut self.seen,
        }
    }

    /// Whether the dice can be seen, as far as devices and people said (D20): also where they were tumbled with the cover
    /// already off.
    pub(crate) fn dice_show(&self) -> bool {
        let open = |seen: &Seen| seen.set_off && (seen.bare || seen.off);
        self.visible || self.phase >= Phase::Closed && [&self.seen].into_iter().chain(&self.later).any(open)
    }

    pub(crate) fn has_reported(&mut self, device: DeviceId) {
        if !self.reporters.contains(&device) {
            self.reporters.push(device);
        }
    }

    /// One more tumble or spin, of which a bounded number is kept.
    pub(crate) fn another(&mut self, seen: Seen) {
        if self.later.len() >= bounds::TUMBLES {
            self.later.pop();
        }
        self.later.push(seen);
    }

    /// The chips on a live table.
    #[must_use]
    pub fn chips(&self) -> &[Chip] {
        &self.chips
    }
}
