//! The sections of the views. A feed sends them whole at first and those that changed from then on.

mod cage;
mod console;
mod device;
mod held;
mod live;
mod own;
mod people;
mod pit;
mod pit_lists;
mod table;
mod waits;

use floor::{Floor, Moment, TableId};
use serde::Serialize;
use utoipa::ToSchema;

pub use cage::*;
pub use console::*;
pub use device::*;
pub use own::*;
pub use people::*;
pub use pit::*;
pub use pit_lists::*;
pub use table::*;

/// The public view of the floor.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FloorSection {
    /// Its name, as in the paths.
    pub name: String,
    /// Whether it is a demonstration (S21).
    pub demonstration: bool,
    /// The last durable record.
    pub sequence: u64,
    /// The host's clock.
    pub now: i64,
    /// Whether play is locked until the program is accepted (S10).
    pub locked: bool,
    /// Its tables.
    pub tables: Vec<TableSection>,
    /// Its terminals, without the money on them.
    pub terminals: Vec<TerminalRow>,
}

/// The public view of the floor.
pub fn floor(floor: &Floor, now: Moment, automatic: impl Fn(TableId) -> bool) -> FloorSection {
    let settings = floor.settings();
    let tables = floor.tables().iter().filter_map(|found| table(floor, found.id(), automatic(found.id())));
    FloorSection {
        name: settings.map_or_else(String::new, |settings| settings.name.clone()),
        demonstration: settings.is_some_and(|settings| settings.demonstration),
        sequence: floor.sequence(),
        now: now.0,
        locked: floor.locked_by().is_some() || floor.missing_record().is_some(),
        tables: tables.collect(),
        terminals: floor.terminals().iter().map(|found| terminal(floor, found)).collect(),
    }
}
