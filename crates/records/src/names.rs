//! Names for the floor's enums, stable because they are in the database.

use floor::{DeviceKind, DevicePlace, Function, Post, TableMode, VoidBy};

pub(crate) const fn mode(mode: TableMode) -> &'static str {
    match mode {
        TableMode::Terminals => "terminals",
        TableMode::ResultsOnly => "results-only",
        TableMode::BetsRecorded => "bets-recorded",
    }
}

pub(crate) const fn device_kind(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Tumbler => "tumbler",
        DeviceKind::Wheel => "wheel",
        DeviceKind::Validator => "validator",
        DeviceKind::ChipReader => "chip-reader",
    }
}

/// What of a device is in service or not.
pub(crate) const fn function(function: Function) -> &'static str {
    match function {
        Function::Device => "device",
        Function::Reading => "reading",
    }
}

/// The table and the terminal of a place.
pub(crate) fn place(place: DevicePlace) -> (Option<u16>, Option<u32>) {
    match place {
        DevicePlace::Store => (None, None),
        DevicePlace::Table(table) => (Some(table.0), None),
        DevicePlace::Terminal(terminal) => (None, Some(terminal.0)),
    }
}

pub(crate) const fn post(post: Post) -> &'static str {
    match post {
        Post::Pit(rank) => rank.as_str(),
        Post::Cashier => "cashier",
        Post::Auditor => "auditor",
        Post::Administrator => "administrator",
        Post::Technician => "technician",
    }
}

/// The ground of a void, or that it was decided.
pub(crate) const fn void_by(by: VoidBy) -> &'static str {
    match by {
        VoidBy::Ground(ground) => ground.as_str(),
        VoidBy::Decision => DECISION,
    }
}

/// The text in place of a ground when the Shift Manager has decided.
pub(crate) const DECISION: &str = "decision";
