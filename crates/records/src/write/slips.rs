//! What was counted and signed for, as the slip says it.

use floor::{DrawerMovement, Event, FloatMovement, Pile, StaffId};
use rulebook::Cents;
use rusqlite::{OptionalExtension, params};

use super::{Before, Writer};
use crate::Error;

/// A slip, before the people who sign it.
#[derive(Default)]
struct Slip {
    kind: &'static str,
    shift: Option<u32>,
    table: Option<u16>,
    amount: Cents,
    held: Option<Cents>,
    difference: Option<Cents>,
    counts: String,
    reason: Option<String>,
    staff: Option<u32>,
    second: Option<StaffId>,
}

impl Writer<'_> {
    pub(super) fn slip(&self, event: &Event, before: &Before) -> Result<(), Error> {
        match event {
            // The drawer was closed by the record before: it is a handover, and this shift's float.
            Event::ShiftOpened { shift, from: Some(from), .. } => {
                self.connection
                    .prepare_cached(
                        "UPDATE slips SET kind = 'handover', to_shift = ?1 WHERE shift = ?2 AND kind = 'close'",
                    )?
                    .execute(params![shift.0, from.0])?;
                Ok(())
            }
            Event::ShiftOpened { shift, cashier, float, witness, .. } => self.put(Slip {
                kind: "float",
                shift: Some(shift.0),
                amount: *float,
                staff: Some(cashier.0),
                second: *witness,
                ..Slip::default()
            }),
            Event::ShiftCounted { shift, counts, counted, witness, by } => self.put(Slip {
                kind: "count",
                shift: Some(shift.0),
                amount: *counted,
                counts: written(counts),
                staff: by.map_or_else(|| self.cashier_of(shift.0), |by| Ok(Some(by.0)))?,
                second: *witness,
                ..Slip::default()
            }),
            Event::ShiftClosed { shift, counted, expected, reason, witness, by } => self.put(Slip {
                kind: "close",
                shift: Some(shift.0),
                amount: *counted,
                held: Some(*expected),
                difference: Some(Cents::new(counted.get().saturating_sub(expected.get()))),
                counts: self.last_count(shift.0)?,
                reason: reason.as_ref().map(|reason| reason.to_string()).filter(|reason| !reason.is_empty()),
                staff: by.map_or_else(|| self.cashier_of(shift.0), |by| Ok(Some(by.0)))?,
                second: *witness,
                ..Slip::default()
            }),
            Event::DrawerMoved { shift, movement, amount, counts, witness } => self.put(Slip {
                kind: match movement {
                    DrawerMovement::Fill => "drawer-fill",
                    DrawerMovement::Credit => "drawer-credit",
                },
                shift: Some(shift.0),
                amount: *amount,
                counts: written(counts),
                staff: self.cashier_of(shift.0)?,
                second: *witness,
                ..Slip::default()
            }),
            Event::FloatMoved { table, movement, difference, by, counts, witness, reason } => {
                let (kind, amount, counted) = match movement {
                    FloatMovement::Opener(amount) => ("opener", amount, false),
                    FloatMovement::Fill(amount) => ("fill", amount, false),
                    FloatMovement::Credit(amount) => ("credit", amount, false),
                    FloatMovement::Closer(amount) => ("closer", amount, true),
                    FloatMovement::Drop(amount) => ("drop", amount, true),
                    FloatMovement::BuyIn(_) | FloatMovement::ChipsOut(_) => return Ok(()),
                };
                self.put(Slip {
                    kind,
                    table: Some(table.0),
                    amount: *amount,
                    held: before.held,
                    difference: counted.then_some(*difference),
                    counts: written(counts),
                    reason: reason.as_ref().map(|reason| reason.to_string()),
                    staff: Some(by.0),
                    second: *witness,
                    ..Slip::default()
                })
            }
            _ => Ok(()),
        }
    }

    fn put(&self, slip: Slip) -> Result<(), Error> {
        // D28: a person who acted alone is named twice, and signs once.
        let second = slip.second.map(|second| second.0).filter(|second| Some(*second) != slip.staff);
        self.connection
            .prepare_cached(
                "INSERT INTO slips
                 (sequence, at, kind, shift, table_id, amount, held, difference, counts, reason, staff, second)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                self.sequence,
                self.at.0,
                slip.kind,
                slip.shift,
                slip.table,
                slip.amount.get(),
                slip.held.map(Cents::get),
                slip.difference.map(Cents::get),
                slip.counts,
                slip.reason,
                slip.staff,
                second,
            ])?;
        Ok(())
    }

    fn cashier_of(&self, shift: u32) -> Result<Option<u32>, Error> {
        let mut select = self.connection.prepare_cached("SELECT cashier FROM shifts WHERE shift = ?")?;
        Ok(select.query_row([shift], |row| row.get(0)).optional()?)
    }

    /// The denominations of the last count of a drawer.
    fn last_count(&self, shift: u32) -> Result<String, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT counts FROM slips WHERE shift = ? AND kind = 'count' ORDER BY sequence DESC LIMIT 1",
        )?;
        Ok(select.query_row([shift], |row| row.get(0)).optional()?.unwrap_or_default())
    }
}

fn written(counts: &[Pile]) -> String {
    let pile = |pile: &Pile| format!("{}:{}", pile.denomination.get(), pile.pieces);
    counts.iter().map(pile).collect::<Vec<_>>().join(" ")
}
