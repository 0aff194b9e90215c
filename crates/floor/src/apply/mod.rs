//! Making events true. No rule is evaluated here: events are facts.

mod chips;
mod correct;
mod money;
mod round;
mod set_up;

use std::sync::Arc;

use rulebook::{Hash, Rulebook};

use crate::answers::Answers;
use crate::command::*;
use crate::event::*;
use crate::ids::*;
use crate::ledger::{Account, Cause, Misfit};
use crate::state::*;

type Applied = Result<(), Misfit>;

impl Floor {
    /// Makes an event true.
    ///
    /// # Errors
    /// When the event does not fit this state: the log is damaged, or not this floor's.
    pub fn apply(&mut self, record: &Record) -> Result<(), Misfit> {
        self.sequence += 1;
        self.now = self.now.max(record.at);
        if let Some(origin) = record.origin {
            let sequence = self.sequence;
            if let Some(answers) = self.answers_mut(origin.sender) {
                answers.keep(origin.number, origin.body, sequence);
            }
        }
        self.apply_event(&record.event, record.at)
    }

    fn answers_mut(&mut self, sender: Sender) -> Option<&mut Answers> {
        match sender {
            Sender::System => Some(&mut self.system),
            Sender::Terminal(id) => self.terminals.get_mut(id.index()).map(|t| &mut t.answers),
            Sender::Staff(id) => self.staff.get_mut(id.index()).map(|s| &mut s.answers),
            Sender::Device(id) => self.devices.get_mut(id.index()).map(|d| &mut d.answers),
        }
    }

    fn misfit<T>(&self, what: &'static str) -> Result<T, Misfit> {
        Err(Misfit { sequence: self.sequence, what })
    }

    fn table_mut(&mut self, id: TableId) -> Result<&mut Table, Misfit> {
        let sequence = self.sequence;
        self.tables.get_mut(id.index()).ok_or(Misfit { sequence, what: "no such table" })
    }

    fn terminal_mut(&mut self, id: TerminalId) -> Result<&mut Terminal, Misfit> {
        let sequence = self.sequence;
        self.terminals.get_mut(id.index()).ok_or(Misfit { sequence, what: "no such terminal" })
    }

    fn staff_mut(&mut self, id: StaffId) -> Result<&mut Staff, Misfit> {
        let sequence = self.sequence;
        self.staff.get_mut(id.index()).ok_or(Misfit { sequence, what: "no such person" })
    }

    fn ticket_mut(&mut self, id: TicketId) -> Result<&mut Ticket, Misfit> {
        let sequence = self.sequence;
        self.tickets.get_mut(&id).ok_or(Misfit { sequence, what: "no such ticket" })
    }

    fn round_mut(&mut self, table: TableId, round: RoundId) -> Result<&mut Round, Misfit> {
        let sequence = self.sequence;
        let found = self.tables.get_mut(table.index()).and_then(|table| table.round.as_mut());
        found.filter(|found| found.id == round).ok_or(Misfit { sequence, what: "no such round in progress" })
    }

    fn rulebook_place(&self, hash: Hash) -> Result<u8, Misfit> {
        let place = self.rulebooks.iter().position(|installed| installed.0.hash() == hash);
        match place.and_then(|place| u8::try_from(place).ok()) {
            Some(place) => Ok(place),
            None => self.misfit("the rulebook is not installed"),
        }
    }

    fn apply_event(&mut self, event: &Event, at: Moment) -> Applied {
        match event {
            Event::BetsChanged { terminal, changes, added, removed, .. } => {
                self.bets_changed(*terminal, changes, added, removed)
            }
            Event::CloseAcknowledged { terminal, round } => self.close_acknowledged(*terminal, *round),
            Event::RoundSettled { round, table, outcome, part, parts, returns } => {
                self.round_settled(*round, *table, *outcome, (*part, *parts), returns, at)
            }
            Event::FloorCreated(settings) => {
                self.level = settings.level.unwrap_or_default();
                self.settings = Some(settings.clone());
                Ok(())
            }
            Event::FeatureLevelRaised { level, .. } => {
                self.level = *level;
                Ok(())
            }
            Event::ProgramStarted { release, locked } => {
                self.programs.approved.retain(|approved| approved != release);
                self.programs.locked = locked.then_some(*release);
                // Kept from the level on that can record a loss: a floor read from an older snapshot is then the same.
                if self.level >= crate::level::TAGGED {
                    self.integrity.run = self.sequence;
                }
                if !locked {
                    self.programs.last = Some(*release);
                }
                Ok(())
            }
            Event::ProgramApproved { release, .. } => {
                self.programs.approved.push(*release);
                Ok(())
            }
            Event::ProgramAccepted { release, .. } => {
                self.programs.last = Some(*release);
                self.programs.locked = None;
                Ok(())
            }
            Event::RulebookInstalled { canonical, .. } => match Rulebook::parse("installed", canonical) {
                Ok(rulebook) => {
                    self.rulebooks.push(Installed(Arc::new(rulebook)));
                    Ok(())
                }
                Err(_) => self.misfit("the rulebook cannot be read"),
            },
            Event::PowerRaised { act, rank, .. } => {
                self.raised.insert(*act, *rank);
                Ok(())
            }
            Event::TableAdded { table, name, rulebook, mode, settings } => {
                self.table_added(*table, name, *rulebook, *mode, settings)
            }
            Event::RulebookPinned { table, rulebook, settings, .. } => {
                let place = self.rulebook_place(*rulebook)?;
                let table = self.table_mut(*table)?;
                table.rulebook = place;
                table.settings = (**settings).clone();
                table.pending = None;
                table.history.clear();
                Ok(())
            }
            Event::SettingsChanged { table, settings, from_next_round, .. } => {
                let table = self.table_mut(*table)?;
                if *from_next_round {
                    table.pending = Some((**settings).clone());
                } else {
                    table.settings = (**settings).clone();
                    table.pending = None;
                }
                Ok(())
            }
            Event::TerminalEnrolled { terminal, table, name, kind, layout } => {
                self.terminal_enrolled(*terminal, *table, name, kind, *layout)
            }
            Event::TerminalMoved { terminal, table, kind, layout } => {
                self.terminal_moved(*terminal, *table, kind, *layout)
            }
            Event::DeviceAdded { device, name, kind, place } => {
                let added = Device {
                    id: *device,
                    name: name.clone(),
                    kind: *kind,
                    place: *place,
                    fault: None,
                    answers: Answers::default(),
                };
                self.devices.push(added);
                Ok(())
            }
            Event::DeviceMoved { device, place } => {
                let Some(device) = self.devices.get_mut(device.index()) else { return self.misfit("no such device") };
                device.place = *place;
                Ok(())
            }
            Event::StaffAdded { staff, name, post } => {
                let added = Staff {
                    id: *staff,
                    name: name.clone(),
                    post: *post,
                    acting: None,
                    active: true,
                    shift: None,
                    answers: Answers::default(),
                };
                self.staff.push(added);
                Ok(())
            }
            Event::StaffChanged { staff, post, active } => {
                let staff = self.staff_mut(*staff)?;
                staff.post = *post;
                staff.active = *active;
                if !active {
                    staff.acting = None;
                }
                Ok(())
            }
            Event::ActingAssigned { staff, post, .. } => {
                self.staff_mut(*staff)?.acting = *post;
                Ok(())
            }
            Event::DealerChanged { table, dealer } => {
                self.table_mut(*table)?.dealer = Some(*dealer);
                Ok(())
            }
            Event::TableOpened { table, .. } => {
                let table = self.table_mut(*table)?;
                table.open = true;
                table.closes_at = None;
                Ok(())
            }
            Event::ClosingAnnounced { table, closes_at, .. } => {
                self.table_mut(*table)?.closes_at = Some(*closes_at);
                Ok(())
            }
            Event::TableClosed { table, .. } => {
                let table = self.table_mut(*table)?;
                table.open = false;
                table.closes_at = None;
                table.dealer = None;
                Ok(())
            }
            Event::TerminalLocked { terminal, reason } => {
                self.terminal_mut(*terminal)?.locked = Some(Box::new(reason.clone()));
                Ok(())
            }
            Event::TerminalUnlocked { terminal, .. } => {
                self.terminal_mut(*terminal)?.locked = None;
                Ok(())
            }
            Event::CashIn { .. }
            | Event::AttendantIn { .. }
            | Event::TicketIn { .. }
            | Event::TicketPrepared { .. }
            | Event::TicketPrinted { .. }
            | Event::PrintFailed { .. }
            | Event::AttendantPaid { .. }
            | Event::LossLimitSet { .. }
            | Event::TicketReprinted { .. }
            | Event::TicketExpired { .. }
            | Event::ShiftOpened { .. }
            | Event::ShiftClosed { .. }
            | Event::TicketSold { .. }
            | Event::TicketRedeemed { .. }
            | Event::CorrectionPaid { .. } => self.apply_money(event, at),
            Event::RoundBegun { round, table, by } => self.round_begun(*round, *table, by.is_some(), at),
            Event::BetsOpened { round, table, closes_at, .. } => self.bets_opened(*round, *table, *closes_at, at),
            Event::BetsClosed { round, table, .. } => self.bets_closed(*round, *table, at),
            Event::CountedLost { round, table, terminals } => {
                for terminal in terminals {
                    self.terminal_mut(*terminal)?.acknowledged = Some(*round);
                }
                self.round_mut(*table, *round)?.awaiting = 0;
                Ok(())
            }
            Event::Observed { device, table, observation, counts } => {
                self.observed(*device, *table, *observation, *counts)
            }
            Event::GroundRaised { round, table, ground, device, proposed } => {
                let round = self.round_mut(*table, *round)?;
                round.halt(OpenGround { ground: *ground, device: *device, proposed: *proposed }, at);
                round.seen.short |= is_short(*ground);
                Ok(())
            }
            Event::GroundDismissed { round, table, ground, .. } => {
                let round = self.round_mut(*table, *round)?;
                round.resume(at);
                if is_short(*ground) {
                    round.seen.short = false;
                }
                Ok(())
            }
            Event::ResultEntered { round, table, outcome, .. }
            | Event::ResultChanged { round, table, to: outcome, .. } => {
                let round = self.round_mut(*table, *round)?;
                round.outcome = Some(*outcome);
                round.phase = Phase::Entered;
                Ok(())
            }
            Event::ChipsSettled { round, table, outcome, shares } => {
                self.chips_settled(*round, *table, *outcome, shares, at)
            }
            Event::RoundVoided { round, table, .. } => self.round_voided(*round, *table, at),
            Event::RoundCorrected { round, table, outcome, adjustments, .. } => {
                self.adjusted(*round, *table, Some(*outcome), adjustments)
            }
            Event::SettledRoundVoided { round, table, adjustments, .. } => {
                self.adjusted(*round, *table, None, adjustments)
            }
            Event::CorrectionPart { round, part, adjustments, .. } => {
                self.correction_part(*round, *part, adjustments);
                Ok(())
            }
            Event::ChipsCorrected { round, table, outcome, paid, claims, returns, .. } => {
                self.chips_corrected(*round, *table, *outcome, paid, claims, returns)
            }
            Event::StoppageRecorded { table, round, from, to } => {
                let round = self.round_mut(*table, *round)?;
                round.give_back(*from, *to);
                Ok(())
            }
            Event::RoundInterrupted { table, round, from, .. } => {
                self.round_mut(*table, *round)?.interrupted = Some(*from);
                Ok(())
            }
            Event::Attested { table, round, .. } => {
                let round = self.round_mut(*table, *round)?;
                if let Some(from) = round.interrupted.take() {
                    round.give_back(from, at);
                }
                Ok(())
            }
            Event::TerminalLost { terminal } => self.terminal_link(*terminal, false),
            Event::TerminalBack { terminal } => self.terminal_link(*terminal, true),
            Event::Decided { table, round, ruling, credited, payable, taken, uncollected, .. } => {
                self.decided(*table, *round, **ruling, [*credited, *payable, *taken, *uncollected])
            }
            Event::AlertRaised { alert, table, what } => {
                self.next.alert = self.next.alert.max(alert.0 + 1);
                self.alerts.insert(*alert, Alert { id: *alert, at, table: *table, what: what.clone() });
                Ok(())
            }
            Event::AlertAcknowledged { alert, .. } => {
                self.alerts.remove(alert);
                Ok(())
            }
            Event::ChipsPlaced { table, position, spot, amount, by, for_player, .. } => {
                self.transfer(Account::Chips(*table), Account::Stakes(*table), *amount, Cause::Wager)?;
                let sequence = self.sequence;
                let round = self.table_mut(*table)?.round.as_mut();
                let round = round.ok_or(Misfit { sequence, what: "no round in progress" })?;
                let placed_by = by.filter(|_| *for_player);
                round.chips.push(Chip { position: *position, spot: *spot, amount: *amount, placed_by });
                Ok(())
            }
            Event::ChipsTaken { table, position, spot, amount }
            | Event::UnderMinimumRefused { table, position, spot, amount, .. } => {
                self.chips_taken(*table, *position, *spot, *amount)
            }
            Event::ExcessRejected { table, spot, rejected, .. } => {
                rejected.iter().try_for_each(|(position, amount)| self.chips_taken(*table, *position, *spot, *amount))
            }
            Event::PlayerLeft { table, position } => {
                let sequence = self.sequence;
                let round = self.table_mut(*table)?.round.as_mut();
                round.ok_or(Misfit { sequence, what: "no round in progress" })?.left.push(*position);
                Ok(())
            }
            Event::FloatMoved { table, movement, difference, .. } => self.float_moved(*table, *movement, *difference),
            Event::Noted { .. } | Event::CredentialChanged { .. } => Ok(()),
            Event::AlertRepeated { alert, what } => match self.alerts.get_mut(alert) {
                Some(found) => {
                    found.what = what.clone();
                    Ok(())
                }
                None => self.misfit("no such alert"),
            },
            Event::ClockJumped { ahead } => {
                self.integrity.clock = Some(*ahead).filter(|ahead| *ahead != 0);
                Ok(())
            }
            Event::ClockAccepted { .. } => {
                self.integrity.clock = None;
                Ok(())
            }
            Event::LossFound { epoch, record, .. } => {
                self.integrity.missing = Some((*epoch, *record));
                Ok(())
            }
            Event::LossAccepted { .. } => {
                let integrity = &mut self.integrity;
                let lost = integrity.missing.take().map_or(0, |(epoch, _)| epoch);
                // Also beyond the epoch of the records that were lost.
                integrity.epoch = integrity.epoch.max(lost).saturating_add(1);
                Ok(())
            }
            Event::DisplayRecorded { .. } | Event::MinimumAdvised { .. } | Event::LateRefused { .. } => Ok(()),
        }
    }
}

fn is_short(ground: rulebook::GroundId) -> bool {
    matches!(ground, rulebook::GroundId::TooFewTumbles | rulebook::GroundId::TooFewRevolutions)
}
