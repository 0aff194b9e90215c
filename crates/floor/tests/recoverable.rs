//! Every cent can be returned: for each part that may be dead and each state that a player's money may be in, staff return
//! all of it with the parts that still work. There is one test for each cell of the table in docs/money.md, and the harness
//! refuses every command of the dead part.

use crate::common::live::whole;
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
    OpenBets,
    ClosedBets,
    EnteredResult,
    HaltedRound,
    SecondTumble,
    InterruptedRound,
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

const PLACES: [Place; 15] = [
    Place::Credit,
    Place::LockedTerminal,
    Place::ClosedTable,
    Place::OpenBets,
    Place::ClosedBets,
    Place::EnteredResult,
    Place::HaltedRound,
    Place::SecondTumble,
    Place::InterruptedRound,
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
}

impl Place {
    fn title(self) -> &'static str {
        match self {
            Place::Credit => "credit",
            Place::LockedTerminal => "credit, terminal locked",
            Place::ClosedTable => "credit, table closed",
            Place::OpenBets => "bets, open",
            Place::ClosedBets => "bets, closed",
            Place::EnteredResult => "bets, result entered",
            Place::HaltedRound => "bets, a ground measured",
            Place::SecondTumble => "bets, second tumble",
            Place::InterruptedRound => "bets, interrupted",
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
            Place::Credit | Place::LockedTerminal | Place::ClosedTable => "hand pay",
            Place::OpenBets | Place::ClosedBets | Place::EnteredResult | Place::HaltedRound | Place::SecondTumble => {
                match dead {
                    Dead::Host => "attest, or the Shift Manager voids; hand pay",
                    _ => "the Shift Manager voids, with a second person; hand pay",
                }
            }
            Place::InterruptedRound => "a higher rank attests, with a second person; hand pay",
            Place::Doubt => match dead {
                Dead::Printer => "two people: *not printed*; hand pay",
                _ => "two people: *paid by hand*",
            },
            Place::SoldDoubt | Place::DuplicateDoubt => match dead.cage_pays() {
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

    /// The round ends in a way that gives everything back.
    #[track_caller]
    fn end_round(&mut self) {
        let (round, witness) = (self.round, Some(MANAGER));
        let void = || {
            let (ruling, reason) = (Ruling::VoidRound, "the table is down".to_owned());
            Body::Decide { table: TABLE, round, ruling, reason, witness }
        };
        let ways = [
            void(),
            Body::Attest { table: TABLE, finding: Finding::NotEstablished, witness },
            Body::Attest { table: TABLE, finding: Finding::Established, witness },
        ];
        for _ in 0..2 {
            let sender = Sender::Staff(SHIFT_MANAGER);
            let may = |body: &&Body| self.house.floor.may(sender, body, self.house.at).is_ok();
            let way = ways.iter().find(may).expect("a way to end the round").clone();
            self.staff(SHIFT_MANAGER, way);
            if self.house.floor.table(TABLE).unwrap().round().is_none() {
                return;
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

/// The house before the part dies, with the player's money where it is.
fn set_up(dead: Dead, place: Place) -> Hands {
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(9_000));
    let (mut ticket, mut number, mut round) = (TicketId(0), TicketHash([0; 16]), None);
    let bets = matches!(
        place,
        Place::OpenBets
            | Place::ClosedBets
            | Place::EnteredResult
            | Place::HaltedRound
            | Place::SecondTumble
            | Place::InterruptedRound
    );
    if bets {
        round = Some(house.open());
        house.bet(T0, &["big=1000.00"]);
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
        Place::ClosedBets => house.close(),
        Place::EnteredResult => {
            house.close();
            house.enter("1-2-4");
        }
        Place::HaltedRound => {
            house.report(TABLE, Observation::Activated);
            house.report(TABLE, Observation::Tumbled { times: 1 });
            assert!(house.open_ground().is_some(), "fewer than three tumbles halt the round");
        }
        Place::SecondTumble => {
            house.close();
            house.tumble_at(TABLE);
            house.report(TABLE, Observation::Activated);
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
            let played = house.play(&["big=1000.00"], "1-2-3");
            let (outcome, reason) = (house.outcome(TABLE, "6-5-4"), "misread".to_owned());
            house.staff(SUPERVISOR, Body::CorrectResult { round: played, outcome, reason, witness: WITNESS });
            round = Some(played);
        }
    }
    Hands { house, dead, ticket, number, round }
}

/// The part dies.
fn dies(hands: &mut Hands) {
    let house = &mut hands.house;
    match hands.dead {
        Dead::Terminal => drop(house.system(Body::TerminalLost { terminal: T0 })),
        Dead::Network => {
            for terminal in [T0, T1, T2] {
                house.system(Body::TerminalLost { terminal });
            }
        }
        Dead::Host => drop(house.send(Sender::System, Body::ReportStoppage { from: house.at, terminals_back: false })),
        _ => {}
    }
}

/// One cell of the table: the player's money comes back as cash.
fn recover(dead: Dead, place: Place) {
    let mut hands = set_up(dead, place);
    let before = paid(&hands.house);
    dies(&mut hands);
    match place {
        Place::Credit | Place::LockedTerminal | Place::ClosedTable => hands.hand_pay(T0),
        Place::OpenBets
        | Place::ClosedBets
        | Place::EnteredResult
        | Place::HaltedRound
        | Place::SecondTumble
        | Place::InterruptedRound => {
            hands.end_round();
            hands.hand_pay(T0);
        }
        Place::Doubt if dead == Dead::Printer => {
            hands.resolve(hands.ticket, TicketFinding::NotPrinted);
            hands.hand_pay(T0);
        }
        Place::Doubt => hands.resolve(hands.ticket, TicketFinding::PaidByHand),
        Place::SoldDoubt | Place::DuplicateDoubt if dead.cage_pays() => {
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
    }
    // The other player's 1,000.00 went out of the way first, where their terminal was needed.
    let own = if place == Place::InHand && dead == Dead::Cage { 2_000 } else { 1_000 };
    let due = if place == Place::Payable { 2_000 } else { own };
    assert_eq!(paid(&hands.house) - before, due, "{dead:?} × {place:?}");
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
                    credit Credit, locked_terminal LockedTerminal, closed_table ClosedTable, open_bets OpenBets,
                    closed_bets ClosedBets, entered_result EnteredResult, halted_round HaltedRound,
                    second_tumble SecondTumble, interrupted_round InterruptedRound, doubt Doubt, sold_doubt SoldDoubt,
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
