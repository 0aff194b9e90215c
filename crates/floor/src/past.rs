//! Past rounds (D24): rounds that left the list of recent ones come back with their proof, and a range of a table's rounds is
//! corrected or voided in one act, after a preview of what that moves.

use std::collections::BTreeSet;

use rulebook::{Act, Cents, GroundId, Hash, OutcomeIndex, Voids};
use serde::{Deserialize, Serialize};

use crate::accumulator::{self, Node};
use crate::bounds;
use crate::command::*;
use crate::correct::{chips_in_parts, in_parts};
use crate::decide::{Events, reason_fits};
use crate::event::{Adjustment, ChipShare, Event, VoidBy};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::settle::returned;
use crate::state::{ArchivedRound, Entry, Floor, Seen, Table};
use crate::void::Moved;

/// The version of the bytes of a past round. They are hashed for good: what they hold never changes, a further field needs
/// another version.
const VERSION: u8 = 1;
/// The version of a round of a live table that keeps the limits of its boxes, which follow the rest.
const WITH_LIMITS: u8 = 2;
/// Bytes of a past round in one event; a larger round comes in parts, so that each fits into a batch.
const PART: usize = 128 * 1024;

/// A past round as its bytes have it.
#[derive(Serialize, Deserialize)]
struct Past {
    version: u8,
    id: RoundId,
    rulebook: u8,
    outcome: Option<OutcomeIndex>,
    ended_at: Moment,
    entries: Vec<Entry>,
    shares: Vec<ChipShare>,
    claims: Vec<(Position, Cents)>,
    voided: Option<VoidBy>,
}

/// A past round that was recalled, with its place among the leaves.
#[derive(Clone, Debug, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Recalled {
    #[n(0)]
    pub leaf: u64,
    #[n(1)]
    pub round: ArchivedRound,
    /// What the device read of it (D19).
    #[n(2)]
    #[cbor(default)]
    pub read: Vec<Seen>,
}

/// What one round of a range would move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewRound {
    /// Which.
    pub round: RoundId,
    /// Its result now; `None` if it is void.
    pub was: Option<OutcomeIndex>,
    /// Its result afterwards; `None`: void.
    pub outcome: Option<OutcomeIndex>,
    /// What it would do for each terminal with bets in it.
    pub adjustments: Vec<Adjustment>,
    /// At a live table: what would be paid in chips, and what claimed.
    pub chips: (Cents, Cents),
    /// How many players had bets in it.
    pub players: usize,
}

/// What a correction or void of a range of rounds would move, before it is confirmed. Its hash fixes what the players
/// are entitled to; what can be collected is computed again at the confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// What the confirmation refers to.
    pub hash: Hash,
    /// Round by round.
    pub rounds: Vec<PreviewRound>,
}

impl ArchivedRound {
    /// The bytes of which a past round's hash is taken, and from which it is recalled.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let ArchivedRound { id, rulebook, outcome, ended_at, entries, shares, claims, voided, limits } = self.clone();
        let version = if limits.is_some() { WITH_LIMITS } else { VERSION };
        let past = Past { version, id, rulebook, outcome, ended_at, entries, shares, claims, voided };
        match limits {
            Some(limits) => postcard::to_allocvec(&(past, limits)),
            None => postcard::to_allocvec(&past),
        }
        .unwrap_or_default()
    }

    /// Reads a past round.
    fn from_bytes(bytes: &[u8]) -> Option<ArchivedRound> {
        let (past, rest): (Past, _) = postcard::take_from_bytes(bytes).ok()?;
        let Past { version, id, rulebook, outcome, ended_at, entries, shares, claims, voided } = past;
        let (limits, rest): (Option<Box<BoxSettings>>, _) = match version {
            VERSION => (None, rest),
            WITH_LIMITS => postcard::take_from_bytes(rest).map(|(limits, rest)| (Some(limits), rest)).ok()?,
            _ => return None,
        };
        let round = ArchivedRound { id, rulebook, outcome, ended_at, entries, shares, claims, voided, limits };
        rest.is_empty().then_some(round)
    }

    /// The hash by which a past round is known.
    #[must_use]
    pub fn leaf(&self) -> Hash {
        accumulator::leaf(&self.to_bytes())
    }
}

impl Table {
    /// How many rounds have left the list of recent ones: past rounds are numbered from zero in that order.
    #[must_use]
    pub fn past_rounds(&self) -> u64 {
        self.past.count()
    }

    /// Past rounds that are recalled now, with their numbers.
    pub fn recalled(&self) -> impl Iterator<Item = (u64, &ArchivedRound)> {
        self.recalled.iter().map(|recalled| (recalled.leaf, &recalled.round))
    }

    /// The round that leaves the list of recent ones when another one ends.
    #[must_use]
    pub fn leaving(&self) -> Option<&ArchivedRound> {
        self.archive.front().filter(|_| self.archive.len() >= bounds::CORRECTABLE)
    }

    /// A recalled round was changed: from now on this version is the one that is proved.
    pub(crate) fn past_changed(&mut self, round: RoundId) -> bool {
        match self.recalled.iter().find(|recalled| recalled.round.id == round) {
            Some(_) if mutant!("past-correction-forgotten") => true,
            Some(recalled) => self.past.replace(recalled.leaf, recalled.round.leaf()),
            None => true,
        }
    }

    pub(crate) fn recall(&mut self, leaf: u64, bytes: &[u8], beside: &[Node], read: &[u8]) -> bool {
        let Some(round) = ArchivedRound::from_bytes(bytes) else { return false };
        let Some(read) = readings(read) else { return false };
        self.past.learn(leaf, accumulator::leaf(bytes), beside);
        self.recalled.push(Recalled { leaf, round, read });
        true
    }

    /// Whether the last part of a round that is recalled proves it, for the audit.
    pub(crate) fn verify_recalled(&self, leaf: u64, last: &[u8], beside: &[Node], whole: bool) -> Result<(), String> {
        let mut bytes = if whole { Vec::new() } else { self.recalling.clone() };
        bytes.extend_from_slice(last);
        if self.past.proves(leaf, accumulator::leaf(&bytes), beside) {
            return Ok(());
        }
        Err(format!("table {}: past round {leaf} was recalled without proof", self.id))
    }

    pub(crate) fn dismiss(&mut self) {
        self.recalled.clear();
        self.recalling.clear();
        self.past.forget();
    }
}

impl Floor {
    /// The table at which a round leaves the list of recent ones when this event is applied. Below feature level 2 nothing
    /// is hashed.
    #[must_use]
    pub fn leaves_at(&self, event: &Event) -> Option<&Table> {
        let table = match event {
            Event::RoundSettled { table, part, parts, .. } if part == parts => *table,
            Event::ChipsSettled { table, .. } | Event::RoundVoided { table, .. } => *table,
            _ => return None,
        };
        self.table(table).filter(|found| self.is_tagged() && found.leaving().is_some())
    }

    /// A past round comes back, out of the journal or an archive of it, with the hashes that prove it. The host asks for it.
    pub(crate) fn recall_round(
        &self,
        sender: Sender,
        table: TableId,
        leaf: u64,
        bytes: &[u8],
        (beside, read): (&[Node], &[u8]),
    ) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "D24", "the host looks past rounds up");
        }
        let (found, _) = self.find_table(table)?;
        if found.recalled.iter().any(|recalled| recalled.leaf == leaf) {
            return refuse(Code::NothingToDo, "D24", "this round is recalled already");
        }
        if found.recalled.len() >= bounds::RECALLED {
            let words = format!("at most {} past rounds of a table are recalled at once", bounds::RECALLED);
            return refuse(Code::TooMany, "bounds", words);
        }
        if !found.past.proves(leaf, accumulator::leaf(bytes), beside) {
            return refuse(Code::NotProved, "D24", "this is not the round that was settled, or an older version of it");
        }
        let (Some(round), Some(_)) = (ArchivedRound::from_bytes(bytes), readings(read)) else {
            return refuse(Code::NotProved, "D24", "the round cannot be read");
        };
        if self.rulebook_at(round.rulebook).is_none() {
            return refuse(Code::Rulebook, "S9", "the round's rulebook is not installed");
        }
        let Ok(parts) = u16::try_from(bytes.chunks(PART).count()) else {
            return refuse(Code::TooMany, "bounds", "the round is too large");
        };
        let part = |(chunk, part): (&[u8], u16)| Event::RoundRecalled {
            table,
            round: round.id,
            leaf,
            part,
            parts,
            bytes: chunk.into(),
            beside: if part == parts { beside.to_vec() } else { Vec::new() },
            read: (part == parts && !read.is_empty()).then(|| read.into()),
        };
        Ok(bytes.chunks(PART).zip(1..).map(part).collect())
    }

    /// Recalled rounds are put back when what they were needed for is done.
    pub(crate) fn put_back(&self, sender: Sender, table: TableId) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "D24", "the host puts past rounds back");
        }
        let (found, _) = self.find_table(table)?;
        if found.recalled.is_empty() && found.recalling.is_empty() {
            return refuse(Code::NothingToDo, "D24", "no past round is recalled at this table");
        }
        Ok(vec![Event::RoundsPutBack { table }])
    }

    /// What a correction or void of these rounds would move.
    ///
    /// # Errors
    /// When a round cannot be changed so.
    pub fn preview(&self, table: TableId, changes: &[(RoundId, Option<OutcomeIndex>)]) -> Result<Preview, Refusal> {
        let (found, _) = self.find_table(table)?;
        if changes.is_empty() || changes.len() > bounds::RANGE {
            return refuse(Code::TooMany, "bounds", format!("name 1 to {} rounds", bounds::RANGE));
        }
        let mut named = BTreeSet::new();
        let mut moved = Moved::new();
        let mut hash = blake3::Hasher::new();
        hash.update(&table.0.to_le_bytes());
        let mut rounds = Vec::with_capacity(changes.len());
        for (round, outcome) in changes {
            if !named.insert(round) {
                return refuse(Code::RoundOver, "D24", format!("round {round} is named twice"));
            }
            let archived = found.archived(*round).ok_or_else(|| {
                let current = |table: &Table| table.round.as_ref().is_some_and(|current| current.id == *round);
                let words = match self.tables.iter().any(|table| table.archived(*round).is_some()) {
                    true => format!("round {round} is a round of another table"),
                    false if self.tables.iter().any(current) => format!("round {round} is not settled yet"),
                    false => self.why_not_settled(*round),
                };
                refusal(Code::NotFound, "D24", words)
            })?;
            rounds.push(self.preview_round(found, archived, *outcome, &mut moved, &mut hash)?);
        }
        Ok(Preview { hash: Hash(*hash.finalize().as_bytes()), rounds })
    }

    // § etg 5.4, 5.5, 5.6, 5.9 · rws-taisai 5.6, 5.8, 5.12
    fn preview_round(
        &self,
        table: &Table,
        archived: &ArchivedRound,
        outcome: Option<OutcomeIndex>,
        moved: &mut Moved,
        hash: &mut blake3::Hasher,
    ) -> Result<PreviewRound, Refusal> {
        let round = archived.id;
        let rulebook = self.rulebook_at(archived.rulebook);
        let rulebook = rulebook.ok_or_else(|| refusal(Code::Rulebook, "S9", "the rulebook is not installed"))?;
        let Some(was) = archived.outcome else {
            return refuse(Code::RoundOver, "D24", format!("round {round} is void already"));
        };
        if outcome == Some(was) {
            return refuse(Code::NothingToDo, "D24", format!("round {round} was settled by this result"));
        }
        if outcome.is_some_and(|outcome| outcome.get() >= rulebook.outcomes().size()) {
            return refuse(Code::NotFound, rulebook.irregularities().correction(), "this game cannot show that");
        }
        let number =
            |outcome: Option<OutcomeIndex>| outcome.map_or(0, |outcome| outcome.get() as u64 + 1).to_le_bytes();
        hash.update(&round.0.to_le_bytes()).update(&number(Some(was))).update(&number(outcome));
        if table.mode != TableMode::Terminals {
            let result = outcome.ok_or(VoidBy::Decision);
            let events = self.correct_chips(table, archived, rulebook, result, StaffId(0), None, "")?;
            let Some(Event::ChipsCorrected { paid, claims, returns, .. }) = events.first() else {
                return refuse(Code::NothingToDo, "D24", "nothing would change");
            };
            for (share, now) in archived.shares.iter().zip(returns) {
                hash.update(&[share.position.0])
                    .update(&share.bet.get().to_le_bytes())
                    .update(&now.get().to_le_bytes());
            }
            let sum = |list: &[(Position, Cents)]| Cents::checked_sum(list.iter().map(|(_, amount)| *amount));
            let chips = (sum(paid).unwrap_or(Cents::ZERO), sum(claims).unwrap_or(Cents::ZERO));
            let players = archived.shares.iter().map(|share| share.position).collect::<BTreeSet<_>>().len();
            return Ok(PreviewRound { round, was: Some(was), outcome, adjustments: Vec::new(), chips, players });
        }
        let mut adjustments = Vec::with_capacity(archived.entries.len());
        for entry in &archived.entries {
            let entitled = match outcome {
                None => Some(entry.staked),
                Some(outcome) => {
                    let layout = rulebook.layouts().get(usize::from(entry.layout));
                    layout.and_then(|layout| returned(layout.table(), &entry.stakes, outcome))
                }
            };
            let entitled = entitled.ok_or_else(|| refusal(Code::Amount, "bounds", "the amounts are too large"))?;
            hash.update(&entry.terminal.0.to_le_bytes()).update(&entitled.get().to_le_bytes());
            adjustments.extend(self.adjust(entry, entitled, moved));
        }
        let players = adjustments.len();
        Ok(PreviewRound { round, was: Some(was), outcome, adjustments, chips: (Cents::ZERO, Cents::ZERO), players })
    }

    /// A range of a table's settled rounds is corrected or voided in one act. Its preview fixes what each player is entitled to.
    // § etg 5.4, 5.5, 5.6, 5.10 · mbs-sicbo 6.1, 6.3 · rws-taisai 5.6, 5.8, 5.14
    pub(crate) fn change_rounds(
        &self,
        sender: Sender,
        table: TableId,
        changes: &[(RoundId, Option<OutcomeIndex>)],
        ground: Option<GroundId>,
        (reason, preview): (&str, Hash),
        witness: Option<StaffId>,
    ) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let voids = changes.iter().any(|(_, outcome)| outcome.is_none());
        let corrects = changes.iter().any(|(_, outcome)| outcome.is_some());
        let by_void = match ground {
            Some(ground) => (VoidBy::Ground(ground), Act::VoidAffectedRounds),
            None => (VoidBy::Decision, Act::Decide),
        };
        let acts = [voids.then_some(by_void.1), corrects.then_some(Act::CorrectAfterSettlement)];
        let mut people = None;
        for act in acts.into_iter().flatten() {
            let by = self.authorise(sender, act, found)?;
            let second = if act == Act::Decide { Act::VoidAffectedRounds } else { act };
            people = Some((by, self.second_person(by, witness, second, found)?));
        }
        let Some((by, witness)) = people else {
            return refuse(Code::TooMany, "bounds", format!("name 1 to {} rounds", bounds::RANGE));
        };
        for (round, _) in changes.iter().filter(|(_, outcome)| outcome.is_some()) {
            self.may_enter(found, *round, by)?;
            self.may_enter(found, *round, witness)?;
        }
        reason_fits(reason)?;
        if let Some(ground) = ground
            && rulebook.ground(ground).is_none_or(|listed| listed.voids != Voids::AffectedRounds)
        {
            let words = format!("{ground} does not void settled rounds in this game; the Shift Manager may decide");
            return refuse(Code::NotAGround, &rulebook.discretion().paragraph, words);
        }
        let worked_out = self.preview(table, changes)?;
        if worked_out.hash != preview && !mutant!("preview-not-compared") {
            let words = "what the players are entitled to has changed since the preview: look at it again";
            return refuse(Code::PreviewStale, "D24", words);
        }
        if found.mode != TableMode::Terminals {
            let events = self.change_live_rounds(found, changes, by_void.0, (by, witness), reason)?;
            let alert = self.corrected_against_device(found, rulebook, &events);
            let mut events = chips_in_parts(events)?;
            events.extend(alert);
            return Ok(events);
        }
        let adjustments = worked_out.rounds.iter().flat_map(|round| &round.adjustments);
        let uncollected = Cents::checked_sum(adjustments.map(|a| a.uncollected)).unwrap_or(Cents::ZERO);
        let mut events = Vec::with_capacity(changes.len());
        for PreviewRound { round, outcome, adjustments, .. } in worked_out.rounds {
            let reason = shared_reason(changes, round, reason);
            events.push(match outcome {
                Some(outcome) => Event::RoundCorrected { round, table, outcome, adjustments, by, witness, reason },
                None => {
                    let (by, staff, witness) = (by_void.0, by, Some(witness));
                    Event::SettledRoundVoided { round, table, by, adjustments, staff, witness, reason }
                }
            });
        }
        if let Some((first, _)) = changes.first().filter(|_| uncollected.is_positive()) {
            events.extend(self.alert(0, Some(table), AlertKind::Uncollected(*first, uncollected)));
        }
        events.extend(self.corrected_against_device(found, rulebook, &events));
        in_parts(events)
    }

    /// At a live table what a round pays or claims is an event of its own.
    fn change_live_rounds(
        &self,
        table: &Table,
        changes: &[(RoundId, Option<OutcomeIndex>)],
        void: VoidBy,
        (by, witness): (StaffId, StaffId),
        reason: &str,
    ) -> Events {
        let mut events = Vec::with_capacity(changes.len());
        for (round, outcome) in changes {
            let (_, archived, rulebook) = self.settled_round(*round)?;
            let reason = shared_reason(changes, *round, reason);
            let result = outcome.ok_or(void);
            events.extend(self.correct_chips(table, archived, rulebook, result, by, Some(witness), &reason)?);
        }
        table.tray_covers(&events).map(|()| events)
    }
}

/// The reason stands with the first round of a range, and the others refer to it: all of them fit into one batch.
fn shared_reason(changes: &[(RoundId, Option<OutcomeIndex>)], round: RoundId, reason: &str) -> String {
    match changes.first() {
        Some((first, _)) if *first != round => format!("as round {first}"),
        _ => reason.to_owned(),
    }
}

/// What a device read of a past round, as it was kept beside it. No proof covers it: the audit of a whole journal compares
/// it with what was reported in that round.
fn readings(bytes: &[u8]) -> Option<Vec<Seen>> {
    match bytes.len() {
        0 => Some(Vec::new()),
        1..=bounds::READ_OF_PAST => minicbor::decode(bytes).ok(),
        _ => None,
    }
}
