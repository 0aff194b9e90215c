//! Every cent can be returned: for each part that may be dead and each state that a player's money may be in, staff return
//! all of it with the parts that still work. There is one test for each cell of the table in docs/money.md, and the harness
//! refuses every command of the dead part. Each cell is played in every game that has the state.

use crate::common::live::whole;
use crate::common::play::{even_money, read};
use crate::common::*;
use floor::*;

/// What is dead.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Dead {
    Terminal,
    Printer,
    Validator,
    Console,
    Device,
    Cage,
    Host,
    Network,
}

/// Where the player's 1,000.00 are.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Place {
    Credit,
    LockedTerminal,
    ClosedTable,
    Activated,
    OpenBets,
    ClosingAnnounced,
    KeyRevoked,
    ProgramLocked,
    DeclaredGround,
    HaltedRound,
    EarlyBall,
    ClosedBets,
    Uncovered,
    PartlyRead,
    EnteredResult,
    SecondTumble,
    FaultQuestion,
    InterruptedRound,
    BetsAndDoubt,
    Doubt,
    SoldDoubt,
    DuplicateDoubt,
    InHand,
    Expired,
    Payable,
}

const PARTS: [Dead; 8] = [
    Dead::Terminal,
    Dead::Printer,
    Dead::Validator,
    Dead::Console,
    Dead::Device,
    Dead::Cage,
    Dead::Host,
    Dead::Network,
];

const PLACES: [Place; 25] = [
    Place::Credit,
    Place::LockedTerminal,
    Place::ClosedTable,
    Place::Activated,
    Place::OpenBets,
    Place::ClosingAnnounced,
    Place::KeyRevoked,
    Place::ProgramLocked,
    Place::DeclaredGround,
    Place::HaltedRound,
    Place::EarlyBall,
    Place::ClosedBets,
    Place::Uncovered,
    Place::PartlyRead,
    Place::EnteredResult,
    Place::SecondTumble,
    Place::FaultQuestion,
    Place::InterruptedRound,
    Place::BetsAndDoubt,
    Place::Doubt,
    Place::SoldDoubt,
    Place::DuplicateDoubt,
    Place::InHand,
    Place::Expired,
    Place::Payable,
];

const WITNESS: Option<StaffId> = Some(SECOND_SUPERVISOR);
const DAY: i64 = 24 * 60 * 60 * 1000;

impl Dead {
    /// As the documentation names it.
    fn title(self) -> &'static str {
        match self {
            Dead::Terminal => "terminal",
            Dead::Printer => "its printer",
            Dead::Validator => "its validator",
            Dead::Console => "console",
            Dead::Device => "tumbler or wheel",
            Dead::Cage => "cage",
            Dead::Host => "one host",
            Dead::Network => "whole network",
        }
    }

    /// Whether a command comes from the dead part, or through it.
    fn sends(self, sender: Sender, body: &Body) -> bool {
        match self {
            Dead::Terminal => sender == Sender::Terminal(T0),
            Dead::Printer => matches!(
                body,
                Body::PrepareTicket { terminal: T0, .. } | Body::TicketPrinted { .. } | Body::PrintFailed { .. }
            ),
            Dead::Validator => matches!(body, Body::CashIn { terminal: T0, .. } | Body::TicketIn { terminal: T0, .. }),
            // The dealer has no screen; a higher rank acts at another one.
            Dead::Console => sender == Sender::Staff(DEALER),
            Dead::Device => sender == Sender::Device(DEVICE),
            Dead::Cage => matches!(sender, Sender::Staff(CASHIER | SECOND_CASHIER)),
            // Another host, or the same one again: everything that was acknowledged is in the journal.
            Dead::Host => false,
            // Only the screens at the host itself are left, and the pit has those.
            Dead::Network => {
                matches!(
                    sender,
                    Sender::Terminal(_) | Sender::Device(_) | Sender::Staff(DEALER | CASHIER | SECOND_CASHIER)
                )
            }
        }
    }

    /// Whether the cage can pay.
    fn cage_pays(self) -> bool {
        !matches!(self, Dead::Cage | Dead::Network)
    }

    /// Whether the cage can pay a ticket whose printer has not reported: a dead printer has made no paper.
    fn cage_pays_paper(self) -> bool {
        self.cage_pays() && self != Dead::Printer
    }
}

impl Place {
    fn title(self) -> &'static str {
        match self {
            Place::Credit => "credit",
            Place::LockedTerminal => "credit, terminal locked",
            Place::ClosedTable => "credit, table closed",
            Place::Activated => "credit, tumbler activated (MBS)",
            Place::OpenBets => "bets, open",
            Place::ClosingAnnounced => "bets, table closing announced",
            Place::KeyRevoked => "bets, key of the terminal revoked",
            Place::ProgramLocked => "bets, program locked",
            Place::DeclaredGround => "bets, a ground declared",
            Place::HaltedRound => "bets, a ground measured",
            Place::EarlyBall => "bets, ball rested before the close (roulette)",
            Place::ClosedBets => "bets, closed",
            Place::Uncovered => "bets, dice uncovered",
            Place::PartlyRead => "bets, dice partly read",
            Place::EnteredResult => "bets, result entered",
            Place::SecondTumble => "bets, second tumble or spin",
            Place::FaultQuestion => "bets, device fault not answered",
            Place::InterruptedRound => "bets, interrupted",
            Place::BetsAndDoubt => "bets, and a ticket in doubt",
            Place::Doubt => "ticket in doubt",
            Place::SoldDoubt => "sold ticket in doubt",
            Place::DuplicateDoubt => "duplicate in doubt",
            Place::InHand => "ticket in hand",
            Place::Expired => "expired ticket",
            Place::Payable => "payable",
        }
    }

    /// What staff do, with this part dead; the tests do exactly that.
    fn procedure(self, dead: Dead) -> &'static str {
        match self {
            Place::Credit | Place::LockedTerminal | Place::ClosedTable | Place::Activated => "hand pay",
            Place::DeclaredGround => "the round is void; hand pay",
            Place::BetsAndDoubt => match dead {
                Dead::Printer => "the round ends as above; two people: *not printed*; hand pay",
                _ => "the round ends as above; two people: *paid by hand*; hand pay",
            },
            Place::InterruptedRound => "a higher rank attests, with a second person; hand pay",
            _ if self.in_round() => match dead {
                Dead::Host => "attest, or the Shift Manager voids; hand pay",
                _ => "the Shift Manager voids, with a second person; hand pay",
            },
            Place::Doubt => match dead {
                Dead::Printer => "two people: *not printed*; hand pay",
                _ => "two people: *paid by hand*",
            },
            Place::SoldDoubt | Place::DuplicateDoubt => match dead.cage_pays_paper() {
                true => "the paper at the cage, with a second person",
                false => "two people of the pit: *paid by hand*",
            },
            Place::InHand => match dead {
                Dead::Cage => "into another terminal; hand pay",
                Dead::Network => "two people of the pit reprint it, then *paid by hand*",
                _ => "cage",
            },
            Place::Expired => "the Shift Manager pays it by its id, with a second person",
            Place::Payable => match dead.cage_pays() {
                true => "cage",
                false => "two people of the pit pay by hand",
            },
            _ => unreachable!("every other place is in a round"),
        }
    }

    /// Whether the money, or a part of it, is bet in a round.
    fn in_round(self) -> bool {
        match self {
            Place::OpenBets
            | Place::ClosingAnnounced
            | Place::KeyRevoked
            | Place::ProgramLocked
            | Place::DeclaredGround
            | Place::HaltedRound
            | Place::EarlyBall
            | Place::ClosedBets
            | Place::Uncovered
            | Place::PartlyRead
            | Place::EnteredResult
            | Place::SecondTumble
            | Place::FaultQuestion
            | Place::InterruptedRound
            | Place::BetsAndDoubt => true,
            Place::Credit
            | Place::LockedTerminal
            | Place::ClosedTable
            | Place::Activated
            | Place::Doubt
            | Place::SoldDoubt
            | Place::DuplicateDoubt
            | Place::InHand
            | Place::Expired
            | Place::Payable => false,
        }
    }

    /// The games that have this state.
    fn games(self) -> &'static [&'static str] {
        match self {
            Place::Activated => &["mbs-sicbo"],
            Place::EarlyBall => &["rws-roulette-000"],
            Place::Uncovered | Place::PartlyRead => &["rws-sicbo", "rws-sicbo-open", "mbs-sicbo"],
            _ => &ON_TERMINALS,
        }
    }
}

/// A house in which one part is dead.
struct Hands {
    house: House,
    dead: Dead,
    ticket: TicketId,
    number: TicketHash,
    round: Option<RoundId>,
}

impl Hands {
    /// Sends a command, unless the dead part would have to.
    #[track_caller]
    fn send(&mut self, sender: Sender, body: Body) -> Vec<Event> {
        assert!(!self.dead.sends(sender, &body), "{:?} is dead and cannot send {body:?}", self.dead);
        self.house.ok(sender, body)
    }

    #[track_caller]
    fn staff(&mut self, staff: StaffId, body: Body) -> Vec<Event> {
        self.send(Sender::Staff(staff), body)
    }

    #[track_caller]
    fn hand_pay(&mut self, terminal: TerminalId) {
        let amount = self.house.credit(terminal);
        self.staff(SUPERVISOR, Body::AttendantPay { terminal, amount, witness: WITNESS });
    }

    #[track_caller]
    fn resolve(&mut self, ticket: TicketId, finding: TicketFinding) {
        let body = Body::ResolveTicket { ticket, finding, reason: "looked at".to_owned(), witness: WITNESS };
        self.staff(SUPERVISOR, body);
    }

    /// The round ends in a way that gives everything back, or, where an interrupted round shows its result, with that (D22).
    /// Says whether it was concluded.
    #[track_caller]
    fn end_round(&mut self) -> bool {
        let (round, witness) = (self.round, Some(MANAGER));
        let void = || {
            let (ruling, reason) = (Ruling::VoidRound, "the table is down".to_owned());
            Body::Decide { table: TABLE, round, ruling, reason, witness }
        };
        let ways = [
            void(),
            Body::Attest { table: TABLE, finding: Finding::NotEstablished, witness },
            Body::Attest { table: TABLE, finding: Finding::Established, witness },
            Body::AnswerFault { table: TABLE, affects: true },
            Body::confirm_result(TABLE),
        ];
        for _ in 0..3 {
            let sender = Sender::Staff(SHIFT_MANAGER);
            let may = |body: &&Body| self.house.floor.may(sender, body, self.house.at).is_ok();
            let way = ways.iter().find(may).expect("a way to end the round").clone();
            let concluded = matches!(way, Body::ConfirmResult { .. });
            self.staff(SHIFT_MANAGER, way);
            if self.house.floor.table(TABLE).unwrap().round().is_none() {
                return concluded;
            }
        }
        panic!("the round is not over");
    }

    #[track_caller]
    fn pay_payable(&mut self, round: Option<RoundId>) {
        let payable = self.house.floor.payables().next().expect("something to pay").id();
        let (by, body) = match self.dead.cage_pays() {
            true => (CASHIER, Body::PayCorrection { payable, round, witness: Some(SUPERVISOR) }),
            false => (SUPERVISOR, Body::PayByHand { payable, round, witness: WITNESS }),
        };
        self.staff(by, body.clone());
        // It is paid once, wherever.
        assert!(self.house.send(Sender::Staff(by), body).is_err());
        assert_eq!(self.house.floor.payables().count(), 0);
    }
}

/// What players have in hand: cash by hand and cash of the cage.
fn paid(house: &House) -> i64 {
    let of = |wanted: fn(&Account) -> bool| -> i64 {
        house.floor.accounts().iter().filter(|(account, _)| wanted(account)).map(|(_, balance)| balance.get()).sum()
    };
    let drawer = of(|account| matches!(account, Account::CageFloat(_)));
    (of(|account| *account == Account::Attendant) + drawer) / 100
}

fn duplicate(house: &mut House, ticket: TicketId) -> (TicketId, TicketHash) {
    let (number, next) = (house.new_number(), house.floor.next_ticket());
    let reason = "torn".to_owned();
    house.staff(CASHIER, Body::ReprintTicket { ticket, number: Some(number), reason, witness: Some(SUPERVISOR) });
    (next, number)
}

const PROGRAM: Release = Release { program: rulebook::Hash([1; 32]), rulebooks: rulebook::Hash([1; 32]) };

/// The house before the part dies, with the player's money where it is.
fn set_up(game: &str, dead: Dead, place: Place) -> Hands {
    let mut house = House::with(game);
    house.system(Body::StartProgram(PROGRAM));
    house.open_shift(CASHIER, dollars(9_000));
    let (mut ticket, mut number, mut round) = (TicketId(0), TicketHash([0; 16]), None);
    let (spot, wins, loses) = even_money(game);
    let begins = house.rulebook(TABLE).procedure().begins;
    let (wheel, mbs) = (house.rulebook(TABLE).outcomes().wheel().is_some(), begins == rulebook::Begins::Activation);
    if place.in_round() {
        round = Some(house.open());
        let bet = if place == Place::BetsAndDoubt { 400 } else { 1_000 };
        house.bet(T0, &[&format!("{spot}={bet}.00")]);
    }
    match place {
        Place::Credit | Place::OpenBets => {}
        Place::LockedTerminal => {
            drop(house.staff(SUPERVISOR, Body::LockTerminal { terminal: T0, reason: "smoke".to_owned() }));
        }
        Place::ClosedTable => {
            house.staff(MANAGER, Body::AnnounceClosing { table: TABLE });
            house.later(DAY);
            house.staff(MANAGER, Body::CloseTable { table: TABLE });
        }
        Place::Activated => {
            house.staff(DEALER, Body::BeginRound { table: TABLE });
            house.report(TABLE, Observation::Activated);
        }
        Place::ClosingAnnounced => drop(house.staff(MANAGER, Body::AnnounceClosing { table: TABLE })),
        // The host ends the links of that key: the floor knows the terminal as lost.
        Place::KeyRevoked => drop(house.system(Body::TerminalLost { terminal: T0 })),
        Place::ProgramLocked => {
            house.system(Body::StartProgram(Release { program: rulebook::Hash([2; 32]), ..PROGRAM }));
            assert!(house.floor.locked_by().is_some());
        }
        Place::DeclaredGround => {
            house.staff(DEALER, House::declaring(crate::common::play::damage(game)));
            round = None;
        }
        Place::ClosedBets => house.close(),
        Place::Uncovered | Place::PartlyRead => {
            house.close();
            house.play_device();
            if place == Place::PartlyRead {
                house.report(TABLE, read([1, 0, 0]));
            }
        }
        Place::EarlyBall => {
            house.tumble_at(TABLE);
            let pocket = house.outcome(TABLE, wins);
            house.report(TABLE, Observation::Rested { pocket });
            house.close();
        }
        Place::EnteredResult => {
            house.close();
            house.enter(wins);
        }
        Place::HaltedRound => {
            match game {
                "mbs-sicbo" => drop(house.report(TABLE, Observation::Uncovered)),
                "rws-sicbo-open" => drop(house.report(TABLE, Observation::Activated)),
                "rws-roulette-000" => {
                    house.report(TABLE, Observation::Spun { against_rotation: false, wheel_rotating: true });
                }
                _ => {
                    house.report(TABLE, Observation::Activated);
                    house.report(TABLE, Observation::Tumbled { times: 1 });
                }
            }
            assert!(house.open_ground().is_some(), "{game}: what the device measured halts the round");
        }
        Place::SecondTumble => {
            house.close();
            if !mbs {
                house.tumble_at(TABLE);
            }
            if wheel {
                let pocket = house.outcome(TABLE, wins);
                house.report(TABLE, Observation::Rested { pocket });
                house.report(TABLE, crate::common::play::SPUN);
            } else {
                house.report(TABLE, Observation::Activated);
            }
            let halted = house.floor.table_view(TABLE).and_then(|view| view.round).is_some_and(|round| round.halted);
            assert!(halted, "{game}: a second tumble or spin halts the round");
        }
        Place::FaultQuestion => {
            house.close();
            house.report(TABLE, Observation::Fault { number: 3 });
        }
        Place::BetsAndDoubt => {
            (number, ticket) = (house.new_number(), house.floor.next_ticket());
            house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
        }
        Place::InterruptedRound => drop(house.stoppage(60_000)),
        Place::Doubt => {
            (number, ticket) = (house.new_number(), house.floor.next_ticket());
            house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
        }
        Place::SoldDoubt => {
            house.cash_out(T0);
            (number, ticket) = (house.new_number(), house.floor.next_ticket());
            house.staff(CASHIER, Body::SellTicket { amount: dollars(1_000), number, witness: Some(SUPERVISOR) });
        }
        Place::DuplicateDoubt => {
            (ticket, _) = house.cash_out(T0);
            (ticket, number) = duplicate(&mut house, ticket);
        }
        Place::InHand => (ticket, number) = house.cash_out(T0),
        Place::Expired => {
            (ticket, number) = house.cash_out(T0);
            house.later(31 * DAY);
            house.system(Body::Elapse);
        }
        Place::Payable => {
            // Lost by a wrong result, and the player has left.
            let played = house.play(&[&format!("{spot}=1000.00")], loses);
            house.correct(played, wins);
            round = Some(played);
        }
    }
    Hands { house, dead, ticket, number, round }
}

/// A terminal is lost, if it was not before.
fn lost(house: &mut House, terminal: TerminalId) {
    if house.floor.terminal(terminal).is_some_and(Terminal::is_live) {
        house.system(Body::TerminalLost { terminal });
    }
}

/// The part dies.
fn dies(hands: &mut Hands) {
    let house = &mut hands.house;
    match hands.dead {
        Dead::Terminal => lost(house, T0),
        Dead::Network => [T0, T1, T2].into_iter().for_each(|terminal| lost(house, terminal)),
        Dead::Host => drop(house.send(Sender::System, Body::ReportStoppage { from: house.at, terminals_back: false })),
        _ => {}
    }
}

/// One cell of the table: in each game, the player's money comes back as cash.
fn recover(dead: Dead, place: Place) {
    for game in place.games() {
        recover_in(game, dead, place);
    }
}

fn recover_in(game: &str, dead: Dead, place: Place) {
    let mut hands = set_up(game, dead, place);
    let before = paid(&hands.house);
    dies(&mut hands);
    let mut won = 0;
    match place {
        Place::Credit | Place::LockedTerminal | Place::ClosedTable | Place::Activated | Place::DeclaredGround => {
            hands.hand_pay(T0);
        }
        Place::BetsAndDoubt => {
            hands.end_round();
            if dead == Dead::Printer {
                hands.resolve(hands.ticket, TicketFinding::NotPrinted);
                assert_eq!(whole(hands.house.credit(T0)), 1_000);
            } else {
                hands.resolve(hands.ticket, TicketFinding::PaidByHand);
            }
            hands.hand_pay(T0);
        }
        _ if place.in_round() => {
            let concluded = hands.end_round();
            won = if concluded { whole(hands.house.credit(T0)) - 1_000 } else { 0 };
            hands.hand_pay(T0);
        }
        Place::Doubt if dead == Dead::Printer => {
            hands.resolve(hands.ticket, TicketFinding::NotPrinted);
            hands.hand_pay(T0);
        }
        Place::Doubt => hands.resolve(hands.ticket, TicketFinding::PaidByHand),
        Place::SoldDoubt | Place::DuplicateDoubt if dead.cage_pays_paper() => {
            let number = hands.number;
            hands.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: Some(SUPERVISOR) });
        }
        Place::SoldDoubt | Place::DuplicateDoubt => hands.resolve(hands.ticket, TicketFinding::PaidByHand),
        Place::InHand if dead == Dead::Cage => {
            hands
                .house
                .staff(SUPERVISOR, Body::AttendantPay { terminal: T1, amount: dollars(1_000), witness: WITNESS });
            let number = hands.number;
            hands.send(Sender::Terminal(T1), Body::TicketIn { terminal: T1, number });
            hands.hand_pay(T1);
        }
        Place::InHand if dead == Dead::Network => {
            let (number, next) = (hands.house.new_number(), hands.house.floor.next_ticket());
            let (ticket, reason) = (hands.ticket, "the network is down".to_owned());
            hands.staff(SUPERVISOR, Body::ReprintTicket { ticket, number: Some(number), reason, witness: WITNESS });
            hands.resolve(next, TicketFinding::PaidByHand);
        }
        Place::InHand => {
            let number = hands.number;
            hands.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: None });
        }
        Place::Expired => {
            let (ticket, reason) = (hands.ticket, "in hospital".to_owned());
            hands.staff(SHIFT_MANAGER, Body::PayExpired { ticket, reason, witness: Some(SUPERVISOR) });
        }
        Place::Payable => hands.pay_payable(hands.round),
        _ => unreachable!("every other place is in a round"),
    }
    // The other player's 1,000.00 went out of the way first, where their terminal was needed.
    let own = if place == Place::InHand && dead == Dead::Cage { 2_000 } else { 1_000 };
    let due = if place == Place::Payable { 2_000 } else { own };
    assert_eq!(paid(&hands.house) - before, due + won, "{game}: {dead:?} × {place:?}");
    let terminal = hands.house.floor.terminal(T0).unwrap();
    assert_eq!((whole(terminal.credit()), whole(terminal.prepared()), terminal.visit()), (0, 0, None));
    assert!(hands.house.floor.doubts().next().is_none(), "no ticket is in doubt");
}

macro_rules! cells {
    ($($part:ident: $dead:ident,)+) => {
        $(
            mod $part {
                use super::{Dead, Place, recover};
                cells!(@places $dead:
                    credit Credit, locked_terminal LockedTerminal, closed_table ClosedTable, activated Activated,
                    open_bets OpenBets, closing_announced ClosingAnnounced, key_revoked KeyRevoked,
                    program_locked ProgramLocked, declared_ground DeclaredGround, halted_round HaltedRound,
                    early_ball EarlyBall, closed_bets ClosedBets, uncovered Uncovered, partly_read PartlyRead,
                    entered_result EnteredResult, second_tumble SecondTumble, fault_question FaultQuestion,
                    interrupted_round InterruptedRound, bets_and_doubt BetsAndDoubt, doubt Doubt, sold_doubt SoldDoubt,
                    duplicate_doubt DuplicateDoubt, in_hand InHand, expired Expired, payable Payable,
                );
            }
        )+
    };
    (@places $dead:ident: $($test:ident $place:ident,)+) => {
        $(
            #[test]
            fn $test() {
                recover(Dead::$dead, Place::$place);
            }
        )+
    };
}

cells! {
    a_dead_terminal: Terminal,
    a_dead_printer: Printer,
    a_dead_validator: Validator,
    a_dead_console: Console,
    a_dead_device: Device,
    a_dead_cage: Cage,
    a_dead_host: Host,
    a_dead_network: Network,
}

/// The table as the documentation has it.
fn table() -> String {
    let mut text = String::from("| the player's money |");
    for dead in PARTS {
        text.push_str(&format!(" {} |", dead.title()));
    }
    text.push_str(&format!("\n|{}\n", " --- |".repeat(PARTS.len() + 1)));
    for place in PLACES {
        text.push_str(&format!("| {} |", place.title()));
        for dead in PARTS {
            text.push_str(&format!(" {} |", place.procedure(dead)));
        }
        text.push('\n');
    }
    text
}

#[test]
fn the_table_in_the_documentation_is_the_one_that_is_tested() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/money.md");
    let text = std::fs::read_to_string(path).unwrap();
    let begin = text.find("| the player's money |").expect("the table of parts and states");
    let end = begin + text[begin..].find("\n\n").expect("the end of the table") + 1;
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, [&text[..begin], &table(), &text[end..]].concat()).unwrap();
        return;
    }
    assert_eq!(text[begin..end], table(), "UPDATE_GOLDEN=1 writes it");
}

#[test]
fn moving_or_locking_a_terminal_hides_no_money() {
    let mut house = House::with("rws-sicbo");
    let away = Body::MoveTerminal { terminal: T0, table: TABLE, kind: "standard".to_owned(), layout: "a".to_owned() };
    house.refused(Sender::Staff(ADMINISTRATOR), away.clone(), Code::CreditLeft);
    house.staff(SUPERVISOR, Body::LockTerminal { terminal: T0, reason: "smoke".to_owned() });
    assert_eq!(whole(house.floor.terminal_view(T0).unwrap().credit), 1_000);
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(1_000), witness: WITNESS });
    house.staff(ADMINISTRATOR, away);
}

#[test]
fn chips_on_a_live_layout_are_recoverable() {
    for dead in [Dead::Console, Dead::Device, Dead::Host] {
        let mut house = House::live();
        let before = house.chips_out();
        let round = house.open();
        house.place(&[(1, "small", 100), (2, "big", 50)]);
        match dead {
            Dead::Host => {
                house.stoppage(60_000);
                house.attest(Finding::NotEstablished);
            }
            // The dealer affirms what the device does not report, and the round is played to its end.
            Dead::Device => {
                house.out_of_service(Function::Device);
                house.close();
                let outcome = house.outcome(TABLE, "1-2-4");
                let affirmed = rulebook::Point::ALL.to_vec();
                house.staff(DEALER, Body::EnterResult { table: TABLE, outcome, affirmed, witness: None, reason: None });
                house.staff(DEALER, Body::confirm_result(TABLE));
                assert_eq!(house.chips_out() - before, 50, "100.00 won, 50.00 lost");
                continue;
            }
            _ => {
                let (ruling, reason, witness) = (Ruling::VoidRound, "the console is dark".to_owned(), Some(MANAGER));
                house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round: Some(round), ruling, reason, witness });
            }
        }
        assert!(house.floor.table(TABLE).unwrap().round().is_none(), "{dead:?}");
        assert_eq!(house.chips_out(), before, "{dead:?}: all chips go back to their players");
    }
}

/// Where chips of players are at a live table.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Chips {
    Open,
    Closed,
    Entered,
    Halted,
    SecondTumble,
    Interrupted,
    TrayCannotPay,
    InHand,
}

/// The tray pays 100.00 that it does not hold only after a fill, and someone other than the dealer confirms.
#[track_caller]
fn fill_and_pay(hands: &mut Hands) {
    let attest = Body::Attest { table: TABLE, finding: Finding::Established, witness: Some(MANAGER) };
    if hands.house.floor.may(Sender::Staff(SHIFT_MANAGER), &attest, hands.house.at).is_ok() {
        hands.staff(SHIFT_MANAGER, attest);
    }
    let confirm = Body::confirm_result(TABLE);
    assert_eq!(hands.house.refused(Sender::Staff(SHIFT_MANAGER), confirm.clone(), Code::Float), "the float");
    let fill = hands.house.floating(SUPERVISOR, FloatMovement::Fill(dollars(1_000)));
    hands.staff(SUPERVISOR, fill);
    hands.staff(SHIFT_MANAGER, confirm);
}

fn live_chips(dead: Dead, state: Chips) {
    let mut house = House::live();
    let before = house.chips_out();
    let mut round = None;
    if state != Chips::InHand {
        round = Some(house.open());
        house.place(&[(1, "small", 100)]);
    }
    match state {
        Chips::Open | Chips::InHand => {}
        Chips::Closed => house.close(),
        Chips::Entered => {
            house.close();
            house.enter("1-2-4");
        }
        Chips::Halted => {
            house.report(TABLE, Observation::Activated);
            house.report(TABLE, Observation::Tumbled { times: 1 });
        }
        Chips::SecondTumble => {
            house.close();
            house.tumble_at(TABLE);
            house.report(TABLE, Observation::Activated);
        }
        Chips::Interrupted => drop(house.stoppage(60_000)),
        Chips::TrayCannotPay => {
            let tray = dollars(house.tray());
            house.float(SUPERVISOR, FloatMovement::Credit(tray));
            house.close();
            house.enter("1-2-4");
        }
    }
    let mut hands = Hands { house, dead, ticket: TicketId(0), number: TicketHash([0; 16]), round };
    if dead == Dead::Host {
        dies(&mut hands);
    }
    match state {
        Chips::TrayCannotPay => {
            fill_and_pay(&mut hands);
            assert_eq!(hands.house.chips_out() - before, 100, "{dead:?}: small wins 100.00");
        }
        Chips::InHand => {
            // The pit takes the chips back for cash at the table, where the dealer or the cage cannot.
            let chips = FloatMovement::ChipsOut(dollars(before));
            let body = Body::MoveFloat {
                table: TABLE,
                movement: chips,
                counts: Vec::new(),
                witness: WITNESS,
                reason: String::new(),
            };
            hands.staff(SUPERVISOR, body);
            assert_eq!(hands.house.chips_out(), 0, "{dead:?}");
        }
        _ => {
            // Small wins 100.00 where the round is concluded.
            let due = if hands.end_round() { before + 100 } else { before };
            assert_eq!(hands.house.chips_out(), due, "{dead:?} × {state:?}: all chips go back to their players");
        }
    }
    assert!(hands.house.floor.table(TABLE).unwrap().round().is_none());
}

#[test]
fn chips_on_a_live_layout_are_recoverable_in_every_state() {
    for dead in [Dead::Console, Dead::Device, Dead::Cage, Dead::Host, Dead::Network] {
        for state in [
            Chips::Open,
            Chips::Closed,
            Chips::Entered,
            Chips::Halted,
            Chips::SecondTumble,
            Chips::Interrupted,
            Chips::TrayCannotPay,
            Chips::InHand,
        ] {
            live_chips(dead, state);
        }
    }
}

#[test]
fn a_note_that_a_dead_validator_has_taken_is_credited_by_two_people() {
    let mut house = House::with("rws-sicbo");
    let counted = whole(house.floor.terminal(T0).unwrap().meters().cash_in);
    // The validator took a note of 50.00 and died before it reported: nothing on the floor knows of it. Two people count the
    // stacker against the meter and credit what is too much in it.
    let stacker = counted + 50;
    let credit = |witness| Body::AttendantIn { terminal: T0, amount: dollars(stacker - counted), witness };
    house.staff(SUPERVISOR, credit(WITNESS));
    assert_eq!(whole(house.credit(T0)), 1_050);
    // The meter of the validator does not change: the difference to the stacker stays visible.
    assert_eq!(whole(house.floor.terminal(T0).unwrap().meters().cash_in), counted);
    assert_eq!(whole(house.floor.terminal(T0).unwrap().meters().attendant_in), 50);
    let mut hands =
        Hands { house, dead: Dead::Validator, ticket: TicketId(0), number: TicketHash([0; 16]), round: None };
    hands.hand_pay(T0);
}

#[test]
fn a_ticket_that_a_dead_validator_has_swallowed_is_printed_again_and_paid_once() {
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(9_000));
    let (ticket, swallowed) = house.cash_out(T0);
    let before = paid(&house);
    // The validator took the paper and died before it reported: the ticket is outstanding. Two people replace it.
    let (duplicate, number) = duplicate(&mut house, ticket);
    house.staff(CASHIER, Body::TicketPrinted { ticket: duplicate });
    house.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: Some(SUPERVISOR) });
    assert_eq!(paid(&house) - before, 1_000);
    // The paper in the validator is worth nothing any more, there or at the cage.
    let late = Body::TicketIn { terminal: T1, number: swallowed };
    assert_eq!(house.refused(Sender::Terminal(T1), late, Code::TicketVoid), "D25");
    let cage = Body::RedeemTicket { number: swallowed, amount: None, witness: Some(SUPERVISOR) };
    assert_eq!(house.refused(Sender::Staff(CASHIER), cage, Code::TicketVoid), "D25");
}
