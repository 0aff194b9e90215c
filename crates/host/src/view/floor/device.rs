//! Devices and where they are.

use floor::{Device, DeviceKind, DevicePlace};
use serde::Serialize;
use utoipa::ToSchema;

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
    /// Whether it is simulated (S21).
    pub simulated: bool,
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
pub fn device(device: &Device, simulated: bool) -> DeviceSection {
    DeviceSection {
        id: device.id().0,
        name: device.name().to_owned(),
        kind: device.kind().into(),
        place: device.place().into(),
        fault: device.fault(),
        simulated,
    }
}
