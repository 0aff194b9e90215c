//! Who may do what, by the decision's own table (D11, D15).

use floor::*;
use rulebook::{Act, GroundId, Rank};

use super::{Check, Model, must};
use crate::game::Game;

/// The lowest rank for an act.
fn lowest(game: Game, act: Act) -> Rank {
    match act {
        Act::OpenRound
        | Act::CloseBets
        | Act::EnterResult
        | Act::DeclareGround
        | Act::AttestInterruption
        | Act::CorrectBeforeSettlement
        | Act::RejectExcess
        | Act::AdviseMinimum
        | Act::RefuseLateBets
        | Act::PlaceForPlayer => Rank::Dealer,
        Act::CorrectAfterSettlement if game == Game::Electronic => Rank::ShiftManager,
        Act::CorrectAfterSettlement
        | Act::WitnessAttestation
        | Act::RecordDeviceFault
        | Act::LockTerminal
        | Act::HandPay
        | Act::AcknowledgeAlert => Rank::PitSupervisor,
        Act::VoidAffectedRounds | Act::ChangeLimits | Act::OpenTable => Rank::PitManager,
        Act::Decide => Rank::ShiftManager,
    }
}

/// The most one person moves alone in a gaming day, in cents.
const ALONE: i64 = 1_000_000;
/// A difference that needs no second person, in cents.
const DIFFERENCE: i64 = 10_000;

impl Model {
    /// Totals what each person has moved without a second person since one signed, or since the day began (D27). No one
    /// gets past the threshold alone, by any act; a ticket counts by itself.
    pub(super) fn totals(&mut self, event: &Event) -> Check {
        let (table, visit) = self.moved_where(event);
        let (by, second, amount) = match event {
            Event::DayBegan { .. } => {
                self.alone.clear();
                return Ok(());
            }
            Event::ThresholdsSet { thresholds, .. } => {
                self.threshold = Some(thresholds.alone.get());
                self.redemption = Some(thresholds.redemption.get());
                self.difference = Some(thresholds.difference.get());
                return Ok(());
            }
            Event::TicketRedeemed { ticket, shift, amount, witness } => {
                let cashier = self.shifts.get(shift).map(|shift| shift.cashier);
                if witness.is_some() || self.lonely.is_some() && self.lonely == cashier {
                    return Ok(());
                }
                let most = self.redemption.unwrap_or(ALONE);
                must(amount.get() <= most, || format!("a cashier alone paid a ticket of {amount} (D27)"))?;
                let printed_for = self.tickets.get(ticket).and_then(|ticket| ticket.printed_for);
                return must(printed_for.is_none() || printed_for != cashier, || {
                    "a cashier alone paid a ticket that they had sold or printed again (D27)".to_owned()
                });
            }
            Event::SealedCodeOpened { by, .. } => {
                self.opened = Some(*by);
                return Ok(());
            }
            Event::StaffAdded { by: Some(_), witness: None, .. }
            | Event::StaffChanged { by: Some(_), witness: None, active: true, .. }
            | Event::ActingAssigned { by: Some(_), witness: None, post: Some(_), .. } => {
                self.opened = None;
                return Ok(());
            }
            Event::Recovered { by, witness, amount, .. } => (*by, Some(*witness), amount.get()),
            Event::AttendantIn { by, witness, amount, .. } | Event::AttendantPaid { by, witness, amount, .. } => {
                (*by, *witness, amount.get())
            }
            Event::Decided { by, witness, credited, payable, taken, uncollected, .. } => {
                (*by, *witness, [credited, payable, taken, uncollected].iter().map(|amount| amount.get()).sum())
            }
            Event::CorrectionPaid { shift, witness, amount, .. } => {
                let Some(shift) = self.shifts.get(shift) else { return Ok(()) };
                (shift.cashier, *witness, amount.get())
            }
            Event::TicketSold { shift, witness, amount, .. } | Event::DrawerMoved { shift, witness, amount, .. } => {
                let Some(shift) = self.shifts.get(shift) else { return Ok(()) };
                (shift.cashier, *witness, amount.get())
            }
            Event::PayablePaid { by, witness, amount, .. } | Event::ExpiredPaid { by, witness, amount, .. } => {
                (*by, *witness, amount.get())
            }
            Event::ShiftOpened { cashier, witness, float, from: None, .. } => (*cashier, *witness, float.get()),
            Event::ShiftClosed { shift, counted, expected, witness, by, .. } => {
                let Some(shift) = self.shifts.get(shift) else { return Ok(()) };
                let (by, off) = (by.unwrap_or(shift.cashier), (counted.get() - expected.get()).abs());
                let much = off > self.difference.unwrap_or(DIFFERENCE) && self.lonely != Some(by);
                must(!much || witness.is_some(), || format!("a difference of {off} cents and one person (D27)"))?;
                // What goes back to the vault is a float.
                (by, *witness, counted.get().max(expected.get()))
            }
            Event::FloatMoved { by, witness, movement, .. } => {
                let amount = match movement {
                    FloatMovement::Opener(amount) | FloatMovement::Fill(amount) | FloatMovement::Credit(amount) => {
                        *amount
                    }
                    FloatMovement::Closer(amount) | FloatMovement::Drop(amount) => *amount,
                    FloatMovement::BuyIn(amount) | FloatMovement::ChipsOut(amount) => *amount,
                };
                (*by, *witness, amount.get())
            }
            Event::TicketReplaced { by, witness, ticket, .. } => {
                (*by, Some(*witness), self.tickets.get(ticket).map_or(0, |ticket| ticket.amount))
            }
            Event::TicketResolved {
                ticket,
                by: Some(by),
                witness: Some(witness),
                finding: TicketFinding::PaidByHand,
                ..
            } => (*by, Some(*witness), self.tickets.get(ticket).map_or(0, |ticket| ticket.amount)),
            _ => return Ok(()),
        };
        // A person who acts alone by D28 is named twice: no one has signed for the total.
        let signed = second.is_some_and(|second| second != by);
        // Who could not have paid that by hand signs for this act only.
        let vouches = signed && second.is_some_and(|second| self.vouches(by, second));
        let floors = self.threshold.unwrap_or(ALONE);
        let hand_pay = table.and_then(|table| self.table(table).ok()).map(|table| table.settings.hand_pay.get());
        let lowest = hand_pay.map_or(floors, |hand_pay| hand_pay.min(floors));
        let before = self.moved_alone(by, visit);
        // Below the threshold a signature is for its own act.
        let for_all = vouches && before + amount > lowest;
        if let Some(visit) = visit.filter(|_| for_all || !signed) {
            let of_visit = self.alone_in_visit.entry((visit, by)).or_default();
            *of_visit = if for_all { 0 } else { *of_visit + amount };
        }
        let sum = self.alone.entry(by).or_default();
        *sum = match (for_all, signed) {
            (true, _) => 0,
            (false, true) => *sum,
            (false, false) => *sum + amount,
        };
        // The lowest threshold that applies, for the gaming day and for the visit.
        let sum = self.moved_alone(by, visit);
        let exceeds = !signed && self.lonely != Some(by) && second.is_none() && amount > 0 && sum > lowest;
        must(!exceeds, || format!("person {by} has moved {sum} cents alone, where {lowest} is the most (D27)"))
    }

    /// The table whose threshold applies to a movement, and the visit that it is for.
    fn moved_where(&self, event: &Event) -> (Option<TableId>, Option<u64>) {
        let seat = |id: &TerminalId| self.terminal(*id).ok();
        match event {
            // Money that begins a visit is for that visit.
            Event::AttendantIn { terminal, .. } => {
                let found = seat(terminal);
                (found.map(|found| found.table), found.map(|found| found.visit.unwrap_or(self.next_visit)))
            }
            Event::AttendantPaid { terminal, .. } => {
                (seat(terminal).map(|found| found.table), seat(terminal).and_then(|found| found.visit))
            }
            Event::Decided { table, ruling, credited, taken, .. } => {
                let visit = match &**ruling {
                    Ruling::Pay { terminal, .. } | Ruling::TakeBack { terminal, .. } => {
                        seat(terminal).and_then(|found| found.visit)
                    }
                    _ => None,
                };
                (Some(*table), visit.filter(|_| credited.is_positive() || taken.is_positive()))
            }
            Event::CorrectionPaid { payable, .. } | Event::PayablePaid { payable, .. } => {
                let found = self.payables.get(payable);
                (found.map(|found| found.table), found.and_then(|found| found.visit))
            }
            Event::Recovered { table, .. } | Event::FloatMoved { table, .. } => (Some(*table), None),
            _ => (None, None),
        }
    }

    /// What a person has moved alone, since the last signature for all of it: in the gaming day, or for the visit.
    fn moved_alone(&self, by: StaffId, visit: Option<u64>) -> i64 {
        let of_visit = visit.and_then(|visit| self.alone_in_visit.get(&(visit, by))).copied().unwrap_or(0);
        self.alone.get(&by).copied().unwrap_or(0).max(of_visit)
    }

    /// Whether the second person can answer for everything the first has moved: of the rank that pays by hand, or among
    /// cashiers a cashier.
    fn vouches(&self, first: StaffId, second: StaffId) -> bool {
        let needed = self.needed(Game::SicBo, Act::HandPay);
        let cage_only = self.rank(first).is_none() && self.serves_as(first, Post::Cashier);
        self.rank(second) >= Some(needed) || cage_only && self.serves_as(second, Post::Cashier)
    }

    /// An administrator and a second person who configures or changes limits.
    fn office(&self, by: StaffId, witness: Option<StaffId>) -> Check {
        let administers = |id: StaffId| self.serves_as(id, Post::Administrator);
        let needed = Rank::PitManager;
        let second = |id: StaffId| id != by && (administers(id) || self.rank(id) >= Some(needed));
        must(administers(by) && witness.is_some_and(second), || "done by one person (D27)".to_owned())
    }

    /// The rank an act needs in a game now.
    pub fn needed(&self, game: Game, act: Act) -> Rank {
        let lowest = lowest(game, act);
        self.raised.get(&act).map_or(lowest, |raised| lowest.max(*raised))
    }

    pub fn rank(&self, id: StaffId) -> Option<Rank> {
        let rank = |post| if let Post::Pit(rank) = post { Some(rank) } else { None };
        self.posts(id).into_iter().filter_map(rank).max()
    }

    /// The posts a person serves in now. Who acts as administrator or auditor, or is one and acts, is that alone (D26).
    fn posts(&self, id: StaffId) -> Vec<Post> {
        let Some(person) = self.staff.get(id.index()).filter(|person| person.active) else { return Vec::new() };
        let Some(acting) = person.acting else { return vec![person.post] };
        let outside = [Post::Administrator, Post::Auditor, Post::Technician];
        if outside.contains(&acting) || outside.contains(&person.post) {
            return vec![acting];
        }
        vec![person.post, acting]
    }

    /// Whether a person may do a dealer's act at a table: the dealer who has it, or any higher rank (D26).
    pub fn has_table(&self, id: StaffId, table: &super::Table) -> bool {
        self.rank(id) > Some(Rank::Dealer) || table.dealer == Some(id)
    }

    /// Everyone who may do this.
    pub fn qualified(&self, game: Game, act: Act) -> Vec<StaffId> {
        let needed = self.needed(game, act);
        let people = (0..).map(StaffId).take(self.staff.len());
        people.filter(|id| self.rank(*id).is_some_and(|rank| rank >= needed)).collect()
    }

    pub fn serves_as(&self, id: StaffId, post: Post) -> bool {
        self.posts(id).contains(&post)
    }

    /// A person in a post outside the pit.
    pub fn serving(&self, post: Post) -> Vec<StaffId> {
        (0..).map(StaffId).take(self.staff.len()).filter(|id| self.serves_as(*id, post)).collect()
    }

    /// A cashier, or a Pit Supervisor or above.
    pub fn signs_at_cage(&self, id: StaffId) -> bool {
        self.serves_as(id, Post::Cashier) || self.rank(id).is_some_and(|rank| rank >= Rank::PitSupervisor)
    }

    pub(super) fn may(&self, table: TableId, act: Act, by: StaffId) -> Check {
        let needed = self.needed(self.table(table)?.game, act);
        must(self.rank(by).is_some_and(|rank| rank >= needed), || format!("person {by} may not {act}"))
    }

    /// What the dealer of the table does.
    fn deals(&self, table: TableId, act: Act, by: StaffId) -> Check {
        self.may(table, act, by)?;
        must(self.has_table(by, self.table(table)?), || format!("person {by} has not taken table {table} (D26)"))
    }

    /// Two people of the rank needed.
    fn both(&self, table: TableId, act: Act, by: StaffId, witness: Option<StaffId>) -> Check {
        self.may(table, act, by)?;
        if witness.is_none() && self.lonely == Some(by) {
            return Ok(());
        }
        let witness = witness.ok_or_else(|| format!("{act} needs a second person (D15)"))?;
        self.are_two(by, witness)?;
        self.may(table, act, witness)
    }

    /// A payment above the threshold needs two, and so does what takes the person's total above it (D27).
    fn pays(&self, table: TableId, act: Act, by: StaffId, witness: Option<StaffId>, amount: i64) -> Check {
        self.may(table, act, by)?;
        self.signed_for(table, by, witness, amount)
    }

    fn signed_for(&self, table: TableId, by: StaffId, witness: Option<StaffId>, amount: i64) -> Check {
        let moved = self.alone.get(&by).copied().unwrap_or(0);
        if witness.is_none()
            && moved + amount <= self.table(table)?.settings.hand_pay.get().min(self.threshold.unwrap_or(ALONE))
        {
            return Ok(());
        }
        if witness.is_none() && self.lonely == Some(by) {
            return Ok(());
        }
        let witness = witness.ok_or("a payment above the threshold needs two")?;
        self.are_two(by, witness)?;
        self.may(table, Act::HandPay, witness)
    }

    /// Two people pay an expired ticket, one of whom is the Shift Manager or above (S15, D27): from the drawer of the one
    /// who pays, or by hand where that is the Shift Manager.
    fn pays_expired(&self, ticket: TicketId, shift: Option<ShiftId>, by: StaffId, witness: Option<StaffId>) -> Check {
        let terminal = self.tickets.get(&ticket).and_then(|ticket| ticket.terminal);
        let at = terminal.and_then(|terminal| self.terminal(terminal).ok()).map(|terminal| terminal.table);
        let tables = (0..).map(TableId).take(self.tables.len()).filter(|table| at.is_none_or(|at| at == *table));
        let tables: Vec<TableId> = tables.collect();
        let decides = |id: StaffId| tables.iter().any(|table| self.may(*table, Act::Decide, id).is_ok());
        must(decides(by) || self.serves_as(by, Post::Cashier), || format!("person {by} pays no tickets"))?;
        must(decides(by) || witness.is_some_and(decides), || {
            "nobody decided that an expired ticket is paid".to_owned()
        })?;
        let drawer = shift.map(|shift| self.shifts.get(&shift).is_some_and(|shift| shift.cashier == by));
        let from_there = drawer.unwrap_or_else(|| decides(by));
        must(from_there, || "an expired ticket was paid from somebody else's drawer, or from none".to_owned())?;
        if witness.is_none() && self.lonely == Some(by) {
            return Ok(());
        }
        let witness = witness.ok_or("an expired ticket takes two people (D27)")?;
        self.are_two(by, witness)?;
        must(self.signs_at_cage(witness), || "the second person is not of the cage or the pit".to_owned())
    }

    /// The people whom an event names are permitted to do what it says.
    pub(super) fn authority(&self, event: &Event) -> Check {
        match event {
            Event::PowerRaised { act, rank, by, witness } => {
                must(self.serves_as(*by, Post::Administrator), || "no administrator".to_owned())?;
                must(*act != Act::CloseBets || *rank == Rank::Dealer, || "a dealer can always close".to_owned())?;
                self.office(*by, *witness)
            }
            Event::ProgramApproved { by, witness, .. } | Event::ProgramAccepted { by, witness, .. } => {
                must(self.serves_as(*by, Post::Administrator), || "no administrator".to_owned())?;
                if witness.is_none() { Ok(()) } else { self.office(*by, *witness) }
            }
            Event::ClockAccepted { by, witness, .. } => self.office(*by, *witness),
            Event::RulebookInstalled { by: Some(by), witness, .. }
            | Event::RulebookPinned { by: Some(by), witness, .. }
            | Event::TableAdded { by: Some(by), witness, .. } => self.office(*by, *witness),
            Event::ShiftCounted { by: Some(by), witness, .. } | Event::ShiftClosed { by: Some(by), witness, .. } => {
                let fits = self.serves_as(*by, Post::Cashier) || self.rank(*by) >= Some(Rank::PitManager);
                must(fits, || format!("person {by} has nothing to do with that drawer"))?;
                let signed = witness.is_some_and(|second| second != *by && self.signs_at_cage(second));
                must(signed || self.lonely == Some(*by), || "a drawer of another in one person's hands".to_owned())
            }
            Event::ExpiredPaid { ticket, shift, by, witness, .. } => self.pays_expired(*ticket, *shift, *by, *witness),
            Event::LossAccepted { by, witness, .. } => {
                self.are_two(*by, *witness)?;
                let manages = |id| self.rank(id).is_some_and(|rank| rank >= Rank::ShiftManager);
                let administers = |id| self.serves_as(id, Post::Administrator);
                let alone = by == witness && manages(*by);
                let fits = alone || manages(*by) && administers(*witness) || administers(*by) && manages(*witness);
                must(fits, || "not an administrator and a Shift Manager".to_owned())
            }
            Event::TableOpened { table, by }
            | Event::ClosingAnnounced { table, by, .. }
            | Event::TableClosed { table, by } => self.may(*table, Act::OpenTable, *by),
            Event::DealerChanged { table, dealer } => self.may(*table, Act::OpenRound, *dealer),
            Event::SettingsChanged { table, by: Some(by), .. } => {
                if self.serves_as(*by, Post::Administrator) {
                    Ok(())
                } else {
                    self.may(*table, Act::ChangeLimits, *by)
                }
            }
            Event::TerminalUnlocked { terminal, by }
            | Event::TerminalLocked { terminal, reason: LockReason::Person(by, _) } => {
                self.may(self.terminal(*terminal)?.table, Act::LockTerminal, *by)
            }
            Event::AttendantIn { terminal, amount, by, witness } => {
                self.pays(self.terminal(*terminal)?.table, Act::HandPay, *by, *witness, amount.get())
            }
            Event::StaffAdded { by: Some(by), witness, .. }
            | Event::StaffChanged { by: Some(by), witness, active: true, .. } => {
                let administers = |id: StaffId| self.serves_as(id, Post::Administrator);
                let second = witness.is_some_and(|second| self.are_two(*by, second).is_ok() && administers(second));
                // A sealed code stands for the second person, once.
                let sealed = witness.is_none() && self.opened == Some(*by);
                must((second || sealed) && self.serves_as(*by, Post::Administrator), || {
                    "an account by one person".to_owned()
                })
            }
            Event::FloatMoved { table, movement, by, witness, .. }
                if !matches!(movement, FloatMovement::BuyIn(_) | FloatMovement::ChipsOut(_)) =>
            {
                self.both(*table, Act::WitnessAttestation, *by, *witness)
            }
            Event::FloatMoved {
                table,
                movement: FloatMovement::BuyIn(amount) | FloatMovement::ChipsOut(amount),
                by,
                witness,
                ..
            } => {
                self.deals(*table, Act::OpenRound, *by)?;
                self.signed_for(*table, *by, *witness, amount.get())
            }
            Event::AttendantPaid { terminal, amount, by, witness } => {
                self.pays(self.terminal(*terminal)?.table, Act::HandPay, *by, *witness, amount.get())
            }
            Event::ShiftOpened { cashier, .. } => {
                must(self.serves_as(*cashier, Post::Cashier), || "no cashier".to_owned())
            }
            Event::RoundBegun { table, by: Some(by), .. } | Event::BetsOpened { table, by, .. } => {
                self.deals(*table, Act::OpenRound, *by)
            }
            Event::BetsClosed { table, by: Some(by), .. } => self.deals(*table, Act::CloseBets, *by),
            Event::ResultEntered { table, by, .. } => self.deals(*table, Act::EnterResult, *by),
            Event::ResultChanged { table, by, .. } => self.deals(*table, Act::CorrectBeforeSettlement, *by),
            Event::UncoveringDeclared { table, by, .. } | Event::EarlyRestStated { table, by, .. } => {
                self.deals(*table, Act::EnterResult, *by)
            }
            Event::ChipsRemoved { table, by, witness, .. } => {
                self.deals(*table, Act::RejectExcess, *by)?;
                self.are_two(*by, *witness)?;
                self.may(*table, Act::WitnessAttestation, *witness)
            }
            Event::RecordingPeriodSet { table, by: Some(by), .. } => {
                if self.serves_as(*by, Post::Administrator) {
                    Ok(())
                } else {
                    self.may(*table, Act::ChangeLimits, *by)
                }
            }
            Event::RecordCorrected { table, by, witness, .. } => {
                self.both(*table, Act::CorrectAfterSettlement, *by, *witness)
            }
            Event::GroundDismissed { table, by, ground, .. } => {
                let proposed = matches!(ground, GroundId::DieNotFlat | GroundId::NoCompartment | GroundId::FlungOut);
                self.may(*table, if proposed { Act::DeclareGround } else { Act::RecordDeviceFault }, *by)
            }
            Event::RoundVoided { table, by: VoidBy::Decision, staff, witness, .. } => {
                self.may(*table, Act::Decide, *staff)?;
                self.both(*table, Act::VoidAffectedRounds, *staff, *witness)
            }
            Event::RoundVoided { table, by: VoidBy::Ground(GroundId::Interruption), staff, .. } => {
                self.deals(*table, Act::AttestInterruption, *staff)
            }
            // With a witness it is one of the rounds that damage affected, or a declaration that takes two (D23).
            Event::RoundVoided { table, staff, witness: Some(witness), .. } => {
                self.are_two(*staff, *witness)?;
                self.both(*table, Act::VoidAffectedRounds, *staff, Some(*witness)).or_else(|_| {
                    self.may(*table, Act::DeclareGround, *staff)?;
                    self.may(*table, Act::WitnessAttestation, *witness)
                })
            }
            Event::RoundVoided { table, by: VoidBy::Ground(ground), staff, witness: None, .. } => {
                self.deals(*table, Act::DeclareGround, *staff)?;
                if self.lonely == Some(*staff) {
                    return Ok(());
                }
                self.alone_may_declare(*table, *ground)
            }
            Event::RoundCorrected { table, by, witness, .. } => {
                self.both(*table, Act::CorrectAfterSettlement, *by, Some(*witness))
            }
            Event::SettledRoundVoided { table, by, staff, witness, .. } => {
                let decides = if *by == VoidBy::Decision { Act::Decide } else { Act::VoidAffectedRounds };
                self.may(*table, decides, *staff)?;
                self.both(*table, Act::VoidAffectedRounds, *staff, *witness)
            }
            Event::ChipsCorrected { table, by, witness, outcome, .. } => {
                let act = if outcome.is_some() { Act::CorrectAfterSettlement } else { Act::VoidAffectedRounds };
                self.both(*table, act, *by, *witness)
            }
            Event::Attested { table, by, witness, .. } => {
                self.deals(*table, Act::AttestInterruption, *by)?;
                self.are_two(*by, *witness)?;
                // Who has seen the dice would choose between void and a result: the Shift Manager signs (D6).
                let uncovered = self.table(*table)?.round.as_ref().is_some_and(|round| round.uncovered_meanwhile);
                self.may(*table, if uncovered { Act::Decide } else { Act::WitnessAttestation }, *witness)
            }
            Event::Decided { table, ruling, by, witness, .. } => match &**ruling {
                Ruling::Pay { amount, .. }
                | Ruling::PayChips { amount, .. }
                | Ruling::TakeBack { amount, .. }
                | Ruling::ClaimChips { amount, .. } => self.pays(*table, Act::Decide, *by, *witness, amount.get()),
                // Two of the same rank choose an outcome (D27).
                Ruling::Outcome { .. } => {
                    self.may(*table, Act::Decide, *by)?;
                    self.both(*table, Act::Decide, *by, *witness)
                }
                _ => self.may(*table, Act::Decide, *by),
            },
            Event::DisplayRecorded { table, by, .. } => self.may(*table, Act::EnterResult, *by),
            Event::ExcessRejected { table, by, .. } => self.deals(*table, Act::RejectExcess, *by),
            Event::MinimumAdvised { table, by, .. } | Event::UnderMinimumRefused { table, by, .. } => {
                self.deals(*table, Act::AdviseMinimum, *by)
            }
            Event::LateRefused { table, by, .. } => self.deals(*table, Act::RefuseLateBets, *by),
            Event::ChipsPlaced { table, by: Some(by), for_player, .. } => {
                self.may(*table, if *for_player { Act::PlaceForPlayer } else { Act::OpenRound }, *by)
            }
            _ => Ok(()),
        }
    }
}
