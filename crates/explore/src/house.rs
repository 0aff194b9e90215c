//! How a small floor is set up: a list of commands, as they would be sent to the host.

use floor::*;
use rulebook::{Begins, Cents, Hash, OutcomeIndex, Point, Rank, Rulebook, SpotIndex, library};
use simulator::SecondOpinion;

use crate::spec::*;

/// A floor that is set up, with the commands that did it.
pub struct House {
    /// The floor.
    pub floor: Floor,
    /// The naive model of it.
    pub second: SecondOpinion,
    /// The commands.
    pub commands: Vec<Command>,
    /// The document.
    pub rulebook: &'static Rulebook,
    /// Rounds that have left the list of recent ones, as the host keeps them (D24).
    pub past: Vec<Vec<u8>>,
}

const POSTS: [(&str, Post); 9] = [
    ("dealer", Post::Pit(Rank::Dealer)),
    ("pit supervisor", Post::Pit(Rank::PitSupervisor)),
    ("pit manager", Post::Pit(Rank::PitManager)),
    ("shift manager", Post::Pit(Rank::ShiftManager)),
    ("casino manager", Post::Pit(Rank::CasinoManager)),
    ("cashier", Post::Cashier),
    ("administrator", Post::Administrator),
    ("technician", Post::Technician),
    ("auditor", Post::Auditor),
];

/// What one person may move alone on an explored floor, in cents.
pub const THRESHOLD: i64 = 6_000;

pub(crate) fn dollars(amount: i64) -> Cents {
    Cents::new(amount * 100)
}

impl House {
    /// Sets a floor up.
    ///
    /// # Errors
    /// In words, if a command is refused.
    pub fn of(spec: &Spec) -> Result<House, String> {
        let rulebook = library::find(spec.game).ok_or_else(|| format!("there is no document {}", spec.game))?;
        let (floor, second) = (Floor::new(), SecondOpinion::default());
        let mut house = House { floor, second, commands: Vec::new(), rulebook, past: Vec::new() };
        let settings = FloorSettings { name: "explored".to_owned(), ..FloorSettings::default() };
        house.system(Body::CreateFloor(settings))?;
        for (name, post) in POSTS {
            house.system(Body::AddStaff { name: name.to_owned(), post, witness: None })?;
        }
        house.system(Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None })?;
        let threshold = Cents::new(THRESHOLD);
        let thresholds =
            Thresholds { alone: threshold, redemption: threshold, difference: threshold, ..Thresholds::default() };
        house.system(Body::SetThresholds { thresholds, reason: "a small floor".to_owned(), witness: None })?;
        house.furnish(spec)?;
        Ok(house)
    }

    fn furnish(&mut self, spec: &Spec) -> Result<(), String> {
        let settings = crate::office::settings(spec, self.rulebook);
        let mode = if spec.is_live() { TableMode::BetsRecorded } else { TableMode::Terminals };
        let (name, hash, settings) = ("table".to_owned(), self.rulebook.hash(), Box::new(settings));
        self.system(Body::AddTable { name, rulebook: hash, mode, settings: settings.clone(), witness: None })?;
        if spec.topics.office {
            self.second_table(hash, mode, settings)?;
        }
        if spec.device {
            let kind = if spec.is_wheel() { DeviceKind::Wheel } else { DeviceKind::Tumbler };
            let place = DevicePlace::Table(TABLE);
            let (name, measures) = ("device".to_owned(), Some(ALL_MEASURED));
            self.system(Body::AddDevice { name, kind, place, measures, witness: None })?;
        }
        if spec.out_of_service {
            let (device, function, witness) = (DeviceId(0), Function::Device, Some(PIT_MANAGER));
            let reason = "a small floor".to_owned();
            let service = Body::ChangeService { device, function, in_service: false, reason, witness };
            self.send(Sender::Staff(SUPERVISOR), service)?;
        }
        if spec.topics.visitors {
            let place = DevicePlace::Table(TABLE);
            self.system(Body::add_device("chip reader".to_owned(), DeviceKind::ChipReader, place))?;
        }
        if spec.topics.drawers {
            self.system(Body::AddStaff { name: "other cashier".to_owned(), post: Post::Cashier, witness: None })?;
        }
        self.send(Sender::Staff(PIT_MANAGER), Body::OpenTable { table: TABLE })?;
        self.send(Sender::Staff(DEALER), Body::TakeTable { table: TABLE })?;
        if spec.is_live() {
            self.bring_chips()?;
        } else {
            (0..spec.terminals).try_for_each(|place| self.enrol(place, spec))?;
        }
        if spec.topics.recalled { self.play_past_rounds(spec) } else { Ok(()) }
    }

    /// A round with a bet, and so many void ones after it that it leaves the list of recent rounds.
    fn play_past_rounds(&mut self, spec: &Spec) -> Result<(), String> {
        let (table, dealer) = (TABLE, Sender::Staff(DEALER));
        let [spot, _] = spots(self.rulebook, 0);
        self.begin_round()?;
        if spec.is_live() {
            let (position, amount) = (Position(1), dollars(10));
            self.send(dealer, Body::PlaceChips { table, position, spot, amount, for_player: false })?;
        } else {
            let changes = [BetChange::Add { spot, amount: dollars(5) }].into();
            self.send(Sender::Terminal(TerminalId(0)), Body::Bet { changes })?;
        }
        self.send(dealer, Body::CloseBets { table })?;
        let round = self.floor.table(table).and_then(Table::round).map(Round::id).ok_or("no round has begun")?;
        if !spec.is_live() {
            self.send(Sender::Terminal(TerminalId(0)), Body::AcknowledgeClose { round })?;
        }
        let [outcome, _] = outcomes(self.rulebook);
        let affirmed = Point::ALL.to_vec();
        self.send(dealer, Body::EnterResult { table, outcome, affirmed, witness: None, reason: None })?;
        self.send(dealer, Body::confirm_result(table))?;
        for _ in 0..bounds::CORRECTABLE {
            self.begin_round()?;
            let round = self.floor.table(table).and_then(Table::round).map(Round::id);
            let (ruling, reason, witness) = (Ruling::VoidRound, "a small floor".to_owned(), Some(CASINO_MANAGER));
            self.send(Sender::Staff(SHIFT_MANAGER), Body::Decide { table, round, ruling, reason, witness })?;
        }
        Ok(())
    }

    fn begin_round(&mut self) -> Result<(), String> {
        let (table, dealer) = (TABLE, Sender::Staff(DEALER));
        if self.rulebook.procedure().begins != Begins::Activation {
            return self.send(dealer, Body::open_bets(table));
        }
        self.send(dealer, Body::BeginRound { table })?;
        self.send(dealer, Body::OpenBets { table, affirmed: Point::ALL.to_vec() })
    }

    /// Another table, open and without a round, and a sealed code.
    fn second_table(&mut self, rulebook: Hash, mode: TableMode, settings: Box<TableSettings>) -> Result<(), String> {
        let name = "other table".to_owned();
        self.system(Body::AddTable { name, rulebook, mode, settings, witness: None })?;
        self.send(Sender::Staff(PIT_MANAGER), Body::OpenTable { table: OTHER_TABLE })?;
        self.system(Body::SealCodes { hashes: vec![crate::office::SEALED], witness: None })
    }

    fn bring_chips(&mut self) -> Result<(), String> {
        let counts = vec![Pile { denomination: dollars(1), pieces: 500 }];
        let opener = Body::MoveFloat {
            table: TABLE,
            movement: FloatMovement::Opener(dollars(500)),
            counts,
            witness: Some(PIT_MANAGER),
            reason: String::new(),
        };
        self.send(Sender::Staff(SUPERVISOR), opener)
    }

    /// The second terminal has the last kind and layout of the document, which differ from the first where there are several.
    fn enrol(&mut self, place: usize, spec: &Spec) -> Result<(), String> {
        let offered: Vec<(&String, &String)> = self
            .rulebook
            .terminals()
            .iter()
            .flat_map(|kind| kind.layouts.iter().map(|layout| (&kind.id, layout)))
            .collect();
        let (kind, layout) = offered[if place == 0 { 0 } else { offered.len() - 1 }];
        let terminal = TerminalId(u32::try_from(place).map_err(|error| error.to_string())?);
        let name = format!("terminal {place}");
        self.system(Body::EnrolTerminal { table: TABLE, name, kind: kind.clone(), layout: layout.clone() })?;
        self.system(Body::TerminalBack { terminal })?;
        let place = DevicePlace::Terminal(terminal);
        self.system(Body::add_device("validator".to_owned(), DeviceKind::Validator, place))?;
        if spec.topics.office {
            self.system(Body::OfferTables { terminal, tables: vec![TABLE, OTHER_TABLE] })?;
        }
        if spec.credit == 0 {
            return Ok(());
        }
        let validator = DeviceId(u16::from(spec.device) + u16::try_from(terminal.0).unwrap_or_default());
        self.send(Sender::Device(validator), Body::CashIn { terminal, amount: dollars(spec.credit) })
    }

    fn system(&mut self, body: Body) -> Result<(), String> {
        self.send(Sender::System, body)
    }

    fn send(&mut self, sender: Sender, body: Body) -> Result<(), String> {
        // Every second number: a host that says something in between, as `croupier pipe` does, has one for it.
        let number = self.floor.last_number(sender).map_or(1, |last| last + 2);
        let command = Command { sender, number, at: MORNING, body };
        let records = match self.floor.decide(&command) {
            Ok(Decision::Events(records)) => records,
            Ok(Decision::Earlier(_)) => return Err(format!("taken for a retry: {command:?}")),
            Err(refusal) => return Err(format!("{refusal}: {command:?}")),
        };
        let kept = self.floor.table(TABLE).map_or(0, Table::past_rounds);
        let leaving = self.floor.table(TABLE).and_then(Table::leaving).map(ArchivedRound::to_bytes);
        for record in &records {
            self.floor.apply(record).map_err(|misfit| misfit.to_string())?;
        }
        if self.floor.table(TABLE).is_some_and(|table| table.past_rounds() > kept) {
            self.past.extend(leaving);
        }
        self.second.take(&records)?;
        self.commands.push(command);
        Ok(())
    }
}

/// The two outcomes of the alphabet: the first one is what the dice or the wheel show.
pub(crate) fn outcomes(rulebook: &Rulebook) -> [OutcomeIndex; 2] {
    let texts = if rulebook.outcomes().wheel().is_some() { ["1", "17"] } else { ["1-2-3", "5-6-6"] };
    texts.map(|text| rulebook.outcomes().parse(text).expect("an outcome of every game"))
}

/// The spots of the alphabet on a layout: the first outcome wins on one, the second on the other.
pub(crate) fn spots(rulebook: &Rulebook, layout: usize) -> [SpotIndex; 2] {
    let wheel = rulebook.outcomes().wheel().is_some();
    let live = rulebook.identity().play == rulebook::Play::Chips;
    let texts = match (wheel, live) {
        (true, _) => ["red", "split/17-18"],
        (false, true) => ["small", "big"],
        (false, false) => ["small", "double/6"],
    };
    texts.map(|text| rulebook.layouts()[layout].find(text).expect("a spot of every layout"))
}
