//! What each screen offers in a state: the player terminals, the console of the table, the pit, the cage and the administration
//! (D23, D25).
//!
//! Every screen has at least one act that the floor accepts from the person in front of it. What waits at the pit (a locked
//! terminal, a ticket in doubt, an alert, what is payable, a call, a closed table) can each be dealt with by someone.

use floor::*;
use rulebook::{Cents, GroundId, Point};

use crate::house::{dollars, spots};
use crate::moves::number_of;
use crate::node::{Node, World};
use crate::property::{Property, Violation, must};
use crate::spec::*;

/// The acts of one state that are asked about.
struct Screens<'a> {
    world: &'a World,
    floor: &'a Floor,
    at: Moment,
}

/// Every screen offers an act, and all that waits at the pit can be done. While play is locked, the terminals call an attendant,
/// and the administration unlocks it.
///
/// # Errors
/// Which screen offers nothing, or what cannot be done.
pub(crate) fn every_screen_offers(world: &World, node: &Node) -> Result<(), Violation> {
    let screens = Screens { world, floor: &node.floor, at: node.at };
    screens.administration()?;
    screens.terminals()?;
    if node.floor.missing_record().is_some() || node.floor.locked_by().is_some() {
        return Ok(());
    }
    screens.console()?;
    screens.pit()?;
    screens.cage()
}

fn reason() -> String {
    "next".to_owned()
}

fn offers(holds: bool, words: impl FnOnce() -> String) -> Result<(), Violation> {
    must(holds, Property::NextAct, words)
}

impl Screens<'_> {
    fn may(&self, sender: Sender, body: &Body) -> bool {
        self.floor.may(sender, body, self.at).is_ok()
    }

    fn one_of(&self, sender: Sender, bodies: impl IntoIterator<Item = Body>) -> bool {
        bodies.into_iter().any(|body| self.may(sender, &body))
    }

    fn staff(&self, staff: StaffId, bodies: impl IntoIterator<Item = Body>) -> bool {
        self.one_of(Sender::Staff(staff), bodies)
    }

    /// The administration unlocks play that is locked by a loss or another program, accepts a clock that has jumped, and
    /// stops a person otherwise.
    fn administration(&self) -> Result<(), Violation> {
        let witness = Some(PIT_MANAGER);
        let unlocks = |body: Body, what: &str| {
            offers(self.staff(ADMINISTRATOR, [body]), || format!("the administration cannot accept {what}"))
        };
        if self.floor.missing_record().is_some() {
            let witness = Some(SHIFT_MANAGER);
            unlocks(Body::AcceptLoss { statement: reason(), witness }, "that records are missing")?;
        }
        if self.floor.locked_by().is_some() {
            unlocks(Body::AcceptProgram { witness }, "another program")?;
        }
        if self.floor.clock_ahead().is_some() {
            unlocks(Body::AcceptClock { witness }, "a clock that has jumped")?;
        }
        // One administrator alone stops a person at once.
        let ends = Body::ChangeStaff { staff: AUDITOR, post: Post::Auditor, active: false, witness: None };
        let locked = self.floor.locked_by().is_some() || self.floor.missing_record().is_some();
        offers(locked || self.staff(ADMINISTRATOR, [ends]), || "the administration offers nothing".to_owned())
    }

    /// A terminal that is in use takes money, a bet, the close or a cash-out. One that is locked calls an attendant, unless one
    /// is on the way; so do all while play is locked.
    fn terminals(&self) -> Result<(), Violation> {
        let locked = self.floor.locked_by().is_some() || self.floor.missing_record().is_some();
        for found in self.floor.terminals().iter().filter(|found| found.is_live()) {
            let terminal = found.id();
            if locked || found.locked().is_some() {
                let called = self.floor.attendant_called(terminal).is_some();
                let calls = self.one_of(Sender::Terminal(terminal), [Body::CallAttendant { terminal }]);
                offers(called || calls, || format!("terminal {terminal}, which is locked, cannot call an attendant"))?;
                continue;
            }
            let validator = u16::try_from(terminal.0).unwrap_or_default() + u16::from(self.world.spec.device);
            let cash = Body::CashIn { terminal, amount: dollars(1) };
            let number = number_of(self.floor.next_ticket());
            let printed = self.floor.doubt_of(terminal).map(|doubt| Body::TicketPrinted { ticket: doubt.ticket });
            let [spot, _] = spots(self.world.rulebook, usize::from(found.layout()));
            let add = Body::Bet { changes: [BetChange::Add { spot, amount: dollars(5) }].into() };
            let own = [Body::PrepareTicket { terminal, number }, Body::ClearBets, add].into_iter().chain(printed);
            let offered =
                self.may(Sender::Device(DeviceId(validator)), &cash) || self.one_of(Sender::Terminal(terminal), own);
            offers(offered, || format!("terminal {terminal} offers nothing"))?;
        }
        Ok(())
    }

    /// The dealer at the console of an open table can take the round on, or say what is wrong with it.
    fn console(&self) -> Result<(), Violation> {
        let Some(found) = self.floor.table(TABLE).filter(|table| table.is_open()) else { return Ok(()) };
        let (table, witness, affirmed) = (TABLE, Some(SUPERVISOR), Point::ALL.to_vec());
        // For dice that were uncovered before the attestation the Shift Manager signs (D6).
        let signs = Some(SHIFT_MANAGER);
        let attest = [Finding::NotAffected, Finding::Established, Finding::NotEstablished];
        let results = self.world.outcomes.map(|outcome| {
            let (affirmed, reason) = (affirmed.clone(), Some(reason()));
            Body::EnterResult { table, outcome, affirmed, witness, reason }
        });
        let offered = match found.round() {
            None => self.staff(DEALER, [Body::BeginRound { table }, Body::open_bets(table), Body::TakeTable { table }]),
            Some(_) => {
                let acts = [
                    Body::OpenBets { table, affirmed: affirmed.clone() },
                    Body::CloseBets { table },
                    Body::ConfirmResult { table, outcome: None, witness, reason: Some(reason()) },
                    Body::KeepFirstOutcome { table, witness, affirmed: affirmed.clone() },
                    Body::ConfirmGround { table },
                    Body::AnswerFault { table, affects: false },
                    Body::TakeTable { table },
                ];
                let listed = GroundId::ALL.into_iter().filter(|ground| self.world.rulebook.ground(*ground).is_some());
                self.staff(DEALER, acts)
                    || self.staff(DEALER, results)
                    || self.staff(DEALER, attest.map(|finding| Body::Attest { table, finding, witness }))
                    || self.staff(DEALER, attest.map(|finding| Body::Attest { table, finding, witness: signs }))
                    || self.staff(DEALER, listed.map(|ground| Body::DeclareGround { table, ground, witness }))
            }
        };
        offers(offered, || "the console offers the dealer nothing".to_owned())
    }

    fn pit(&self) -> Result<(), Violation> {
        let pit = [SUPERVISOR, PIT_MANAGER, SHIFT_MANAGER, CASINO_MANAGER];
        let someone = |body: Body| pit.iter().any(|person| self.may(Sender::Staff(*person), &body));
        for found in self.floor.tables().iter().filter(|table| !table.is_open()) {
            let open = someone(Body::OpenTable { table: found.id() });
            offers(open, || "no one can open the table".to_owned())?;
        }
        for found in self.floor.terminals().iter().filter(|terminal| terminal.locked().is_some()) {
            let terminal = found.id();
            let unlocked = someone(Body::UnlockTerminal { terminal });
            offers(unlocked, || format!("no one can unlock terminal {terminal}"))?;
        }
        for doubt in self.floor.doubts() {
            let (ticket, finding) = (doubt.ticket, TicketFinding::InHand);
            let resolve = Body::ResolveTicket { ticket, finding, reason: reason(), witness: Some(PIT_MANAGER) };
            offers(self.staff(SUPERVISOR, [resolve]), || "no one can resolve a ticket in doubt".to_owned())?;
        }
        for alert in self.floor.alerts().map(Alert::id) {
            let done = someone(Body::AcknowledgeAlert { alert }) || someone(Body::Countersign { alert });
            offers(done, || "no one can acknowledge or countersign an alert".to_owned())?;
        }
        for due in self.floor.payables() {
            let (payable, round, witness) = (due.id(), due.round(), Some(PIT_MANAGER));
            let pay = Body::PayByHand { payable, round, witness };
            offers(self.staff(SUPERVISOR, [pay]), || "no one can pay what is payable".to_owned())?;
        }
        for call in self.floor.calls().filter(|call| !call.is_over(self.at)) {
            let answered = someone(Body::AnswerCall { table: call.table });
            offers(answered, || "no one can answer a call".to_owned())?;
        }
        self.round_of_the_pit()
    }

    /// With a round in play, the pit can decide or attest it, say what a fault means for it (D21), or conclude it at the console
    /// with the result (D22); without one, it can close the table or open it.
    fn round_of_the_pit(&self) -> Result<(), Violation> {
        let (table, witness) = (TABLE, Some(CASINO_MANAGER));
        let round = self.floor.table(TABLE).and_then(Table::round).map(Round::id);
        let decide = Body::Decide { table, round, ruling: Ruling::VoidRound, reason: reason(), witness };
        let attest = [Finding::NotAffected, Finding::Established, Finding::NotEstablished];
        let attest = attest.map(|finding| Body::Attest { table, finding, witness });
        let results = self.world.outcomes.map(|outcome| {
            let (affirmed, reason) = (Point::ALL.to_vec(), Some(reason()));
            Body::EnterResult { table, outcome, affirmed, witness, reason }
        });
        let confirm = Body::ConfirmResult { table, outcome: None, witness, reason: Some(reason()) };
        let offered = match round {
            Some(_) => {
                self.staff(SHIFT_MANAGER, [decide, Body::ConfirmGround { table }, confirm])
                    || self.staff(SHIFT_MANAGER, attest)
                    || self.staff(SHIFT_MANAGER, [Body::AnswerFault { table, affects: false }])
                    || self.staff(SHIFT_MANAGER, results)
            }
            None => self.staff(
                PIT_MANAGER,
                [
                    Body::open_bets(table),
                    Body::TakeTable { table },
                    Body::AnnounceClosing { table },
                    Body::CloseTable { table },
                    Body::OpenTable { table },
                ],
            ),
        };
        offers(offered, || "the pit offers nothing".to_owned())
    }

    /// Every cashier has an act, and a drawer whose cashier is not there is counted or closed by two others (D27).
    fn cage(&self) -> Result<(), Violation> {
        self.cashier(CASHIER)?;
        if self.world.spec.topics.drawers {
            self.cashier(OTHER_CASHIER)?;
        }
        for shift in self.floor.shifts() {
            let (id, witness) = (shift.id(), Some(SUPERVISOR));
            let counted = self.floor.counted(id).unwrap_or_default();
            let counts = vec![Pile { denomination: dollars(1), pieces: 1 }];
            let acts = [DrawerAct::Count { counts }, DrawerAct::Close { counted, reason: reason() }];
            let acts = acts.map(|act| Body::ServeDrawer { shift: id, act, witness });
            offers(self.staff(PIT_MANAGER, acts), || "no one else can count or close a cashier's drawer".to_owned())?;
        }
        Ok(())
    }

    /// A cashier begins a shift, or counts or closes the one that is open; from an open drawer a good ticket is paid, or cash is
    /// taken for it from the vault.
    fn cashier(&self, cashier: StaffId) -> Result<(), Violation> {
        let witness = Some(SUPERVISOR);
        let Some(shift) = self.floor.person(cashier).and_then(Staff::shift) else {
            let open = self.staff(cashier, [Body::OpenShift { float: Cents::ZERO, witness: None }]);
            return offers(open, || "the cashier cannot begin a shift".to_owned());
        };
        let counts = vec![Pile { denomination: dollars(1), pieces: 1 }];
        let count = Body::CountShift { counts: counts.clone(), witness };
        let counted = self.floor.counted(shift).unwrap_or_default();
        let close = Body::CloseShift { counted, reason: reason(), witness };
        let open = self.may(Sender::Staff(cashier), &count);
        offers(open || self.staff(cashier, [close]), || "the cage offers nothing".to_owned())?;
        let good = |ticket: &&Ticket| ticket.state() == TicketState::Outstanding && ticket.expires() > self.at;
        for ticket in self.floor.tickets().filter(good).filter(|_| open) {
            let pay = Body::RedeemTicket { number: number_of(ticket.id()), amount: None, witness };
            let fill = Body::MoveDrawer { movement: DrawerMovement::Fill, counts: counts.clone(), witness };
            offers(self.staff(cashier, [pay, fill]), || "the cage cannot pay a good ticket".to_owned())?;
        }
        Ok(())
    }
}
