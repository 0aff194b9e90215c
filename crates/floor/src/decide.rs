//! From a command to events, or to a refusal.

use postcard::ser_flavors::Flavor;
use rulebook::{Cents, Rulebook, SpotIndex};

use crate::bounds;
use crate::command::{BetChange, Body, Command, Ruling, Sender};
use crate::event::{Event, Origin, Record};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::settle::Behind;
use crate::state::{Floor, Round, Table, Terminal};

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// These events, to be made durable and then applied.
    Events(Vec<Record>),
    /// It is a retry: it was accepted before, and this is its first event.
    Earlier(u64),
}

pub(crate) type Events = Result<Vec<Event>, Refusal>;

impl Floor {
    /// Decides a command. Nothing changes until the events are applied.
    ///
    /// # Errors
    /// A [`Refusal`] with a stable code, the rule behind it and words.
    pub fn decide(&self, command: &Command) -> Result<Decision, Refusal> {
        let mut records = Vec::new();
        Ok(match self.decide_into(command, &mut records)? {
            Some(sequence) => Decision::Earlier(sequence),
            None => Decision::Events(records),
        })
    }

    /// Decides a command and adds its events to others. If it is a retry, that adds nothing and returns its first event.
    ///
    /// # Errors
    /// As [`Floor::decide`]; then nothing was added.
    pub fn decide_into(&self, command: &Command, records: &mut Vec<Record>) -> Result<Option<u64>, Refusal> {
        let body = body_hash(&command.body);
        let answers = self.answers_of(command.sender)?;
        if let Some(sequence) = answers.earlier(command.number, body)? {
            return Ok(Some(sequence));
        }
        let at = if mutant!("time-runs-backwards") { command.at } else { command.at.max(self.now) };
        answers.near(command.number, at)?;
        let origin = Origin { sender: command.sender, number: command.number, body };
        // The command that comes in great numbers makes one event, for which no list is made.
        if let Body::Bet { changes } = &command.body
            && self.settings.is_some()
        {
            self.play_unlocked(&command.body)?;
            self.bet_into(command.sender, changes, at, origin, records)?;
            return Ok(None);
        }
        let events = self.decide_body(command.sender, &command.body, at)?;
        // A command written in parts counts as accepted with the event that takes effect, if there are no others.
        let early = |event: &Event| match event {
            Event::RoundSettled { part, parts, .. } => part < parts,
            Event::CorrectionPart { .. } => true,
            Event::RoundRecalled { part, parts, .. } => part < parts,
            _ => false,
        };
        // A settlement in parts takes effect with its last part, whatever stands before the first.
        let last =
            |event: &Event| matches!(event, Event::RoundSettled { part, parts, .. } if part == parts && *parts > 1);
        let early = events.iter().take_while(|event| early(event)).count();
        let answered = events.iter().position(last).unwrap_or(early);
        records.extend(events.into_iter().enumerate().map(|(place, event)| Record {
            at,
            origin: (place == answered).then_some(origin),
            event,
        }));
        Ok(None)
    }

    /// Whether a command would be accepted now.
    ///
    /// # Errors
    /// The refusal it would get.
    pub fn may(&self, sender: Sender, body: &Body, at: Moment) -> Result<(), Refusal> {
        self.answers_of(sender)?;
        self.decide_body(sender, body, at.max(self.now)).map(|_| ())
    }

    /// A refusal names the refused act, no matter which power it rests on.
    fn decide_body(&self, sender: Sender, body: &Body, at: Moment) -> Events {
        let decided = match self.decide_act(sender, body, at) {
            Ok(mut events) => {
                events.extend(self.answered(body, at));
                Ok(events)
            }
            Err(refused) => self.decide_alone(sender, body, at, refused),
        };
        decided.map_err(|refusal| refusal.about(body.doing()))
    }

    pub(crate) fn decide_act(&self, sender: Sender, body: &Body, at: Moment) -> Events {
        if let Body::CreateFloor(settings) = body {
            return self.create_floor(sender, settings);
        }
        if self.settings.is_none() {
            return refuse(Code::Floor, "the first command", "there is no floor yet");
        }
        self.play_unlocked(body)?;
        let events = self.decide_known(sender, body, at)?;
        self.fits_level(&events)?;
        Ok(events)
    }

    fn decide_known(&self, sender: Sender, body: &Body, at: Moment) -> Events {
        match body {
            Body::CreateFloor(settings) => self.create_floor(sender, settings),
            Body::StartProgram(release) => self.start_program(sender, *release, at),
            Body::ApproveProgram { release, witness } => self.approve_program(sender, *release, *witness),
            Body::AcceptProgram { witness } => self.accept_program(sender, *witness),
            Body::InstallRulebook { canonical, witness } => self.install_rulebook(sender, canonical, *witness),
            Body::RaisePower { act, rank, witness } => self.raise_power(sender, *act, *rank, *witness),
            Body::AddTable { name, rulebook, mode, settings, witness } => {
                self.add_table(sender, name, *rulebook, *mode, settings, *witness)
            }
            Body::PinRulebook { table, rulebook, settings, witness } => {
                self.pin_rulebook(sender, *table, *rulebook, settings, *witness)
            }
            Body::ChangeSettings { table, settings, reason, witness } => {
                self.change_settings(sender, *table, settings, reason, *witness)
            }
            Body::EnrolTerminal { table, name, kind, layout } => {
                self.enrol_terminal(sender, *table, name, kind, layout)
            }
            Body::MoveTerminal { terminal, table, kind, layout } => {
                self.move_terminal(sender, *terminal, *table, kind, layout)
            }
            Body::AddDevice { name, kind, place, measures, witness } => {
                self.add_device(sender, name, (*kind, *place), *measures, *witness)
            }
            Body::MoveDevice { device, place, witness } => self.move_device(sender, *device, *place, *witness),
            Body::AddStaff { name, post, witness } => self.add_staff(sender, name, *post, *witness),
            Body::ChangeStaff { staff, post, active, witness } => {
                self.change_staff(sender, *staff, *post, *active, *witness)
            }
            Body::AssignActing { staff, post, witness } => self.assign_acting(sender, *staff, *post, *witness),
            Body::TakeTable { table } => self.take_table(sender, *table),
            Body::OpenTable { table } => self.open_table(sender, *table),
            Body::AnnounceClosing { table } => self.announce_closing(sender, *table, at),
            Body::CloseTable { table } => self.close_table(sender, *table, at),
            Body::LockTerminal { terminal, reason } => self.lock_terminal(sender, *terminal, reason),
            Body::UnlockTerminal { terminal } => self.unlock_terminal(sender, *terminal),

            Body::CashIn { terminal, amount } => self.cash_in(sender, *terminal, *amount),
            Body::AttendantIn { terminal, amount, witness } => self.attendant_in(sender, *terminal, *amount, *witness),
            Body::TicketIn { terminal, number } => self.ticket_in(sender, *terminal, *number, at),
            Body::PrepareTicket { terminal, number } => self.prepare_ticket(sender, *terminal, *number),
            Body::TicketPrinted { ticket } => self.ticket_printed(sender, *ticket, at),
            Body::PrintFailed { ticket } => self.print_failed(sender, *ticket),
            Body::AttendantPay { terminal, amount, witness } => {
                self.attendant_pay(sender, *terminal, *amount, *witness)
            }
            Body::SetLossLimit { terminal, limit } => self.set_loss_limit(sender, *terminal, *limit),
            Body::ReprintTicket { ticket, number, reason, witness } => {
                self.reprint_ticket(sender, *ticket, *number, reason, *witness)
            }
            Body::OpenShift { float, witness } => self.open_shift(sender, *float, *witness),
            Body::CloseShift { counted, reason, witness } => self.close_shift(sender, *counted, reason, *witness),
            Body::SellTicket { amount, number, witness } => self.sell_ticket(sender, *amount, *number, *witness, at),
            Body::RedeemTicket { number, amount, witness } => {
                self.redeem_ticket(sender, *number, *amount, *witness, at)
            }
            Body::PayCorrection { payable, round, witness } => self.pay_correction(sender, *payable, *round, *witness),

            Body::BeginRound { table } => self.begin_round(sender, *table, at),
            Body::OpenBets { table, affirmed } => self.open_bets(sender, *table, affirmed, at),
            Body::Bet { changes } => self.bet(sender, changes, at),
            Body::ClearBets => self.clear_bets(sender, at),
            Body::RepeatBets { doubled } => self.repeat_bets(sender, *doubled, at),
            Body::CloseBets { table } => self.close_bets(sender, *table),
            Body::AcknowledgeClose { round } => self.acknowledge_close(sender, *round),
            Body::Observe(observation) => self.observe(sender, *observation, at),
            Body::EnterResult { table, outcome, affirmed, witness, reason } => {
                let behind = Behind { affirmed, witness: *witness, reason: reason.as_deref() };
                self.enter_result(sender, *table, *outcome, behind, at)
            }
            Body::ConfirmResult { table, outcome, witness, reason } => {
                let behind = Behind { affirmed: &[], witness: *witness, reason: reason.as_deref() };
                self.confirm_result(sender, *table, *outcome, behind, at)
            }
            Body::DeclareGround { table, ground, witness } => {
                self.declare_ground(sender, *table, *ground, *witness, at)
            }
            Body::ConfirmGround { table } => self.confirm_ground(sender, *table),
            Body::DismissGround { table, reason, witness } => self.dismiss_ground(sender, *table, reason, *witness),
            Body::VoidRounds { table, ground, rounds, reason, witness } => {
                self.void_rounds(sender, *table, *ground, rounds, reason, *witness)
            }
            Body::ReportStoppage { from, terminals_back } => self.report_stoppage(sender, *from, *terminals_back, at),
            Body::Attest { table, finding, witness } => self.attest(sender, *table, *finding, *witness),
            Body::TerminalLost { terminal } => self.terminal_lost(sender, *terminal),
            Body::TerminalBack { terminal } => self.terminal_back(sender, *terminal),
            Body::CorrectResult { round, outcome, reason, witness } => {
                self.correct_result(sender, *round, *outcome, reason, *witness)
            }
            Body::Decide { table, round, ruling, reason, witness } => {
                self.decide_ruling(sender, *table, *round, *ruling, reason, *witness, at)
            }
            Body::RecordDisplay { table, what, note } => self.record_display(sender, *table, *what, note),
            Body::RaiseAlert { table, what } => self.raise_alert(sender, *table, what),
            Body::Note { words } => self.note(sender, words),
            Body::AcknowledgeAlert { alert } => self.acknowledge_alert(sender, *alert),
            Body::Elapse => self.elapse(sender, at),
            Body::CheckMeters => self.check_meters(sender),

            Body::PlaceChips { table, position, spot, amount, for_player } => {
                self.place_chips(sender, *table, *position, *spot, *amount, (*for_player, None), at)
            }
            Body::PlaceForPlayer { table, position, spot, amount, employee } => {
                self.place_chips(sender, *table, *position, *spot, *amount, (true, Some(*employee)), at)
            }
            Body::TakeChips { table, position, spot, amount, witness } => {
                self.take_chips(sender, *table, (*position, *spot, *amount), *witness, at)
            }
            Body::RejectExcess { table, spot } => self.reject_excess(sender, *table, *spot, at),
            Body::AdviseMinimum { table, position, spot } => self.advise_minimum(sender, *table, *position, *spot, at),
            Body::RefuseUnderMinimum { table, position, spot } => {
                self.refuse_under_minimum(sender, *table, *position, *spot, at)
            }
            Body::RefuseLate { table, position } => self.refuse_late(sender, *table, *position),
            Body::PlayerLeft { table, position } => self.player_left(sender, *table, *position),
            Body::RaiseFeatureLevel { level } => self.raise_feature_level(sender, *level),

            Body::ReportLoss { epoch, record, words } => self.report_loss(sender, *epoch, *record, words),
            Body::AcceptLoss { statement, witness } => self.accept_loss(sender, statement, *witness),
            Body::ReportClock { ahead } => self.report_clock(sender, *ahead),
            Body::AcceptClock { witness } => self.accept_clock(sender, *witness),
            Body::RecallRound { table, leaf, bytes, beside, read } => {
                self.recall_round(sender, *table, *leaf, bytes, (beside, read))
            }
            Body::PutBack { table } => self.put_back(sender, *table),
            Body::ChangeRounds { table, changes, ground, reason, preview, witness } => {
                self.change_rounds(sender, *table, changes, *ground, (reason, *preview), *witness)
            }
            Body::CallSecondPerson { table, reason, purpose } => {
                self.call_second_person(sender, *table, reason, *purpose, at)
            }
            Body::Countersign { alert } => self.countersign(sender, *alert),
            Body::OfferTables { terminal, tables } => self.offer_tables(sender, *terminal, tables),
            Body::ChooseTable { terminal, table } => self.choose_table(sender, *terminal, *table),
            Body::CallAttendant { terminal } => self.call_attendant(sender, *terminal),
            Body::ChooseOutcome { table, round, outcome, reason, witness } => {
                let ruling = Ruling::Outcome { outcome: *outcome };
                self.decide_ruling(sender, *table, Some(*round), ruling, reason, *witness, at)
            }
            Body::DeclareUncovered { table } => self.declare_uncovered(sender, *table),
            Body::StateEarlyRest { table, affirmed } => self.state_early_rest(sender, *table, affirmed),
            Body::RemoveChips { table, position, spot, amount, reason, witness } => {
                self.remove_chips(sender, *table, (*position, *spot, *amount), reason, *witness, at)
            }
            Body::SetRecordingPeriod { table, period, reason, witness } => {
                self.set_recording_period(sender, *table, *period, reason, *witness)
            }
            Body::CorrectRecord { round, position, spot, amount, reason, witness } => {
                self.correct_record(sender, *round, (*position, *spot, *amount), reason, *witness)
            }
            Body::MoveFloat { table, movement, counts, witness, reason } => {
                self.move_float(sender, *table, *movement, (counts, reason), *witness)
            }

            Body::ResolveTicket { ticket, finding, reason, witness } => {
                self.resolve_ticket(sender, *ticket, *finding, reason, *witness, at)
            }
            Body::SetThresholds { thresholds, reason, witness } => {
                self.set_thresholds(sender, thresholds, reason, *witness)
            }
            Body::CountShift { counts, witness } => self.count_shift(sender, counts, *witness),
            Body::HandOverShift { reason, witness } => self.hand_over_shift(sender, reason, *witness),
            Body::RecordRecovered { table, round, amount, reason, witness, debtor } => {
                self.record_recovered(sender, *table, (*round, *debtor), *amount, reason, *witness)
            }
            Body::WrongTicket { at: place, mistyped } => self.wrong_ticket(sender, *place, *mistyped, at),
            Body::ChangeCredential { .. } => self.change_credential(sender, body),
            Body::SealCodes { hashes, witness } => self.seal_codes(sender, hashes, *witness),
            Body::OpenSealedCode { hash, reason } => self.open_sealed_code(sender, *hash, reason, at),

            Body::ChangeService { device, function, in_service, reason, witness } => {
                self.change_service(sender, *device, *function, *in_service, reason, *witness)
            }
            Body::DescribeDevice { device, measures, witness } => {
                self.describe_device(sender, *device, *measures, *witness)
            }
            Body::KeepFirstOutcome { table, witness, affirmed } => {
                self.keep_first_outcome(sender, *table, affirmed, *witness, at)
            }
            Body::ReportInterruption { table, failed, note } => {
                self.report_interruption(sender, *table, *failed, note.as_deref())
            }
            Body::AnswerFault { table, affects } => self.answer_fault(sender, *table, *affects),
            Body::PayByHand { payable, round, witness } => self.pay_by_hand(sender, *payable, *round, *witness),
            Body::MoveDrawer { movement, counts, witness } => self.move_drawer(sender, *movement, counts, *witness),
            Body::ServeDrawer { shift, act, witness } => self.serve_drawer(sender, *shift, act, *witness),
            Body::LiftWrongTickets { at: place } => self.lift_wrong_tickets(sender, *place),
            Body::IssueCode { holder, by, second } => self.issue_code(sender, *holder, *by, *second),
            Body::ChangeHostKey { .. } => self.change_host_key(sender, body),
            Body::AnswerCall { table } => self.answer_call(sender, *table, at),
            Body::PayExpired { ticket, reason, witness } => self.pay_expired(sender, *ticket, reason, *witness),
        }
    }

    /// The table, or that there is none.
    #[inline]
    pub(crate) fn find_table(&self, id: TableId) -> Result<(&Table, &Rulebook), Refusal> {
        self.tables
            .get(id.index())
            .and_then(|table| Some((table, self.rulebook_of(table)?)))
            .ok_or_else(|| refusal(Code::NotFound, "the floor", format!("there is no table {id}")))
    }

    /// The terminal, or that there is none.
    #[inline]
    pub(crate) fn find_terminal(&self, id: TerminalId) -> Result<&Terminal, Refusal> {
        self.terminals
            .get(id.index())
            .ok_or_else(|| refusal(Code::NotFound, "the floor", format!("there is no terminal {id}")))
    }
}

impl Table {
    /// The round in progress that can be worked on: not interrupted.
    pub(crate) fn round_in_play(&self, rulebook: &Rulebook) -> Result<&Round, Refusal> {
        let round = self.round.as_ref().ok_or_else(|| {
            refusal(Code::Phase, &rulebook.procedure().begins_paragraph, "no round is in progress at this table")
        })?;
        if round.interrupted.is_some() {
            let paragraph = &rulebook.irregularities().established;
            return refuse(Code::Interrupted, paragraph, "the round is interrupted until the dealer has attested (D6)");
        }
        Ok(round)
    }
}

/// An amount that a command may carry.
pub(crate) fn amount_fits(amount: Cents) -> Result<(), Refusal> {
    if amount.get() <= 0 || amount.get() > bounds::AMOUNT {
        return refuse(
            Code::Amount,
            "bounds",
            format!("an amount is more than zero and at most {}", Cents::new(bounds::AMOUNT)),
        );
    }
    Ok(())
}

pub(crate) fn name_fits(name: &str) -> Result<(), Refusal> {
    // A name that changes the text direction, or has invisible parts, looks like another name.
    let hides = |c: char| {
        matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
            || turns(c)
    };
    if name.chars().any(hides) {
        return refuse(Code::Text, "bounds", "a name has no characters that are invisible or change the direction");
    }
    text_fits(name, bounds::NAME, "a name")
}

pub(crate) fn reason_fits(reason: &str) -> Result<(), Refusal> {
    text_fits(reason, bounds::REASON, "a reason")
}

/// Characters that change the direction of a text, or begin a line or a paragraph: what follows would be read as something
/// else than was written.
const fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn text_fits(text: &str, most: usize, what: &str) -> Result<(), Refusal> {
    let length = text.chars().count();
    if text.trim().is_empty() || length > most || text.chars().any(|c| c.is_control() || turns(c)) {
        return refuse(Code::Text, "bounds", format!("{what} has 1 to {most} characters and no control characters"));
    }
    Ok(())
}

/// A hash of the command, which distinguishes a retry from another command. It is in the log, so its function never
/// changes. A sender who finds two commands with one hash harms only itself.
fn body_hash(body: &Body) -> u64 {
    if let Body::Bet { changes } = body
        && let [BetChange::Add { spot, amount }] = changes[..]
    {
        return plain_bet_hash(spot, amount);
    }
    hash_of_all(body)
}

/// The hash of the most frequent command, over the same bytes. They are assembled in a register: bytes that are written
/// one by one and read at once make the processor wait until they are in the cache.
fn plain_bet_hash(spot: SpotIndex, amount: Cents) -> u64 {
    let (mut bytes, mut length) = (0_u128, 0);
    let mut byte = |byte: u64| {
        bytes |= u128::from(byte) << (8 * length);
        length += 1;
    };
    let amount = amount.get();
    for mut number in [BET, 1, ADD, spot.get() as u64, ((amount << 1) ^ (amount >> 63)).cast_unsigned()] {
        // Seven bits at a time, the lowest first.
        while number >= 0x80 {
            byte(number & 0x7f | 0x80);
            number >>= 7;
        }
        byte(number);
    }
    xxhash_rust::xxh3::xxh3_64(bytes.to_le_bytes().get(..length).unwrap_or_default())
}

/// The places of [`Body::Bet`] among the commands and of [`BetChange::Add`] among the changes.
const BET: u64 = 38;
const ADD: u64 = 0;

fn hash_of_all(body: &Body) -> u64 {
    match postcard::serialize_with_flavor(body, Short::default()) {
        Ok(short) => xxhash_rust::xxh3::xxh3_64(short.written()),
        Err(_) => xxhash_rust::xxh3::xxh3_64(&postcard::to_allocvec(body).unwrap_or_default()),
    }
}

/// A few bytes, written one by one: what most commands are made of is too short for anything else.
struct Short {
    bytes: [u8; 64],
    length: usize,
}

impl Default for Short {
    fn default() -> Short {
        Short { bytes: [0; 64], length: 0 }
    }
}

impl Short {
    fn written(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl Flavor for Short {
    type Output = Short;

    #[inline(always)]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        let place = self.bytes.get_mut(self.length).ok_or(postcard::Error::SerializeBufferFull)?;
        *place = byte;
        self.length += 1;
        Ok(())
    }

    #[inline(always)]
    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        bytes.iter().try_for_each(|byte| self.try_push(*byte))
    }

    fn finalize(self) -> postcard::Result<Short> {
        Ok(self)
    }
}

impl Floor {
    /// The last number under which a command of that sender was accepted, so that a count can be gone on with.
    #[must_use]
    pub fn last_number(&self, sender: Sender) -> Option<u64> {
        self.answers_of(sender).ok()?.last()
    }

    /// Whether a command of that sender under this number was accepted and its answer is still kept: then it is a retry.
    #[must_use]
    pub fn has_answered(&self, sender: Sender, number: u64) -> bool {
        self.answers_of(sender).is_ok_and(|answers| answers.has(number))
    }

    fn answers_of(&self, sender: Sender) -> Result<&crate::answers::Answers, Refusal> {
        let unknown = || refusal(Code::UnknownSender, "the floor", "the sender is not known on this floor");
        match sender {
            Sender::System => Ok(&self.system),
            Sender::Terminal(id) => self.terminals.get(id.index()).map(|t| &t.answers).ok_or_else(unknown),
            Sender::Staff(id) => self.staff.get(id.index()).map(|s| &s.answers).ok_or_else(unknown),
            Sender::Device(id) => self.devices.get(id.index()).map(|d| &d.answers).ok_or_else(unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use rulebook::library;

    use super::*;

    #[test]
    fn a_plain_bet_has_the_hash_of_its_bytes() {
        let rulebook = library::find("rws-roulette-000").unwrap();
        for spot in rulebook.layouts()[0].table().indices() {
            for amount in [1, 63, 64, 500, 8_192, 100_000_000, i64::MAX, 0, -1, i64::MIN].map(Cents::new) {
                let body = Body::Bet { changes: [BetChange::Add { spot, amount }].into() };
                assert_eq!(body_hash(&body), hash_of_all(&body), "{body:?}");
            }
        }
    }
}
