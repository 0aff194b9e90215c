//! The normal form of a floor: exactly what decides what can happen next.
//!
//! Two floors that differ only in ids, numbers, sequence and moments of the past have the same normal form: ids count
//! backwards from the next free one, deadlines are the remaining time, and a past deadline is zero. Data that only
//! reports use are left out: meters, answers, history, the sums of accounts, names, alerts that need no
//! countersignature. `explore` visits every normal form once.

use crate::bounds;
use crate::command::*;
use crate::event::Group;
use crate::ids::*;
use crate::state::*;
use rulebook::{Cents, OutcomeIndex};

impl Floor {
    /// Adds the normal form at a moment to some bytes.
    pub fn normal_form(&self, at: Moment, bytes: &mut Vec<u8>) {
        let mut form = Form { bytes, at, floor: self };
        self.tables.iter().for_each(|table| form.table(table));
        self.terminals.iter().for_each(|terminal| form.terminal(terminal));
        self.devices.iter().for_each(|device| form.device(device));
        form.people();
        form.paper();
        form.control();
    }
}

/// The normal form while it is written.
struct Form<'a> {
    bytes: &'a mut Vec<u8>,
    at: Moment,
    floor: &'a Floor,
}

impl Form<'_> {
    /// A number, seven bits at a time.
    fn number(&mut self, number: u64) {
        let mut rest = number;
        while rest >= 0x80 {
            self.bytes.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    fn flags<const N: usize>(&mut self, flags: [bool; N]) {
        self.number(flags.iter().fold(1, |sum, flag| sum << 1 | u64::from(*flag)));
    }

    fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    fn cents(&mut self, amount: Cents) {
        let amount = amount.get();
        self.number(((amount << 1) ^ (amount >> 63)).cast_unsigned());
    }

    fn perhaps(&mut self, number: Option<u64>) {
        self.number(number.map_or(0, |number| number.saturating_add(1)));
    }

    fn amount(&mut self, amount: Option<Cents>) {
        self.flags([amount.is_some()]);
        self.cents(amount.unwrap_or_default());
    }

    /// How many rounds ago.
    fn round_id(&mut self, round: Option<RoundId>) {
        let next = self.floor.next.round;
        self.perhaps(round.map(|round| next.saturating_sub(round.0)));
    }

    fn visit(&mut self, visit: Option<VisitId>) {
        let next = self.floor.next.visit;
        self.perhaps(visit.map(|visit| next.saturating_sub(visit.0)));
    }

    /// The time left until a deadline.
    fn left(&mut self, deadline: Option<Moment>) {
        let at = self.at;
        self.perhaps(deadline.map(|deadline| u64::try_from(deadline.since(at)).unwrap_or(0)));
    }

    /// The time that has passed since, for what counts it.
    fn passed(&mut self, since: Option<Moment>) {
        let at = self.at;
        self.perhaps(since.map(|since| u64::try_from(at.since(since)).unwrap_or(0)));
    }

    fn outcome(&mut self, outcome: Option<OutcomeIndex>) {
        self.perhaps(outcome.map(|outcome| outcome.get() as u64));
    }

    fn person(&mut self, person: Option<StaffId>) {
        self.perhaps(person.map(|person| u64::from(person.0)));
    }

    fn settings(&mut self, settings: &TableSettings) {
        self.cents(settings.limit.minimum);
        self.amount(settings.limit.maximum);
        self.amount(settings.differential);
        self.amount(settings.liability);
        self.cents(settings.step);
        self.cents(settings.hand_pay);
        for period in [settings.betting_period, settings.grace, settings.closing_notice] {
            self.number(period.cast_unsigned());
        }
        self.count(settings.families.len());
    }

    fn table(&mut self, table: &Table) {
        self.flags([table.open, table.round.is_some(), table.pending.is_some()]);
        self.left(table.closes_at);
        self.person(table.dealer);
        self.settings(&table.settings);
        if let Some(pending) = &table.pending {
            self.settings(pending);
        }
        self.number(u64::from(table.rulebook));
        for period in [table.recording_period, table.next_recording_period] {
            self.perhaps(period.map(i64::cast_unsigned));
        }
        if table.mode != TableMode::Terminals {
            self.cents(table.accounts.float);
            self.cents(table.accounts.drop);
            self.cents(table.accounts.chips);
        }
        self.round_id(table.reports_of);
        self.number(table.earlier as u64);
        self.outcome(table.rest);
        self.count(table.serviced.len());
        for serviced in &table.serviced {
            self.person(Some(serviced.staff));
            self.round_id(serviced.round);
        }
        if let Some(round) = &table.round {
            self.round(table, round);
        }
        self.count(table.archive.len());
        table.archive.iter().for_each(|archived| self.archived(archived));
        self.count(table.recalled.len());
        table.recalled.iter().for_each(|recalled| self.archived(&recalled.round));
        self.count(table.recalling.len());
    }

    fn round(&mut self, table: &Table, round: &Round) {
        self.number(round.phase as u64);
        self.round_id(Some(round.id));
        self.left(round.closes_at);
        self.left(round.acknowledged_by().filter(|_| round.awaiting > 0));
        // Until then what is reported may be about the round before.
        let young = round.phase < Phase::Closed && table.reports_of.is_some();
        let until = round.begun_at.after(bounds::TUMBLE_TAKES);
        self.left(Some(until).filter(|until| young && self.at < *until));
        let live = table.mode != TableMode::Terminals;
        let period = table.recording_period.unwrap_or(bounds::RECORDING);
        self.left(round.closed_at.filter(|_| live).map(|closed| closed.after(period)));
        self.outcome(round.outcome);
        self.count(round.waiting.len());
        for open in round.ground.iter().chain(&round.waiting) {
            self.number(open.ground as u64);
            self.number(u64::from(open.device.0));
            self.flags([open.proposed]);
        }
        // The time that a halt takes is given back to the betting period, if there is one.
        let timed = round.closes_at.is_some() && round.phase == Phase::Open;
        self.flags([round.ground.is_some(), round.interrupted.is_some()]);
        self.passed(round.halted_at.filter(|_| timed));
        self.passed(round.interrupted.filter(|_| timed));
        self.number(u64::from(round.awaiting));
        self.seen(&round.seen);
        self.seen(&round.meanwhile);
        self.later(round);
        self.perhaps(round.second.map(|device| u64::from(device.0)));
        self.flags([round.visible, round.doubtful, round.declared, round.changed_after_rest, round.replaced]);
        self.flags([round.lifted]);
        self.perhaps(round.stated_rest.as_ref().map(|affirmed| affirmed.iter().map(|one| 1 << (*one as u64)).sum()));
        self.count(round.reporters.len());
        for device in &round.reporters {
            self.number(u64::from(device.0));
        }
        // Who set a ground aside does not settle the round alone, in whatever order they did (D19).
        let mut aside: Vec<StaffId> = round.set_aside.clone();
        aside.sort_unstable();
        aside.dedup();
        self.count(aside.len());
        aside.into_iter().for_each(|person| self.person(Some(person)));
        self.perhaps(round.fault.map(|(device, _)| u64::from(device.0)));
        // That it was reported counts, how many times does not.
        self.flags([!round.failed.is_empty()]);
        if let Some(entered) = &round.entered {
            self.person(Some(entered.by));
            self.person(entered.witness);
            self.number(entered.met as u64);
        }
        if let Some(returning) = &round.returning {
            // Until then a terminal that is lost is missing, even if all are back now.
            self.left(Some(returning.until));
            returning.missing.iter().for_each(|terminal| self.number(u64::from(terminal.0)));
        }
        self.chips(round);
    }

    /// Of tumbles and spins after the first one: whether the last one runs, whether dice can be seen, where a ball has rested
    /// (D18, D20, D24).
    fn later(&mut self, round: &Round) {
        if round.second.is_some() {
            let last = round.current();
            self.flags([last.running, last.reported()]);
        }
        // Whether dice of a later tumble can be seen: of the last one the cover still comes off and goes on.
        let open = |seen: &Seen| seen.set_off && (seen.bare || seen.off);
        let (last, earlier) = round.later.split_last().map_or((None, &[][..]), |(last, earlier)| (Some(last), earlier));
        let last = last.map_or([false; 3], |last| [last.set_off, last.bare, last.off]);
        self.flags(last);
        self.flags([earlier.iter().any(open)]);
        let mut rested: Vec<OutcomeIndex> = round.later.iter().filter_map(|seen| seen.pocket.or(seen.early)).collect();
        rested.sort_unstable();
        rested.dedup();
        self.count(rested.len());
        rested.into_iter().for_each(|pocket| self.outcome(Some(pocket)));
    }

    fn chips(&mut self, round: &Round) {
        self.count(round.chips.len());
        for chip in &round.chips {
            self.number(u64::from(chip.position.0));
            self.number(chip.spot.get() as u64);
            self.cents(chip.amount);
            self.person(chip.placed_by);
            self.flags([chip.late]);
        }
        self.count(round.left.len());
        round.left.iter().for_each(|position| self.number(u64::from(position.0)));
        self.count(round.advised.len());
        for (position, spot) in &round.advised {
            self.number(u64::from(position.0));
            self.number(spot.get() as u64);
        }
    }

    fn seen(&mut self, seen: &Seen) {
        self.flags([
            seen.set_off,
            seen.running,
            seen.after_close,
            seen.short,
            seen.uncovered,
            seen.rested_early,
            seen.ended,
            seen.contradicted,
            seen.exposed,
            seen.off,
            seen.bare,
            seen.spun_again,
        ]);
        self.perhaps(seen.times.map(u64::from));
        self.outcome(seen.pocket);
        self.outcome(seen.early);
        for die in seen.dice.iter().chain(&seen.concealed) {
            self.perhaps(die.map(|die| die as u64));
        }
    }

    fn archived(&mut self, archived: &ArchivedRound) {
        self.outcome(archived.outcome);
        self.flags([archived.voided.is_some()]);
        self.count(archived.entries.len());
        for entry in &archived.entries {
            self.number(u64::from(entry.terminal.0));
            self.visit(entry.visit);
            self.number(u64::from(entry.layout));
            self.stakes(&entry.stakes, &entry.groups);
            self.cents(entry.entitled);
            self.cents(entry.paid);
            self.flags([entry.payable.is_some()]);
        }
        self.count(archived.shares.len());
        for share in &archived.shares {
            self.number(u64::from(share.position.0));
            self.number(share.spot.get() as u64);
            self.cents(share.bet);
            self.cents(share.returned);
        }
        self.count(archived.claims.len());
        for (position, claim) in &archived.claims {
            self.number(u64::from(position.0));
            self.cents(*claim);
        }
    }

    fn stakes(&mut self, stakes: &[Stake], groups: &[Group]) {
        self.count(stakes.len());
        for stake in stakes {
            self.number(stake.spot.get() as u64);
            self.number(u64::from(stake.group));
            self.cents(stake.amount);
        }
        self.count(groups.len());
    }

    fn terminal(&mut self, terminal: &Terminal) {
        let round = self.floor.table(terminal.table).and_then(|table| table.round.as_ref()).map(|round| round.id);
        let current = |known: Option<RoundId>| round.is_some() && known == round;
        self.flags([
            terminal.live,
            terminal.locked.is_some(),
            current(terminal.acknowledged),
            current(terminal.lost_in),
            terminal.loss_limit.is_some(),
        ]);
        self.number(u64::from(terminal.table.0));
        self.number(u64::from(terminal.layout));
        self.cents(terminal.credit);
        self.cents(terminal.prepared);
        self.stakes(&terminal.stakes, &terminal.groups);
        self.visit(terminal.visit);
        self.round_id(terminal.last_round);
        if let Some(limit) = terminal.loss_limit {
            self.cents(limit);
            self.cents(terminal.lost_in_visit);
        }
        self.count(terminal.choices.len());
    }

    fn device(&mut self, device: &Device) {
        let round = device.table().and_then(|table| self.floor.table(table)).and_then(|table| table.round.as_ref());
        let round = round.map(|round| round.id);
        let away = |service: &Service| round.is_some() && service.not_in == round;
        let (service, reading) = (&device.service, &device.reading);
        self.flags([service.out, away(service), reading.out, away(reading), device.off, device.fault.is_some()]);
        let measures = device.measures();
        self.flags([measures.times, measures.direction, measures.cover, measures.flat, measures.reads]);
        self.number(match device.place {
            DevicePlace::Store => 0,
            DevicePlace::Table(table) => 1 + 2 * u64::from(table.0),
            DevicePlace::Terminal(terminal) => 2 + 2 * u64::from(terminal.0),
        });
    }

    fn people(&mut self) {
        let post = |post: Post| match post {
            Post::Pit(rank) => rank as u64,
            Post::Cashier => 10,
            Post::Auditor => 11,
            Post::Administrator => 12,
            Post::Technician => 13,
        };
        for staff in &self.floor.staff {
            self.number(post(staff.post));
            self.perhaps(staff.acting.map(post));
            self.flags([staff.active, staff.shift.is_some()]);
        }
        self.count(self.floor.raised.len());
    }

    fn paper(&mut self) {
        let floor = self.floor;
        let next = floor.next.ticket;
        self.count(floor.tickets.len());
        for ticket in floor.tickets.values() {
            self.number(ticket.state as u64);
            if matches!(ticket.state, TicketState::Paid | TicketState::Expired) {
                continue;
            }
            self.cents(ticket.amount);
            self.perhaps(ticket.terminal.map(|terminal| u64::from(terminal.0)));
            self.left(Some(ticket.expires).filter(|_| ticket.state == TicketState::Outstanding));
            let paper = floor.paper(ticket.id);
            self.perhaps(paper.replaced_by.map(|ticket| next.saturating_sub(ticket.0)));
            self.person(paper.printed_for);
            let alerted = floor.control.doubts.get(&ticket.id);
            self.perhaps(alerted.map(|alerted| u64::from(*alerted)));
            let reported = ticket.issued.after(bounds::REPORT_WITHIN);
            self.left(Some(reported).filter(|_| alerted == Some(&false)));
        }
        self.count(floor.shifts.len());
        for shift in floor.shifts.values() {
            self.person(Some(shift.cashier));
            self.cents(shift.float);
            let counted = floor.control.counts.get(&shift.id);
            self.perhaps(counted.map(|(_, times)| u64::from(*times)));
            self.amount(counted.map(|(counted, _)| *counted));
        }
        self.count(floor.payables.len());
        for payable in floor.payables.values() {
            self.round_id(payable.round);
            self.number(u64::from(payable.terminal.0));
            self.visit(payable.visit);
            self.cents(payable.amount);
        }
    }

    fn control(&mut self) {
        let floor = self.floor;
        let control = &floor.control;
        let Thresholds { alone, redemption, difference, .. } = control.thresholds;
        [alone, redemption, difference].into_iter().for_each(|threshold| self.cents(threshold));
        let moved = control.alone.iter().filter(|(_, alone)| alone.since != Cents::ZERO);
        for (person, alone) in moved {
            self.person(Some(*person));
            self.cents(alone.since);
        }
        self.person(None);
        for ((visit, person), moved) in &control.visits {
            self.visit(Some(*visit));
            self.person(Some(*person));
            self.cents(*moved);
        }
        self.visit(None);
        self.count(control.made.len());
        self.count(control.made_alone.len());
        self.count(control.sealed.len());
        self.perhaps(control.opened.map(|(person, _)| u64::from(person.0)));
        self.count(control.wrong.len());
        self.number(u64::from(control.dismissed));
        self.count(control.decided.len());
        for ((terminal, round), sum) in &control.decided {
            self.number(u64::from(terminal.0));
            self.round_id(Some(*round));
            self.cents(*sum);
        }
        for sums in [&control.differences, &control.late] {
            for (person, sum) in sums {
                self.person(Some(*person));
                self.cents(*sum);
            }
            self.person(None);
        }
        for alert in floor.alerts.values() {
            if let AlertKind::DecidedAlone(by, rank, ..) = alert.what {
                self.person(Some(by));
                self.number(rank as u64);
            }
        }
        self.person(None);
        self.count(floor.calls.len());
        for call in &floor.calls {
            self.perhaps(call.table.map(|table| u64::from(table.0)));
            self.person(Some(call.by));
            self.perhaps(call.purpose.map(|purpose| purpose.act as u64));
            self.perhaps(call.purpose.and_then(|purpose| purpose.subject));
            self.perhaps(call.purpose.and_then(|purpose| purpose.amount).map(|amount| amount.get().unsigned_abs()));
            self.left(Some(call.at.after(bounds::SECOND_PERSON_WITHIN)));
            self.left(Some(call.at.after(bounds::CALL_STANDS)));
        }
        let programs = &floor.programs;
        self.flags([programs.locked.is_some(), floor.integrity.missing.is_some(), floor.integrity.clock.is_some()]);
        // Which program is known decides whether the next one locks play; a loss that was accepted is not reported again.
        for release in programs.last.iter().chain(&programs.approved).chain(&programs.locked) {
            self.bytes.extend_from_slice(&release.program.0);
        }
        self.number(u64::from(floor.integrity.epoch));
    }
}
