//! What a validator says in EBDS.

use super::validator::{Machine, Phase, Speaker, Thing};
use crate::Millis;
use crate::ebds::{Poll, Reader, Reply, exception, misc, mode, option, state, status};
use crate::validator::Fault;

#[derive(Debug, Default)]
pub(super) struct Ebds {
    reader: Reader,
    /// The last reply: to a poll with the same bit it is said again.
    last: Option<Reply>,
}

impl Speaker for Ebds {
    fn hear(&mut self, machine: &mut Machine, bytes: &[u8], now: Millis) -> Vec<Vec<u8>> {
        let frames = self.reader.feed(bytes);
        let polls = frames.into_iter().flatten().filter_map(|frame| Poll::of(&frame));
        polls.map(|poll| self.answer(machine, poll, now).frame().bytes()).collect()
    }
}

impl Ebds {
    fn answer(&mut self, machine: &mut Machine, poll: Poll, now: Millis) -> Reply {
        if let Some(last) = self.last.as_ref().filter(|last| last.mark == poll.mark) {
            return last.clone();
        }
        // The other bit: the last reply was heard.
        if self.last.as_ref().is_some_and(|last| last.state & state::STACKED != 0) {
            machine.state.unacknowledged = false;
            machine.go(Phase::Waiting, now);
        }
        let tickets = poll.options & option::BARCODE != 0;
        machine.inhibited = poll.enabled == 0 && !tickets;
        if machine.phase == Phase::PowerUp && machine.over(now) {
            // Policy B: what lies in escrow waits there, and what is behind it counts.
            let next = match (&machine.state.path, machine.state.unacknowledged) {
                (_, true) => Phase::Counted,
                (Some(_), false) => Phase::Escrow,
                (None, false) => Phase::Waiting,
            };
            machine.go(next, now);
        } else if machine.phase == Phase::Escrow && machine.fault.is_none() {
            let enabled = match &machine.state.path {
                Some(Thing::Ticket(_)) => tickets,
                _ => true,
            };
            if poll.mode & mode::RETURN != 0 || !enabled {
                machine.go(Phase::Returning, now);
            } else if poll.mode & mode::STACK != 0 {
                machine.go(Phase::Stacking, now);
            }
        }
        let reply = reply(machine, poll.mark);
        machine.over = None;
        self.last = Some(reply.clone());
        reply
    }
}

fn reply(machine: &Machine, mark: bool) -> Reply {
    let mut reply = Reply { mark, status: status::CASSETTE, ..Reply::default() };
    match machine.fault {
        Some(Fault::StackerFull) => reply.status |= status::STACKER_FULL,
        Some(Fault::StackerOpen) => reply.status &= !status::CASSETTE,
        Some(Fault::JamAcceptor) => reply.status |= status::JAMMED,
        Some(Fault::JamStacker) => reply.misc |= misc::STALLED,
        Some(Fault::Pause) => reply.status |= status::PAUSED,
        Some(Fault::Cheated) => reply.status |= status::CHEATED,
        Some(Fault::Failure | Fault::Line) => reply.exception |= exception::FAILURE,
        None => {}
    }
    if machine.fault.is_some() {
        return reply;
    }
    reply.state = match machine.phase {
        Phase::PowerUp | Phase::Initialise => {
            reply.exception |= exception::POWER_UP;
            0
        }
        Phase::Waiting => state::IDLING,
        Phase::Accepting => state::ACCEPTING,
        Phase::Escrow => state::ESCROWED,
        Phase::Stacking => state::STACKING,
        Phase::Counted | Phase::Stacked => state::STACKED | state::IDLING,
        Phase::Rejecting(_) | Phase::Returning => state::RETURNING,
    };
    match machine.over {
        Some(Phase::Rejecting(_)) => reply.status |= status::REJECTED,
        Some(_) => reply.state |= state::RETURNED,
        None => {}
    }
    if reply.state & (state::ESCROWED | state::STACKED) != 0 {
        reply.exception |= machine.place().map_or(0, |at| at + 1) << exception::VALUE;
        reply.barcode = machine.ticket().map(|digits| Some(digits.to_owned()));
    }
    reply
}
