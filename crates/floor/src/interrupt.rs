//! Technical interruptions (5.1; Tai Sai 5.4; MBS 5.8; D6): recorded when short, attested when not.

use rulebook::{Act, Conclusion, Device as Mechanism, Face, GroundId, OutcomeSet, Rulebook, Spot, Timing};

use crate::command::*;
use crate::decide::{Events, reason_fits};
use crate::event::{Event, VoidBy};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::service::complete;
use crate::state::{Floor, Phase, Round, Table};

/// What the host knows of an interrupted round, and proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The phase the round was in.
    pub phase: Phase,
    /// Dice read after the close, under no cover.
    pub dice: [Option<Face>; 3],
    /// Bets that have conclusively won or lost, over all layouts at the table. None: no outcome is established, as far
    /// as the host knows; what was seen at the table and not recorded counts all the same.
    pub concluded: Vec<(Spot, Conclusion)>,
    /// What the host proposes.
    pub finding: Finding,
    /// The paragraph behind it.
    pub paragraph: String,
}

impl Floor {
    /// The host was away. A stoppage no longer than the table's grace, after which the terminals are back, is recorded
    /// and play goes on; after a longer one the round waits for its attestation.
    // § etg 5.1, 5.2 · mbs-sicbo 5.8, 5.9 · rws-taisai 5.4
    pub(crate) fn report_stoppage(&self, sender: Sender, from: Moment, terminals_back: bool, at: Moment) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "D6", "the host knows when it was away");
        }
        // A clock that was wrong when the host went away cannot make the stoppage end before it began.
        let from = from.min(at);
        let stopped = at.since(from);
        let mut events: Vec<Event> = self
            .tables
            .iter()
            .filter_map(|table| Some((table, table.round.as_ref().filter(|round| round.interrupted.is_none())?)))
            .map(|(table, round)| {
                // With terminals still away after an earlier stoppage, this one is part of it.
                let stopped = round.stands_still().map_or(stopped, |earlier| at.since(earlier.min(from)));
                let graced = terminals_back && table.settings.grace > 0 && stopped <= table.settings.grace;
                let (table, round) = (table.id, round.id);
                if graced {
                    Event::StoppageRecorded { table, round, from, to: at }
                } else {
                    Event::RoundInterrupted { table, round, from, to: at }
                }
            })
            .collect();
        events.extend(self.calls_again(from, at));
        if events.is_empty() {
            return refuse(Code::NothingToDo, "D6", "no round was in progress, and no second person was called");
        }
        Ok(events)
    }

    /// The dealer attests, a Pit Supervisor witnesses.
    // § etg 5.1.1, 5.1.2, 5.2 · mbs-sicbo 5.8.1, 5.8.2, 5.9 · rws-taisai 5.4, 5.4.1, 5.4.2
    pub(crate) fn attest(&self, sender: Sender, table: TableId, finding: Finding, witness: Option<StaffId>) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::AttestInterruption, found)?;
        // Dice that were uncovered before the attestation: who attests now has seen them, and would choose the outcome.
        let uncovered =
            found.round.as_ref().is_some_and(|round| round.interrupted.is_some() && round.uncovered_meanwhile());
        let witness = match witness {
            None if mutant!("attest-without-witness") => by,
            _ if uncovered => self.second_who_decides(by, witness, found)?,
            _ if mutant!("dealer-witnesses") => self.second_person(by, witness, Act::AttestInterruption, found)?,
            _ => self.second_person(by, witness, Act::WitnessAttestation, found)?,
        };
        let irregularities = rulebook.irregularities();
        let Some(round) = found.round.as_ref().filter(|round| round.interrupted.is_some()) else {
            return refuse(Code::NothingToDo, &irregularities.established, "no round is interrupted at this table");
        };
        let attested = Event::Attested { table, round: round.id, finding, by, witness };
        match finding {
            Finding::NotAffected => Ok(vec![attested]),
            Finding::Established if round.phase < Phase::Closed => {
                let words = "bets were not closed, so that no outcome can be established";
                refuse(Code::Phase, &irregularities.established, words)
            }
            Finding::Established => Ok(vec![attested]),
            // What the dealer entered has decided every bet.
            Finding::NotEstablished if round.outcome.is_some() => {
                let words = "a result is entered, so that an outcome is established";
                refuse(Code::Phase, &irregularities.established, words)
            }
            // The readings show that a bet has won or lost for certain: the round is concluded (D22).
            Finding::NotEstablished
                if !mutant!("attest-against-readings")
                    && self.proposal(table).is_some_and(|proposal| proposal.finding == Finding::Established) =>
            {
                let read = round.seen.dice.iter().any(Option::is_some) || round.seen.pocket.is_some();
                let words = match read {
                    true => "a reading after the close establishes an outcome: the round is concluded",
                    false => "bets were closed and the dice or the ball show an outcome: the round is concluded",
                };
                refuse(Code::Established, &irregularities.established, words)
            }
            Finding::NotEstablished => {
                let voided = Event::RoundVoided {
                    round: round.id,
                    table,
                    by: VoidBy::Ground(GroundId::Interruption),
                    staff: by,
                    witness: Some(witness),
                    reason: "interrupted with no outcome established".to_owned(),
                };
                Ok(vec![attested, voided])
            }
        }
    }

    /// The second person of an attestation after the dice were uncovered, which D6 forbids: the Shift Manager.
    fn second_who_decides(&self, by: StaffId, witness: Option<StaffId>, table: &Table) -> Result<StaffId, Refusal> {
        let words = "the dice were uncovered while the round was interrupted, so that the person who attests would \
                     choose the outcome: the Shift Manager must be the second person";
        self.second_person(by, witness, Act::Decide, table).or_else(|_| refuse(Code::SecondPerson, "D6", words))
    }

    /// The dealer or another Pit Employee reports an interruption where it happens. Terminals and displays alone never
    /// interrupt a round; anything else waits for its attestation (D21).
    // § etg 5.1, 5.2 · mbs-sicbo 5.8, 5.9 · rws-taisai 5.4, 5.10, 5.11
    pub(crate) fn report_interruption(
        &self,
        sender: Sender,
        table: TableId,
        failed: Failed,
        note: Option<&str>,
    ) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise_any(sender, Act::AttestInterruption, found)?;
        if let Some(note) = note {
            reason_fits(note)?;
        }
        let Some(round) = found.round.as_ref() else {
            let words = "no round is in progress, so that none is interrupted";
            return refuse(Code::Phase, &rulebook.irregularities().established, words);
        };
        let affects = !failed.goes_on() || mutant!("terminals-interrupt");
        let note = note.map(Into::into);
        Ok(vec![Event::InterruptionReported { round: round.id, table, failed, affects, by, note }])
    }

    /// A device fault during a round: the dealer says whether it affects the continuation (D21).
    // § etg 5.1 · mbs-sicbo 5.8 · rws-taisai 5.4
    pub(crate) fn answer_fault(&self, sender: Sender, table: TableId, affects: bool) -> Events {
        let (found, _) = self.find_table(table)?;
        let by = self.authorise(sender, Act::AttestInterruption, found)?;
        let Some(round) = found.round.as_ref().filter(|round| round.fault.is_some()) else {
            return refuse(Code::NothingToDo, "D21", "no device fault waits for an answer");
        };
        let round = round.id;
        let reported = Event::InterruptionReported { round, table, failed: Failed::Device, affects, by, note: None };
        let answered = Event::FaultAnswered { round, table, affects, by };
        Ok([answered].into_iter().chain(affects.then_some(reported)).collect())
    }

    /// An interrupted round whose dice or ball were completely read, or for whose result two people have signed, is concluded
    /// with it: no decision makes it void (D22). Where they contradict each other, a ground is open, or no result can be entered
    /// because the device has reported no lawful tumble or spin (D19), that is what is decided.
    // § etg 5.1.1 · mbs-sicbo 5.8.2 · rws-taisai 5.4.1
    pub(crate) fn not_concluded(&self, table: &Table, rulebook: &Rulebook, round: &Round) -> Result<(), Refusal> {
        let seen = &round.seen;
        let failed = round.failed.iter().any(|failed| !failed.goes_on());
        let interrupted = round.interrupted.is_some() || round.replaced || failed;
        let doubtful = round.second.is_some() || round.doubtful || seen.contradicted || round.ground.is_some();
        let in_time = rulebook.procedure().timing != Timing::AfterClose || seen.after_close;
        let read = seen.is_lawful() && in_time && seen.names_a_result() && !round.rested_early();
        let entered = self.lawful(table, rulebook, round).is_ok();
        if !interrupted || doubtful || !read || !entered || round.phase < Phase::Closed {
            return Ok(());
        }
        let established = &rulebook.irregularities().established;
        // What one person alone has entered is shown by nothing else.
        let signed = || {
            let (outcome, entered) = round.outcome.zip(round.entered)?;
            let need = self.need(table, rulebook, round, outcome, entered.by, self.now());
            entered.witness.filter(|_| need <= entered.met)
        };
        let words = match (complete(rulebook, seen), signed()) {
            (Some(_), _) => "the reading shows the outcome: the round is concluded with it",
            (None, Some(_)) => "two people have signed for the result that is entered: the round is concluded with it",
            (None, None) => return Ok(()),
        };
        refuse(Code::Established, established, words)
    }

    /// What the host knows of an interrupted round and proposes to the dealer.
    #[must_use]
    // § etg 5.1.1, 5.1.2 · mbs-sicbo 5.8.1, 5.8.2 · rws-taisai 5.4.1, 5.4.2
    pub fn proposal(&self, table: TableId) -> Option<Proposal> {
        let (found, rulebook) = self.find_table(table).ok()?;
        let round = found.round.as_ref()?;
        let possible = self.still_possible(found, round)?;
        let mut concluded: Vec<(Spot, Conclusion)> = Vec::new();
        if round.phase >= Phase::Closed {
            for layout in rulebook.layouts() {
                for (spot, conclusion) in layout.table().established(&possible) {
                    let spot = layout.table().spot(spot)?.spot;
                    if !concluded.iter().any(|(known, _)| *known == spot) {
                        concluded.push((spot, conclusion));
                    }
                }
            }
        }
        let irregularities = rulebook.irregularities();
        let (finding, paragraph) = if concluded.is_empty() && !self.established_unread(found, rulebook, round) {
            (Finding::NotEstablished, &irregularities.not_established)
        } else {
            (Finding::Established, &irregularities.established)
        };
        let paragraph = paragraph.to_string();
        Some(Proposal { phase: round.phase, dice: round.known_dice(), concluded, finding, paragraph })
    }

    /// Bets are closed and the dice lawfully uncovered, or the ball at rest: an outcome is established, whether or not it
    /// was read. A second tumble changes nothing of that (D18).
    // § etg 5.1.1 · mbs-sicbo 5.8.2 · rws-taisai 5.4.1
    fn established_unread(&self, table: &Table, rulebook: &Rulebook, round: &Round) -> bool {
        let seen = &round.seen;
        let in_time = rulebook.procedure().timing != Timing::AfterClose || seen.after_close;
        let free = round.ground.is_none();
        let lawful = seen.is_lawful() && !round.rested_early() && in_time && free;
        let shows = match rulebook.procedure().device {
            Mechanism::Tumbler { covered: true, .. } => seen.uncovered,
            Mechanism::Tumbler { covered: false, .. } | Mechanism::Wheel { .. } => true,
        };
        // Where no device in service reports a tumble, only the dealer's word counts (D20).
        let said = round.declared && self.serving(table).is_none() && free;
        round.phase >= Phase::Closed && (said || lawful && (shows || round.declared))
    }

    /// The outcomes still possible, given the readings made after the close. Others never count.
    fn still_possible(&self, table: &Table, round: &Round) -> Option<OutcomeSet> {
        let outcomes = self.rulebook_of(table)?.outcomes();
        if let Some(entered) = round.outcome {
            return Some([entered].into_iter().collect());
        }
        Some(match round.seen.pocket.filter(|_| round.seen.is_lawful()) {
            Some(pocket) => [pocket].into_iter().collect(),
            None => outcomes.consistent_with(round.known_dice()),
        })
    }
}

impl Round {
    /// Whether the cover came off while the round was interrupted, before the attestation (D6).
    pub(crate) fn uncovered_meanwhile(&self) -> bool {
        self.meanwhile.uncovered || self.meanwhile.dice.iter().any(Option::is_some)
    }

    /// The dice read after the close. Those that were uncovered while the round was interrupted were not uncovered lawfully,
    /// and establish nothing (D6): nothing was established at the interruption.
    fn known_dice(&self) -> [Option<Face>; 3] {
        // Dice that are still tumbling, or were not lawfully tumbled, show no outcome.
        if self.seen.reported() && !self.seen.is_lawful() {
            return [None; 3];
        }
        let mut known = self.seen.clone();
        if mutant!("covered-dice-establish") {
            known.read_dice(self.seen.concealed);
        }
        known.dice
    }
}
