//! Devices and where they are.

use floor::{Device, DeviceKind, DevicePlace, Failed, Function, Measures, RoundId, Service};
use serde::Serialize;
use utoipa::ToSchema;

use super::people::{PersonRow, person};

/// A device as the console sees it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DeviceSection {
    /// Which.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: DeviceKindName,
    /// Where it is.
    pub place: PlaceSection,
    /// Its fault, by its number.
    pub fault: Option<u16>,
    /// Whether it is in service; only a tumbler or wheel can be out of it (D19).
    pub service: ServiceSection,
    /// Whether its reading of results is in service (D19).
    pub reading: ServiceSection,
    /// What it measures (D19).
    pub measures: MeasuresSection,
    /// Whether it is simulated (S21).
    pub simulated: bool,
}

/// Whether a device, or its reading, is in service, since when, by whom and why (D19).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ServiceSection {
    /// Whether it is in service.
    pub in_service: bool,
    /// Whether it serves in the round in progress; what comes back during a round serves from the next one.
    pub serves_now: bool,
    /// When that was last changed; `null`: never.
    pub since: Option<i64>,
    /// Who changed it.
    pub by: Option<PersonRow>,
    /// The second person.
    pub witness: Option<PersonRow>,
    /// Why.
    pub reason: Option<String>,
}

/// What a tumbler or wheel measures (D19).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuresSection {
    /// The number of tumbles or revolutions.
    pub times: bool,
    /// Which way the ball is spun, and whether the wheel turns.
    pub direction: bool,
    /// Whether the cover is on.
    pub cover: bool,
    /// Whether each die lies flat.
    pub flat: bool,
    /// The result.
    pub reads: bool,
}

impl From<Measures> for MeasuresSection {
    fn from(Measures { times, direction, cover, flat, reads }: Measures) -> MeasuresSection {
        MeasuresSection { times, direction, cover, flat, reads }
    }
}

impl From<MeasuresSection> for Measures {
    fn from(MeasuresSection { times, direction, cover, flat, reads }: MeasuresSection) -> Measures {
        Measures { times, direction, cover, flat, reads }
    }
}

/// The part of a device that is in service or not (D19).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FunctionName {
    /// All of it.
    Device,
    /// Its reading of results.
    Reading,
}

impl From<FunctionName> for Function {
    fn from(function: FunctionName) -> Function {
        match function {
            FunctionName::Device => Function::Device,
            FunctionName::Reading => Function::Reading,
        }
    }
}

/// What failed in an interruption (D21).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailedName {
    /// Power at the table.
    Power,
    /// The tumbler or the wheel.
    Device,
    /// The dealer's console.
    Console,
    /// A display.
    Display,
    /// Some of the terminals.
    SomeTerminals,
    /// All of the terminals.
    AllTerminals,
}

impl From<FailedName> for Failed {
    fn from(failed: FailedName) -> Failed {
        match failed {
            FailedName::Power => Failed::Power,
            FailedName::Device => Failed::Device,
            FailedName::Console => Failed::Console,
            FailedName::Display => Failed::Display,
            FailedName::SomeTerminals => Failed::SomeTerminals,
            FailedName::AllTerminals => Failed::AllTerminals,
        }
    }
}

impl From<Failed> for FailedName {
    fn from(failed: Failed) -> FailedName {
        match failed {
            Failed::Power => FailedName::Power,
            Failed::Device => FailedName::Device,
            Failed::Console => FailedName::Console,
            Failed::Display => FailedName::Display,
            Failed::SomeTerminals => FailedName::SomeTerminals,
            Failed::AllTerminals => FailedName::AllTerminals,
        }
    }
}

/// What a device is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKindName {
    /// A dice tumbler.
    Tumbler,
    /// A roulette wheel.
    Wheel,
    /// A cash validator.
    Validator,
    /// Something that records the chips on a live table.
    ChipReader,
}

impl From<DeviceKind> for DeviceKindName {
    fn from(kind: DeviceKind) -> DeviceKindName {
        match kind {
            DeviceKind::Tumbler => DeviceKindName::Tumbler,
            DeviceKind::Wheel => DeviceKindName::Wheel,
            DeviceKind::Validator => DeviceKindName::Validator,
            DeviceKind::ChipReader => DeviceKindName::ChipReader,
        }
    }
}

impl From<DeviceKindName> for DeviceKind {
    fn from(kind: DeviceKindName) -> DeviceKind {
        match kind {
            DeviceKindName::Tumbler => DeviceKind::Tumbler,
            DeviceKindName::Wheel => DeviceKind::Wheel,
            DeviceKindName::Validator => DeviceKind::Validator,
            DeviceKindName::ChipReader => DeviceKind::ChipReader,
        }
    }
}

/// Where a device is: at a table, in a terminal, or in the store when neither is given.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceSection {
    /// At a table.
    #[serde(default)]
    pub table: Option<u16>,
    /// In a terminal.
    #[serde(default)]
    pub terminal: Option<u32>,
}

impl From<DevicePlace> for PlaceSection {
    fn from(place: DevicePlace) -> PlaceSection {
        match place {
            DevicePlace::Store => PlaceSection { table: None, terminal: None },
            DevicePlace::Table(table) => PlaceSection { table: Some(table.0), terminal: None },
            DevicePlace::Terminal(terminal) => PlaceSection { table: None, terminal: Some(terminal.0) },
        }
    }
}

/// A device, for the console and the administration.
pub fn device(floor: &floor::Floor, device: &Device, simulated: bool) -> DeviceSection {
    let round = device.table().and_then(|table| floor.table(table)?.round().map(floor::Round::id));
    let service = |found: &Service, round: Option<RoundId>| ServiceSection {
        in_service: !found.out,
        serves_now: found.serves(round),
        since: found.changed.as_ref().map(|change| change.at.0),
        by: found.changed.as_ref().and_then(|change| person(floor, change.by)),
        witness: found.changed.as_ref().and_then(|change| person(floor, change.witness)),
        reason: found.changed.as_ref().map(|change| change.reason.to_string()),
    };
    DeviceSection {
        id: device.id().0,
        name: device.name().to_owned(),
        kind: device.kind().into(),
        place: device.place().into(),
        fault: device.fault(),
        service: service(device.service(), round),
        reading: service(device.reading(), round),
        measures: device.measures().into(),
        simulated,
    }
}
