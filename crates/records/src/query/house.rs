//! Who and what is on the floor, by name.

use floor::{DeviceId, StaffId, TableId, TerminalId};
use serde::Serialize;

use super::{Query, get, maybe};
use crate::Error;

/// A person employed, now or once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StaffRecord {
    /// Which.
    pub staff: StaffId,
    /// The name.
    pub name: String,
    /// The post.
    pub post: String,
    /// The post acted in.
    pub acting: Option<String>,
    /// Whether still employed.
    pub active: bool,
}

/// A terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TerminalRecord {
    /// Which.
    pub terminal: TerminalId,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its table.
    pub table: TableId,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceRecord {
    /// Which.
    pub device: DeviceId,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The table at which it stands.
    pub table: Option<TableId>,
    /// Or the terminal in which it is.
    pub terminal: Option<TerminalId>,
}

impl Query<'_> {
    /// Everyone who is or was employed.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn staff(&self) -> Result<Vec<StaffRecord>, Error> {
        let mut select = self.connection.prepare_cached("SELECT * FROM staff ORDER BY staff")?;
        let found = select.query_map([], |row| {
            Ok(StaffRecord {
                staff: get(row, "staff", StaffId)?,
                name: row.get("name")?,
                post: row.get("post")?,
                acting: row.get("acting")?,
                active: row.get("active")?,
            })
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Every terminal.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn terminals(&self) -> Result<Vec<TerminalRecord>, Error> {
        let mut select = self.connection.prepare_cached("SELECT * FROM terminals ORDER BY terminal")?;
        let found = select.query_map([], |row| {
            Ok(TerminalRecord {
                terminal: get(row, "terminal", TerminalId)?,
                name: row.get("name")?,
                kind: row.get("kind")?,
                table: get(row, "table_id", TableId)?,
            })
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Every device.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn devices(&self) -> Result<Vec<DeviceRecord>, Error> {
        let mut select = self.connection.prepare_cached("SELECT * FROM devices ORDER BY device")?;
        let found = select.query_map([], |row| {
            Ok(DeviceRecord {
                device: get(row, "device", DeviceId)?,
                name: row.get("name")?,
                kind: row.get("kind")?,
                table: maybe(row, "table_id", TableId)?,
                terminal: maybe(row, "terminal", TerminalId)?,
            })
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}
