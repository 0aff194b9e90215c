//! The floor of the demonstration: a table of each approved document, terminals of every layout, staff of every rank.

use floor::{
    Body, DeviceKind, DevicePlace, FloatMovement, Floor, FloorSettings, Limit, Measures, Pile, Post, Sender, StaffId,
    TableId, TableMode, TableSettings, TerminalId,
};
use rulebook::{Cents, Incoherence, Play, Rank, Rulebook, library};

/// What the name of a free terminal begins with.
pub const FREE: &str = "Seat";
/// Automatic players of each layout.
const PLAYERS: u32 = 4;
/// Free terminals of each layout.
const SEATS: u32 = 2;

/// Names for people on the floor; each rank has two.
const NAMES: [(&str, Post); 13] = [
    ("dealer 1", Post::Pit(Rank::Dealer)),
    ("dealer 2", Post::Pit(Rank::Dealer)),
    ("dealer 3", Post::Pit(Rank::Dealer)),
    ("dealer 4", Post::Pit(Rank::Dealer)),
    ("dealer 5", Post::Pit(Rank::Dealer)),
    ("supervisor 1", Post::Pit(Rank::PitSupervisor)),
    ("supervisor 2", Post::Pit(Rank::PitSupervisor)),
    ("manager 1", Post::Pit(Rank::PitManager)),
    ("manager 2", Post::Pit(Rank::PitManager)),
    ("shift 1", Post::Pit(Rank::ShiftManager)),
    ("shift 2", Post::Pit(Rank::ShiftManager)),
    ("casino 1", Post::Pit(Rank::CasinoManager)),
    ("casino 2", Post::Pit(Rank::CasinoManager)),
];

/// The name of the demonstration's floor.
#[must_use]
pub fn name() -> &'static str {
    "demo"
}

fn settings() -> FloorSettings {
    FloorSettings {
        name: name().to_owned(),
        demonstration: true,
        day_starts: 6 * 60,
        ticket_days: 30,
        ..FloorSettings::default()
    }
}

/// The commands that make it, from the first. Each makes one record.
///
/// # Errors
/// When a rulebook inside the program is not coherent.
pub fn commands(pace: u32) -> Result<Vec<(Sender, Body)>, &'static Incoherence> {
    let mut setting = Setting { pace, ..Setting::default() };
    setting.host(Body::CreateFloor(settings()));
    setting.staff();
    for rulebook in library::all()?.iter().filter(|rulebook| rulebook.identity().approved) {
        setting.table(rulebook);
    }
    Ok(setting.commands)
}

/// How many of them are done: all, if the floor is another.
#[must_use]
pub fn done(floor: &Floor) -> usize {
    match floor.settings() {
        Some(other) if *other != settings() => usize::MAX,
        _ => usize::try_from(floor.sequence()).unwrap_or(usize::MAX),
    }
}

/// What has been set up so far: things are numbered in the order in which they are made.
#[derive(Default)]
struct Setting {
    commands: Vec<(Sender, Body)>,
    people: u32,
    pace: u32,
    manager: u32,
    supervisor: u32,
    tables: u16,
    terminals: u32,
}

impl Setting {
    fn host(&mut self, body: Body) {
        self.commands.push((Sender::System, body));
    }

    fn staff(&mut self) {
        let others = [
            ("cashier 1", Post::Cashier),
            ("cashier 2", Post::Cashier),
            ("auditor 1", Post::Auditor),
            ("administrator 1", Post::Administrator),
            ("administrator 2", Post::Administrator),
            ("technician 1", Post::Technician),
        ];
        for (name, post) in NAMES.into_iter().chain(others) {
            self.host(Body::AddStaff { name: name.to_owned(), post, witness: None });
            match post {
                Post::Pit(Rank::PitManager) => self.manager = self.people,
                Post::Pit(Rank::PitSupervisor) => self.supervisor = self.people,
                _ => {}
            }
            self.people += 1;
        }
    }

    fn table(&mut self, rulebook: &Rulebook) {
        let table = TableId(self.tables);
        self.tables += 1;
        self.host(Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
        let live = rulebook.identity().play == Play::Chips;
        let mode = if live { TableMode::BetsRecorded } else { TableMode::Terminals };
        let settings = if live { live_settings() } else { terminal_settings(self.pace) };
        let name = rulebook.identity().title.en.clone();
        self.host(Body::AddTable { name, rulebook: rulebook.hash(), mode, settings: settings.into(), witness: None });
        let (name, kind) = match rulebook.outcomes().wheel() {
            Some(_) => (format!("Wheel {}", table.0 + 1), DeviceKind::Wheel),
            None => (format!("Tumbler {}", table.0 + 1), DeviceKind::Tumbler),
        };
        // The simulated devices measure everything: a dealer affirms only what no device in service measures.
        let measures = Measures { times: true, direction: true, cover: true, flat: true, reads: true };
        let place = DevicePlace::Table(table);
        self.host(Body::AddDevice { name, kind, place, measures: Some(measures), witness: None });
        if live {
            let opener = Body::MoveFloat {
                table,
                movement: FloatMovement::Opener(Cents::new(20_000_000)),
                counts: vec![Pile { denomination: Cents::new(100_000), pieces: 200 }],
                witness: Some(StaffId(self.manager)),
                reason: String::new(),
            };
            self.commands.push((Sender::Staff(StaffId(self.supervisor)), opener));
        } else {
            for kind in rulebook.terminals() {
                for layout in &kind.layouts {
                    for _ in 0..PLAYERS {
                        self.terminal("Player", table, &kind.id, layout);
                    }
                    for _ in 0..SEATS {
                        self.terminal(FREE, table, &kind.id, layout);
                    }
                }
            }
        }
        self.commands.push((Sender::Staff(StaffId(self.manager)), Body::OpenTable { table }));
    }

    fn terminal(&mut self, name: &str, table: TableId, kind: &str, layout: &str) {
        let terminal = TerminalId(self.terminals);
        self.terminals += 1;
        let (kind, layout) = (kind.to_owned(), layout.to_owned());
        let name = format!("{name} {}", terminal.0 + 1);
        self.host(Body::EnrolTerminal { table, name, kind, layout });
        let place = DevicePlace::Terminal(terminal);
        let name = format!("Validator {}", terminal.0 + 1);
        self.host(Body::add_device(name, DeviceKind::Validator, place));
    }
}

fn terminal_settings(pace: u32) -> TableSettings {
    let usual = TableSettings::usual();
    TableSettings {
        betting_period: usual.betting_period * i64::from(pace) / 100,
        limit: Limit { minimum: Cents::new(100), maximum: Some(Cents::new(50_000)) },
        liability: Some(Cents::new(50_000_000)),
        ..usual
    }
}

/// A live table: 25.00 to 1,000.00 a box, closed by the dealer. Its smallest chip is 5.00, and pro rata is rounded to it (D8).
fn live_settings() -> TableSettings {
    TableSettings {
        step: Cents::new(500),
        limit: Limit { minimum: Cents::new(2_500), maximum: Some(Cents::new(100_000)) },
        differential: Some(Cents::new(50_000)),
        betting_period: 0,
        ..TableSettings::usual()
    }
}
