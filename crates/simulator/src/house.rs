//! The house that every run begins with: a floor, its rulebooks and its people; then, by chance, tables.

use std::sync::LazyLock;

use floor::*;
use rulebook::Rank;

use crate::chance::Chance;
use crate::game::Game;
use crate::model::Model;
use crate::people::settings;
use crate::run::Run;
use crate::wire::Wire;

/// When every run begins.
pub(crate) const MORNING: Moment = Moment(1_700_000_000_000);

/// A floor with rulebooks and people and nothing else. Reading rulebooks takes long, so it is made once.
pub(crate) struct House {
    pub floor: Floor,
    pub model: Model,
    pub wire: Wire,
    pub log: Vec<Record>,
}

/// A floor in earnest, whose tickets soon expire, and a demonstration.
static HOUSES: LazyLock<[House; 2]> = LazyLock::new(|| [House::make(false, 1), House::make(true, 30)]);

const POSTS: [Post; 15] = [
    Post::Pit(Rank::Dealer),
    Post::Pit(Rank::Dealer),
    Post::Pit(Rank::PitSupervisor),
    Post::Pit(Rank::PitSupervisor),
    Post::Pit(Rank::PitManager),
    Post::Pit(Rank::PitManager),
    Post::Pit(Rank::ShiftManager),
    Post::Pit(Rank::ShiftManager),
    Post::Pit(Rank::CasinoManager),
    Post::Cashier,
    Post::Cashier,
    Post::Auditor,
    Post::Auditor,
    Post::Administrator,
    Post::Administrator,
];

impl House {
    pub fn of(seed: u64) -> &'static House {
        &HOUSES[usize::from(seed.is_multiple_of(4))]
    }

    fn make(demonstration: bool, ticket_days: u16) -> House {
        let mut house = House { floor: Floor::new(), model: Model::default(), wire: Wire::default(), log: Vec::new() };
        let settings = FloorSettings {
            name: "simulated".to_owned(),
            demonstration,
            day_starts: 6 * 60,
            ticket_days,
            ..FloorSettings::default()
        };
        house.does(Body::CreateFloor(settings));
        for game in Game::ALL {
            house.does(Body::InstallRulebook { canonical: game.rulebook().canonical().to_owned(), witness: None });
        }
        for (post, place) in POSTS.into_iter().zip(0..) {
            house.does(Body::AddStaff { name: format!("person {place}"), post, witness: None });
        }
        house
    }

    fn does(&mut self, body: Body) {
        let command = self.wire.write(Sender::System, body, MORNING, &mut Chance::of(0, crate::USUAL));
        let Ok(Decision::Events(records)) = self.floor.decide(&command) else {
            panic!("the house cannot be set up: {command:?}");
        };
        self.wire.accepted(&command, self.floor.sequence() + 1);
        for record in &records {
            self.floor.apply(record).expect("it fits");
        }
        self.model.take(&records).expect("the model agrees");
        self.log.extend(records);
    }
}

impl Run {
    /// One to three tables with their devices and terminals.
    pub(crate) fn furnish(&mut self) -> Result<(), String> {
        // Now and then all tables play the same game, and the players choose among them (D29).
        let same = self.chance.one_in(4).then(|| self.chance.of_these(Game::ALL));
        for _ in 0..1 + self.chance.below(3) {
            let game = match same {
                Some(game) => game,
                None => self.chance.of_these(Game::ALL),
            };
            self.add_table(game)?;
        }
        let tables: Vec<TableId> = (0..).map(TableId).take(self.model.tables.len()).collect();
        if same.is_some_and(|game| !game.is_live()) && tables.len() > 1 {
            for terminal in (0..).map(TerminalId).take(self.model.terminals.len()) {
                self.system(Body::OfferTables { terminal, tables: tables.clone() })?;
            }
        }
        Ok(())
    }

    fn add_table(&mut self, game: Game) -> Result<(), String> {
        let table = TableId(u16::try_from(self.model.tables.len()).map_err(|error| error.to_string())?);
        let mode = match game.is_live() {
            false => TableMode::Terminals,
            true => self.chance.of_these([TableMode::ResultsOnly, TableMode::BetsRecorded, TableMode::BetsRecorded]),
        };
        let settings = settings::some(game, &mut self.chance);
        self.system(Body::AddTable {
            name: game.id().to_owned(),
            rulebook: game.rulebook().hash(),
            mode,
            settings: Box::new(settings),
            witness: None,
        })?;
        // A table without a device is run by what the dealer enters.
        if !self.chance.one_in(10) {
            let kind = if game.is_wheel() { DeviceKind::Wheel } else { DeviceKind::Tumbler };
            self.system(Body::add_device("device".to_owned(), kind, DevicePlace::Table(table)))?;
        }
        if mode == TableMode::BetsRecorded && self.chance.one_in(2) {
            let (kind, place) = (DeviceKind::ChipReader, DevicePlace::Table(table));
            self.system(Body::add_device("reader".to_owned(), kind, place))?;
        }
        if mode == TableMode::Terminals {
            for _ in 0..1 + self.chance.below(4) {
                self.enrol(game, table)?;
            }
        }
        self.send(Sender::Staff(StaffId(4)), Body::OpenTable { table })
    }

    fn enrol(&mut self, game: Game, table: TableId) -> Result<(), String> {
        let terminal = TerminalId(u32::try_from(self.model.terminals.len()).map_err(|error| error.to_string())?);
        let kinds = game.rulebook().terminals();
        let kind = &kinds[self.chance.below(kinds.len())];
        let layout = kind.layouts[self.chance.below(kind.layouts.len())].clone();
        let name = format!("terminal {terminal}");
        self.system(Body::EnrolTerminal { table, name, kind: kind.id.clone(), layout })?;
        self.system(Body::TerminalBack { terminal })?;
        let place = DevicePlace::Terminal(terminal);
        self.system(Body::add_device("validator".to_owned(), DeviceKind::Validator, place))
    }

    fn system(&mut self, body: Body) -> Result<(), String> {
        self.send(Sender::System, body)
    }
}
