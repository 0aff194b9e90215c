//! The close: nothing is placed, raised or withdrawn after it, and every live terminal acknowledges that it shows it
//! (D12).

use rulebook::Act;

use crate::command::Sender;
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, refuse};
use crate::state::{Floor, Phase};

impl Floor {
    // § etg 3.5 · mbs-sicbo 3.2 · rws-taisai 3.6
    pub(crate) fn close_bets(&self, sender: Sender, table: TableId) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::CloseBets, found)?;
        let round = found.round_in_play(rulebook)?;
        if round.phase != Phase::Open {
            return refuse(Code::Phase, &rulebook.procedure().closing.paragraph, "bets are not open");
        }
        self.not_halted(rulebook, round)?;
        Ok(vec![Event::BetsClosed { round: round.id, table, by: Some(by) }])
    }

    pub(crate) fn acknowledge_close(&self, sender: Sender, round: RoundId) -> Events {
        let Sender::Terminal(id) = sender else {
            return refuse(Code::NotForSender, "D12", "only the terminal itself acknowledges");
        };
        let terminal = self.find_terminal(id)?;
        let (table, _) = self.find_table(terminal.table)?;
        let current = table.round.as_ref().filter(|current| current.id == round && current.closed_at.is_some());
        if current.is_none() || terminal.acknowledged == Some(round) {
            return refuse(Code::NothingToDo, "D12", "there is no close to acknowledge");
        }
        Ok(vec![Event::CloseAcknowledged { terminal: id, round }])
    }

    // § etg 5.2 · mbs-sicbo 5.9
    pub(crate) fn terminal_lost(&self, sender: Sender, terminal: TerminalId) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "S18", "the host knows which links are up");
        }
        if !self.find_terminal(terminal)?.live {
            return refuse(Code::NothingToDo, "S18", "the terminal is lost already");
        }
        Ok(vec![Event::TerminalLost { terminal }])
    }

    pub(crate) fn terminal_back(&self, sender: Sender, terminal: TerminalId) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "S18", "the host knows which links are up");
        }
        if self.find_terminal(terminal)?.live {
            return refuse(Code::NothingToDo, "S18", "the terminal is live");
        }
        Ok(vec![Event::TerminalBack { terminal }])
    }
}
