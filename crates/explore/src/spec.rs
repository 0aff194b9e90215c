//! The small floors that are explored: each has one table, one person for each post, and a few things that can happen.

use floor::{DeviceId, Measures, Moment, StaffId, TableId};

/// The five approved documents.
pub const GAMES: [&str; 5] = ["rws-sicbo", "rws-sicbo-open", "rws-taisai", "mbs-sicbo", "rws-roulette-000"];

/// When every exploration begins: a quarter past six in the morning, when the gaming day is young.
pub const MORNING: Moment = Moment(1_700_000_000_000);

pub(crate) const TABLE: TableId = TableId(0);
pub(crate) const DEALER: StaffId = StaffId(0);
pub(crate) const SUPERVISOR: StaffId = StaffId(1);
pub(crate) const PIT_MANAGER: StaffId = StaffId(2);
pub(crate) const SHIFT_MANAGER: StaffId = StaffId(3);
pub(crate) const CASINO_MANAGER: StaffId = StaffId(4);
pub(crate) const CASHIER: StaffId = StaffId(5);
pub(crate) const ADMINISTRATOR: StaffId = StaffId(6);
pub(crate) const TECHNICIAN: StaffId = StaffId(7);
pub(crate) const AUDITOR: StaffId = StaffId(8);
/// On a floor with two cashiers.
pub(crate) const OTHER_CASHIER: StaffId = StaffId(9);
pub(crate) const OTHER_TABLE: TableId = TableId(1);
/// The chip reader of a live table without another device.
pub(crate) const CHIP_READER: DeviceId = DeviceId(0);

/// A device that measures everything it can.
pub(crate) const ALL_MEASURED: Measures =
    Measures { times: true, direction: true, cover: true, flat: true, reads: true };

/// What is counted, so that a floor has finitely many states: each kind of thing happens at most so many times.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Rounds that begin.
    Rounds,
    /// Cash or credit put into a terminal.
    Money,
    /// Tickets prepared, sold or printed again.
    Tickets,
    /// Interruptions, faults and lost links.
    Stops,
    /// Corrections, voids of settled rounds and decisions about money.
    Changes,
    /// Devices that go out of service or come back.
    Services,
    /// Reports of a tumbler or wheel in each round.
    Reports,
    /// Jumps of the clock past a deadline.
    Waits,
    /// Chips placed or taken at a live table.
    Chips,
    /// Money paid by hand and shifts of the cage.
    Hands,
}

/// A kind of thing that happens any number of times; the floor itself keeps it finite.
pub(crate) const UNLIMITED: u8 = u8::MAX;

/// How many kinds are counted.
pub(crate) const BUDGETS: usize = 10;

/// What can happen on a floor besides an honest round.
#[derive(Copy, Clone, Debug, Default)]
pub struct Topics {
    /// The device lies, repeats itself and goes silent.
    pub lies: bool,
    /// The device goes out of service and comes back.
    pub service: bool,
    /// Every ground of the document is declared.
    pub grounds: bool,
    /// The round is interrupted, the host restarts, terminals are lost.
    pub stops: bool,
    /// Settled rounds are corrected and voided; the Shift Manager decides.
    pub changes: bool,
    /// Tickets, the printer and the cage.
    pub tickets: bool,
    /// Tickets expire, and are paid all the same by decision (S15).
    pub expiry: bool,
    /// Money in and out by hand.
    pub hands: bool,
    /// Chips at a live table.
    pub chips: bool,
    /// A second person is called and does not come (D28).
    pub calls: bool,
    /// Everyone tries everything, alone and with a wrong second person.
    pub posts: bool,
    /// Bets are withdrawn, cleared, repeated and made of several pieces.
    pub bets: bool,
    /// Limits, locks, closings, calls for the table's dealer, alerts, sealed codes, loss limits, a choice of tables.
    pub office: bool,
    /// Players of a live table come and go, chips are placed for them, the float moves.
    pub visitors: bool,
    /// Past rounds are changed by their preview, claims are collected.
    pub past: bool,
    /// Ticket numbers that no ticket has.
    pub wrong_tickets: bool,
    /// Two cashiers: drawers are counted, handed over and served by others.
    pub drawers: bool,
    /// A round that has left the list of recent ones is recalled and changed.
    pub recalled: bool,
    /// Play is locked: records are missing, another program runs, the clock has jumped.
    pub locks: bool,
}

/// A small floor.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The document.
    pub game: &'static str,
    /// The floor's name.
    pub name: &'static str,
    /// What it is about, in a few words.
    pub about: &'static str,
    /// Terminals, each with another layout where the document has several.
    pub terminals: usize,
    /// Whether the table has a tumbler or wheel.
    pub device: bool,
    /// Whether that was taken out of service before.
    pub out_of_service: bool,
    /// How many different stakes.
    pub stakes: usize,
    /// Dollars that each terminal begins with.
    pub credit: i64,
    /// Milliseconds until bets close by themselves; zero: never.
    pub betting_period: i64,
    /// What can happen.
    pub topics: Topics,
    /// How many times, by the kinds of [`Budget`].
    pub budgets: [u8; BUDGETS],
    /// Whether all of its states are visited in a test of a few seconds.
    pub quick: bool,
}

impl Spec {
    fn new(game: &'static str, name: &'static str, about: &'static str) -> Spec {
        let budgets = [1, 0, 0, 0, 0, 0, UNLIMITED, UNLIMITED, 0, 0];
        let topics = Topics::default();
        Spec {
            game,
            name,
            about,
            terminals: 1,
            device: true,
            out_of_service: false,
            stakes: 1,
            credit: 100,
            betting_period: 0,
            topics,
            budgets,
            quick: true,
        }
    }

    fn with(mut self, topics: Topics) -> Spec {
        self.topics = topics;
        self
    }

    fn up_to(mut self, budget: Budget, times: u8) -> Spec {
        self.budgets[budget as usize] = times;
        self
    }

    fn larger(mut self) -> Spec {
        self.quick = false;
        self
    }

    /// Whether the document is played with chips on a layout.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.game == "rws-taisai"
    }

    /// Whether it is played with a wheel.
    #[must_use]
    pub fn is_wheel(&self) -> bool {
        self.game == "rws-roulette-000"
    }
}

/// The floors of a document, the smallest first.
#[must_use]
pub fn floors(game: &'static str) -> Vec<Spec> {
    let new = |name, about| Spec::new(game, name, about);
    let none = Topics::default();
    let live = game == "rws-taisai";
    let chips = Topics { chips: live, ..none };
    let mut floors = vec![
        new("round", "one round, an honest device").with(chips).up_to(Budget::Chips, 2),
        Spec { device: false, ..new("by-hand", "one round without a device") }
            .with(Topics { grounds: true, ..chips })
            .up_to(Budget::Chips, 1),
        new("liar", "a device that lies, repeats itself and goes silent").with(Topics { lies: true, ..none }),
        new("service", "a device that goes out of service and comes back")
            .with(Topics { service: true, ..none })
            .up_to(Budget::Services, 2),
        new("stops", "interruptions, restarts, faults, lost links")
            .with(Topics { stops: true, ..none })
            .up_to(Budget::Stops, 2),
    ];
    if live {
        floors.extend(live_floors(game));
    } else {
        floors.extend(terminal_floors(game));
    }
    floors.push(
        Spec { device: false, ..new("office", "limits, locks, closings, alerts, sealed codes, a choice of tables") }
            .with(Topics { office: true, ..chips })
            .up_to(Budget::Chips, 1)
            .up_to(Budget::Services, 1)
            .up_to(Budget::Hands, 1)
            .larger(),
    );
    floors.push(
        new("posts", "everyone tries everything, alone and with any second person")
            .with(Topics { posts: true, grounds: true, stops: true, service: true, ..chips })
            .up_to(Budget::Stops, 1)
            .up_to(Budget::Services, 1)
            .up_to(Budget::Chips, 1)
            .larger(),
    );
    floors.push(everything(game, live));
    floors.push(
        Spec { device: false, ..new("locked", "play locked by a loss, another program, the clock, and unlocked") }
            .with(Topics { locks: true, ..chips })
            .up_to(Budget::Chips, 1)
            .up_to(Budget::Stops, 2)
            .up_to(Budget::Services, 1),
    );
    floors.push(
        Spec { device: false, ..new("recalled", "a round long past is recalled, corrected, voided and put back") }
            .with(Topics { recalled: true, changes: true, past: true, ..none })
            .up_to(Budget::Rounds, 0)
            .up_to(Budget::Changes, 2),
    );
    floors.push(posts_money(game, live));
    floors
}

/// What moves money is tried by everyone.
fn posts_money(game: &'static str, live: bool) -> Spec {
    let topics = Topics {
        posts: true,
        changes: true,
        past: true,
        tickets: !live,
        hands: !live,
        chips: live,
        visitors: live,
        ..Topics::default()
    };
    Spec {
        device: false,
        ..Spec::new(game, "posts-money", "everyone tries everything that moves money, with any second person")
    }
    .with(topics)
    .up_to(Budget::Money, 1)
    .up_to(Budget::Tickets, 1)
    .up_to(Budget::Hands, 1)
    .up_to(Budget::Changes, 1)
    .up_to(Budget::Chips, 1)
    .larger()
}

/// Two terminals, two stakes, everything at once: too many states for a fixpoint.
fn everything(game: &'static str, live: bool) -> Spec {
    let topics = Topics {
        lies: true,
        service: true,
        grounds: true,
        stops: true,
        changes: true,
        tickets: !live,
        expiry: !live,
        hands: !live,
        chips: live,
        calls: true,
        posts: false,
        bets: !live,
        past: true,
        wrong_tickets: !live,
        ..Topics::default()
    };
    let mut spec = Spec::new(game, "everything", "two terminals, two stakes, everything at once").with(topics);
    spec.terminals = 2;
    spec.stakes = 2;
    spec.budgets = [2, 2, 2, 2, 2, 2, UNLIMITED, UNLIMITED, 4, 3];
    spec.larger()
}

fn live_floors(game: &'static str) -> Vec<Spec> {
    let topics = Topics { chips: true, ..Topics::default() };
    vec![
        Spec {
            stakes: 2,
            device: false,
            ..Spec::new(game, "boxes", "chips of two players, excess, pro rata, the minimum")
        }
        .with(topics)
        .up_to(Budget::Chips, 4),
        Spec { device: false, ..Spec::new(game, "claims", "a settled round corrected, voided and recorded anew") }
            .with(Topics { changes: true, ..topics })
            .up_to(Budget::Chips, 1)
            .up_to(Budget::Changes, 3),
        Spec { device: false, ..Spec::new(game, "past", "rounds changed by their preview, claims collected") }
            .with(Topics { past: true, ..topics })
            .up_to(Budget::Chips, 1)
            .up_to(Budget::Changes, 2),
        Spec { device: false, ..Spec::new(game, "visitors", "players come and go, chips placed for them, the float") }
            .with(Topics { visitors: true, ..topics })
            .up_to(Budget::Chips, 2)
            .up_to(Budget::Money, 2),
    ]
}

fn terminal_floors(game: &'static str) -> Vec<Spec> {
    let new = |name, about| Spec::new(game, name, about);
    let none = Topics::default();
    vec![
        Spec {
            betting_period: 20_000,
            stakes: 2,
            device: false,
            ..new("bets", "bets placed, withdrawn and repeated; the betting period")
        }
        .with(Topics { bets: true, ..none }),
        Spec { terminals: 2, stakes: 2, device: false, ..new("layouts", "two terminals with different layouts") },
        Spec { device: false, ..new("corrections", "a settled round corrected, voided and decided") }
            .with(Topics { changes: true, ..none })
            .up_to(Budget::Changes, 3),
        Spec { device: false, credit: 0, ..new("tickets", "cash, tickets, the printer and the cage") }
            .with(Topics { tickets: true, ..none })
            .up_to(Budget::Rounds, 0)
            .up_to(Budget::Money, 2)
            .up_to(Budget::Tickets, 2)
            .up_to(Budget::Hands, 2),
        Spec { device: false, credit: 0, ..new("expired", "tickets that expire, and are paid by decision") }
            .with(Topics { tickets: true, expiry: true, ..none })
            .up_to(Budget::Rounds, 0)
            .up_to(Budget::Money, 1)
            .up_to(Budget::Tickets, 2)
            .up_to(Budget::Hands, 1),
        Spec { device: false, ..new("past", "rounds changed by their preview, claims collected") }
            .with(Topics { past: true, tickets: true, wrong_tickets: true, ..none })
            .up_to(Budget::Tickets, 1)
            .up_to(Budget::Stops, 1)
            .up_to(Budget::Changes, 2)
            .larger(),
        Spec { device: false, ..new("visits", "a corrected round whose player has cashed out") }
            .with(Topics { tickets: true, changes: true, hands: true, ..none })
            .up_to(Budget::Money, 1)
            .up_to(Budget::Tickets, 1)
            .up_to(Budget::Hands, 1)
            .up_to(Budget::Changes, 2)
            .larger(),
        Spec {
            device: false,
            credit: 0,
            ..new("drawers", "two cashiers: drawers counted, handed over, served by others")
        }
        .with(Topics { drawers: true, ..none })
        .up_to(Budget::Rounds, 0)
        .up_to(Budget::Tickets, 1)
        .up_to(Budget::Hands, 3),
        Spec { device: false, ..new("alone", "a second person is called and does not come") }
            .with(Topics { calls: true, changes: true, hands: true, ..none })
            .up_to(Budget::Changes, 1)
            .up_to(Budget::Stops, 1)
            .up_to(Budget::Hands, 1),
    ]
}

/// The floor of a document with a name.
#[must_use]
pub fn floor_named(game: &'static str, name: &str) -> Option<Spec> {
    floors(game).into_iter().find(|spec| spec.name == name)
}
