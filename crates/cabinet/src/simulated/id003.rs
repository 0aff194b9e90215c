//! What a validator says in ID-003.

use super::validator::{Machine, Phase, Speaker};
use crate::Millis;
use crate::id003::{Escrow, Frame, Reader, Status, command, denomination, setting};

/// Every setting that a validator wants before it takes notes.
const WANTED: [u8; 7] = [
    setting::ENABLE,
    setting::SECURITY,
    setting::DIRECTION,
    setting::OPTIONS,
    setting::BARCODE,
    setting::BARCODE_INHIBIT,
    setting::INHIBIT,
];

#[derive(Debug, Default)]
pub(super) struct Id003 {
    reader: Reader,
    /// Settings that were sent since initialise.
    settings: Vec<u8>,
}

impl Speaker for Id003 {
    fn hear(&mut self, machine: &mut Machine, bytes: &[u8], now: Millis) -> Vec<Vec<u8>> {
        let frames = self.reader.feed(bytes);
        let answers = frames.into_iter().flatten().filter_map(|frame| self.answer(machine, &frame, now));
        answers.map(|status| status.frame().bytes()).collect()
    }
}

impl Id003 {
    /// What it says to a frame; nothing to an acknowledgement.
    fn answer(&mut self, machine: &mut Machine, frame: &Frame, now: Millis) -> Option<Status> {
        let escrow = machine.phase == Phase::Escrow && machine.fault.is_none();
        Some(match frame.command {
            command::STATUS => status(machine),
            command::RESET => {
                machine.give_back();
                machine.state.unacknowledged = false;
                machine.inhibited = true;
                machine.go(Phase::Initialise, now);
                self.settings.clear();
                Status::Acknowledged
            }
            command::STACK if escrow => {
                machine.go(Phase::Stacking, now);
                Status::Acknowledged
            }
            command::RETURN if escrow => {
                machine.go(Phase::Returning, now);
                Status::Acknowledged
            }
            command::ACK => {
                if machine.phase == Phase::Counted {
                    machine.state.unacknowledged = false;
                    machine.go(Phase::Stacked, now);
                }
                return None;
            }
            code if WANTED.contains(&code) => {
                if code == setting::INHIBIT {
                    machine.inhibited = frame.data.first() != Some(&0);
                }
                if !self.settings.contains(&code) {
                    self.settings.push(code);
                }
                if machine.phase == Phase::Initialise && self.settings.len() == WANTED.len() {
                    machine.go(Phase::Waiting, now);
                }
                Status::Setting(code, frame.data.clone())
            }
            _ => Status::Invalid,
        })
    }
}

fn escrow(machine: &Machine) -> Escrow {
    match (machine.ticket(), machine.place()) {
        (Some(digits), _) => Escrow::Barcode(digits.to_owned()),
        (None, Some(at)) => Escrow::Note(denomination::FIRST + at),
        (None, None) => Escrow::Unreadable,
    }
}

fn status(machine: &Machine) -> Status {
    if let Some(fault) = machine.fault {
        return Status::Fault(fault);
    }
    match machine.phase {
        Phase::PowerUp if machine.state.unacknowledged => Status::PowerUpStacker,
        Phase::PowerUp if machine.state.path.is_some() => Status::PowerUpAcceptor,
        Phase::PowerUp => Status::PowerUp,
        Phase::Initialise => Status::Initialise,
        Phase::Waiting if machine.inhibited => Status::Inhibited,
        Phase::Waiting => Status::Idle,
        Phase::Accepting => Status::Accepting,
        Phase::Escrow => Status::Escrow(escrow(machine)),
        Phase::Stacking => Status::Stacking,
        Phase::Counted => Status::VendValid,
        Phase::Stacked => Status::Stacked,
        Phase::Rejecting(reason) => Status::Rejecting(reason),
        Phase::Returning => Status::Returning,
    }
}
