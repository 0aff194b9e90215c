//! What is on the floor, so that the client knows the numbers of things.

use floor::{Device, DevicePlace, Floor, Staff, Table, Terminal};
use serde_json::{Value, json};

/// Names and numbers of tables, terminals, devices and staff.
pub fn describe(floor: &Floor) -> Value {
    let settings = floor.settings();
    json!({ "floor": {
        "name": settings.map(|settings| &settings.name),
        "demonstration": settings.map(|settings| settings.demonstration),
        "tables": floor.tables().iter().map(|table| describe_table(floor, table)).collect::<Vec<_>>(),
        "staff": floor.staff().iter().map(describe_person).collect::<Vec<_>>(),
    } })
}

fn describe_table(floor: &Floor, table: &Table) -> Value {
    let rulebook = floor.rulebook_of(table);
    let terminals = table.terminals().iter().filter_map(|id| floor.terminal(*id));
    json!({
        "table": table.id(),
        "name": table.name(),
        "game": rulebook.map(rulebook::Rulebook::id),
        "rulebook": rulebook.map(rulebook::Rulebook::hash),
        "mode": table.mode(),
        "devices": devices(floor, DevicePlace::Table(table.id())),
        "terminals": terminals.map(|terminal| describe_terminal(floor, terminal)).collect::<Vec<_>>(),
    })
}

fn describe_terminal(floor: &Floor, terminal: &Terminal) -> Value {
    json!({
        "terminal": terminal.id(),
        "name": terminal.name(),
        "layout": floor.layout_of(terminal).map(rulebook::Layout::id),
        "devices": devices(floor, DevicePlace::Terminal(terminal.id())),
    })
}

fn devices(floor: &Floor, place: DevicePlace) -> Vec<Value> {
    let here = |device: &&Device| device.place() == place;
    let describe = |device: &Device| json!({ "device": device.id(), "name": device.name(), "kind": device.kind() });
    floor.devices().iter().filter(here).map(describe).collect()
}

fn describe_person(person: &Staff) -> Value {
    json!({ "staff": person.id(), "name": person.name(), "post": person.post() })
}
