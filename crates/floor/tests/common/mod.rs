//! A house for tests: a floor with staff of every rank, and tables of the approved documents. Every event is checked:
//! the books balance, the meters agree, and the floor replayed from its events is the same floor.

#![allow(dead_code)]

pub mod live;

pub mod play;

use floor::*;
use rulebook::{Cents, OutcomeIndex, Rank, Rulebook, SpotIndex, library};

/// The documents played on terminals with the same numbering.
pub const ETG: [&str; 3] = ["rws-sicbo", "rws-sicbo-open", "rws-roulette-000"];
pub const ON_TERMINALS: [&str; 4] = ["rws-sicbo", "rws-sicbo-open", "rws-roulette-000", "mbs-sicbo"];
pub const ALL: [&str; 5] = ["rws-sicbo", "rws-sicbo-open", "rws-taisai", "mbs-sicbo", "rws-roulette-000"];

pub const DEALER: StaffId = StaffId(0);
pub const SUPERVISOR: StaffId = StaffId(1);
pub const MANAGER: StaffId = StaffId(2);
pub const SHIFT_MANAGER: StaffId = StaffId(3);
pub const CASINO_MANAGER: StaffId = StaffId(4);
pub const CASHIER: StaffId = StaffId(5);
pub const AUDITOR: StaffId = StaffId(6);
pub const ADMINISTRATOR: StaffId = StaffId(7);
pub const SECOND_SUPERVISOR: StaffId = StaffId(8);
pub const SECOND_MANAGER: StaffId = StaffId(9);
pub const SECOND_SHIFT_MANAGER: StaffId = StaffId(10);
pub const SECOND_DEALER: StaffId = StaffId(11);
pub const SECOND_ADMINISTRATOR: StaffId = StaffId(12);
pub const SECOND_CASHIER: StaffId = StaffId(13);

/// The table under test, and its first terminals.
pub const TABLE: TableId = TableId(0);
pub const T0: TerminalId = TerminalId(0);
pub const T1: TerminalId = TerminalId(1);
pub const T2: TerminalId = TerminalId(2);
/// The tumbler or wheel of the table.
pub const DEVICE: DeviceId = DeviceId(0);

pub const ALL_MEASURED: Measures = Measures { times: true, direction: true, cover: true, flat: true, reads: true };

pub fn dollars(amount: i64) -> Cents {
    Cents::new(amount * 100)
}

/// An amount as pieces of one dollar.
pub fn piles(amount: Cents) -> Vec<Pile> {
    let pieces = u32::try_from(amount.get() / 100).unwrap();
    if pieces == 0 { Vec::new() } else { vec![Pile { denomination: dollars(1), pieces }] }
}

pub struct House {
    pub floor: Floor,
    pub log: Vec<Record>,
    pub at: Moment,
    numbers: u64,
    tickets: u64,
}

impl House {
    /// A floor with staff and nothing else.
    pub fn empty() -> House {
        let mut house = House { floor: Floor::new(), log: Vec::new(), at: Moment(1_000_000), numbers: 0, tickets: 0 };
        let settings = FloorSettings {
            name: "test".to_owned(),
            demonstration: false,
            day_starts: 6 * 60,
            ticket_days: 30,
            ..FloorSettings::default()
        };
        house.system(Body::CreateFloor(settings));
        let posts = [
            Post::Pit(Rank::Dealer),
            Post::Pit(Rank::PitSupervisor),
            Post::Pit(Rank::PitManager),
            Post::Pit(Rank::ShiftManager),
            Post::Pit(Rank::CasinoManager),
            Post::Cashier,
            Post::Auditor,
            Post::Administrator,
            Post::Pit(Rank::PitSupervisor),
            Post::Pit(Rank::PitManager),
            Post::Pit(Rank::ShiftManager),
            Post::Pit(Rank::Dealer),
            Post::Administrator,
            Post::Cashier,
        ];
        for (place, post) in posts.into_iter().enumerate() {
            house.system(Body::AddStaff { name: format!("person {place}"), post, witness: None });
        }
        house
    }

    /// An open table of a game with its device and, on terminals, three live terminals of the first layout with a
    /// credit of 1,000.00 each.
    pub fn with(game: &str) -> House {
        House::with_settings(game, House::settings(game))
    }

    /// Settings that fit any game: 1.00 to 1,000.00 in steps of 1.00.
    pub fn settings(game: &str) -> TableSettings {
        let mut settings = TableSettings::usual();
        if game == "rws-taisai" {
            settings.limit = Limit { minimum: dollars(25), maximum: Some(dollars(1_000)) };
            settings.differential = Some(dollars(500));
            settings.betting_period = 0;
        }
        settings
    }

    pub fn with_settings(game: &str, settings: TableSettings) -> House {
        let mut house = House::empty();
        house.add_table(game, settings);
        house
    }

    pub fn add_table(&mut self, game: &str, settings: TableSettings) -> TableId {
        let rulebook = library::find(game).expect("built in");
        if self.floor.rulebook(rulebook.hash()).is_none() {
            self.system(Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
        }
        let table = TableId(u16::try_from(self.floor.tables().len()).unwrap());
        let live = rulebook.identity().play == rulebook::Play::Chips;
        let mode = if live { TableMode::BetsRecorded } else { TableMode::Terminals };
        self.system(Body::AddTable {
            name: game.to_owned(),
            rulebook: rulebook.hash(),
            mode,
            settings: settings.into(),
            witness: None,
        });
        let kind = if rulebook.outcomes().wheel().is_some() { DeviceKind::Wheel } else { DeviceKind::Tumbler };
        self.system(Body::AddDevice {
            name: "device".to_owned(),
            kind,
            place: DevicePlace::Table(table),
            measures: Some(ALL_MEASURED),
            witness: None,
        });
        self.staff(MANAGER, Body::OpenTable { table });
        self.staff(DEALER, Body::TakeTable { table });
        if !live {
            let kind = rulebook.terminals()[0].id.clone();
            let layout = rulebook.terminals()[0].layouts[0].clone();
            for _ in 0..3 {
                let terminal = self.enrol(table, &kind, &layout);
                self.cash_in(terminal, dollars(1_000));
            }
        }
        table
    }

    /// A live terminal with its cash validator.
    pub fn enrol(&mut self, table: TableId, kind: &str, layout: &str) -> TerminalId {
        let terminal = TerminalId(u32::try_from(self.floor.terminals().len()).unwrap());
        let name = format!("terminal {terminal}");
        self.system(Body::EnrolTerminal { table, name, kind: kind.to_owned(), layout: layout.to_owned() });
        self.system(Body::TerminalBack { terminal });
        let place = DevicePlace::Terminal(terminal);
        self.system(Body::add_device("validator".to_owned(), DeviceKind::Validator, place));
        terminal
    }

    fn validator(&self, terminal: TerminalId) -> DeviceId {
        let is = |id: &u16| {
            self.floor
                .may(Sender::Device(DeviceId(*id)), &Body::CashIn { terminal, amount: Cents::new(100) }, self.at)
                .is_ok()
        };
        DeviceId((0..10_000).find(is).expect("the terminal has a validator"))
    }

    pub fn cash_in(&mut self, terminal: TerminalId, amount: Cents) {
        let validator = self.validator(terminal);
        self.ok(Sender::Device(validator), Body::CashIn { terminal, amount });
    }

    pub fn rulebook(&self, table: TableId) -> &Rulebook {
        self.floor.rulebook_of(self.floor.table(table).unwrap()).unwrap()
    }

    pub fn spot(&self, terminal: TerminalId, text: &str) -> SpotIndex {
        self.floor.layout_of(self.floor.terminal(terminal).unwrap()).unwrap().find(text).unwrap()
    }

    /// A spot of a live table.
    pub fn chip_spot(&self, text: &str) -> SpotIndex {
        self.rulebook(TABLE).layouts()[0].find(text).unwrap()
    }

    pub fn outcome(&self, table: TableId, text: &str) -> OutcomeIndex {
        self.rulebook(table).outcomes().parse(text).unwrap()
    }

    // ---- commands

    pub fn command(&mut self, sender: Sender, body: Body) -> Command {
        self.numbers += 1;
        Command { sender, number: self.numbers, at: self.at, body }
    }

    /// Sends a command; its events are applied and everything is checked.
    pub fn send(&mut self, sender: Sender, body: Body) -> Result<Vec<Event>, Refusal> {
        let command = self.command(sender, body.clone());
        assert_eq!(
            self.floor.may(sender, &body, self.at).err(),
            self.floor.decide(&command).err(),
            "may() is decide()"
        );
        self.send_command(&command)
    }

    pub fn send_command(&mut self, command: &Command) -> Result<Vec<Event>, Refusal> {
        let before = self.floor.state_hash();
        match self.floor.decide(command) {
            Err(refusal) => {
                assert_eq!(before, self.floor.state_hash(), "a refusal changes nothing");
                assert!(!refusal.words.is_empty() && !refusal.rule.is_empty());
                assert!(self.cites_something(&refusal.rule), "no document here has {}: {refusal}", refusal.rule);
                Err(refusal)
            }
            Ok(Decision::Earlier(_)) => Ok(Vec::new()),
            Ok(Decision::Events(records)) => {
                assert!(!records.is_empty(), "an accepted command has events: {command:?}");
                for record in &records {
                    let moved = self.floor.apply_and_tell(record).unwrap_or_else(|e| panic!("{e}: {record:?}"));
                    assert!(moved.iter().all(|transfer| transfer.amount.is_positive()));
                }
                let wrong = self.floor.check();
                assert!(wrong.is_empty(), "after {command:?}: {wrong:#?}");
                let events = records.iter().map(|record| record.event.clone()).collect();
                self.log.extend(records);
                Ok(events)
            }
        }
    }

    /// What a refusal rests on is a paragraph of a document played here, or no paragraph at all.
    fn cites_something(&self, rule: &str) -> bool {
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) || text.starts_with("Appendix");
        let known = |number: &str| {
            let rulebooks = self.floor.tables().iter().filter_map(|table| self.floor.rulebook_of(table));
            rulebooks.flat_map(Rulebook::paragraphs).any(|paragraph| paragraph.number == number)
        };
        rule.split(", ").all(|part| !is_number(part) || known(part))
    }

    /// Makes an event true that no command leads to any more, as an older record may hold it.
    pub fn tell(&mut self, event: Event) {
        let record = Record { at: self.at, origin: None, event };
        self.floor.apply(&record).expect("the event fits");
        self.log.push(record);
    }

    #[track_caller]
    pub fn ok(&mut self, sender: Sender, body: Body) -> Vec<Event> {
        match self.send(sender, body.clone()) {
            Ok(events) => events,
            Err(refusal) => panic!("refused: {refusal} [{}] {body:?}", refusal.code),
        }
    }

    /// The command is refused with this code; the refusal's rule is returned.
    #[track_caller]
    pub fn refused(&mut self, sender: Sender, body: Body, code: Code) -> String {
        match self.send(sender, body.clone()) {
            Ok(events) => panic!("accepted: {body:?} → {events:?}"),
            Err(refusal) => {
                assert_eq!(refusal.code, code, "{refusal}");
                refusal.into_why().rule
            }
        }
    }

    #[track_caller]
    pub fn system(&mut self, body: Body) -> Vec<Event> {
        self.ok(Sender::System, body)
    }

    #[track_caller]
    pub fn staff(&mut self, staff: StaffId, body: Body) -> Vec<Event> {
        self.ok(Sender::Staff(staff), body)
    }

    #[track_caller]
    pub fn device(&mut self, observation: Observation) -> Vec<Event> {
        self.ok(Sender::Device(DEVICE), Body::Observe(observation))
    }

    pub fn bets(&self, terminal: TerminalId, bets: &[&str]) -> Body {
        let change = |text: &&str| {
            let (name, amount) = rulebook::Bet::split(text).unwrap();
            match name.parse::<rulebook::Spot>() {
                Ok(_) => BetChange::Add { spot: self.spot(terminal, name), amount },
                Err(_) => BetChange::AddPieces { bet: name.to_owned(), unit: amount },
            }
        };
        Body::Bet { changes: bets.iter().map(change).collect() }
    }

    #[track_caller]
    pub fn bet(&mut self, terminal: TerminalId, bets: &[&str]) -> Vec<Event> {
        let body = self.bets(terminal, bets);
        self.ok(Sender::Terminal(terminal), body)
    }

    // ---- a round, step by step

    /// Bets are open, by whatever this game's procedure asks for.
    #[track_caller]
    pub fn open(&mut self) -> RoundId {
        self.open_at(TABLE)
    }

    #[track_caller]
    pub fn open_at(&mut self, table: TableId) -> RoundId {
        if self.rulebook(table).procedure().begins == rulebook::Begins::Activation {
            self.staff(DEALER, Body::BeginRound { table });
            self.tumble_at(table);
        }
        self.staff(DEALER, Body::open_bets(table));
        self.round_at(table)
    }

    /// The round in progress.
    pub fn round(&self) -> RoundId {
        self.round_at(TABLE)
    }

    pub fn round_at(&self, table: TableId) -> RoundId {
        self.floor.table(table).unwrap().round().expect("a round is in progress").id()
    }

    /// Bets are closed and every live terminal has acknowledged it.
    #[track_caller]
    pub fn close(&mut self) {
        self.close_at(TABLE);
    }

    #[track_caller]
    pub fn close_at(&mut self, table: TableId) {
        self.staff(DEALER, Body::CloseBets { table });
        self.acknowledge(table);
    }

    pub fn acknowledge(&mut self, table: TableId) {
        let round = self.round_at(table);
        let waiting: Vec<TerminalId> =
            self.floor.terminals().iter().filter(|t| t.table() == table && t.is_live()).map(Terminal::id).collect();
        for terminal in waiting {
            self.ok(Sender::Terminal(terminal), Body::AcknowledgeClose { round });
        }
    }

    /// The tumbler or wheel of a table that is in service.
    pub fn serving(&self, table: TableId) -> Option<DeviceId> {
        self.floor.serving(self.floor.table(table).unwrap()).map(Device::id)
    }

    #[track_caller]
    pub fn report(&mut self, table: TableId, observation: Observation) -> Vec<Event> {
        let device = self.serving(table).expect("a device in service");
        self.ok(Sender::Device(device), Body::Observe(observation))
    }

    /// A valid tumble or spin by the device, if it is in service.
    pub fn tumble_at(&mut self, table: TableId) {
        if self.serving(table).is_none() {
            return;
        }
        if self.rulebook(table).outcomes().wheel().is_some() {
            self.report(table, Observation::Spun { against_rotation: true, wheel_rotating: true });
            self.report(table, Observation::Revolved { times: 6 });
        } else {
            self.cover(table);
            self.report(table, Observation::Activated);
            self.report(table, Observation::Tumbled { times: 3 });
        }
    }

    /// The cover is put on again, if it is off.
    pub fn cover(&mut self, table: TableId) {
        let off = self.serving(table).and_then(|id| self.floor.device(id)).is_some_and(Device::is_uncovered);
        if off {
            self.report(table, Observation::Covered);
        }
    }

    /// A valid tumble or spin after the close, by the device, up to what can be read.
    pub fn play_device(&mut self) {
        self.play_device_at(TABLE);
    }

    pub fn play_device_at(&mut self, table: TableId) {
        if self.rulebook(table).procedure().begins != rulebook::Begins::Activation {
            self.tumble_at(table);
        }
        if self.serving(table).is_some() && self.rulebook(table).outcomes().wheel().is_none() {
            self.report(table, Observation::Uncovered);
        }
    }

    /// The device reads what is shown.
    pub fn reads(&mut self, table: TableId, outcome: OutcomeIndex) {
        match self.rulebook(table).outcomes().outcome(outcome) {
            Some(rulebook::Outcome::Dice(dice)) => {
                self.report(table, Observation::DiceRead { dice: dice.0.map(Some) });
            }
            _ => drop(self.report(table, Observation::Rested { pocket: outcome })),
        }
    }

    /// The device does what an honest round asks for, as far as it has not yet: a tumble or spin, and a reading.
    pub fn honest_device(&mut self, table: TableId, outcome: OutcomeIndex) {
        if self.serving(table).is_none() {
            return;
        }
        let seen = |house: &House| house.floor.table(table).unwrap().round().unwrap().seen().clone();
        if !seen(self).reported() {
            self.play_device_at(table);
        } else if !seen(self).uncovered && self.rulebook(table).outcomes().wheel().is_none() {
            self.report(table, Observation::Uncovered);
        }
        if seen(self).times.is_none() {
            self.report(table, Observation::Revolved { times: 6 });
        }
        if seen(self).pocket.is_none() && seen(self).dice.iter().all(Option::is_none) {
            self.reads(table, outcome);
        }
    }

    /// The entry of a result with everything affirmed that no device measures.
    pub fn entry(&self, table: TableId, outcome: OutcomeIndex) -> Body {
        let found = self.floor.table(table).unwrap();
        let open = self.floor.to_affirm(found, self.rulebook(table), rulebook::Affirmed::Result);
        let affirmed = open.into_iter().map(|affirmation| affirmation.point).collect();
        Body::EnterResult { table, outcome, affirmed, witness: None, reason: None }
    }

    /// An honest result: the device has made it and read it, and the dealer enters the same.
    #[track_caller]
    pub fn enter(&mut self, outcome: &str) {
        let outcome = self.outcome(TABLE, outcome);
        self.honest_device(TABLE, outcome);
        let entry = self.entry(TABLE, outcome);
        self.staff(DEALER, entry);
    }

    /// Closed, dealt, entered and confirmed.
    #[track_caller]
    pub fn finish(&mut self, outcome: &str) -> Vec<Event> {
        self.close();
        self.play_device();
        self.enter(outcome);
        self.confirm()
    }

    /// A whole round with these bets of the first terminal.
    #[track_caller]
    pub fn play(&mut self, bets: &[&str], outcome: &str) -> RoundId {
        let round = self.open();
        if !bets.is_empty() {
            self.bet(T0, bets);
        }
        self.finish(outcome);
        round
    }

    pub fn credit(&self, terminal: TerminalId) -> Cents {
        self.floor.terminal(terminal).unwrap().credit()
    }

    pub fn later(&mut self, milliseconds: i64) {
        self.at = self.at.after(milliseconds);
    }

    pub fn key() -> TicketKey {
        TicketKey::new([7; 32])
    }

    /// Bits that stand for random ones, the same for the same number.
    pub fn scattered(id: u64) -> u128 {
        u128::from(id + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)
    }

    /// The hash of a new ticket number.
    pub fn new_number(&mut self) -> TicketHash {
        self.tickets += 1;
        TicketNumber::drawn("test", House::scattered(self.tickets)).hash(&House::key())
    }

    /// A cashier begins a shift, with a second person.
    #[track_caller]
    pub fn open_shift(&mut self, cashier: StaffId, float: Cents) -> Vec<Event> {
        self.staff(cashier, Body::OpenShift { float, witness: Some(SUPERVISOR) })
    }

    /// A cashier counts the drawer in dollars and closes the shift, with a second person and a reason.
    #[track_caller]
    pub fn close_shift(&mut self, cashier: StaffId, counted: Cents) -> Vec<Event> {
        self.staff(cashier, Body::CountShift { counts: piles(counted), witness: None });
        let body = Body::CloseShift { counted, reason: "counted".to_owned(), witness: Some(SUPERVISOR) };
        self.staff(cashier, body)
    }

    /// The cash that a cashier's drawer should hold, which the cashier is not shown.
    pub fn drawer(&self, cashier: StaffId) -> Cents {
        let shift = self.floor.shifts().find(|shift| shift.cashier() == cashier);
        shift.expect("an open shift").cash()
    }

    /// Cashes a terminal out to a printed ticket.
    #[track_caller]
    pub fn cash_out(&mut self, terminal: TerminalId) -> (TicketId, TicketHash) {
        let number = self.new_number();
        let ticket = self.floor.next_ticket();
        self.ok(Sender::Terminal(terminal), Body::PrepareTicket { terminal, number });
        self.ok(Sender::Terminal(terminal), Body::TicketPrinted { ticket });
        (ticket, number)
    }

    /// The floor rebuilt from its events is the same, and so is one read from its bytes.
    pub fn replays(&self) {
        let mut again = Floor::new();
        for record in &self.log {
            again.apply(record).expect("the log fits");
        }
        assert_eq!(again.state_hash(), self.floor.state_hash(), "replay equals live");
        let read = Floor::from_bytes(&self.floor.to_bytes()).expect("a state");
        assert_eq!(read.state_hash(), self.floor.state_hash(), "bytes equal live");
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.replays();
        }
    }
}
