//! The events of a command say what the command asked for, and nothing else.

use std::collections::BTreeMap;

use floor::*;

use crate::model::{Check, Model, must};

/// Whether the events are what was asked for. The model has not taken them in yet.
pub(crate) fn answers(model: &Model, command: &Command, records: &[Record]) -> Check {
    let origins = records.iter().filter_map(|record| record.origin).count();
    let first = records.first().ok_or("no events")?;
    let origin = first.origin.ok_or("the first event does not name its command")?;
    must(origins == 1 && origin.sender == command.sender && origin.number == command.number, || {
        "another command is named".to_owned()
    })?;
    must(model.may_send(command.sender, &command.body), || format!("{:?} may not send this", command.sender))?;
    let asked_for = match (command.sender, &command.body) {
        (Sender::Terminal(id), Body::Bet { changes }) => bets(&first.event, id, changes),
        (Sender::Terminal(id), Body::ClearBets) => model.clears(id, &first.event),
        (Sender::Terminal(id), Body::RepeatBets { doubled }) => model.repeats(id, *doubled, &first.event),
        (_, Body::ReportStoppage { from, terminals_back }) => {
            records.iter().all(|record| model.stops(&record.event, *from, record.at, *terminals_back))
                && model.calls_again(records, *from)
        }
        (_, Body::StartProgram(_)) => model.calls_again(records, first.at),
        (_, body) => records.iter().any(|record| says(body, &record.event)),
    };
    must(asked_for, || format!("{:?} is not what was asked for", first.event))
}

/// Whether an event says what a body asks for. Where the floor works out what follows, that is checked elsewhere.
fn says(body: &Body, event: &Event) -> bool {
    match (body, event) {
        (Body::CashIn { terminal: a, amount: m }, Event::CashIn { terminal: b, amount: n })
        | (Body::AttendantIn { terminal: a, amount: m, .. }, Event::AttendantIn { terminal: b, amount: n, .. })
        | (Body::AttendantPay { terminal: a, amount: m, .. }, Event::AttendantPaid { terminal: b, amount: n, .. }) => {
            a == b && m == n
        }
        (Body::TicketIn { terminal: a, .. }, Event::TicketIn { terminal: b, .. }) => a == b,
        (Body::PrepareTicket { terminal: a, number: m }, Event::TicketPrepared { terminal: b, number: n, .. }) => {
            a == b && m == n
        }
        (Body::TicketPrinted { ticket: a }, Event::TicketPrinted { ticket: b, .. })
        | (Body::PrintFailed { ticket: a }, Event::PrintFailed { ticket: b })
        | (Body::ReprintTicket { ticket: a, .. }, Event::TicketReplaced { ticket: b, .. }) => a == b,
        (
            Body::TicketPrinted { ticket: a },
            Event::AlertRaised { what: AlertKind::VoidTicket(b) | AlertKind::ReplacedTicket(b, _), .. },
        ) => a == b,
        (Body::ResolveTicket { ticket: a, finding: m, .. }, Event::TicketResolved { ticket: b, finding: n, .. }) => {
            a == b && m == n
        }
        (Body::SetLossLimit { terminal: a, limit: m }, Event::LossLimitSet { terminal: b, limit: n }) => {
            a == b && m == n
        }
        (Body::OpenShift { float: a, .. }, Event::ShiftOpened { float: b, .. })
        | (Body::CloseShift { counted: a, .. }, Event::ShiftClosed { counted: b, .. }) => a == b,
        (Body::SellTicket { amount: a, number: m, .. }, Event::TicketSold { amount: b, number: n, .. }) => {
            a == b && m == n
        }
        (Body::RedeemTicket { amount: a, .. }, Event::TicketRedeemed { amount: b, .. }) => a.is_none_or(|a| a == *b),
        (Body::PayExpired { ticket: a, .. }, Event::ExpiredPaid { ticket: b, .. }) => a == b,
        (Body::PayCorrection { payable: a, .. }, Event::CorrectionPaid { payable: b, .. }) => a == b,
        (Body::EnterResult { table: a, outcome: m, .. }, Event::ResultEntered { table: b, outcome: n, .. })
        | (Body::EnterResult { table: a, outcome: m, .. }, Event::ResultChanged { table: b, to: n, .. }) => {
            a == b && m == n
        }
        (Body::CorrectResult { round: a, outcome: m, .. }, Event::RoundCorrected { round: b, outcome: n, .. }) => {
            a == b && m == n
        }
        (
            Body::CorrectResult { round: a, outcome: m, .. },
            Event::ChipsCorrected { round: b, outcome: Some(n), .. },
        ) => a == b && m == n,
        (Body::Decide { ruling: a, .. }, Event::Decided { ruling: b, .. }) => *a == **b,
        (Body::Decide { ruling, .. }, _) => *ruling == Ruling::VoidRound,
        (
            Body::Observe(a),
            Event::Observed { observation: b, .. }
            | Event::ObservedLate { observation: b, .. }
            | Event::ObservedMeanwhile { observation: b, .. },
        ) => a == b,
        (
            Body::ChangeService { device: a, function: m, in_service: x, .. },
            Event::ServiceChanged { device: b, function: n, in_service: y, .. },
        ) => a == b && m == n && x == y,
        (Body::KeepFirstOutcome { table: a, .. }, Event::FirstOutcomeStands { table: b, .. }) => a == b,
        (Body::ReportInterruption { failed: a, .. }, Event::InterruptionReported { failed: b, .. }) => a == b,
        (Body::StateEarlyRest { table: a, .. }, Event::EarlyRestStated { table: b, .. }) => a == b,
        (Body::AnswerFault { affects: a, .. }, Event::FaultAnswered { affects: b, .. }) => a == b,
        (Body::Attest { finding: a, .. }, Event::Attested { finding: b, .. }) => a == b,
        (Body::DeclareGround { ground: a, .. }, Event::RoundVoided { by: VoidBy::Ground(b), .. }) => a == b,
        (
            Body::PlaceChips { position: a, spot: m, amount: x, .. },
            Event::ChipsPlaced { position: b, spot: n, amount: y, .. },
        )
        | (
            Body::PlaceForPlayer { position: a, spot: m, amount: x, .. },
            Event::ChipsPlaced { position: b, spot: n, amount: y, for_player: true, by: Some(_), .. },
        )
        | (
            Body::TakeChips { position: a, spot: m, amount: x, .. },
            Event::ChipsTaken { position: b, spot: n, amount: y, .. },
        ) => a == b && m == n && x == y,
        (Body::ChooseTable { terminal: a, table: m }, Event::TableChosen { terminal: b, table: n, .. }) => {
            a == b && m == n
        }
        (Body::CallAttendant { terminal: a }, Event::AlertRaised { what: AlertKind::Attendant(b), .. }) => a == b,
        (Body::OfferTables { terminal: a, .. }, Event::TablesOffered { terminal: b, .. }) => a == b,
        (Body::RecallRound { leaf: a, .. }, Event::RoundRecalled { leaf: b, .. }) => a == b,
        (Body::Countersign { alert: a }, Event::Countersigned { alert: b, .. }) => a == b,
        (
            Body::CallSecondPerson { table: a, purpose: m, .. },
            Event::SecondPersonCalled { table: b, purpose: Some(n), .. },
        ) => a == b && (m.act, m.amount) == (n.act, n.amount),
        (Body::AnswerCall { table: a }, Event::CallAnswered { table: b, .. }) => a == b,
        (
            Body::ChangeRounds { changes, .. },
            Event::RoundCorrected { round, outcome, .. } | Event::ChipsCorrected { round, outcome: Some(outcome), .. },
        ) => changes.contains(&(*round, Some(*outcome))),
        (
            Body::ChangeRounds { changes, .. },
            Event::SettledRoundVoided { round, .. } | Event::ChipsCorrected { round, outcome: None, .. },
        ) => changes.contains(&(*round, None)),
        (Body::MoveFloat { movement: a, .. }, Event::FloatMoved { movement: b, .. }) => a == b,
        (Body::ChangeSettings { settings: a, .. }, Event::SettingsChanged { settings: b, .. }) => a == b,
        // What has no amounts of its own is known by its kind, which the model checks.
        (
            Body::CashIn { .. }
            | Body::AttendantIn { .. }
            | Body::AttendantPay { .. }
            | Body::TicketIn { .. }
            | Body::PrepareTicket { .. }
            | Body::TicketPrinted { .. }
            | Body::PrintFailed { .. }
            | Body::ReprintTicket { .. }
            | Body::SetLossLimit { .. }
            | Body::OpenShift { .. }
            | Body::CloseShift { .. }
            | Body::SellTicket { .. }
            | Body::RedeemTicket { .. }
            | Body::PayCorrection { .. }
            | Body::PayExpired { .. }
            | Body::EnterResult { .. }
            | Body::CorrectResult { .. }
            | Body::Observe(_)
            | Body::Attest { .. }
            | Body::DeclareGround { .. }
            | Body::ChangeService { .. }
            | Body::KeepFirstOutcome { .. }
            | Body::ReportInterruption { .. }
            | Body::AnswerFault { .. }
            | Body::PlaceChips { .. }
            | Body::PlaceForPlayer { .. }
            | Body::TakeChips { .. }
            | Body::MoveFloat { .. }
            | Body::ChooseTable { .. }
            | Body::CallAttendant { .. }
            | Body::OfferTables { .. }
            | Body::RecallRound { .. }
            | Body::Countersign { .. }
            | Body::CallSecondPerson { .. }
            | Body::AnswerCall { .. }
            | Body::ChangeRounds { .. }
            | Body::ChangeSettings { .. },
            _,
        ) => false,
        _ => true,
    }
}

/// The bets of one terminal change by what was asked for, spot by spot.
fn bets(event: &Event, id: TerminalId, wanted: &[BetChange]) -> bool {
    let Event::BetsChanged { terminal, changes, added, removed, .. } = event else { return false };
    let mut plain: BTreeMap<_, i64> = BTreeMap::new();
    for change in wanted {
        match change {
            BetChange::Add { spot, amount } => *plain.entry(*spot).or_default() += amount.get(),
            BetChange::Take { spot, amount } => *plain.entry(*spot).or_default() -= amount.get(),
            BetChange::AddPieces { .. } | BetChange::TakePieces { .. } => {}
        }
    }
    plain.retain(|_, delta| *delta != 0);
    let of_no_group = changes.iter().filter(|change| change.group == 0);
    let changed: BTreeMap<_, i64> = of_no_group.map(|change| (change.spot, change.delta.get())).collect();
    let adds = |group: &Group| wanted.contains(&BetChange::AddPieces { bet: group.bet.clone(), unit: group.unit });
    let takes = |group: &u16| wanted.contains(&BetChange::TakePieces { group: *group });
    *terminal == id && changed == plain && added.iter().all(adds) && removed.iter().all(takes)
}

impl Model {
    /// Whether the sender is one who may ask for this at all; ranks are checked by what the events name.
    fn may_send(&self, sender: Sender, body: &Body) -> bool {
        let is_in = |device: DeviceId, terminal: TerminalId, validates: bool| {
            let found = self.devices.get(device.index());
            found.is_some_and(|device| {
                device.place == DevicePlace::Terminal(terminal) && (!validates || device.kind == DeviceKind::Validator)
            })
        };
        match body {
            Body::CashIn { terminal, .. } => match sender {
                Sender::Device(device) => is_in(device, *terminal, true),
                _ => self.demonstration && sender == Sender::Terminal(*terminal),
            },
            Body::TicketIn { terminal, .. } => match sender {
                Sender::Device(device) => is_in(device, *terminal, false),
                _ => sender == Sender::Terminal(*terminal),
            },
            Body::PrepareTicket { terminal, .. } | Body::SetLossLimit { terminal, .. } => {
                sender == Sender::Terminal(*terminal)
            }
            Body::TicketPrinted { ticket } | Body::PrintFailed { ticket } => {
                let terminal = self.tickets.get(ticket).and_then(|ticket| ticket.terminal);
                match sender {
                    Sender::System => true,
                    Sender::Staff(id) => self.tickets.get(ticket).is_some_and(|ticket| ticket.printed_for == Some(id)),
                    Sender::Device(device) => terminal.is_some_and(|terminal| is_in(device, terminal, false)),
                    _ => terminal.is_some_and(|terminal| sender == Sender::Terminal(terminal)),
                }
            }
            Body::Bet { .. } | Body::ClearBets | Body::RepeatBets { .. } | Body::AcknowledgeClose { .. } => {
                matches!(sender, Sender::Terminal(_))
            }
            Body::Observe(_) => matches!(sender, Sender::Device(_)),
            Body::CreateFloor(_)
            | Body::StartProgram(_)
            | Body::ReportStoppage { .. }
            | Body::TerminalLost { .. }
            | Body::TerminalBack { .. }
            | Body::RaiseAlert { .. }
            | Body::ReportLoss { .. }
            | Body::ReportClock { .. }
            | Body::ChangeCredential { .. }
            | Body::IssueCode { .. }
            | Body::ChangeHostKey { .. }
            | Body::Elapse
            | Body::WrongTicket { .. }
            | Body::RecallRound { .. }
            | Body::PutBack { .. }
            | Body::CheckMeters => sender == Sender::System,
            Body::ChooseTable { terminal, .. } | Body::CallAttendant { terminal } => {
                sender == Sender::Terminal(*terminal)
            }
            Body::OfferTables { .. } => sender == Sender::System || self.is(sender, Post::Administrator),
            Body::InstallRulebook { .. }
            | Body::AddTable { .. }
            | Body::PinRulebook { .. }
            | Body::EnrolTerminal { .. }
            | Body::MoveTerminal { .. }
            | Body::AddDevice { .. }
            | Body::MoveDevice { .. }
            | Body::DescribeDevice { .. }
            | Body::AddStaff { .. }
            | Body::ChangeStaff { .. } => sender == Sender::System || self.is(sender, Post::Administrator),
            Body::SetThresholds { .. } | Body::SealCodes { .. } => {
                sender == Sender::System || self.is(sender, Post::Administrator)
            }
            Body::OpenSealedCode { .. } => self.is(sender, Post::Administrator),
            Body::RaisePower { .. }
            | Body::ApproveProgram { .. }
            | Body::AcceptProgram { .. }
            | Body::AcceptClock { .. } => self.is(sender, Post::Administrator),
            Body::OpenShift { .. }
            | Body::CloseShift { .. }
            | Body::SellTicket { .. }
            | Body::RedeemTicket { .. }
            | Body::CountShift { .. }
            | Body::HandOverShift { .. }
            | Body::MoveDrawer { .. }
            | Body::PayCorrection { .. } => self.is(sender, Post::Cashier),
            Body::ChangeSettings { .. } | Body::AssignActing { .. } | Body::SetRecordingPeriod { .. } => {
                sender == Sender::System || self.works_here(sender)
            }
            Body::PlaceChips { .. } | Body::PlaceForPlayer { .. } | Body::TakeChips { .. } => {
                self.works_here(sender) || matches!(sender, Sender::Device(_))
            }
            _ => self.works_here(sender),
        }
    }

    fn is(&self, sender: Sender, post: Post) -> bool {
        matches!(sender, Sender::Staff(id) if self.serves_as(id, post))
    }

    /// An employed person who is not there to read only.
    fn works_here(&self, sender: Sender) -> bool {
        let Sender::Staff(id) = sender else { return false };
        let person = self.staff.get(id.index()).filter(|person| person.active);
        person.is_some_and(|person| person.post != Post::Auditor || person.acting.is_some())
    }

    /// A stoppage within the table's grace is recorded, any other interrupts the round (D6).
    fn stops(&self, event: &Event, from: Moment, at: Moment, terminals_back: bool) -> bool {
        let within = |table: TableId| {
            // With terminals still away, it is part of the stoppage before.
            let away = self.table(table).ok().and_then(|table| table.round.as_ref()?.missing());
            let stopped = at.since(away.map_or(from, |away| away.min(from)).min(at));
            let grace = self.table(table).map_or(0, |table| table.settings.grace);
            terminals_back && grace > 0 && stopped <= grace
        };
        match event {
            Event::StoppageRecorded { table, .. } => within(*table),
            Event::RoundInterrupted { table, .. } => !within(*table),
            Event::SecondPersonCalled { .. } => true,
            _ => false,
        }
    }

    /// Every call that waited during a stoppage is made once more, and no other: its time begins anew (D28).
    fn calls_again(&self, records: &[Record], from: Moment) -> bool {
        let again = records.iter().filter_map(|record| match &record.event {
            Event::SecondPersonCalled { table, purpose, .. } => Some((*table, purpose.as_deref().copied())),
            _ => None,
        });
        let at = records.first().map_or(from, |record| record.at);
        let waited =
            self.calls.iter().filter(|call| call.at <= from.min(at) && at.since(call.at) <= bounds::CALL_STANDS);
        again.eq(waited.map(|call| (call.table, call.purpose)))
    }

    /// Every bet of the terminal goes back.
    fn clears(&self, id: TerminalId, event: &Event) -> bool {
        let Event::BetsChanged { terminal, .. } = event else { return false };
        let Some(changed) = self.changed(event) else { return false };
        let mut stands: BTreeMap<&str, i64> = BTreeMap::new();
        for ((spot, _), stake) in self.terminal(id).iter().flat_map(|terminal| &terminal.bets) {
            *stands.entry(spot).or_default() -= stake;
        }
        *terminal == id && changed == stands
    }

    /// The bets of the visit's last round stand once more, or doubled.
    fn repeats(&self, id: TerminalId, doubled: bool, event: &Event) -> bool {
        let Some(changed) = self.changed(event) else { return false };
        let Ok(terminal) = self.terminal(id) else { return false };
        let Ok(table) = self.table(terminal.table) else { return false };
        let rounds = table.past.iter().rev();
        let last = rounds.filter_map(|past| past.bets.iter().find(|bets| bets.terminal == id)).next();
        let mut wanted: BTreeMap<&str, i64> = BTreeMap::new();
        for ((spot, _), stake) in last.iter().flat_map(|bets| &bets.bets) {
            *wanted.entry(spot).or_default() += stake * if doubled { 2 } else { 1 };
        }
        changed == wanted && last.is_some_and(|bets| bets.visit == terminal.visit)
    }

    /// By how much each spot changes, pieces included.
    fn changed(&self, event: &Event) -> Option<BTreeMap<&'static str, i64>> {
        let Event::BetsChanged { terminal, changes, .. } = event else { return None };
        let sheet = self.sheet(self.terminal(*terminal).ok()?).ok()?;
        let mut changed = BTreeMap::new();
        for change in changes {
            *changed.entry(sheet.text(change.spot)?).or_default() += change.delta.get();
        }
        Some(changed)
    }
}
