//! The beginning of a round: activation where the document has it, then the notice or announcement.

use rulebook::{Act, Affirmed, Begins, Point, Rulebook};

use crate::command::Sender;
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Phase, Table};

impl Table {
    /// Whether a new round may begin here now.
    pub(crate) fn ready_for_round(&self, rulebook: &Rulebook, at: Moment) -> Result<(), Refusal> {
        // § rws-sicbo 1.8 · rws-sicbo-open 1.8 · rws-roulette-000 1.9 · mbs-sicbo 1.1.3 · rws-taisai 1.7
        if !self.open {
            return refuse(Code::TableClosed, "D11", "the table is closed");
        }
        if self.closes_at.is_some_and(|closes_at| at >= closes_at) {
            return refuse(Code::TableClosed, "S3", "the table is closing");
        }
        if self.round.is_some() {
            return refuse(Code::Phase, &rulebook.procedure().ends, "a round is in progress");
        }
        Ok(())
    }
}

impl Floor {
    pub(crate) fn next_round(&self) -> RoundId {
        RoundId(self.next.round)
    }

    /// The dealer activates the tumbler, and the round exists from then (MBS 1.1.3, 3.1).
    // § mbs-sicbo 1.1.3, 3.1
    pub(crate) fn begin_round(&self, sender: Sender, table: TableId, at: Moment) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::OpenRound, found)?;
        let procedure = rulebook.procedure();
        if procedure.begins != Begins::Activation {
            return refuse(
                Code::Phase,
                &procedure.begins_paragraph,
                "in this game a round begins with the notice for bets",
            );
        }
        found.ready_for_round(rulebook, at)?;
        Ok(vec![Event::RoundBegun { round: self.next_round(), table, by: Some(by) }])
    }

    /// Bets are opened: the notice on the terminals, or the dealer's announcement.
    // § etg 3.2 · rws-sicbo 1.8 · rws-sicbo-open 1.8 · rws-roulette-000 1.9 · mbs-sicbo 3.1 · rws-taisai 1.7, 3.2
    pub(crate) fn open_bets(&self, sender: Sender, table: TableId, affirmed: &[Point], at: Moment) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::OpenRound, found)?;
        let procedure = rulebook.procedure();
        // Changed settings wait for the next round, which begins here unless the tumbler has begun it (S12).
        let settings = found.pending.as_ref().filter(|_| found.round.is_none()).unwrap_or(&found.settings);
        let closes_at = (settings.betting_period > 0).then(|| at.after(settings.betting_period));
        let begun = match (procedure.begins, &found.round) {
            (Begins::Activation, None) => {
                return refuse(Code::Phase, &procedure.begins_paragraph, "the tumbler must be activated first");
            }
            (Begins::Activation, Some(_)) => {
                let round = found.round_in_play(rulebook)?;
                if round.phase != Phase::Begun {
                    return refuse(Code::Phase, &procedure.begins_paragraph, "bets have been opened in this round");
                }
                self.not_halted(rulebook, round)?;
                round.fault_answered()?;
                // The notice follows the tumbles: those of the device, or those that the dealer affirms (D19).
                if !mutant!("notice-before-tumble") {
                    self.lawful(found, rulebook, round)?;
                }
                self.affirms(found, rulebook, Affirmed::Notice, affirmed)?;
                round.id
            }
            _ => {
                found.ready_for_round(rulebook, at)?;
                self.next_round()
            }
        };
        Ok(vec![Event::BetsOpened { round: begun, table, closes_at, by, affirmed: affirmed.to_vec() }])
    }
}
