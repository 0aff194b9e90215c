//! Tables, terminals, devices and people, as the events have it.

use floor::*;

use super::{Device, Model, Person, Table, Terminal};
use crate::game::Game;

impl Model {
    /// Takes an event of setting up in; false if it is something else.
    pub(super) fn set_up(&mut self, event: &Event) -> bool {
        match event {
            Event::FloorCreated(settings) => {
                self.demonstration = settings.demonstration;
                self.ticket_days = i64::from(settings.ticket_days);
            }
            Event::PowerRaised { act, rank, .. } => drop(self.raised.insert(*act, *rank)),
            Event::TableAdded { rulebook, mode, settings, .. } => self.add_table(*rulebook, *mode, settings),
            Event::RulebookPinned { table, rulebook, settings, .. } => {
                if let (Some(game), Some(table)) = (Game::of(*rulebook), self.tables.get_mut(table.index())) {
                    table.game = game;
                    table.settings = settings.clone();
                    table.pending = None;
                    table.history.clear();
                }
            }
            Event::SettingsChanged { table, settings, .. } => {
                if let Some(table) = self.tables.get_mut(table.index()) {
                    // In the middle of a round they wait for the next one (S12).
                    table.pending = table.round.as_ref().map(|_| settings.clone());
                    if table.round.is_none() {
                        table.settings = settings.clone();
                    }
                }
            }
            Event::TerminalEnrolled { table, kind, layout, .. } => self.terminals.push(Terminal {
                table: *table,
                kind: kind.clone(),
                layout: *layout,
                live: false,
                locked: false,
                credit: 0,
                prepared: 0,
                bets: Default::default(),
                visit: None,
                lost: 0,
                loss_limit: None,
            }),
            Event::TerminalMoved { terminal, table, kind, layout } => {
                if let Some(terminal) = self.terminals.get_mut(terminal.index()) {
                    terminal.table = *table;
                    terminal.kind.clone_from(kind);
                    terminal.layout = *layout;
                }
            }
            Event::DeviceAdded { kind, place, .. } => self.devices.push(Device { kind: *kind, place: *place }),
            Event::DeviceMoved { device, place } => {
                if let Some(device) = self.devices.get_mut(device.index()) {
                    device.place = *place;
                }
            }
            Event::StaffAdded { post, .. } => {
                self.staff.push(Person { post: *post, acting: None, active: true });
            }
            Event::StaffChanged { staff, post, active } => {
                if let Some(person) = self.staff.get_mut(staff.index()) {
                    person.post = *post;
                    person.active = *active;
                    person.acting = person.acting.filter(|_| *active);
                }
            }
            Event::ActingAssigned { staff, post, .. } => {
                if let Some(person) = self.staff.get_mut(staff.index()) {
                    person.acting = *post;
                }
            }
            Event::TableOpened { table, .. } => self.open_table(*table, true, None),
            Event::ClosingAnnounced { table, closes_at, .. } => self.open_table(*table, true, Some(*closes_at)),
            Event::TableClosed { table, .. } => self.open_table(*table, false, None),
            Event::TerminalLocked { terminal, .. } => self.lock(*terminal, true),
            Event::TerminalUnlocked { terminal, .. } => self.lock(*terminal, false),
            Event::RulebookInstalled { .. }
            | Event::DealerChanged { .. }
            | Event::DisplayRecorded { .. }
            | Event::AlertRaised { .. }
            | Event::AlertAcknowledged { .. } => {}
            _ => return false,
        }
        true
    }

    fn add_table(&mut self, rulebook: rulebook::Hash, mode: TableMode, settings: &TableSettings) {
        if let Some(game) = Game::of(rulebook) {
            self.tables.push(Table {
                game,
                mode,
                settings: settings.clone(),
                pending: None,
                open: false,
                closing: None,
                round: None,
                past: Vec::new(),
                history: Vec::new(),
                in_hands: 0,
            });
        }
    }

    fn open_table(&mut self, table: TableId, open: bool, closing: Option<Moment>) {
        if let Some(table) = self.tables.get_mut(table.index()) {
            table.open = open;
            table.closing = closing;
        }
    }

    fn lock(&mut self, terminal: TerminalId, locked: bool) {
        if let Some(terminal) = self.terminals.get_mut(terminal.index()) {
            terminal.locked = locked;
        }
    }
}
