//! The end of a run: every round can be brought to an end, and every player can leave with what is theirs.

use floor::*;
use rulebook::{Act, Cents, OutcomeIndex, Point, Rank};

use crate::model::{Check, must};
use crate::people::Scene;
use crate::run::Run;

/// Commands within which a table, a terminal or the floor itself must be done.
const PATIENCE: u32 = 60;
/// The same for what is on paper: there may be many tickets.
const CAGE_PATIENCE: u32 = 600;

impl Run {
    pub(crate) fn finish(&mut self) -> Check {
        self.until("everybody is back at work", Run::back_to_work)?;
        for table in (0..).map(TableId).take(self.model.tables.len()) {
            self.until(&format!("the round at table {table} is over"), |run| run.end_round(table))?;
        }
        for terminal in (0..).map(TerminalId).take(self.model.terminals.len()) {
            self.until(&format!("terminal {terminal} is paid out"), |run| run.pay_out(terminal))?;
        }
        self.within(CAGE_PATIENCE, "every ticket and every correction is paid", Run::pay_everything)?;
        must(self.returnable() == 0 && self.model.owed == 0, || {
            format!("{} cents are owed and {} still to be returned", self.model.owed, self.returnable())
        })?;
        self.model.obligations.all_met()
    }

    /// Sends what is to be done next until nothing is. A power failure may swallow any of it.
    fn until(&mut self, done: &str, next: impl Fn(&Run) -> Result<Option<(Sender, Body)>, String>) -> Check {
        self.within(PATIENCE, done, next)
    }

    fn within(
        &mut self,
        patience: u32,
        done: &str,
        next: impl Fn(&Run) -> Result<Option<(Sender, Body)>, String>,
    ) -> Check {
        for _ in 0..patience {
            let Some((sender, body)) = next(self)? else { return Ok(()) };
            self.wait(3_000);
            self.send(sender, body)?;
        }
        Err(format!("it never comes to this: {done}"))
    }

    /// The program is accepted, or the one that ran before it is started again if no one is there to accept it; and
    /// dismissed people are employed again.
    fn back_to_work(&self) -> Result<Option<(Sender, Body)>, String> {
        let programs = &self.model.programs;
        if programs.waiting.is_some() {
            // Two people who may sign together, if there are any.
            let administrators = self.model.serving(Post::Administrator);
            let pairs = administrators.iter().flat_map(|one| administrators.iter().map(move |other| (*one, *other)));
            let accepts = |(one, other)| (Sender::Staff(one), Body::AcceptProgram { witness: Some(other) });
            let accepted = pairs.map(accepts).find(|(sender, body)| self.floor.may(*sender, body, self.at()).is_ok());
            return Ok(accepted.or_else(|| Some((Sender::System, Body::StartProgram(programs.last?)))));
        }
        if self.floor.missing_record().is_some() {
            let highest = Post::Pit(Rank::CasinoManager);
            let administrator = self.model.serving(Post::Administrator).first().copied();
            let manager = self.model.serving(highest).into_iter().find(|manager| Some(*manager) != administrator);
            let name = "new".to_owned();
            return Ok(Some(match (administrator, manager) {
                (None, _) => (Sender::System, Body::AddStaff { name, post: Post::Administrator, witness: None }),
                (_, None) => (Sender::System, Body::AddStaff { name, post: highest, witness: None }),
                (Some(by), witness) => (Sender::Staff(by), Body::AcceptLoss { statement: "none".to_owned(), witness }),
            }));
        }
        // Tickets expire by a clock that is right.
        if self.floor.clock_ahead().is_some() {
            let administrators = self.model.serving(Post::Administrator);
            let hire = Body::AddStaff { name: "new".to_owned(), post: Post::Administrator, witness: None };
            // Two who may sign for each other (D27).
            let pairs = administrators.iter().flat_map(|by| administrators.iter().map(move |witness| (*by, *witness)));
            let mut accepts =
                pairs.map(|(by, witness)| (Sender::Staff(by), Body::AcceptClock { witness: Some(witness) }));
            let found = accepts.find(|(by, body)| self.floor.may(*by, body, self.at()).is_ok());
            return Ok(found.or(Some((Sender::System, hire))));
        }
        let Some(away) = self.model.staff.iter().position(|person| !person.active) else { return Ok(None) };
        let staff = StaffId(u32::try_from(away).map_err(|error| error.to_string())?);
        let post = self.model.staff[away].post;
        Ok(Some((Sender::System, Body::ChangeStaff { staff, post, active: true, witness: None })))
    }

    fn end_round(&self, table: TableId) -> Result<Option<(Sender, Body)>, String> {
        let found = self.model.table(table)?;
        let Some(round) = &found.round else { return Ok(None) };
        // Whatever powers were raised, two of the highest rank can do everything.
        let (highest, name) = (Post::Pit(Rank::CasinoManager), "new".to_owned());
        let managers = self.model.serving(highest);
        // Two who made neither the other's account nor post today: no one else signs (D27).
        let pairs = managers.iter().flat_map(|by| managers.iter().map(move |witness| (by, witness)));
        // Who changed the service of the device enters nothing and signs nothing in that round, and a round that was
        // completely read is not made void instead (D19, D22).
        let changed =
            |person: StaffId| found.serviced.iter().any(|one| one.staff == person && one.round == Some(round.id));
        let signs = |(by, witness): &(&StaffId, &StaffId)| {
            if changed(**by) || changed(**witness) {
                return false;
            }
            let (ruling, reason) = (Ruling::VoidRound, name.clone());
            let body = Body::Decide { table, round: Some(round.id), ruling, reason, witness: Some(**witness) };
            let refused = self.floor.may(Sender::Staff(**by), &body, self.at()).err();
            by != witness && refused.is_none_or(|refusal| refusal.code != Code::SecondPerson)
        };
        let Some((by, witness)) = pairs.into_iter().find(signs) else {
            return Ok(Some((Sender::System, Body::AddStaff { name, post: highest, witness: None })));
        };
        // Who entered the result is not the one who stands by it.
        let swap = round.entered.is_some_and(|(entered, _)| entered == *witness);
        let (by, witness) = if swap { (witness, by) } else { (by, witness) };
        let scene = Scene { seed: self.seed, floor: &self.floor, model: &self.model, kept: &self.kept, at: self.at() };
        let truth = scene.truth(found.game, round.id).ok_or("no outcome")?;
        let (reason, witness) = ("at last".to_owned(), Some(*witness));
        let body = if round.interrupted.is_some() {
            Body::Attest { table, finding: Finding::NotAffected, witness }
        } else if !round.grounds.is_empty() {
            Body::DismissGround { table, reason, witness: None }
        } else if round.fault {
            Body::AnswerFault { table, affects: false }
        } else if round.second || round.missing().is_some() {
            let void = Body::Decide { table, round: Some(round.id), ruling: Ruling::VoidRound, reason, witness };
            // Its terminals come back, or it is interrupted after all, in time.
            let refused = self.floor.may(Sender::Staff(*by), &void, self.at()).err();
            if refused.is_some_and(|refusal| refusal.code == Code::Established) {
                return Ok(Some((Sender::System, Body::Elapse)));
            }
            void
        } else {
            let at_work = self.model.at_work(table).is_some() && !round.replaced;
            match round.phase {
                // The device that should have reported has not: no rule of play ends the round.
                Phase::Begun | Phase::Closed if at_work && (round.running || !round.ended) || round.short => {
                    Body::Decide { table, round: Some(round.id), ruling: Ruling::VoidRound, reason, witness }
                }
                Phase::Begun => {
                    let notice = Body::OpenBets { table, affirmed: Point::ALL.to_vec() };
                    let refused = self.floor.may(Sender::Staff(*by), &notice, self.at()).err();
                    match refused.is_some_and(|refusal| refusal.code == Code::NoTumble) {
                        true => {
                            Body::Decide { table, round: Some(round.id), ruling: Ruling::VoidRound, reason, witness }
                        }
                        false => notice,
                    }
                }
                Phase::Open => Body::CloseBets { table },
                Phase::Closed if round.rested_early || round.stated_rest.is_some() => {
                    Body::Decide { table, round: Some(round.id), ruling: Ruling::VoidRound, reason, witness }
                }
                // It reported, and not everything that it measures.
                Phase::Closed
                    if at_work
                        && self.model.at_work(table).is_some_and(|device| device.measures.times)
                        && round.times.is_none() =>
                {
                    Body::Decide { table, round: Some(round.id), ruling: Ruling::VoidRound, reason, witness }
                }
                Phase::Closed => self.enter_or_void(table, round.id, truth, *by, witness),
                Phase::Entered => self.settle_or_fill(table, *by, witness),
            }
        };
        Ok(Some((Sender::Staff(*by), body)))
    }

    /// Where the device's reports allow no result at all, only the Shift Manager's decision ends the round.
    fn enter_or_void(
        &self,
        table: TableId,
        round: RoundId,
        outcome: OutcomeIndex,
        by: StaffId,
        witness: Option<StaffId>,
    ) -> Body {
        let reason = "at last".to_owned();
        let (affirmed, why) = (Point::ALL.to_vec(), Some(reason.clone()));
        let enter = Body::EnterResult { table, outcome, affirmed, witness, reason: why };
        match self.floor.may(Sender::Staff(by), &enter, self.at()) {
            Err(refusal) if matches!(refusal.code, Code::NoTumble | Code::NotValid) => {
                Body::Decide { table, round: Some(round), ruling: Ruling::VoidRound, reason, witness }
            }
            _ => enter,
        }
    }

    /// A live table whose tray cannot pay gets a fill first.
    fn settle_or_fill(&self, table: TableId, by: StaffId, witness: Option<StaffId>) -> Body {
        let confirm = Body::ConfirmResult { table, outcome: None, witness, reason: Some("at last".to_owned()) };
        match self.floor.may(Sender::Staff(by), &confirm, self.at()) {
            Err(refusal) if refusal.code == Code::Float => {
                let pile = Pile { denomination: Cents::new(100_000), pieces: 5_000 };
                let movement = FloatMovement::Fill(Cents::new(500_000_000));
                Body::MoveFloat { table, movement, counts: vec![pile], witness, reason: String::new() }
            }
            _ => confirm,
        }
    }

    /// Whatever is on paper or waits at the cage is paid by two new cashiers and a new manager.
    fn pay_everything(&self) -> Result<Option<(Sender, Body)>, String> {
        let mut tickets = self.model.tickets.iter();
        let held = |state: TicketState| matches!(state, TicketState::Prepared | TicketState::Outstanding);
        let ticket = tickets.find(|(_, ticket)| held(ticket.state));
        let payable = self.model.payables.iter().next();
        if ticket.is_none() && payable.is_none() {
            return Ok(None);
        }
        let hire = |post| Ok(Some((Sender::System, Body::AddStaff { name: "last".to_owned(), post, witness: None })));
        let hired = |post: Post| {
            let people = (0..).map(StaffId).zip(self.floor.staff());
            let last = |(_, person): &(StaffId, &Staff)| person.name() == "last";
            people.filter(last).map(|(id, _)| id).filter(|id| self.model.serves_as(*id, post)).collect::<Vec<_>>()
        };
        let (cashiers, managers) = (hired(Post::Cashier), hired(Post::Pit(Rank::CasinoManager)));
        let [cashier, second, ..] = cashiers[..] else { return hire(Post::Cashier) };
        let [manager, ..] = managers[..] else { return hire(Post::Pit(Rank::CasinoManager)) };
        let drawer = self.model.shifts.values().find(|shift| shift.cashier == cashier);
        let body = match (drawer, ticket, payable) {
            (None, ..) => Body::OpenShift { float: Cents::new(bounds::AMOUNT), witness: Some(second) },
            (_, Some((_, found)), _) if found.state == TicketState::Outstanding && self.at() >= found.expires => {
                return Ok(Some((Sender::System, Body::Elapse)));
            }
            (_, Some((_, found)), _) if found.state == TicketState::Outstanding => {
                Body::RedeemTicket { number: found.number, amount: None, witness: Some(second) }
            }
            (_, Some((ticket, _)), _) => {
                let (finding, reason) = (TicketFinding::InHand, "the paper is here".to_owned());
                Body::ResolveTicket { ticket: *ticket, finding, reason, witness: Some(second) }
            }
            (_, None, Some((payable, due))) => {
                Body::PayCorrection { payable: *payable, round: due.round, witness: Some(manager) }
            }
            (_, None, None) => return Ok(None),
        };
        // A drawer that has paid out all it held is filled.
        let refused = self.floor.may(Sender::Staff(cashier), &body, self.at()).err();
        let body = match drawer.filter(|_| refused.is_some_and(|refusal| refusal.code == Code::Float)) {
            Some(shift) => {
                let most = bounds::AMOUNT.min(bounds::CREDIT - shift.cash);
                let pieces = u32::try_from(most).map_err(|_| "a drawer holds too much")?;
                let counts = vec![Pile { denomination: Cents::ONE, pieces }];
                Body::MoveDrawer { movement: DrawerMovement::Fill, counts, witness: Some(second) }
            }
            None => body,
        };
        Ok(Some((Sender::Staff(cashier), body)))
    }

    fn pay_out(&self, id: TerminalId) -> Result<Option<(Sender, Body)>, String> {
        let terminal = self.model.terminal(id)?;
        let game = self.model.table(terminal.table)?.game;
        if terminal.locked {
            let by = *self.model.qualified(game, Act::LockTerminal).first().ok_or("nobody may unlock")?;
            return Ok(Some((Sender::Staff(by), Body::UnlockTerminal { terminal: id })));
        }
        if !terminal.live {
            return Ok(Some((Sender::System, Body::TerminalBack { terminal: id })));
        }
        let prepared = self.model.tickets.iter().find(|(_, ticket)| {
            ticket.terminal == Some(id) && ticket.state == TicketState::Prepared && ticket.printed_for.is_none()
        });
        if let Some((ticket, _)) = prepared {
            return Ok(Some((Sender::Terminal(id), Body::TicketPrinted { ticket: *ticket })));
        }
        if terminal.credit > 0 {
            let number = TicketHash(u128::from(self.floor.next_ticket().0).to_le_bytes());
            return Ok(Some((Sender::Terminal(id), Body::PrepareTicket { terminal: id, number })));
        }
        must(terminal.visit.is_none(), || format!("terminal {id} is empty, and somebody is there"))?;
        Ok(None)
    }
}
