//! The alphabet of a floor: every command that any sender can send.

use floor::*;
use rulebook::{Arises, Begins, Cents, Dice, GroundId, Outcome, OutcomeIndex, Point, Rulebook};

use crate::house::{dollars, outcomes, spots};
use crate::moves::{Form, Move};
use crate::spec::*;

const NO_ROUND: RoundId = RoundId(u64::MAX);
const NO_TICKET: TicketId = TicketId(u64::MAX);
/// By how much the clock of the host jumps, in milliseconds: 31 days, where tickets are good for 30.
const AHEAD: i64 = 31 * 24 * 60 * 60 * 1000;

/// The moves while they are collected.
pub(crate) struct Alphabet<'a> {
    pub spec: &'a Spec,
    pub rulebook: &'a Rulebook,
    pub moves: Vec<Move>,
}

pub(crate) fn reason() -> String {
    "explored".to_owned()
}

/// Everything that can be sent on a floor.
#[must_use]
pub fn alphabet(spec: &Spec, rulebook: &Rulebook) -> Vec<Move> {
    let mut all = Alphabet { spec, rulebook, moves: Vec::new() };
    let topics = spec.topics;
    all.round();
    all.clock();
    if spec.is_live() {
        all.declares_uncovered();
    } else {
        all.players();
    }
    if spec.device {
        all.device();
    }
    if topics.grounds {
        all.grounds();
    }
    if topics.stops {
        all.stops();
    }
    if topics.service && spec.device {
        all.service();
    }
    if topics.changes {
        all.changes();
    }
    if topics.tickets {
        all.tickets();
    }
    if topics.hands {
        all.hands();
    }
    if topics.chips {
        all.chips();
    }
    if topics.calls {
        all.calls();
    }
    if topics.office {
        all.office();
    }
    if topics.wrong_tickets {
        all.wrong_tickets();
    }
    if topics.past {
        all.past();
    }
    if topics.visitors {
        all.visitors();
    }
    if topics.drawers {
        all.drawers();
    }
    if topics.recalled {
        all.recalled();
    }
    if topics.locks {
        all.locks();
    }
    if topics.posts {
        all.posts();
    }
    all.moves
}

impl Alphabet<'_> {
    pub fn add(&mut self, sender: Sender, form: Form, budget: Option<Budget>) {
        self.moves.push(Move { sender, form, budget });
    }

    pub fn staff(&mut self, staff: StaffId, body: Body) {
        self.add(Sender::Staff(staff), Form::Fixed(body), None);
    }

    pub fn terminals(&self) -> impl Iterator<Item = TerminalId> + use<> {
        (0..u32::try_from(self.spec.terminals).unwrap_or(0)).map(TerminalId)
    }

    pub fn validator(&self, terminal: TerminalId) -> DeviceId {
        DeviceId(u16::from(self.spec.device) + u16::try_from(terminal.0).unwrap_or(0))
    }

    /// What the dealer does in an honest round, and in a dishonest one: the wrong result, with and without a second person.
    fn round(&mut self) {
        let (table, all) = (TABLE, Point::ALL.to_vec());
        let rounds = Some(Budget::Rounds);
        let dealer = Sender::Staff(DEALER);
        if self.rulebook.procedure().begins == Begins::Activation {
            self.add(dealer, Form::Fixed(Body::BeginRound { table }), rounds);
            self.staff(DEALER, Body::open_bets(table));
            self.staff(DEALER, Body::OpenBets { table, affirmed: all.clone() });
        } else {
            self.add(dealer, Form::Fixed(Body::open_bets(table)), rounds);
        }
        self.staff(DEALER, Body::CloseBets { table });
        for outcome in outcomes(self.rulebook) {
            self.staff(DEALER, Body::enter_result(table, outcome));
            for witness in [None, Some(SUPERVISOR)] {
                let (affirmed, reason) = (all.clone(), witness.map(|_| reason()));
                self.staff(DEALER, Body::EnterResult { table, outcome, affirmed, witness, reason });
            }
        }
        self.staff(DEALER, Body::confirm_result(table));
        let (witness, why) = (Some(SUPERVISOR), Some(reason()));
        self.staff(DEALER, Body::ConfirmResult { table, outcome: None, witness, reason: why });
        self.staff(DEALER, Body::ConfirmGround { table });
        self.staff(DEALER, Body::dismiss_ground(table, reason()));
        self.staff(SUPERVISOR, Body::dismiss_ground(table, reason()));
        let keep = Body::KeepFirstOutcome { table, witness: Some(SUPERVISOR), affirmed: all };
        self.staff(DEALER, keep);
        let set_aside = Body::DismissGround { table, reason: reason(), witness: Some(CASINO_MANAGER) };
        self.staff(SHIFT_MANAGER, set_aside);
        self.void_by_decision(Form::AboutCurrent as fn(Body) -> Form, None);
        if self.spec.is_wheel() {
            // A wheel in service says itself when the ball comes to rest.
            if !self.spec.device {
                self.staff(DEALER, Body::StateEarlyRest { table, affirmed: Point::ALL.to_vec() });
            }
            for outcome in outcomes(self.rulebook) {
                let (round, witness) = (NO_ROUND, Some(CASINO_MANAGER));
                let choose = Body::ChooseOutcome { table, round, outcome, reason: reason(), witness };
                self.add(Sender::Staff(SHIFT_MANAGER), Form::AboutCurrent(choose), None);
            }
        }
    }

    pub fn void_by_decision(&mut self, about: impl Fn(Body) -> Form, budget: Option<Budget>) {
        for witness in [None, Some(CASINO_MANAGER)] {
            let ruling = Ruling::VoidRound;
            let body = Body::Decide { table: TABLE, round: Some(NO_ROUND), ruling, reason: reason(), witness };
            self.add(Sender::Staff(SHIFT_MANAGER), about(body), budget);
        }
    }

    fn clock(&mut self) {
        self.add(Sender::System, Form::Wait, Some(Budget::Waits));
        self.add(Sender::System, Form::Fixed(Body::Elapse), None);
    }

    fn players(&mut self) {
        for terminal in self.terminals() {
            let sender = Sender::Terminal(terminal);
            let layout = self.layout_of(terminal);
            let stakes = [500, 1_000].map(Cents::new);
            let spots = spots(self.rulebook, layout);
            for (spot, amount) in spots.into_iter().zip(stakes).take(self.spec.stakes) {
                let add = Body::Bet { changes: [BetChange::Add { spot, amount }].into() };
                self.add(sender, Form::Fixed(add), None);
                if self.spec.topics.bets {
                    let take = Body::Bet { changes: [BetChange::Take { spot, amount }].into() };
                    self.add(sender, Form::Fixed(take), None);
                }
            }
            if self.spec.topics.bets {
                self.add(sender, Form::Fixed(Body::ClearBets), None);
                self.add(sender, Form::Fixed(Body::RepeatBets { doubled: false }), None);
            }
            let acknowledge = Body::AcknowledgeClose { round: NO_ROUND };
            self.add(sender, Form::AboutCurrent(acknowledge), None);
        }
    }

    fn layout_of(&self, terminal: TerminalId) -> usize {
        let layouts = self.rulebook.layouts();
        let offered = self.rulebook.terminals().iter().flat_map(|kind| &kind.layouts);
        let offered: Vec<&String> = offered.collect();
        let id = offered[if terminal.index() == 0 { 0 } else { offered.len() - 1 }];
        layouts.iter().position(|layout| layout.id() == id.as_str()).unwrap_or(0)
    }

    fn report(&mut self, observation: Observation) {
        self.add(Sender::Device(DeviceId(0)), Form::Fixed(Body::Observe(observation)), Some(Budget::Reports));
    }

    fn device(&mut self) {
        let lies = self.spec.topics.lies;
        let [truth, other] = outcomes(self.rulebook);
        if self.spec.is_wheel() {
            self.report(Observation::Spun { against_rotation: true, wheel_rotating: true });
            self.report(Observation::Revolved { times: 6 });
            self.report(Observation::Rested { pocket: truth });
            if lies {
                self.report(Observation::Spun { against_rotation: false, wheel_rotating: true });
                self.report(Observation::Spun { against_rotation: true, wheel_rotating: false });
                self.report(Observation::Revolved { times: 2 });
                self.report(Observation::Rested { pocket: other });
                self.report(Observation::NoCompartment);
                self.report(Observation::FlungOut);
                self.report(Observation::WheelStopped);
            }
            return;
        }
        self.report(Observation::Activated);
        self.report(Observation::Tumbled { times: 3 });
        self.report(Observation::Uncovered);
        self.report(Observation::Covered);
        self.report(self.dice(truth, 3));
        if lies {
            self.report(Observation::Tumbled { times: 1 });
            self.report(Observation::NotFlat);
            self.report(self.dice(other, 3));
            self.report(self.dice(other, 1));
        }
    }

    /// So many dice of an outcome, read.
    fn dice(&self, outcome: OutcomeIndex, read: usize) -> Observation {
        let Some(Outcome::Dice(Dice(faces))) = self.rulebook.outcomes().outcome(outcome) else {
            return Observation::DiceRead { dice: [None; 3] };
        };
        let mut dice = faces.map(Some);
        dice.iter_mut().skip(read).for_each(|die| *die = None);
        Observation::DiceRead { dice }
    }

    fn grounds(&mut self) {
        let listed = GroundId::ALL.into_iter().filter_map(|ground| self.rulebook.ground(ground));
        let grounds: Vec<GroundId> =
            listed.filter(|ground| ground.arises != Arises::Attested).map(|ground| ground.id).collect();
        for ground in grounds {
            for witness in [None, Some(SUPERVISOR)] {
                self.staff(DEALER, Body::DeclareGround { table: TABLE, ground, witness });
            }
        }
    }

    fn stops(&mut self) {
        let (table, stop) = (TABLE, Some(Budget::Stops));
        for failed in [Failed::Power, Failed::SomeTerminals] {
            let report = Body::ReportInterruption { table, failed, note: None };
            self.add(Sender::Staff(DEALER), Form::Fixed(report), stop);
        }
        for finding in [Finding::NotAffected, Finding::Established, Finding::NotEstablished] {
            // Dice that were uncovered meanwhile take the Shift Manager (D6).
            for witness in [None, Some(SUPERVISOR), Some(SHIFT_MANAGER)] {
                self.staff(DEALER, Body::Attest { table, finding, witness });
            }
        }
        self.add(Sender::System, Form::Stoppage(60_000, true), stop);
        self.add(Sender::System, Form::Stoppage(5_000, true), stop);
        for terminal in self.terminals().filter(|_| !self.spec.is_live()) {
            self.add(Sender::System, Form::Fixed(Body::TerminalLost { terminal }), stop);
            self.add(Sender::System, Form::Fixed(Body::TerminalBack { terminal }), None);
        }
        if self.spec.device {
            let fault = Body::Observe(Observation::Fault { number: 7 });
            self.add(Sender::Device(DeviceId(0)), Form::Fixed(fault), stop);
            for affects in [true, false] {
                self.staff(DEALER, Body::AnswerFault { table, affects });
            }
        }
    }

    fn service(&mut self) {
        let device = DeviceId(0);
        for function in [Function::Device, Function::Reading] {
            for in_service in [false, true] {
                for (by, witness) in [(SUPERVISOR, None), (SUPERVISOR, Some(PIT_MANAGER)), (DEALER, Some(SUPERVISOR))] {
                    let body = Body::ChangeService { device, function, in_service, reason: reason(), witness };
                    self.add(Sender::Staff(by), Form::Fixed(body), Some(Budget::Services));
                }
            }
        }
        // Those who changed the service enter nothing in that round: another person does.
        for outcome in outcomes(self.rulebook) {
            for witness in [None, Some(SHIFT_MANAGER)] {
                let (affirmed, why) = (Point::ALL.to_vec(), witness.map(|_| reason()));
                self.staff(CASINO_MANAGER, Body::EnterResult { table: TABLE, outcome, affirmed, witness, reason: why });
            }
        }
        let confirm =
            Body::ConfirmResult { table: TABLE, outcome: None, witness: Some(SHIFT_MANAGER), reason: Some(reason()) };
        self.staff(CASINO_MANAGER, confirm);
    }

    /// Everyone sends what the dealer and the others send, alone, with themselves and with a dealer as second person.
    fn posts(&mut self) {
        let people = [DEALER, SUPERVISOR, PIT_MANAGER, SHIFT_MANAGER, CASHIER, ADMINISTRATOR];
        let own: Vec<Move> = self.moves.iter().filter(|one| matches!(one.sender, Sender::Staff(_))).cloned().collect();
        for one in &own {
            for person in people.into_iter().filter(|person| one.sender != Sender::Staff(*person)) {
                self.moves.push(Move { sender: Sender::Staff(person), ..one.clone() });
            }
            let Sender::Staff(own) = one.sender else { continue };
            if one.form.clone().witness_mut().is_none_or(|witness| witness.is_none()) {
                continue;
            }
            for wrong in [own, CASHIER, DEALER] {
                self.moves.push(Move { form: one.form.signed(Some(wrong)), ..one.clone() });
            }
        }
        for sender in [Sender::Terminal(TerminalId(0)), Sender::System, Sender::Device(DeviceId(0))] {
            for body in
                [Body::CloseBets { table: TABLE }, Body::confirm_result(TABLE), Body::ConfirmGround { table: TABLE }]
            {
                self.add(sender, Form::Fixed(body), None);
            }
        }
    }
}

/// Money: corrections, tickets, the cage, payments by hand, chips.
impl Alphabet<'_> {
    fn changes(&mut self) {
        let budget = Some(Budget::Changes);
        let mbs = self.spec.game == "mbs-sicbo";
        let (by, second) = if mbs { (SHIFT_MANAGER, CASINO_MANAGER) } else { (SUPERVISOR, PIT_MANAGER) };
        for outcome in outcomes(self.rulebook) {
            for witness in [None, Some(second)] {
                let body = Body::CorrectResult { round: NO_ROUND, outcome, reason: reason(), witness };
                self.add(Sender::Staff(by), Form::AboutLast(body), budget);
            }
        }
        self.void_by_decision(Form::AboutLast as fn(Body) -> Form, budget);
        let (ground, witness) =
            if self.spec.is_wheel() { (GroundId::BallBroken, None) } else { (GroundId::DiceDamaged, None) };
        for witness in [witness, Some(SHIFT_MANAGER)] {
            let body = Body::VoidRounds { table: TABLE, ground, rounds: Vec::new(), reason: reason(), witness };
            self.add(Sender::Staff(PIT_MANAGER), Form::AboutLast(body), budget);
        }
        if self.spec.is_live() {
            return;
        }
        for terminal in self.terminals().take(1) {
            for ruling in
                [Ruling::Pay { terminal, amount: dollars(50) }, Ruling::TakeBack { terminal, amount: dollars(50) }]
            {
                let body =
                    Body::Decide { table: TABLE, round: Some(NO_ROUND), ruling, reason: reason(), witness: None };
                self.add(Sender::Staff(SHIFT_MANAGER), Form::AboutLast(body), budget);
            }
        }
        let by_hand = Body::PayByHand { payable: PayableId(0), round: None, witness: Some(PIT_MANAGER) };
        self.add(Sender::Staff(SUPERVISOR), Form::AboutPayable(by_hand), None);
    }

    fn tickets(&mut self) {
        let tickets = Some(Budget::Tickets);
        for terminal in self.terminals() {
            let (sender, validator) = (Sender::Terminal(terminal), Sender::Device(self.validator(terminal)));
            self.add(validator, Form::Fixed(Body::CashIn { terminal, amount: dollars(50) }), Some(Budget::Money));
            let prepare = Body::PrepareTicket { terminal, number: TicketHash([0; 16]) };
            self.add(sender, Form::WithNumber(prepare), tickets);
            for place in 0..2 {
                self.add(sender, Form::AboutTicket(Body::TicketPrinted { ticket: NO_TICKET }, place), None);
                self.add(sender, Form::AboutTicket(Body::PrintFailed { ticket: NO_TICKET }, place), None);
                let put_in = Body::TicketIn { terminal, number: TicketHash([0; 16]) };
                self.add(sender, Form::AboutTicket(put_in, place), None);
            }
        }
        for place in 0..2 {
            for finding in [TicketFinding::InHand, TicketFinding::NotPrinted, TicketFinding::PaidByHand] {
                for witness in [None, Some(PIT_MANAGER)] {
                    let body = Body::ResolveTicket { ticket: NO_TICKET, finding, reason: reason(), witness };
                    self.add(Sender::Staff(SUPERVISOR), Form::AboutTicket(body, place), None);
                }
            }
            for witness in [None, Some(SUPERVISOR)] {
                let body = Body::RedeemTicket { number: TicketHash([0; 16]), amount: None, witness };
                self.add(Sender::Staff(CASHIER), Form::AboutTicket(body, place), None);
            }
            let again =
                Body::ReprintTicket { ticket: NO_TICKET, number: None, reason: reason(), witness: Some(SUPERVISOR) };
            self.add(Sender::Staff(CASHIER), Form::AboutTicket(again, place), tickets);
            self.add(Sender::Staff(CASHIER), Form::AboutTicket(Body::TicketPrinted { ticket: NO_TICKET }, place), None);
        }
        self.cage();
        self.clock_ahead();
        if self.spec.topics.expiry {
            self.expiry();
        }
    }

    /// Tickets expire, and are paid by decision of the Shift Manager: from the drawer or by hand, with one who may sign, one
    /// who may not, and no one (S15).
    fn expiry(&mut self) {
        self.add(Sender::System, Form::Expire, Some(Budget::Waits));
        for place in 0..2 {
            for (by, witness) in [
                (CASHIER, Some(SHIFT_MANAGER)),
                (CASHIER, Some(SUPERVISOR)),
                (CASHIER, None),
                (SHIFT_MANAGER, Some(SUPERVISOR)),
                (SHIFT_MANAGER, Some(SHIFT_MANAGER)),
                (SHIFT_MANAGER, None),
                (SUPERVISOR, Some(CASHIER)),
            ] {
                let pay = Body::PayExpired { ticket: NO_TICKET, reason: reason(), witness };
                self.add(Sender::Staff(by), Form::AboutTicket(pay, place), None);
            }
        }
    }

    /// The clock of the host goes ahead by more than tickets are good for, and two people accept it (S14).
    fn clock_ahead(&mut self) {
        let jump = Form::Fixed(Body::ReportClock { ahead: AHEAD });
        self.add(Sender::System, jump, Some(Budget::Hands));
        self.staff(ADMINISTRATOR, Body::AcceptClock { witness: Some(PIT_MANAGER) });
    }

    /// Two people reset a password (D27).
    fn passwords(&mut self) {
        let (what, by, second) = (CredentialChange::PasswordReset, Some(ADMINISTRATOR), Some(CASINO_MANAGER));
        let reset = Body::ChangeCredential { staff: SUPERVISOR, what, by, second };
        self.add(Sender::System, Form::Fixed(reset), Some(Budget::Hands));
    }

    fn cage(&mut self) {
        let (hands, cashier) = (Some(Budget::Hands), Sender::Staff(CASHIER));
        self.add(cashier, Form::Fixed(Body::OpenShift { float: dollars(60), witness: None }), hands);
        let counts = vec![Pile { denomination: dollars(1), pieces: 100 }];
        let fill = Body::MoveDrawer { movement: DrawerMovement::Fill, counts, witness: Some(SUPERVISOR) };
        self.add(cashier, Form::Fixed(fill), hands);
        let sell = Body::SellTicket { amount: dollars(50), number: TicketHash([0; 16]), witness: None };
        self.add(cashier, Form::WithNumber(sell), Some(Budget::Tickets));
        let pay = Body::PayCorrection { payable: PayableId(0), round: None, witness: None };
        self.add(cashier, Form::AboutPayable(pay), None);
    }

    /// A drawer of which half is missing (D27).
    fn drawer(&mut self) {
        let counts = vec![Pile { denomination: dollars(1), pieces: 30 }];
        self.staff(CASHIER, Body::CountShift { counts, witness: None });
        for witness in [None, Some(SUPERVISOR)] {
            self.staff(CASHIER, Body::OpenShift { float: dollars(60), witness });
            self.staff(CASHIER, Body::CloseShift { counted: dollars(30), reason: reason(), witness });
        }
    }

    fn hands(&mut self) {
        let hands = Some(Budget::Hands);
        self.passwords();
        // A drawer that was counted pays no tickets until it is closed and opened again.
        if !self.spec.topics.tickets {
            self.drawer();
        }
        for terminal in self.terminals() {
            for witness in [None, Some(PIT_MANAGER)] {
                let credit = Body::AttendantIn { terminal, amount: dollars(50), witness };
                self.add(Sender::Staff(SUPERVISOR), Form::Fixed(credit), hands);
                self.add(Sender::Staff(SUPERVISOR), Form::PayAll(terminal, witness), hands);
            }
        }
    }

    fn declares_uncovered(&mut self) {
        self.staff(DEALER, Body::DeclareUncovered { table: TABLE });
    }

    fn chips(&mut self) {
        let (table, budget) = (TABLE, Some(Budget::Chips));
        let [small, big] = spots(self.rulebook, 0);
        let amounts = if self.spec.stakes > 1 { vec![dollars(5), dollars(30)] } else { vec![dollars(10)] };
        for (position, spot) in [(Position(1), small), (Position(2), big)] {
            for amount in &amounts {
                let place = Body::PlaceChips { table, position, spot, amount: *amount, for_player: false };
                self.add(Sender::Staff(DEALER), Form::Fixed(place), budget);
            }
            let amount = amounts[0];
            let take = Body::TakeChips { table, position, spot, amount, witness: None };
            self.add(Sender::Staff(DEALER), Form::Fixed(take), budget);
            for witness in [None, Some(SUPERVISOR)] {
                let remove = Body::RemoveChips { table, position, spot, amount, reason: reason(), witness };
                self.add(Sender::Staff(DEALER), Form::Fixed(remove), budget);
            }
            self.staff(DEALER, Body::AdviseMinimum { table, position, spot });
            self.staff(DEALER, Body::RefuseUnderMinimum { table, position, spot });
            self.staff(DEALER, Body::RejectExcess { table, spot });
            if self.spec.topics.changes {
                let witness = Some(PIT_MANAGER);
                let record = Body::CorrectRecord {
                    round: NO_ROUND,
                    position,
                    spot,
                    amount: dollars(20),
                    reason: reason(),
                    witness,
                };
                self.add(Sender::Staff(SUPERVISOR), Form::AboutLast(record), Some(Budget::Changes));
            }
        }
    }

    fn calls(&mut self) {
        // For credit on the first terminal; at a live table to void the last round.
        let call = |purpose| Body::CallSecondPerson { table: Some(TABLE), reason: reason(), purpose };
        let call = if self.spec.is_live() {
            let amount = Some(dollars(10_000));
            Form::AboutLast(call(Purpose { act: JointAct::VoidByDecision, subject: None, amount }))
        } else {
            Form::Fixed(call(Purpose { act: JointAct::AttendantIn, subject: Some(0), amount: Some(dollars(100)) }))
        };
        self.add(Sender::Staff(DEALER), call, Some(Budget::Stops));
        self.add(Sender::Staff(CASINO_MANAGER), Form::Countersign, None);
        self.staff(PIT_MANAGER, Body::AnswerCall { table: Some(TABLE) });
        for terminal in self.terminals().filter(|_| !self.spec.is_live()) {
            let credit = Body::AttendantIn { terminal, amount: dollars(100), witness: None };
            self.add(Sender::Staff(SHIFT_MANAGER), Form::Fixed(credit), Some(Budget::Hands));
        }
    }
}
