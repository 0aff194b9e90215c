//! What happens beside the rounds: the pit sets limits, locks terminals, opens and closes the table, answers calls and
//! alerts; players set a loss limit and choose a table; claims are collected; a live table's float is moved.

use floor::*;
use rulebook::{Cents, GroundId, Hash, Rulebook};

use crate::alphabet::{Alphabet, reason};
use crate::house::{dollars, outcomes, spots};
use crate::moves::Form;
use crate::spec::*;

/// The sealed code that the set-up keeps.
pub(crate) const SEALED: SealedHash = SealedHash([7; 32]);

/// The settings of an explored table.
pub(crate) fn settings(spec: &Spec, rulebook: &Rulebook) -> TableSettings {
    let mut settings = TableSettings::of(rulebook);
    settings.betting_period = spec.betting_period;
    settings.hand_pay = Cents::new(crate::house::THRESHOLD);
    settings.limit.maximum = Some(dollars(10));
    if spec.is_live() {
        settings.limit = Limit { minimum: dollars(10), maximum: Some(dollars(30)) };
        settings.differential = Some(dollars(20));
    }
    settings
}

impl Alphabet<'_> {
    /// The table, its limits and its dealer; terminals locked and unlocked; alerts.
    pub fn office(&mut self) {
        let (table, few) = (TABLE, Some(Budget::Services));
        let usual = settings(self.spec, self.rulebook);
        let mut lower = usual.clone();
        lower.limit.maximum = Some(dollars(if self.spec.is_live() { 20 } else { 5 }));
        let mut raised = usual.clone();
        raised.hand_pay = dollars(1_000);
        for (settings, witness) in [(usual, None), (lower, None), (raised.clone(), None), (raised, Some(SHIFT_MANAGER))]
        {
            let settings = Box::new(settings);
            let change = Body::ChangeSettings { table, settings, reason: reason(), witness };
            self.add(Sender::Staff(PIT_MANAGER), Form::Fixed(change), few);
        }
        for body in [Body::AnnounceClosing { table }, Body::CloseTable { table }, Body::OpenTable { table }] {
            self.staff(PIT_MANAGER, body);
        }
        self.staff(DEALER, Body::TakeTable { table });
        self.staff(SUPERVISOR, Body::TakeTable { table });
        self.add(Sender::Staff(SUPERVISOR), Form::AcknowledgeAlert, None);
        self.add(Sender::Staff(ADMINISTRATOR), Form::AcknowledgeAlert, None);
        let open = Body::OpenSealedCode { hash: SEALED, reason: reason() };
        self.add(Sender::Staff(ADMINISTRATOR), Form::Fixed(open), Some(Budget::Hands));
        let (what, by) = (CredentialChange::PasswordReset, Some(ADMINISTRATOR));
        let reset = Body::ChangeCredential { staff: SUPERVISOR, what, by, second: None };
        self.add(Sender::System, Form::Fixed(reset), Some(Budget::Hands));
        if !self.spec.is_live() {
            self.seats();
        }
    }

    fn seats(&mut self) {
        for terminal in self.terminals() {
            self.staff(SUPERVISOR, Body::LockTerminal { terminal, reason: reason() });
            self.staff(SUPERVISOR, Body::UnlockTerminal { terminal });
            let player = Sender::Terminal(terminal);
            for limit in [Some(dollars(5)), Some(dollars(10)), None] {
                self.add(player, Form::Fixed(Body::SetLossLimit { terminal, limit }), None);
            }
            for table in [TABLE, OTHER_TABLE] {
                self.add(player, Form::Fixed(Body::ChooseTable { terminal, table }), None);
            }
        }
    }

    /// Wrong ticket numbers are counted at a terminal and at the cage, and the stop is lifted.
    pub fn wrong_tickets(&mut self) {
        for at in [TicketPlace::Terminal(TerminalId(0)), TicketPlace::Staff(CASHIER)] {
            let wrong = Body::WrongTicket { at, mistyped: false };
            self.add(Sender::System, Form::Fixed(wrong), Some(Budget::Stops));
            self.staff(SUPERVISOR, Body::LiftWrongTickets { at });
        }
    }

    /// Past rounds are changed by their preview (D24); what a correction could not take back is collected (D7).
    pub fn past(&mut self) {
        let budget = Some(Budget::Changes);
        let mbs = self.spec.game == "mbs-sicbo";
        let (by, second) = if mbs { (SHIFT_MANAGER, CASINO_MANAGER) } else { (SUPERVISOR, PIT_MANAGER) };
        for witness in [None, Some(second)] {
            for outcome in outcomes(self.rulebook) {
                self.add(Sender::Staff(by), Form::ChangeRound(Some(outcome), None, witness), budget);
            }
            self.add(Sender::Staff(by), Form::CollectClaim(witness), None);
        }
        let damage = if self.spec.is_wheel() { GroundId::BallBroken } else { GroundId::DiceDamaged };
        for ground in [Some(damage), None] {
            let void = Form::ChangeRound(None, ground, Some(CASINO_MANAGER));
            self.add(Sender::Staff(SHIFT_MANAGER), void, budget);
        }
    }

    /// Players of a live table come and go, chips are placed for them, the float moves.
    pub fn visitors(&mut self) {
        let (table, position, money) = (TABLE, Position(1), Some(Budget::Money));
        let [spot, _] = spots(self.rulebook, 0);
        let amount = dollars(10);
        let place = Body::PlaceChips { table, position, spot, amount, for_player: true };
        self.add(Sender::Staff(SUPERVISOR), Form::Fixed(place), Some(Budget::Chips));
        for employee in [SUPERVISOR, CASHIER] {
            let place = Body::PlaceForPlayer { table, position, spot, amount, employee };
            self.add(Sender::Device(CHIP_READER), Form::Fixed(place), Some(Budget::Chips));
        }
        self.staff(DEALER, Body::RefuseLate { table, position });
        self.staff(DEALER, Body::PlayerLeft { table, position });
        for witness in [None, Some(SUPERVISOR)] {
            for movement in [FloatMovement::BuyIn(dollars(100)), FloatMovement::ChipsOut(dollars(10))] {
                let (counts, reason) = (Vec::new(), String::new());
                let change = Body::MoveFloat { table, movement, counts, witness, reason };
                self.add(Sender::Staff(DEALER), Form::Fixed(change), money);
            }
        }
        for (movement, pieces) in [
            (FloatMovement::Fill(dollars(50)), 50),
            (FloatMovement::Credit(dollars(50)), 50),
            (FloatMovement::Drop(dollars(0)), 0),
        ] {
            for witness in [None, Some(PIT_MANAGER)] {
                let counts = Some(Pile { denomination: dollars(1), pieces }).filter(|pile| pile.pieces > 0);
                let counts: Vec<Pile> = counts.into_iter().collect();
                let change = Body::MoveFloat { table, movement, counts, witness, reason: reason() };
                self.add(Sender::Staff(SUPERVISOR), Form::Fixed(change), money);
            }
        }
    }

    /// Two cashiers count their drawers, hand them over, serve each other's and close them; so does a Pit Manager (D27).
    pub fn drawers(&mut self) {
        let hands = Some(Budget::Hands);
        let piles = |pieces| vec![Pile { denomination: dollars(1), pieces }];
        for (cashier, other) in [(CASHIER, OTHER_CASHIER), (OTHER_CASHIER, CASHIER)] {
            let sender = Sender::Staff(cashier);
            self.add(sender, Form::Fixed(Body::OpenShift { float: dollars(60), witness: None }), hands);
            let fill =
                Body::MoveDrawer { movement: DrawerMovement::Fill, counts: piles(50), witness: Some(SUPERVISOR) };
            self.add(sender, Form::Fixed(fill), hands);
            let sell = Body::SellTicket { amount: dollars(50), number: TicketHash([0; 16]), witness: None };
            self.add(sender, Form::WithNumber(sell), Some(Budget::Tickets));
            let redeem = Body::RedeemTicket { number: TicketHash([0; 16]), amount: None, witness: None };
            self.add(sender, Form::AboutTicket(redeem, 0), None);
            for pieces in [60, 30] {
                let counted = dollars(i64::from(pieces));
                for witness in [None, Some(SUPERVISOR)] {
                    self.staff(cashier, Body::CountShift { counts: piles(pieces), witness });
                    let close = Body::CloseShift { counted, reason: reason(), witness };
                    self.add(sender, Form::Fixed(close), hands);
                }
            }
            for witness in [None, Some(other), Some(SUPERVISOR)] {
                self.add(sender, Form::Fixed(Body::HandOverShift { reason: reason(), witness }), hands);
            }
        }
        for (by, witness) in [
            (OTHER_CASHIER, Some(SUPERVISOR)),
            (PIT_MANAGER, Some(OTHER_CASHIER)),
            (PIT_MANAGER, Some(CASHIER)),
            (PIT_MANAGER, None),
            (SUPERVISOR, Some(OTHER_CASHIER)),
        ] {
            let shift = ShiftId(0);
            let count = DrawerAct::Count { counts: piles(60) };
            let close = DrawerAct::Close { counted: dollars(60), reason: reason() };
            for (act, budget) in [(count, None), (close, hands), (DrawerAct::HandOver { reason: reason() }, hands)] {
                self.add(Sender::Staff(by), Form::AboutDrawer(Body::ServeDrawer { shift, act, witness }), budget);
            }
        }
    }

    /// A round that has left the list of recent ones comes back with its proof, and is put back (D24). What changes the last
    /// round changes this one then.
    pub fn recalled(&mut self) {
        self.add(Sender::System, Form::Recall, None);
        self.add(Sender::System, Form::Fixed(Body::PutBack { table: TABLE }), None);
    }

    /// Records are missing, another program runs, the clock has jumped: until two people accept it (S10, S14, S23).
    pub fn locks(&mut self) {
        let stops = Some(Budget::Stops);
        let loss = Body::ReportLoss { epoch: 0, record: 1_000, words: reason() };
        self.add(Sender::System, Form::Fixed(loss), stops);
        for (by, witness) in [
            (ADMINISTRATOR, Some(SHIFT_MANAGER)),
            (SHIFT_MANAGER, Some(ADMINISTRATOR)),
            (ADMINISTRATOR, Some(SUPERVISOR)),
            (SHIFT_MANAGER, None),
        ] {
            self.staff(by, Body::AcceptLoss { statement: reason(), witness });
        }
        let release = |program| Release { program: Hash([program; 32]), rulebooks: Hash([0; 32]) };
        for program in [1, 2] {
            self.add(Sender::System, Form::Fixed(Body::StartProgram(release(program))), stops);
        }
        self.add(Sender::System, Form::Fixed(Body::ReportClock { ahead: 3_600_000 }), stops);
        for witness in [None, Some(PIT_MANAGER), Some(SUPERVISOR)] {
            let approve = Body::ApproveProgram { release: release(2), witness };
            self.add(Sender::Staff(ADMINISTRATOR), Form::Fixed(approve), Some(Budget::Services));
            self.staff(ADMINISTRATOR, Body::AcceptProgram { witness });
            self.staff(ADMINISTRATOR, Body::AcceptClock { witness });
        }
        if !self.spec.is_live() {
            self.player_takes_a_ticket();
        }
    }

    fn player_takes_a_ticket(&mut self) {
        let (terminal, number) = (TerminalId(0), TicketHash([0; 16]));
        let sender = Sender::Terminal(terminal);
        self.add(sender, Form::WithNumber(Body::PrepareTicket { terminal, number }), None);
        self.add(sender, Form::AboutTicket(Body::TicketPrinted { ticket: TicketId(0) }, 0), None);
        self.add(sender, Form::Fixed(Body::CallAttendant { terminal }), None);
    }
}
