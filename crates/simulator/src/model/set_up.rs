//! Tables, terminals, devices and people, as the events have it.

use floor::*;

use super::{Check, Device, Model, Person, Table, Terminal, must};
use crate::game::Game;

impl Model {
    /// Takes an event of setting up in; false if it is something else.
    pub(super) fn set_up(&mut self, event: &Event) -> Result<bool, String> {
        self.not_in_a_round(event)?;
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
                    table.settings = (**settings).clone();
                    table.pending = None;
                    table.history.clear();
                }
            }
            Event::SettingsChanged { table, settings, .. } => {
                if let Some(table) = self.tables.get_mut(table.index()) {
                    // In the middle of a round they wait for the next one (S12).
                    table.pending = table.round.as_ref().map(|_| (**settings).clone());
                    if table.round.is_none() {
                        table.settings = (**settings).clone();
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
                choices: Vec::new(),
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
            Event::DeviceAdded { kind, place, measures, by, witness, .. } => {
                let added = Device::new(*kind, *place, *measures);
                if added.deals() {
                    self.brought_or_taken(*place, *by, *witness, true)?;
                }
                self.devices.push(added);
            }
            Event::DeviceMoved { device, place, by, witness } => self.device_moved(*device, *place, *by, *witness)?,
            Event::StaffAdded { post, .. } => {
                self.staff.push(Person { post: *post, acting: None, active: true });
            }
            Event::StaffChanged { staff, post, active, .. } => {
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
            Event::TableClosed { table, .. } => {
                self.open_table(*table, false, None);
                self.table_mut(*table)?.dealer = None;
            }
            Event::DealerChanged { table, dealer } => self.table_mut(*table)?.dealer = Some(*dealer),
            Event::RecordingPeriodSet { table, period, .. } => {
                let found = self.table_mut(*table)?;
                match found.round {
                    Some(_) => found.next_recording = Some(*period),
                    None => found.recording = *period,
                }
            }
            // Nothing expires by the jump alone.
            Event::ClockAccepted { ahead, .. } => {
                let (from, to) = (self.now, self.now.after((*ahead).max(0)));
                let due = self.tickets.values_mut().filter(|ticket| ticket.state == TicketState::Outstanding);
                for ticket in due.filter(|ticket| *ahead > 0 && from <= ticket.expires && ticket.expires <= to) {
                    ticket.expires = ticket.expires.after(*ahead);
                }
            }
            Event::TerminalLocked { terminal, .. } => self.lock(*terminal, true),
            Event::TerminalUnlocked { terminal, .. } => self.lock(*terminal, false),
            Event::RulebookInstalled { .. }
            | Event::DisplayRecorded { .. }
            | Event::Noted { .. }
            | Event::CredentialChanged { .. }
            | Event::EnrolmentCodeMade { .. }
            | Event::HostKeyChanged { .. }
            | Event::WrongTicketsLifted { .. }
            | Event::FeatureLevelRaised { .. }
            | Event::AlertRepeated { .. }
            | Event::ClockJumped { .. }
            | Event::AlertRaised { .. }
            | Event::DayBegan { .. }
            | Event::ThresholdsSet { .. }
            | Event::WrongTicketTried { .. }
            | Event::CodesSealed { .. }
            | Event::SealedCodeOpened { .. }
            | Event::AlertAcknowledged { .. } => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A tumbler or wheel leaves a table, and comes to one, by two people (D19).
    fn device_moved(
        &mut self,
        device: DeviceId,
        place: DevicePlace,
        by: Option<StaffId>,
        witness: Option<StaffId>,
    ) -> Check {
        let found = self.devices.get_mut(device.index()).ok_or("no such device")?;
        let from = std::mem::replace(&mut found.place, place);
        let deals = found.deals();
        if !deals {
            return Ok(());
        }
        let moves_on = matches!((from, place), (DevicePlace::Table(_), DevicePlace::Table(_)));
        must(!moves_on, || "a device that left its table and is at another one at once".to_owned())?;
        self.brought_or_taken(from, by, witness, false)?;
        self.brought_or_taken(place, by, witness, true)
    }

    fn brought_or_taken(
        &mut self,
        place: DevicePlace,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        arrives: bool,
    ) -> Check {
        let (DevicePlace::Table(table), Some(by)) = (place, by) else { return Ok(()) };
        let witness = witness.ok_or("a device brought or taken away by one person (D19)")?;
        self.are_two(by, witness)?;
        // It comes to a table with another administrator too, as long as it left none by that (D19).
        if !(arrives && self.serves_as(witness, Post::Administrator)) {
            self.may(table, rulebook::Act::RecordDeviceFault, witness)?;
        }
        self.remember_service(table, None, [by, witness])
    }

    /// Nothing is changed in the middle of a round, and what a player's money rests on not while it is there (S12).
    fn not_in_a_round(&self, event: &Event) -> Check {
        match event {
            Event::RulebookPinned { table, .. } => {
                self.idle(*table)?;
                must(self.at_table(*table).next().is_none(), || "terminals of another rulebook".to_owned())
            }
            Event::SettingsChanged { table, settings, from_next_round, .. } => {
                let found = self.table(*table)?;
                must(*from_next_round == found.round.is_some(), || "settings in the middle of a round".to_owned())?;
                if settings.step == found.settings.step {
                    return Ok(());
                }
                self.idle(*table)?;
                must(self.at_table(*table).all(|(_, terminal)| terminal.is_empty()), || {
                    "another step, and there is credit".to_owned()
                })
            }
            Event::TerminalEnrolled { table, .. } => self.idle(*table),
            Event::TerminalMoved { terminal, table, .. } => {
                let found = self.terminal(*terminal)?;
                must(found.is_empty(), || "a terminal moved with credit".to_owned())?;
                self.idle(found.table)?;
                self.idle(*table)
            }
            Event::DeviceAdded { place, .. } => self.idle_place(*place),
            Event::DeviceMoved { device, place, .. } => {
                let found = self.devices.get(device.index()).ok_or("no such device")?;
                self.idle_place(found.place)?;
                self.idle_place(*place)
            }
            Event::TableClosed { table, .. } => {
                self.idle(*table)?;
                let closing = self.table(*table)?.closing;
                must(closing.is_some_and(|closing| self.now >= closing), || "closed without notice (S3)".to_owned())
            }
            Event::StaffChanged { staff, post, active, .. } => {
                let on_shift = self.shifts.values().any(|shift| shift.cashier == *staff);
                must(!on_shift || *active && *post == Post::Cashier, || "a cashier left the shift".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn idle(&self, table: TableId) -> Check {
        must(self.table(table)?.round.is_none(), || format!("table {table} is in the middle of a round"))
    }

    fn idle_place(&self, place: DevicePlace) -> Check {
        if let DevicePlace::Table(table) = place { self.idle(table) } else { Ok(()) }
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
                dealer: None,
                recording: 20_000,
                next_recording: None,
                serviced: Vec::new(),
                reports_of: None,
                stray: None,
                ball: None,
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
