//! The house: rulebooks, tables, terminals, devices, people and shifts.

use floor::{Event, Limit, StaffId, TableId, TableSettings};
use rulebook::{Family, Hash, Rulebook};
use rusqlite::params;

use super::{Metered, Writer};
use crate::{Error, names};

impl Writer<'_> {
    pub(super) fn house(&mut self, event: &Event) -> Result<(), Error> {
        match event {
            Event::FloorCreated(settings) => {
                let large_cash = self.state.floor.thresholds().large_cash.get();
                let known = params![settings.day_starts, large_cash];
                self.connection.execute("UPDATE meta SET day_starts = ?, large_cash = ?", known)?;
            }
            Event::ThresholdsSet { thresholds, .. } => {
                self.connection.execute("UPDATE meta SET large_cash = ?", [thresholds.large_cash.get()])?;
            }
            Event::RulebookInstalled { hash, .. } => self.rulebook_installed(*hash)?,
            Event::SettingsChanged { table, settings, by, reason, from_next_round, .. } => {
                self.limits(*table, settings, *by, reason, *from_next_round)?;
            }
            Event::TableAdded { table, name, rulebook, mode, settings, .. } => {
                self.limits(*table, settings, None, "", false)?;
                let place = self.rulebook_place(*rulebook);
                self.connection.execute(
                    "INSERT INTO tables (table_id, name, mode, rulebook, open) VALUES (?, ?, ?, ?, 0)",
                    params![table.0, name, names::mode(*mode), place],
                )?;
            }
            Event::RulebookPinned { table, rulebook, .. } => {
                let place = self.rulebook_place(*rulebook);
                self.connection
                    .execute("UPDATE tables SET rulebook = ? WHERE table_id = ?", params![place, table.0])?;
            }
            Event::TableOpened { table, .. } => self.table_open(*table, true)?,
            Event::TableClosed { table, .. } => self.table_open(*table, false)?,
            Event::TerminalEnrolled { terminal, table, name, kind, layout } => {
                self.state.metered.push(Metered::default());
                self.connection
                    .prepare_cached(
                        "INSERT INTO terminals (terminal, name, kind, table_id, layout, wagers, bets_returned)
                         VALUES (?, ?, ?, ?, ?, 0, 0)",
                    )?
                    .execute(params![terminal.0, name, kind, table.0, layout])?;
            }
            Event::TerminalMoved { terminal, table, kind, layout } => {
                self.connection.execute(
                    "UPDATE terminals SET kind = ?, table_id = ?, layout = ? WHERE terminal = ?",
                    params![kind, table.0, layout, terminal.0],
                )?;
            }
            Event::DeviceAdded { device, name, kind, place, .. } => {
                let (table, terminal) = names::place(*place);
                self.connection
                    .prepare_cached(
                        "INSERT INTO devices (device, name, kind, table_id, terminal) VALUES (?, ?, ?, ?, ?)",
                    )?
                    .execute(params![device.0, name, names::device_kind(*kind), table, terminal])?;
            }
            Event::DeviceMoved { device, place, .. } => {
                let (table, terminal) = names::place(*place);
                self.connection.execute(
                    "UPDATE devices SET table_id = ?, terminal = ? WHERE device = ?",
                    params![table, terminal, device.0],
                )?;
            }
            Event::ServiceChanged { device, table, function, in_service, by, witness, reason } => {
                let function = names::function(*function);
                if *in_service {
                    self.connection
                        .prepare_cached(
                            "UPDATE out_of_service SET back_at = ?, back_staff = ?, back_witness = ?
                             WHERE device = ? AND function = ? AND back_at IS NULL",
                        )?
                        .execute(params![self.at.0, by.0, witness.0, device.0, function])?;
                } else {
                    self.connection
                        .prepare_cached(
                            "INSERT INTO out_of_service (sequence, device, function, table_id, at, staff, witness, reason)
                             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        )?
                        .execute(params![
                            self.sequence,
                            device.0,
                            function,
                            table.map(|table| table.0),
                            self.at.0,
                            by.0,
                            witness.0,
                            &**reason,
                        ])?;
                }
            }
            Event::StaffAdded { staff, name, post, .. } => {
                self.connection.execute(
                    "INSERT INTO staff (staff, name, post, active) VALUES (?, ?, ?, 1)",
                    params![staff.0, name, names::post(*post)],
                )?;
            }
            Event::StaffChanged { staff, post, active, .. } => {
                self.connection.execute(
                    "UPDATE staff SET post = ?1, active = ?2, acting = iif(?2, acting, NULL) WHERE staff = ?3",
                    params![names::post(*post), active, staff.0],
                )?;
            }
            Event::ActingAssigned { staff, post, .. } => {
                self.connection
                    .execute("UPDATE staff SET acting = ? WHERE staff = ?", params![post.map(names::post), staff.0])?;
            }
            Event::ShiftOpened { shift, cashier, float, .. } => {
                self.connection.execute(
                    "INSERT INTO shifts (shift, cashier, opened_at, opening) VALUES (?, ?, ?, ?)",
                    params![shift.0, cashier.0, self.at.0, float.get()],
                )?;
            }
            Event::ShiftClosed { shift, counted, expected, .. } => {
                self.connection.execute(
                    "UPDATE shifts SET closed_at = ?, counted = ?, expected = ? WHERE shift = ?",
                    params![self.at.0, counted.get(), expected.get(), shift.0],
                )?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The place of a rulebook in the order of installation.
    pub(super) fn rulebook_place(&self, hash: Hash) -> Option<usize> {
        self.state.floor.rulebooks().position(|rulebook| rulebook.hash() == hash)
    }

    fn table_open(&self, table: TableId, open: bool) -> Result<(), Error> {
        self.connection.execute("UPDATE tables SET open = ? WHERE table_id = ?", params![open, table.0])?;
        Ok(())
    }

    fn limits(
        &self,
        table: TableId,
        settings: &TableSettings,
        by: Option<StaffId>,
        reason: &str,
        from_next_round: bool,
    ) -> Result<(), Error> {
        let most = |limit: &Limit| limit.maximum.map_or_else(|| "no maximum".to_owned(), |most| most.to_string());
        let family = |(family, limit): &(Family, Limit)| format!("{family} {} to {}", limit.minimum, most(limit));
        let families: Vec<String> = settings.families.iter().map(family).collect();
        self.connection
            .prepare_cached(
                "INSERT INTO limits (sequence, at, table_id, from_next_round, minimum, maximum, step, betting_period,
                 families, staff, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                self.sequence,
                self.at.0,
                table.0,
                from_next_round,
                settings.limit.minimum.get(),
                settings.limit.maximum.map(|most| most.get()),
                settings.step.get(),
                settings.betting_period,
                families.join(", "),
                by.map(|by| by.0),
                reason,
            ])?;
        Ok(())
    }

    fn rulebook_installed(&self, hash: Hash) -> Result<(), Error> {
        let (Some(place), Some(rulebook)) = (self.rulebook_place(hash), self.state.floor.rulebook(hash)) else {
            return Ok(());
        };
        let identity = rulebook.identity();
        self.connection.execute(
            "INSERT OR IGNORE INTO rulebooks (rulebook, hash, game, version, canonical) VALUES (?, ?, ?, ?, ?)",
            params![place, hash.to_string(), identity.id, identity.version, rulebook.canonical()],
        )?;
        self.spots(place, rulebook)
    }

    fn spots(&self, place: usize, rulebook: &Rulebook) -> Result<(), Error> {
        let mut insert = self.connection.prepare_cached(
            "INSERT OR IGNORE INTO spots (rulebook, layout, spot, notation, paragraph) VALUES (?, ?, ?, ?, ?)",
        )?;
        for (number, layout) in rulebook.layouts().iter().enumerate() {
            for (spot, priced) in layout.table().spots().iter().enumerate() {
                insert.execute(params![place, number, spot, priced.spot.to_string(), priced.paragraph.as_str()])?;
            }
        }
        Ok(())
    }
}
