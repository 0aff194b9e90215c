//! The insider bound: what dishonest people of given posts, with a player, can move against the lawful outcome.
//!
//! The dice or the ball show one outcome and the device reports it honestly. All but the insiders do only what is right
//! and sign for nothing else. The insiders send any command, and sign for each other. Every reached state is measured:
//! what players have beyond what the rules give them, and what they lack.

use floor::*;
use rulebook::{Arises, Cents, GroundId, OutcomeIndex, Point, SpotIndex};

use crate::alphabet::{alphabet, reason};
use crate::house::{THRESHOLD, dollars};
use crate::hunt::{Hunted, Measured, Reach, hunt};
use crate::moves::{Form, Move};
use crate::node::{Node, World};
use crate::property::{Property, Violation};
use crate::spec::*;

/// The posts whose people may be dishonest.
pub const POSTS: [(&str, StaffId); 9] = [
    ("dealer", DEALER),
    ("pit supervisor", SUPERVISOR),
    ("pit manager", PIT_MANAGER),
    ("shift manager", SHIFT_MANAGER),
    ("casino manager", CASINO_MANAGER),
    ("cashier", CASHIER),
    ("administrator", ADMINISTRATOR),
    ("technician", TECHNICIAN),
    ("auditor", AUDITOR),
];

/// What the table has to read the dice or the ball.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// A device in service.
    InService,
    /// A device that two honest people have taken out of service.
    OutOfService,
    /// None.
    None,
}

impl Mechanism {
    /// All of them.
    pub const ALL: [Mechanism; 3] = [Mechanism::InService, Mechanism::OutOfService, Mechanism::None];

    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Mechanism::InService => "device in service",
            Mechanism::OutOfService => "device taken out of service",
            Mechanism::None => "no device",
        }
    }

    /// The floor on which insiders are looked for.
    ///
    /// # Errors
    /// In words, if it cannot be set up.
    pub fn world(self, game: &'static str) -> Result<World, String> {
        World::of(insider_floor(game, self).ok_or("there is no such floor")?)
    }

    /// The floor's name.
    #[must_use]
    pub const fn floor(self) -> &'static str {
        match self {
            Mechanism::InService => "insider-device",
            Mechanism::OutOfService => "insider-out-of-service",
            Mechanism::None => "insider-no-device",
        }
    }
}

/// What insiders can move.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// The most that the house loses, in cents.
    pub house: i64,
    /// The most that players lose, in cents.
    pub players: i64,
    /// States visited.
    pub states: usize,
    /// Whether these are all.
    pub fixpoint: bool,
    /// Whether the largest amount that was tried went through: then no threshold bounds it, and the search ends.
    pub unbounded: bool,
    /// The table's exposure in the states visited: the most that house and players lose by a result other than the dice or
    /// the ball show, or by a void. What a person moves where no device is in service is bounded by this.
    pub exposure: (i64, i64),
}

impl Bound {
    /// Of a search in which nothing was left out so far.
    pub(crate) const fn begun() -> Bound {
        let (house, players, states, exposure) = (0, 0, 0, (0, 0));
        Bound { house, players, states, fixpoint: true, unbounded: false, exposure }
    }

    /// Takes in what was lost on a way, and the exposure on it.
    pub(crate) fn see(&mut self, (house, players): (i64, i64), exposure: (i64, i64)) {
        (self.house, self.players) = (self.house.max(house), self.players.max(players));
        self.exposure = (self.exposure.0.max(exposure.0), self.exposure.1.max(exposure.1));
        self.unbounded |= self.house.max(self.players) >= LARGE;
        self.fixpoint &= !self.unbounded;
    }

    /// What two threads of one search have found.
    pub(crate) fn and(&self, other: &Bound) -> Bound {
        let mut both = Bound { fixpoint: self.fixpoint && other.fixpoint, ..*self };
        both.unbounded |= other.unbounded;
        both.see((other.house, other.players), other.exposure);
        both
    }

    /// What two searches for the same people have found, of which one went further.
    pub(crate) fn or(&self, other: &Bound) -> Bound {
        let mut both = Bound { states: self.states.max(other.states), ..*self };
        both.see((other.house, other.players), other.exposure);
        both.fixpoint = self.fixpoint || other.fixpoint;
        both
    }
}

/// An amount far above every threshold.
const LARGE: i64 = 100_000;

/// What has been taken so far.
#[derive(Clone, Default)]
pub(crate) struct Taken {
    /// Given to players without cash or rule.
    pub given: i64,
    /// Taken from players, or paid to no one.
    pub kept: i64,
    /// Sold without cash, which is missing from the drawer.
    pub sold: i64,
    /// By round: whether the dice or the ball decide it, because they could be seen or because it was settled.
    pub decided: Vec<bool>,
    /// What house and players could have lost by another result in these rounds, or by a void.
    pub exposure: (i64, i64),
}

/// The moves of an exploration with insiders.
pub(crate) struct Scheme<'a> {
    pub world: &'a World,
    /// Whether the device reports what it sees, and is believed.
    reads: bool,
    insiders: &'a [StaffId],
    /// What one of them may move alone, in cents.
    pub threshold: i64,
    pub moves: Vec<Move>,
}

/// The floor on which insiders are looked for.
fn insider_floor(game: &'static str, mechanism: Mechanism) -> Option<Spec> {
    let mut spec = floor_named(game, "round")?;
    (spec.name, spec.about) = (mechanism.floor(), "dishonest people");
    (spec.device, spec.stakes) = (mechanism != Mechanism::None, 2);
    spec.out_of_service = mechanism == Mechanism::OutOfService;
    spec.budgets = [1, 0, 1, 1, 2, 1, UNLIMITED, UNLIMITED, 1, 2];
    spec.topics = Topics { chips: spec.is_live(), ..Topics::default() };
    Some(spec)
}

/// The floors on which insiders are looked for, of a document.
pub(crate) fn insider_floors(game: &'static str) -> Vec<(Mechanism, Spec)> {
    let floor = |mechanism| insider_floor(game, mechanism).map(|spec| (mechanism, spec));
    Mechanism::ALL.into_iter().filter_map(floor).collect()
}

/// Explores a floor on which these people are dishonest, with so many states.
///
/// # Errors
/// In words, if the floor cannot be set up; or the violation of another property on the way.
pub fn insider_bound(
    game: &'static str,
    mechanism: Mechanism,
    insiders: &[StaffId],
    states: usize,
) -> Result<Bound, String> {
    let hunted =
        insider_search(game, mechanism, insiders, Reach { states, memory: usize::MAX, threads: 1, stop: &|| false })?;
    let mut others = hunted.caught.iter().map(|caught| &caught.broken.violation);
    match others.find(|violation| violation.property != Property::Insider) {
        Some(violation) => Err(format!("{}: {}", violation.property, violation.words)),
        None => Ok(hunted.bound),
    }
}

/// Explores a floor on which these people are dishonest.
///
/// # Errors
/// In words, if the floor cannot be set up.
pub fn insider_search(
    game: &'static str,
    mechanism: Mechanism,
    insiders: &[StaffId],
    reach: Reach<'_>,
) -> Result<Hunted, String> {
    Ok(hunt(&Scheme::of(&mechanism.world(game)?, mechanism, insiders), reach))
}

impl<'a> Scheme<'a> {
    pub fn of(world: &'a World, mechanism: Mechanism, insiders: &'a [StaffId]) -> Scheme<'a> {
        let (reads, threshold) = (mechanism == Mechanism::InService, THRESHOLD);
        let mut scheme = Scheme { world, reads, insiders, threshold, moves: Vec::new() };
        scheme.honest();
        scheme.dishonest();
        scheme
    }

    /// What one person has moved beyond the threshold, beside the exposure of the rounds on this way where no device is in
    /// service. Two people who sign for each other have no bound.
    pub fn beyond(&self, taken: &Taken, node: &Node) -> Option<Violation> {
        let (house, players) = self.loss(taken, node);
        let exposure = if self.reads { (0, 0) } else { taken.exposure };
        let beyond = house > self.threshold + exposure.0 || players > self.threshold + exposure.1;
        (beyond && self.insiders.len() == 1).then(|| {
            let words = format!(
                "the house loses {house} cents and players {players}, where the threshold is {}{}",
                self.threshold,
                if self.reads { String::new() } else { format!(" and the exposure {exposure:?}") }
            );
            Violation::new(Property::Insider, words)
        })
    }

    /// What was taken on a way, as it is compared with other ways to the same state. Less cash of sold tickets hides less of
    /// what is missing from a drawer. Without a device, less exposure leaves less room.
    pub fn way(&self, taken: &Taken) -> Measured {
        let (house, players) = taken.exposure;
        let room = if self.reads { (0, 0) } else { (-house, -players) };
        [taken.given, taken.kept, -taken.sold, house, players, room.0, room.1]
    }

    /// The hash of a state.
    pub fn state(&self, node: &Node, taken: &Taken, bytes: &mut Vec<u8>) -> u64 {
        node.hash_with(bytes, |bytes| bytes.extend(taken.decided.iter().map(|decided| u8::from(*decided))))
    }
}

impl Scheme<'_> {
    /// An honest device reports what happens, in the order in which it happens.
    pub(crate) fn is_physical(&self, node: &Node, one: &Move) -> bool {
        let Some(table) = node.floor.table(TABLE) else { return false };
        let Form::Fixed(Body::Observe(observation)) = &one.form else { return self.is_honest(node, table, one) };
        if !self.reads {
            return false;
        }
        let closed = table.round().is_some_and(|round| round.phase() >= Phase::Closed && round.awaiting() == 0);
        let begins = self.world.rulebook.procedure().begins == rulebook::Begins::Activation;
        let seen = table.round().map(Round::seen);
        let made = seen.is_some_and(floor::Seen::reported);
        let ended = seen.is_some_and(floor::Seen::has_ended);
        let in_time = self.world.rulebook.procedure().timing != rulebook::Timing::AfterClose || closed;
        match observation {
            Observation::Activated | Observation::Spun { .. } => {
                !made && (table.round().is_some() && in_time || begins && table.round().is_none())
            }
            Observation::Tumbled { .. } | Observation::Revolved { .. } => made && !ended,
            Observation::Rested { .. } => made && !ended && closed && seen.is_some_and(|seen| seen.times.is_some()),
            Observation::Uncovered => ended && closed && seen.is_some_and(|seen| !seen.exposed),
            Observation::DiceRead { .. } => {
                let open = self.world.spec.game == "rws-sicbo-open";
                ended && closed && seen.is_some_and(|seen| seen.exposed || open)
            }
            _ => false,
        }
    }

    /// Honest people confirm what the dice show and nothing else, and come when they are called (D28): time does not pass
    /// before that.
    fn is_honest(&self, node: &Node, table: &Table, one: &Move) -> bool {
        if matches!(one.form, Form::Wait) {
            return node.floor.calls().next().is_none();
        }
        let Form::Fixed(Body::ConfirmResult { witness, .. }) = &one.form else { return true };
        let dishonest = |person: StaffId| self.insiders.contains(&person);
        let by_insider = matches!(one.sender, Sender::Staff(by) if dishonest(by));
        let alone = by_insider && witness.is_none_or(dishonest);
        alone || table.round().and_then(Round::outcome) == Some(self.world.outcomes[0])
    }

    /// The round as honest people play it; what insiders do differently comes with their own moves.
    fn honest(&mut self) {
        let truth = self.world.outcomes[0];
        let mut moves = alphabet(&self.world.spec, self.world.rulebook);
        moves.retain(|one| {
            let (Form::Fixed(body) | Form::AboutCurrent(body)) = &one.form else {
                return matches!(one.form, Form::Wait);
            };
            match body {
                Body::EnterResult { outcome, .. } => *outcome == truth,
                Body::BeginRound { .. }
                | Body::OpenBets { .. }
                | Body::CloseBets { .. }
                | Body::ConfirmResult { .. }
                | Body::Bet { .. }
                | Body::PlaceChips { .. }
                | Body::AcknowledgeClose { .. }
                | Body::Observe(_)
                | Body::Elapse => true,
                _ => false,
            }
        });
        self.moves.extend(moves);
        let come = [SUPERVISOR, CASINO_MANAGER].into_iter().filter(|person| !self.insiders.contains(person));
        let come = come.flat_map(|person| [None, Some(TABLE)].map(|table| (person, Body::AnswerCall { table })));
        let come: Vec<Move> = come
            .map(|(person, body)| Move { sender: Sender::Staff(person), form: Form::Fixed(body), budget: None })
            .collect();
        self.moves.extend(come);
        if !self.world.spec.is_live() {
            self.player_cashes_out();
        }
    }

    /// The player takes a ticket, which the printer prints, or says it did not; and puts the ticket back in.
    fn player_cashes_out(&mut self) {
        let terminal = TerminalId(0);
        let sender = Sender::Terminal(terminal);
        let prepare = Body::PrepareTicket { terminal, number: TicketHash([0; 16]) };
        self.moves.push(Move { sender, form: Form::WithNumber(prepare), budget: Some(Budget::Tickets) });
        let printed = Body::TicketPrinted { ticket: TicketId(0) };
        self.moves.push(Move { sender, form: Form::AboutTicket(printed, 0), budget: None });
        let failed = Body::PrintFailed { ticket: TicketId(0) };
        self.moves.push(Move { sender, form: Form::AboutTicket(failed, 0), budget: None });
        let put_in = Body::TicketIn { terminal, number: TicketHash([0; 16]) };
        self.moves.push(Move { sender, form: Form::AboutTicket(put_in, 0), budget: None });
    }

    fn dishonest(&mut self) {
        self.resets();
        let bodies = self.dishonest_acts();
        for (form, budget) in bodies {
            for by in self.insiders {
                let others = self.insiders.iter().filter(|other| *other != by).map(|other| Some(*other));
                for witness in [None].into_iter().chain(others) {
                    let sender = Sender::Staff(*by);
                    let form = form.signed(witness);
                    self.moves.push(Move { sender, form, budget });
                }
            }
        }
    }

    /// Everything that moves money or decides a round.
    fn dishonest_acts(&self) -> Vec<(Form, Option<Budget>)> {
        let (table, terminal, witness) = (TABLE, TerminalId(0), None);
        let round = RoundId(u64::MAX);
        let changes = Some(Budget::Changes);
        let mut acts = Vec::new();
        let mut fixed = |body: Body, budget: Option<Budget>| acts.push((Form::Fixed(body), budget));
        for outcome in self.world.outcomes {
            let affirmed = Point::ALL.to_vec();
            fixed(Body::EnterResult { table, outcome, affirmed, witness, reason: Some(reason()) }, None);
        }
        fixed(Body::ConfirmResult { table, outcome: None, witness, reason: Some(reason()) }, None);
        fixed(Body::KeepFirstOutcome { table, witness, affirmed: Point::ALL.to_vec() }, None);
        fixed(Body::dismiss_ground(table, reason()), None);
        fixed(Body::ConfirmGround { table }, None);
        let grounds = GroundId::ALL.into_iter().filter_map(|ground| self.world.rulebook.ground(ground));
        for ground in grounds.filter(|ground| ground.arises != Arises::Attested) {
            fixed(Body::DeclareGround { table, ground: ground.id, witness }, None);
        }
        fixed(Body::ReportInterruption { table, failed: Failed::Power, note: None }, Some(Budget::Stops));
        for finding in [Finding::NotAffected, Finding::Established, Finding::NotEstablished] {
            fixed(Body::Attest { table, finding, witness }, None);
        }
        if self.world.spec.device {
            let (device, in_service) = (DeviceId(0), false);
            for function in [Function::Device, Function::Reading] {
                fixed(
                    Body::ChangeService { device, function, in_service, reason: reason(), witness },
                    Some(Budget::Services),
                );
            }
        }
        if self.world.spec.is_wheel() && !self.world.spec.device {
            acts.push((Form::Fixed(Body::StateEarlyRest { table, affirmed: Point::ALL.to_vec() }), None));
        }
        for outcome in self.world.outcomes {
            acts.push((Form::AboutLast(Body::CorrectResult { round, outcome, reason: reason(), witness }), changes));
            if self.world.spec.is_wheel() {
                let choose = Body::ChooseOutcome { table, round, outcome, reason: reason(), witness };
                acts.push((Form::AboutCurrent(choose), None));
            }
        }
        let void = Body::Decide { table, round: Some(round), ruling: Ruling::VoidRound, reason: reason(), witness };
        acts.push((Form::AboutCurrent(void.clone()), changes));
        acts.push((Form::AboutLast(void), changes));
        let ground = if self.world.spec.is_wheel() { GroundId::BallBroken } else { GroundId::DiceDamaged };
        let affected = Body::VoidRounds { table, ground, rounds: Vec::new(), reason: reason(), witness };
        acts.push((Form::AboutLast(affected), changes));
        for amount in [THRESHOLD, 100, LARGE].map(rulebook::Cents::new) {
            acts.extend(self.payments(terminal, amount));
        }
        acts.extend(self.papers());
        acts.extend(self.offices());
        acts
    }

    /// Tickets, the drawer, what is payable or to be collected, and the record of chips.
    fn papers(&self) -> Vec<(Form, Option<Budget>)> {
        let (table, witness, hands) = (TABLE, None, Some(Budget::Hands));
        if self.world.spec.is_live() {
            let [spot, _] = crate::house::spots(self.world.rulebook, 0);
            let (position, amount) = (Position(1), dollars(30));
            let remove = Body::RemoveChips { table, position, spot, amount: dollars(5), reason: reason(), witness };
            let round = RoundId(u64::MAX);
            let record = Body::CorrectRecord { round, position, spot, amount, reason: reason(), witness };
            let claim = Ruling::ClaimChips { position, amount };
            let claim = Body::Decide { table, round: Some(round), ruling: claim, reason: reason(), witness };
            return vec![
                (Form::Fixed(remove), hands),
                (Form::AboutLast(record), Some(Budget::Changes)),
                (Form::AboutLast(claim), hands),
                (Form::CollectClaim(witness), None),
            ];
        }
        let (ticket, number) = (TicketId(0), TicketHash([0; 16]));
        let findings = [TicketFinding::InHand, TicketFinding::NotPrinted, TicketFinding::PaidByHand];
        let resolve = findings.map(|finding| Body::ResolveTicket { ticket, finding, reason: reason(), witness });
        let mut acts: Vec<(Form, Option<Budget>)> =
            resolve.into_iter().map(|body| (Form::AboutTicket(body, 0), None)).collect();
        let again = Body::ReprintTicket { ticket, number: None, reason: reason(), witness };
        acts.push((Form::AboutTicket(again, 0), Some(Budget::Tickets)));
        acts.push((Form::AboutTicket(Body::RedeemTicket { number, amount: None, witness }, 0), None));
        let expired = Body::PayExpired { ticket, reason: reason(), witness };
        acts.push((Form::AboutTicket(expired, 0), None));
        let (payable, round) = (PayableId(0), None);
        acts.push((Form::AboutPayable(Body::PayByHand { payable, round, witness }), None));
        acts.push((Form::AboutPayable(Body::PayCorrection { payable, round, witness }), None));
        acts.push((Form::CollectClaim(witness), None));
        acts.extend(self.drawer());
        acts
    }

    /// A drawer that begins with a float, from which cash is taken or which is short when it is counted.
    fn drawer(&self) -> Vec<(Form, Option<Budget>)> {
        let (witness, hands) = (None, Some(Budget::Hands));
        let counts = vec![Pile { denomination: dollars(1), pieces: 1 }];
        let credit = vec![Pile { denomination: dollars(1), pieces: 50 }];
        let (fill, out) = (DrawerMovement::Fill, DrawerMovement::Credit);
        let bodies = [
            (Body::OpenShift { float: Cents::new(THRESHOLD), witness }, hands),
            (Body::MoveDrawer { movement: fill, counts: credit.clone(), witness }, hands),
            (Body::MoveDrawer { movement: out, counts: credit, witness }, hands),
            (Body::CountShift { counts, witness }, None),
            (Body::CloseShift { counted: dollars(1), reason: reason(), witness }, None),
        ];
        bodies.map(|(body, budget)| (Form::Fixed(body), budget)).into()
    }

    /// Limits, thresholds, people, credentials, devices, and calls for a second person who then comes.
    fn offices(&self) -> Vec<(Form, Option<Budget>)> {
        let (table, witness, services) = (TABLE, None, Some(Budget::Services));
        let large = Cents::new(LARGE);
        let mut settings = crate::office::settings(&self.world.spec, self.world.rulebook);
        settings.hand_pay = large;
        let settings = Box::new(settings);
        let thresholds = Thresholds { alone: large, redemption: large, difference: large, ..Thresholds::default() };
        let name = || "accomplice".to_owned();
        let chief = Post::Pit(rulebook::Rank::CasinoManager);
        let (kind, place) = (DeviceKind::Validator, DevicePlace::Terminal(TerminalId(0)));
        let purpose = if self.world.spec.is_live() {
            Purpose { act: JointAct::VoidByDecision, subject: None, amount: Some(large) }
        } else {
            Purpose { act: JointAct::AttendantIn, subject: Some(0), amount: Some(large) }
        };
        let mut acts = vec![
            Body::ChangeSettings { table, settings, reason: reason(), witness },
            Body::SetThresholds { thresholds, reason: reason(), witness },
            Body::AddStaff { name: name(), post: chief, witness },
            Body::CallSecondPerson { table: Some(table), reason: reason(), purpose },
        ];
        if self.world.spec.device {
            acts.push(Body::MoveDevice { device: DeviceId(0), place: DevicePlace::Store, witness });
        }
        if !self.world.spec.is_live() {
            acts.push(Body::AddDevice { name: name(), kind, place, measures: None, witness });
        }
        let assign = |staff: &StaffId| Body::AssignActing { staff: *staff, post: Some(chief), witness };
        acts.extend(self.insiders.iter().map(assign));
        acts.into_iter().map(|body| (Form::Fixed(body), services)).collect()
    }

    /// A password of an honest person, reset by insiders alone: the host records it, and names who did it.
    fn resets(&mut self) {
        let what = CredentialChange::PasswordReset;
        let people = self.insiders.iter().map(|person| Some(*person));
        let seconds: Vec<Option<StaffId>> = [None].into_iter().chain(people.clone()).collect();
        let resets: Vec<Move> = people
            .flat_map(|by| seconds.iter().map(move |second| (by, *second)))
            .map(|(by, second)| Body::ChangeCredential { staff: SHIFT_MANAGER, what, by, second })
            .map(|body| Move { sender: Sender::System, form: Form::Fixed(body), budget: Some(Budget::Services) })
            .collect();
        self.moves.extend(resets);
    }

    fn payments(&self, terminal: TerminalId, amount: rulebook::Cents) -> Vec<(Form, Option<Budget>)> {
        let (table, hands, witness) = (TABLE, Some(Budget::Hands), None);
        let decide = |ruling| Body::Decide { table, round: None, ruling, reason: reason(), witness };
        if self.world.spec.is_live() {
            let movement = FloatMovement::BuyIn(amount);
            let buy_in = Body::MoveFloat { table, movement, counts: Vec::new(), witness, reason: String::new() };
            let pay = decide(Ruling::PayChips { position: Position(1), amount });
            return vec![(Form::Fixed(buy_in), hands), (Form::Fixed(pay), hands)];
        }
        let number = TicketHash([0; 16]);
        vec![
            (Form::Fixed(Body::AttendantIn { terminal, amount, witness }), hands),
            (Form::Fixed(Body::AttendantPay { terminal, amount, witness }), hands),
            (Form::Fixed(decide(Ruling::Pay { terminal, amount })), hands),
            (Form::AboutLast(decide(Ruling::TakeBack { terminal, amount })), hands),
            (Form::Fixed(Body::OpenShift { float: dollars(0), witness }), None),
            (Form::WithNumber(Body::SellTicket { amount, number, witness }), Some(Budget::Tickets)),
        ]
    }

    pub(crate) fn measure(&self, taken: &mut Taken, before: &Node, command: &Command, after: &Node) {
        let by_insider = matches!(command.sender, Sender::Staff(by) if self.insiders.contains(&by));
        if by_insider {
            self.measure_papers(taken, before, &command.body, after);
        }
        if self.takes_over(&command.body) {
            taken.given += LARGE;
        }
        match &command.body {
            Body::AttendantIn { amount, .. } | Body::SellTicket { amount, .. } if by_insider => {
                taken.given += amount.get();
            }
            Body::MoveFloat { movement: FloatMovement::BuyIn(amount), .. } if by_insider => taken.given += amount.get(),
            Body::AttendantPay { amount, .. } if by_insider => taken.kept += amount.get(),
            Body::Decide { ruling: Ruling::Pay { amount, .. } | Ruling::PayChips { amount, .. }, .. } => {
                taken.given += amount.get();
            }
            Body::Decide { ruling: Ruling::TakeBack { terminal, .. }, .. } => {
                let credit = |node: &Node| node.floor.terminal(*terminal).map_or(0, |terminal| terminal.credit().get());
                taken.kept += credit(before) - credit(after);
            }
            _ => {}
        }
        let archive = |node: &Node| node.floor.table(TABLE).map_or(0, |table| table.archive().count());
        if archive(after) > archive(before) {
            // A round that honest people settle before the device has reported the uncovering is lawful too.
            let ended = after.floor.table(TABLE).and_then(|table| table.archive().next_back());
            let settled = ended.is_some_and(|ended| ended.outcome().is_some());
            let decided = settled || self.visible(before);
            taken.decided.push(decided);
            if decided {
                self.measure_round(taken, before, settled);
            }
        }
    }

    /// An account, a password or a validator in the hands of insiders alone has no bound.
    fn takes_over(&self, body: &Body) -> bool {
        let own = |person: &Option<StaffId>| person.is_none_or(|person| self.insiders.contains(&person));
        match body {
            Body::AddStaff { witness, .. } | Body::AddDevice { witness, .. } | Body::SetThresholds { witness, .. } => {
                own(witness)
            }
            Body::ChangeCredential { by, second, .. } => own(by) && own(second),
            _ => false,
        }
    }

    /// Cash that is said to have been paid to a player, or is missing from a drawer; claims that are said to be settled; a
    /// record of chips that says something else than before.
    fn measure_papers(&self, taken: &mut Taken, before: &Node, body: &Body, after: &Node) {
        let of_ticket = |id: TicketId| {
            let found = before.floor.tickets().find(|ticket| ticket.id() == id);
            found.map_or(0, |ticket| ticket.amount().get())
        };
        match body {
            Body::ResolveTicket { ticket, finding: TicketFinding::PaidByHand, .. }
            | Body::ReprintTicket { ticket, .. } => {
                taken.kept += of_ticket(*ticket);
            }
            Body::PayExpired { ticket, .. } => taken.given += of_ticket(*ticket),
            Body::PayByHand { payable, .. } | Body::PayCorrection { payable, .. } => {
                let due = before.floor.payables().find(|due| due.id() == *payable);
                taken.kept += due.map_or(0, |due| due.amount().get());
            }
            Body::RecordRecovered { amount, .. } => taken.given += amount.get(),
            Body::MoveDrawer { movement: DrawerMovement::Credit, counts, .. } => {
                taken.given += counts.iter().map(|pile| pile.denomination.get() * i64::from(pile.pieces)).sum::<i64>();
            }
            Body::CloseShift { counted, .. } => {
                let held: i64 = before.floor.shifts().map(|shift| shift.cash().get()).sum();
                let left: i64 = after.floor.shifts().map(|shift| shift.cash().get()).sum();
                let missing = held - left - counted.get();
                taken.given += (missing - taken.sold).max(0);
                taken.sold = (taken.sold - missing).max(0);
            }
            Body::SellTicket { amount, .. } => taken.sold += amount.get(),
            Body::RemoveChips { amount, .. } => taken.kept += amount.get(),
            Body::Decide { ruling: Ruling::ClaimChips { amount, .. }, .. } => taken.kept += amount.get(),
            Body::CorrectRecord { .. } => {
                let returned = |node: &Node| {
                    let archive = node.floor.table(TABLE).into_iter().flat_map(Table::archive);
                    archive.flat_map(ArchivedRound::shares).map(|share| share.returned.get()).sum::<i64>()
                };
                let more = returned(after) - returned(before);
                taken.given += more.max(0);
                taken.kept += (-more).max(0);
            }
            _ => {}
        }
    }

    /// Whether the outcome could be seen: then it is the lawful one, whatever becomes of the round.
    fn visible(&self, node: &Node) -> bool {
        let Some(round) = node.floor.table(TABLE).and_then(Table::round) else { return false };
        let closed = round.phase() >= Phase::Closed && round.awaiting() == 0;
        match self.reads {
            false => closed,
            true => {
                closed
                    && (round.seen().exposed
                        || round.seen().pocket.is_some()
                        || round.seen().dice.iter().any(Option::is_some))
            }
        }
    }

    /// What house and players have lost in this state, beside the lawful outcome.
    pub(crate) fn loss(&self, taken: &Taken, node: &Node) -> (i64, i64) {
        let truth = Some(self.world.outcomes[0]);
        let (mut house, mut players) = (taken.given, taken.kept);
        let archive = node.floor.table(TABLE).into_iter().flat_map(Table::archive);
        for (archived, decided) in archive.zip(&taken.decided) {
            let lawful = truth.filter(|_| *decided);
            let entries = archived.entries().iter().map(|entry| entry.paid().get() - self.of_entry(entry, lawful));
            let shares = archived.shares().iter().filter(|_| *decided);
            let shares = shares.map(|share| share.returned.get() - self.of_share(share, lawful));
            for more in entries.chain(shares) {
                if more > 0 { house += more } else { players -= more }
            }
        }
        (house, players)
    }

    /// What house and players would have lost if a round that the dice or the ball decide had been settled by the other
    /// outcome of the alphabet, or had been void: the larger of the two. A void round of a live table keeps no bets: what it
    /// gave back wrongly is counted here.
    fn measure_round(&self, taken: &mut Taken, before: &Node, settled: bool) {
        let [truth, other] = self.world.outcomes;
        let chips: Vec<(u8, SpotIndex, i64)> =
            before.floor.table(TABLE).and_then(Table::round).map_or(Vec::new(), |round| {
                round.chips().iter().map(|chip| (0, chip.spot, chip.amount.get())).collect()
            });
        let stakes = before.floor.terminals().iter().flat_map(|terminal| {
            terminal.stakes().iter().map(|stake| (terminal.layout(), stake.spot, stake.amount.get()))
        });
        let bets: Vec<(u8, SpotIndex, i64)> = stakes.chain(chips.iter().copied()).collect();
        let differs = |bets: &[(u8, SpotIndex, i64)], instead: Option<OutcomeIndex>| {
            let returned = |(layout, spot, amount): &(u8, SpotIndex, i64)| {
                let instead = instead.map_or(*amount, |outcome| self.returned(*layout, *spot, *amount, outcome));
                instead - self.returned(*layout, *spot, *amount, truth)
            };
            bets.iter().map(returned).fold((0, 0), |(given, kept), more| (given + more.max(0), kept - more.min(0)))
        };
        let (wrong, void) = (differs(&bets, Some(other)), differs(&bets, None));
        taken.exposure.0 += wrong.0.max(void.0);
        taken.exposure.1 += wrong.1.max(void.1);
        if !settled {
            let (given, kept) = differs(&chips, None);
            taken.given += given;
            taken.kept += kept;
        }
    }

    /// What the bets of a terminal return on an outcome by the prose; `None`: the round is void.
    fn of_entry(&self, entry: &Entry, outcome: Option<OutcomeIndex>) -> i64 {
        let Some(outcome) = outcome else { return entry.staked().get() };
        let stakes = entry.stakes().iter();
        stakes.map(|stake| self.returned(entry.layout(), stake.spot, stake.amount.get(), outcome)).sum()
    }

    /// The same of chips on a layout: what is not at risk is returned whatever the dice show (D8).
    fn of_share(&self, share: &ChipShare, outcome: Option<OutcomeIndex>) -> i64 {
        let (bet, at_risk) = (share.bet.get(), share.at_risk.get());
        outcome.map_or(bet, |outcome| bet - at_risk + self.returned(0, share.spot, at_risk, outcome))
    }

    fn returned(&self, layout: u8, spot: SpotIndex, amount: i64, outcome: OutcomeIndex) -> i64 {
        self.world.returned(layout, spot, amount, outcome).unwrap_or(0)
    }
}
