//! A small demonstration floor: a table of each approved document, staff of every rank, terminals of every layout.

use floor::{
    Body, DeviceKind, DevicePlace, Floor, FloorSettings, Limit, Post, Sender, StaffId, TableId, TableMode,
    TableSettings, TerminalId,
};
use rulebook::{Cents, Play, Rank, Rulebook, library};

use crate::refusal::Refusal;

/// Of each layout there are so many terminals.
const TERMINALS: u32 = 4;

/// The commands that make it, from the first. Each makes one record.
pub fn commands() -> Result<Vec<(Sender, Body)>, Refusal> {
    let mut setting = Setting::default();
    setting.host(Body::CreateFloor(settings()));
    let manager = setting.staff();
    for rulebook in library::all()?.iter().filter(|rulebook| rulebook.identity().approved) {
        setting.table(rulebook, manager);
    }
    Ok(setting.commands)
}

/// How many of them are done: all, if the floor is another.
pub fn done(floor: &Floor) -> usize {
    match floor.settings() {
        Some(other) if *other != settings() => usize::MAX,
        _ => usize::try_from(floor.sequence()).unwrap_or(usize::MAX),
    }
}

fn settings() -> FloorSettings {
    FloorSettings {
        name: "demonstration".to_owned(),
        demonstration: true,
        day_starts: 6 * 60,
        ticket_days: 30,
        ..FloorSettings::default()
    }
}

/// What has been set up so far: things are numbered in the order in which they are made.
#[derive(Default)]
struct Setting {
    commands: Vec<(Sender, Body)>,
    tables: u16,
    terminals: u32,
}

impl Setting {
    fn host(&mut self, body: Body) {
        self.commands.push((Sender::System, body));
    }

    /// Two of each rank, so that there is a second person for everything. Returns a Pit Manager.
    fn staff(&mut self) -> StaffId {
        let mut manager = StaffId(0);
        let pit = Rank::ALL.into_iter().map(|rank| (rank.as_str(), Post::Pit(rank)));
        let others = [("cashier", Post::Cashier), ("auditor", Post::Auditor), ("administrator", Post::Administrator)];
        let twice = pit.chain(others).flat_map(|post| [(1, post), (2, post)]);
        for ((which, (name, post)), id) in twice.zip(0..) {
            self.host(Body::AddStaff { name: format!("{name} {which}"), post, witness: None });
            if post == Post::Pit(Rank::PitManager) {
                manager = StaffId(id);
            }
        }
        manager
    }

    fn table(&mut self, rulebook: &Rulebook, manager: StaffId) {
        let table = TableId(self.tables);
        self.tables += 1;
        self.host(Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
        let live = rulebook.identity().play == Play::Chips;
        let mode = if live { TableMode::BetsRecorded } else { TableMode::Terminals };
        let settings = if live { live_settings() } else { TableSettings::usual() };
        let name = rulebook.id().to_owned();
        self.host(Body::AddTable { name, rulebook: rulebook.hash(), mode, settings: settings.into(), witness: None });
        let (name, kind) = match rulebook.outcomes().wheel() {
            Some(_) => ("wheel", DeviceKind::Wheel),
            None => ("tumbler", DeviceKind::Tumbler),
        };
        self.host(Body::add_device(name.to_owned(), kind, DevicePlace::Table(table)));
        if !live {
            for kind in rulebook.terminals() {
                for layout in &kind.layouts {
                    for _ in 0..TERMINALS {
                        self.terminal(table, &kind.id, layout);
                    }
                }
            }
        }
        self.commands.push((Sender::Staff(manager), Body::OpenTable { table }));
        // The first dealer has every table, until another takes one over (D26).
        self.commands.push((Sender::Staff(StaffId(0)), Body::TakeTable { table }));
    }

    fn terminal(&mut self, table: TableId, kind: &str, layout: &str) {
        let terminal = TerminalId(self.terminals);
        self.terminals += 1;
        let (kind, layout) = (kind.to_owned(), layout.to_owned());
        self.host(Body::EnrolTerminal { table, name: format!("terminal {terminal}"), kind, layout });
        let place = DevicePlace::Terminal(terminal);
        self.host(Body::add_device(format!("validator {terminal}"), DeviceKind::Validator, place));
        self.host(Body::TerminalBack { terminal });
    }
}

/// A live table: 25.00 to 1,000.00 a box, closed by the dealer.
fn live_settings() -> TableSettings {
    TableSettings {
        limit: Limit { minimum: Cents::new(2_500), maximum: Some(Cents::new(100_000)) },
        differential: Some(Cents::new(50_000)),
        betting_period: 0,
        ..TableSettings::usual()
    }
}
