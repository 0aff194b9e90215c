//! Making events true. No rule is evaluated here: events are facts.

mod chips;
mod control;
mod correct;
mod device;
mod money;
mod round;
mod set_up;

use rulebook::{Cents, GroundId, Hash, library};

use crate::answers::Answers;
use crate::command::*;
use crate::dual::Moving;
use crate::event::*;
use crate::ids::*;
use crate::ledger::{Account, Cause, Misfit};
use crate::level::TAGGED;
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
            // Another act begins.
            if !self.control.favoured_now.is_empty() {
                self.control.favoured_now.clear();
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

    /// Nearly every event is a change of bets. It does not go through the function for all others, which needs much room on
    /// the stack.
    #[inline]
    fn apply_event(&mut self, event: &Event, at: Moment) -> Applied {
        if let Event::BetsChanged { terminal, changes, added, removed, .. } = event {
            return self.bets_changed(*terminal, changes, added, removed);
        }
        self.apply_other(event, at)
    }

    #[inline(never)]
    fn apply_other(&mut self, event: &Event, at: Moment) -> Applied {
        self.remember_cause(event);
        match event {
            // Applied before.
            Event::BetsChanged { .. } => Ok(()),
            Event::CloseAcknowledged { terminal, round } => self.close_acknowledged(*terminal, *round),
            Event::RoundSettled { round, table, outcome, part, parts, returns } => {
                self.round_settled(*round, *table, *outcome, (*part, *parts), returns, at)
            }
            Event::FloorCreated(settings) => {
                self.level = settings.level.unwrap_or_default();
                self.settings = Some(settings.clone());
                self.control_begins(at);
                self.control.first_day = self.is_tagged().then_some(self.control.day);
                Ok(())
            }
            Event::FeatureLevelRaised { level, .. } => {
                let before = self.level();
                self.level = *level;
                if before < crate::level::TAGGED {
                    self.control_begins(at);
                }
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
            Event::RulebookInstalled { canonical, .. } => match library::shared(canonical) {
                Ok(rulebook) => {
                    self.rulebooks.push(Installed(rulebook));
                    Ok(())
                }
                Err(_) => self.misfit("the rulebook cannot be read"),
            },
            Event::PowerRaised { act, rank, .. } => {
                self.raised.insert(*act, *rank);
                Ok(())
            }
            Event::TableAdded { table, name, rulebook, mode, settings, .. } => {
                self.table_added(*table, name, *rulebook, *mode, settings)
            }
            Event::RulebookPinned { table, rulebook, settings, .. } => {
                self.remember(event, at);
                let place = self.rulebook_place(*rulebook)?;
                let table = self.table_mut(*table)?;
                table.rulebook = place;
                table.settings = (**settings).clone();
                table.pending = None;
                table.history.clear();
                Ok(())
            }
            Event::SettingsChanged { table, settings, from_next_round, .. } => {
                self.remember(event, at);
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
            Event::DeviceAdded { device, name, kind, place, measures, by, witness } => {
                let added = Device {
                    id: *device,
                    name: name.clone(),
                    kind: *kind,
                    place: *place,
                    fault: None,
                    answers: Answers::default(),
                    measures: *measures,
                    service: Service::default(),
                    reading: Service::default(),
                    off: false,
                };
                let comes_to = Some(&added).filter(|added| added.is_mechanism()).and_then(Device::table);
                self.devices.push(added);
                self.moved_by_two(comes_to, *by, *witness, at)
            }
            Event::DeviceMoved { device, place, by, witness } => {
                let Some(device) = self.devices.get_mut(device.index()) else { return self.misfit("no such device") };
                let from = device.table();
                device.place = *place;
                let table = from.or_else(|| Some(&*device).filter(|device| device.is_mechanism())?.table());
                self.moved_by_two(table, *by, *witness, at)
            }
            Event::StaffAdded { staff, name, post, by, witness } => {
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
                self.account_made(*staff, [*by, *witness], at);
                self.sealed_code_served(*by, *witness);
                Ok(())
            }
            Event::StaffChanged { staff, post, active, by, witness } => {
                let ended = self.person(*staff).is_some_and(|person| person.active && !active);
                let few = self.person(*staff).is_some_and(|person| self.dismissal_takes_two(person));
                let person = self.staff_mut(*staff)?;
                // What takes two people: everything except ending the post of a person who is neither an administrator nor
                // one of the few who are needed.
                let takes_two = *active || person.serves_as(Post::Administrator) || few;
                // Who gets their own post back is no new person (D27).
                let another = person.post != *post;
                person.post = *post;
                person.active = *active;
                if ended && by.is_some() && witness.is_none() {
                    self.dismissed_alone();
                }
                if *active && another {
                    self.account_made(*staff, [*by, *witness], at);
                }
                if !active {
                    self.staff_mut(*staff)?.acting = None;
                }
                if takes_two {
                    self.sealed_code_served(*by, *witness);
                }
                Ok(())
            }
            Event::ActingAssigned { staff, post, by, witness } => {
                let person = self.staff_mut(*staff)?;
                let takes_two = post.is_some() || person.serves_as(Post::Administrator);
                person.acting = *post;
                if post.is_some() {
                    self.account_made(*staff, [*by, *witness], at);
                }
                if takes_two {
                    self.sealed_code_served(*by, *witness);
                }
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
                let tagged = self.is_tagged();
                for terminal in terminals {
                    let terminal = self.terminal_mut(*terminal)?;
                    terminal.acknowledged = Some(*round);
                    terminal.lost_in = Some(*round).filter(|_| tagged);
                }
                self.round_mut(*table, *round)?.awaiting = 0;
                Ok(())
            }
            Event::Observed { device, table, observation, counts, unread, concealed } => {
                self.dice_seen(*table, *observation)?;
                let how = if *concealed { round::How::Concealed } else { round::How::of(*counts, *unread) };
                self.observed(*device, *table, *observation, how)
            }
            Event::GroundRaised { round, table, ground, device, proposed } => {
                let round = self.round_mut(*table, *round)?;
                round.halt(OpenGround { ground: *ground, device: *device, proposed: *proposed }, at);
                round.seen.short |= is_short(*ground);
                Ok(())
            }
            Event::GroundDismissed { round, table, ground, by, kept, .. } => {
                let tagged = self.level() >= TAGGED;
                let round = self.round_mut(*table, *round)?;
                if tagged && round.ground.is_some_and(|open| !open.proposed) {
                    round.set_aside.push(*by);
                }
                round.resume(at);
                if is_short(*ground) {
                    round.seen.short = false;
                }
                if *ground == GroundId::ExposedBeforeClose {
                    round.seen.bare = false;
                }
                // An activation that was reported falsely is no tumble of this round.
                if tagged && *ground == GroundId::ActivatedBeforeClose && round.second.is_none() {
                    match kept {
                        true => round.seen.after_close = true,
                        false => round.seen = Seen::default(),
                    }
                }
                Ok(())
            }
            Event::ResultEntered { round, table, outcome, by, entry }
            | Event::ResultChanged { round, table, to: outcome, by, entry, .. } => {
                let tagged = self.level() >= TAGGED;
                let round = self.round_mut(*table, *round)?;
                let witness = entry.as_ref().and_then(|entry| entry.witness);
                let need = entry.as_ref().map_or(Need::Nothing, |entry| entry.need);
                // A second person stands by the entry as it was then, whether or not a reading was missing.
                let met = witness.map_or(Need::Nothing, |_| need.max(Need::Unread));
                round.entered = tagged.then_some(Entered { by: *by, witness, met });
                round.outcome = Some(*outcome);
                round.phase = Phase::Entered;
                Ok(())
            }
            Event::ChipsSettled { round, table, outcome, shares, limits } => {
                self.chips_settled(*round, *table, *outcome, (shares, limits.clone()), at)
            }
            Event::RoundVoided { round, table, by, .. } => {
                self.round_voided(*round, *table, at)?;
                self.void_noted(*round, *table, *by)
            }
            Event::RoundCorrected { round, table, outcome, adjustments, .. } => {
                self.remember(event, at);
                self.adjusted(*round, *table, Some(*outcome), adjustments)?;
                self.past_changed(*table, *round)
            }
            Event::SettledRoundVoided { round, table, by, adjustments, .. } => {
                self.remember(event, at);
                self.adjusted(*round, *table, None, adjustments)?;
                self.void_noted(*round, *table, *by)?;
                self.past_changed(*table, *round)
            }
            Event::CorrectionPart { round, part, adjustments, chips, .. } => {
                self.correction_part(*round, *part, adjustments, chips.as_deref());
                Ok(())
            }
            Event::ChipsCorrected { .. } => {
                let whole = self.whole(event).into_owned();
                let Event::ChipsCorrected { round, table, outcome, paid, claims, returns, voided, .. } = &whole else {
                    return Ok(());
                };
                self.remember(&whole, at);
                self.adjusting_chips.retain(|(of, _)| of != round);
                self.chips_corrected(*round, *table, *outcome, paid, claims, returns)?;
                voided.map_or(Ok(()), |by| self.void_noted(*round, *table, by))?;
                self.past_changed(*table, *round)
            }
            Event::StoppageRecorded { table, round, from, to } => {
                let tagged = self.level() >= TAGGED;
                let grace = self.table_mut(*table)?.settings.grace;
                let round = self.round_mut(*table, *round)?;
                round.give_back(*from, *to);
                round.shows_from = round.closed_at.filter(|_| tagged && round.awaiting > 0).map(|_| *to);
                // Terminals that are still away from an earlier stoppage are awaited as before.
                let awaited = round.returning.take().filter(|returning| !returning.missing.is_empty());
                let anew = || Returning { from: *from, until: to.after(grace), missing: Vec::new() };
                round.returning = tagged.then(|| awaited.unwrap_or_else(anew));
                Ok(())
            }
            Event::RoundInterrupted { table, round, from, to } => {
                let tagged = self.level() >= TAGGED;
                let round = self.round_mut(*table, *round)?;
                round.interrupted = Some(*from);
                round.shows_from = round.closed_at.filter(|_| tagged && round.awaiting > 0).map(|_| *to);
                round.returning = None;
                Ok(())
            }
            Event::Attested { table, round, finding, .. } => {
                let tagged = self.level() >= TAGGED;
                let round = self.round_mut(*table, *round)?;
                round.replaced |= tagged && *finding == Finding::Established;
                if let Some(from) = round.interrupted.take() {
                    round.give_back(from, at);
                }
                Ok(())
            }
            Event::TerminalLost { terminal } => self.terminal_link(*terminal, false, at),
            Event::TerminalBack { terminal } => self.terminal_link(*terminal, true, at),
            Event::Decided { table, round, ruling, credited, payable, taken, uncollected, by, witness, .. } => {
                self.remember(event, at);
                let moved = [*credited, *payable, *taken, *uncollected];
                let sum = Cents::checked_sum(moved).unwrap_or(Cents::ZERO);
                if sum.is_positive() {
                    let visit = match **ruling {
                        Ruling::Pay { terminal, .. } | Ruling::TakeBack { terminal, .. } => self.terminal(terminal),
                        _ => None,
                    };
                    let reached = credited.is_positive() || taken.is_positive();
                    let visit = visit.and_then(|terminal| terminal.visit).filter(|_| reached);
                    let threshold = self.table_mut(*table)?.settings.hand_pay;
                    self.count_moved(*by, Moving { visit, ..Moving::of(sum).at(threshold) }, *witness);
                }
                self.decided(*table, *round, **ruling, [*credited, *payable, *taken, *uncollected])
            }
            Event::AlertRaised { alert, table, what } => {
                self.next.alert = self.next.alert.max(alert.0 + 1);
                self.alerts.insert(*alert, Alert { id: *alert, at, table: *table, what: what.clone(), more: None });
                if let AlertKind::TicketInDoubt(ticket, _) = what
                    && let Some(alerted) = self.control.doubts.get_mut(ticket)
                {
                    *alerted = true;
                }
                if let AlertKind::Attendant(terminal) = what {
                    self.terminal_mut(*terminal)?.attended = None;
                }
                Ok(())
            }
            Event::AlertAcknowledged { alert, .. } => {
                let acknowledged = self.alerts.remove(alert);
                if let Some(Alert { what: AlertKind::Attendant(terminal), .. }) = acknowledged {
                    self.terminal_mut(terminal)?.attended = Some(at);
                }
                Ok(())
            }
            Event::ChipsPlaced { table, position, spot, amount, by, for_player, standing } => {
                let tagged = self.is_tagged();
                self.transfer(Account::Chips(*table), Account::Stakes(*table), *amount, Cause::Wager)?;
                let sequence = self.sequence;
                let round = self.table_mut(*table)?.round.as_mut();
                let round = round.ok_or(Misfit { sequence, what: "no round in progress" })?;
                let placed_by = by.filter(|_| *for_player);
                let (position, spot, amount, late) = (*position, *spot, *amount, *standing && tagged);
                round.chips.push(Chip { position, spot, amount, placed_by, late, recorded_by: by.filter(|_| late) });
                Ok(())
            }
            Event::ChipsTaken { table, position, spot, amount, .. }
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
            Event::FloatMoved { table, movement, difference, by, witness, .. } => {
                let threshold = self.table_mut(*table)?.settings.hand_pay;
                self.count_moved(*by, Moving::of(movement.amount()).at(threshold), *witness);
                match movement {
                    FloatMovement::BuyIn(amount) => self.cash_at(CashPlace::Table(*table), *amount, Cents::ZERO),
                    FloatMovement::ChipsOut(amount) => self.cash_at(CashPlace::Table(*table), Cents::ZERO, *amount),
                    _ => {}
                }
                self.float_moved(*table, *movement, *difference)
            }
            Event::AlertRepeated { alert, what, more } => match self.alerts.get_mut(alert) {
                Some(found) => {
                    found.what = what.clone();
                    if let Some(more) = more {
                        found.more = Some(found.more.unwrap_or(0).saturating_add(*more));
                    }
                    Ok(())
                }
                None => self.misfit("no such alert"),
            },
            Event::ClockJumped { ahead } => {
                self.integrity.clock = Some(*ahead).filter(|ahead| *ahead != 0);
                Ok(())
            }
            Event::ClockAccepted { ahead, .. } => {
                self.integrity.clock = None;
                self.tickets_outlive(*ahead, at)
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
            Event::DisplayRecorded { .. } | Event::LateRefused { .. } => Ok(()),
            Event::MinimumAdvised { table, position, spot, .. } => {
                let tagged = self.is_tagged();
                if let Some(round) = self.table_mut(*table)?.round.as_mut().filter(|_| tagged) {
                    round.advised.push((*position, *spot));
                }
                Ok(())
            }
            Event::UncoveringDeclared { round, table, .. } => {
                let round = self.round_mut(*table, *round)?;
                round.visible = true;
                round.declared = true;
                Ok(())
            }
            Event::EarlyRestStated { round, table, affirmed, late, .. } => {
                let round = self.round_mut(*table, *round)?;
                round.stated_rest = Some(affirmed.clone());
                round.changed_after_rest |= *late;
                Ok(())
            }
            Event::ChipsRemoved { table, position, spot, amount, .. } => {
                self.chips_taken(*table, *position, *spot, *amount)
            }
            Event::RecordingPeriodSet { table, period, .. } => {
                let table = self.table_mut(*table)?;
                match table.round {
                    Some(_) => table.next_recording_period = Some(*period),
                    None => table.recording_period = Some(*period),
                }
                Ok(())
            }
            Event::RecordCorrected { round, table, shares, paid, claims, .. } => {
                self.remember(event, at);
                self.record_corrected(*round, *table, shares, paid, claims)?;
                self.past_changed(*table, *round)
            }
            Event::RoundRecalled { table, leaf, part, parts, bytes, beside, read, .. } => self.round_recalled(
                *table,
                *leaf,
                (*part, *parts),
                bytes,
                (beside, read.as_deref().unwrap_or_default()),
                at,
            ),
            Event::RoundsPutBack { table } => {
                self.table_mut(*table)?.dismiss();
                Ok(())
            }
            Event::SecondPersonCalled { table, by, reason, purpose } => {
                let purpose = purpose.as_deref().copied();
                let again = |call: &Call| (call.by, call.purpose) == (*by, purpose);
                self.calls.retain(|call| call.table != *table || !call.is_over(at) && !again(call));
                self.calls.push(Call { table: *table, by: *by, at, reason: reason.clone(), purpose });
                Ok(())
            }
            Event::CallAnswered { table, by, came } => {
                let stands = *came && mutant!("answered-call-stands");
                // Who comes does not come to their own call.
                self.calls.retain(|call| call.table != *table || stands || *came && call.by == *by);
                if *came {
                    self.control.came.insert(*table, (*by, at));
                }
                Ok(())
            }
            Event::DecidedAlone { table, called, .. } => {
                self.calls.retain(|call| (call.table, call.at) != (*table, *called));
                Ok(())
            }
            Event::Countersigned { alert, .. } => {
                self.alerts.remove(alert);
                Ok(())
            }
            Event::TablesOffered { terminal, tables, .. } => {
                self.terminal_mut(*terminal)?.choices = tables.clone();
                Ok(())
            }
            Event::TableChosen { terminal, table, layout, .. } => self.table_chosen(*terminal, *table, *layout),
            Event::TicketResolved { .. }
            | Event::TicketReplaced { .. }
            | Event::DayBegan { .. }
            | Event::ThresholdsSet { .. }
            | Event::ShiftCounted { .. }
            | Event::Recovered { .. }
            | Event::WrongTicketTried { .. }
            | Event::WrongTicketsLifted { .. }
            | Event::PayablePaid { .. }
            | Event::ExpiredPaid { .. }
            | Event::DrawerMoved { .. }
            | Event::CredentialChanged { .. }
            | Event::CodesSealed { .. }
            | Event::SealedCodeOpened { .. } => self.apply_control(event, at),
            Event::Noted { .. }
            | Event::ObservedLate { .. }
            | Event::EnrolmentCodeMade { .. }
            | Event::HostKeyChanged { .. } => Ok(()),
            Event::SecondTumble { .. }
            | Event::StartedAgain { .. }
            | Event::FirstOutcomeStands { .. }
            | Event::SecondTumbleSetAside { .. }
            | Event::ServiceChanged { .. }
            | Event::DeviceDescribed { .. }
            | Event::ResultWitnessed { .. }
            | Event::ObservedMeanwhile { .. }
            | Event::InterruptionReported { .. }
            | Event::FaultAsked { .. }
            | Event::FaultAnswered { .. } => self.apply_device(event, at),
        }
    }
}

fn is_short(ground: rulebook::GroundId) -> bool {
    matches!(ground, rulebook::GroundId::TooFewTumbles | rulebook::GroundId::TooFewRevolutions)
}
