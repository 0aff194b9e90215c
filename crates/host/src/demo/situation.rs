//! What can happen at a table of the demonstration besides what its device reports, so that each of these situations can
//! be shown: an interruption, what fails without interrupting, a device out of service or without a link, an early ball on
//! which the Shift Manager decides, chips recorded late, a ground that is declared, a table that is taken over, a call for a
//! second person, a terminal that loses the host, a printer that does not report.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use ::floor::{
    Body, Failed, FloatMovement, Floor, Function, JointAct, Phase, Position, Purpose, Sender, Table, TerminalId,
};
use rulebook::{Arises, Cents, Text};
use serde::{Deserialize, Serialize};

use super::table::{self, DeviceAct};
use super::{Demonstration, TableDemo};
use crate::app::App;
use crate::devices::{Fault, Simulated};
use crate::error::{ApiError, ApiResult};

/// How long a lost terminal stays away, and a dead link is dead: longer than it takes until the pit is told.
const AWAY: Duration = Duration::from_secs(20);

/// The reason that people of the demonstration give.
const SHOWN: &str = "shown by the demonstration";
/// The chips that are recorded late.
const LATE: Cents = Cents::new(2_500);

/// Something that happens at a table.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Situation {
    /// The dealer records chips after the close, before the dice can be seen.
    LateChips,
    /// Power fails at the table during a round, and the dealer reports the interruption.
    PowerFails,
    /// The dealer reports that the display fails: it is recorded, and the round goes on.
    DisplayFails,
    /// The dealer reports that some terminals fail: the same.
    TerminalsFail,
    /// The link of the device is dead for a while: what it would report is lost.
    LinkDead,
    /// The ball rests while bets are open, and the Shift Manager decides that its outcome stands.
    OutcomeChosen,
    /// The dealer declares a ground of the document, with the Pit Supervisor.
    GroundDeclared,
    /// A Pit Supervisor takes the table over. The automatic dealer takes it back.
    TakenOver,
    /// The dealer calls a second person to take the device out of service.
    SecondPersonCalled,
    /// A Pit Supervisor and a Pit Manager take the device out of service. The automatic dealer has it put back between
    /// rounds.
    OutOfService,
    /// A terminal loses the host for a while.
    TerminalLost,
    /// A player cashes out, and the printer does not report: the ticket is in doubt.
    PrinterSilent,
}

impl Situation {
    /// All of them.
    pub const ALL: [Situation; 12] = [
        Situation::LateChips,
        Situation::PowerFails,
        Situation::DisplayFails,
        Situation::TerminalsFail,
        Situation::LinkDead,
        Situation::OutcomeChosen,
        Situation::GroundDeclared,
        Situation::TakenOver,
        Situation::SecondPersonCalled,
        Situation::OutOfService,
        Situation::TerminalLost,
        Situation::PrinterSilent,
    ];

    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Situation::LateChips => "late_chips",
            Situation::PowerFails => "power_fails",
            Situation::DisplayFails => "display_fails",
            Situation::TerminalsFail => "terminals_fail",
            Situation::LinkDead => "link_dead",
            Situation::OutcomeChosen => "outcome_chosen",
            Situation::GroundDeclared => "ground_declared",
            Situation::TakenOver => "taken_over",
            Situation::SecondPersonCalled => "second_person_called",
            Situation::OutOfService => "out_of_service",
            Situation::TerminalLost => "terminal_lost",
            Situation::PrinterSilent => "printer_silent",
        }
    }

    /// The decision or standard it shows.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Situation::LateChips => "D20",
            Situation::PowerFails => "D21, D22",
            Situation::DisplayFails | Situation::TerminalsFail => "D21",
            Situation::GroundDeclared => "D23",
            Situation::TakenOver => "D26",
            Situation::SecondPersonCalled => "D28",
            Situation::LinkDead | Situation::OutOfService => "D19",
            Situation::OutcomeChosen => "D24",
            Situation::TerminalLost => "S18",
            Situation::PrinterSilent => "D25",
        }
    }

    /// Whether a table can show it: a table without terminals has none to lose.
    #[must_use]
    pub fn is_for(self, demo: &TableDemo) -> bool {
        match self {
            Situation::LateChips => demo.players.is_empty(),
            Situation::PowerFails | Situation::DisplayFails | Situation::LinkDead | Situation::OutOfService => true,
            Situation::GroundDeclared | Situation::TakenOver | Situation::SecondPersonCalled => true,
            Situation::TerminalsFail | Situation::TerminalLost | Situation::PrinterSilent => !demo.players.is_empty(),
            Situation::OutcomeChosen => {
                matches!(*demo.simulated.lock().unwrap_or_else(PoisonError::into_inner), Simulated::Wheel(_))
            }
        }
    }

    /// Words for the menu.
    #[must_use]
    pub fn words(self) -> Text {
        let (en, zh) = match self {
            Situation::LateChips => ("Chips recorded after the close", "截止后补记筹码"),
            Situation::PowerFails => ("Power fails at the table", "牌桌断电"),
            Situation::DisplayFails => ("Display fails, the round goes on", "显示屏故障，本局继续"),
            Situation::TerminalsFail => ("Some terminals fail, the round goes on", "部分终端故障，本局继续"),
            Situation::LinkDead => ("The device’s link is dead for a while", "设备断线，稍后恢复"),
            Situation::OutcomeChosen => {
                ("Ball rests early, the Shift Manager lets it stand", "球提前停定，值班经理裁定结果有效")
            }
            Situation::GroundDeclared => ("Dealer declares a void ground", "荷官宣布作废理由"),
            Situation::TakenOver => ("A Pit Supervisor takes the table over", "值台主管接台"),
            Situation::SecondPersonCalled => ("Dealer calls a second person", "荷官呼叫第二人"),
            Situation::OutOfService => ("Device taken out of service", "设备停用"),
            Situation::TerminalLost => ("A terminal loses the host", "有终端断线"),
            Situation::PrinterSilent => ("Printer does not report", "打印机没有报告"),
        };
        Text { en: en.to_owned(), zh: zh.to_owned() }
    }
}

impl Demonstration {
    /// Lets something happen at a table.
    ///
    /// # Errors
    /// When the floor does not take it now.
    pub async fn happens(&self, app: &Arc<App>, demo: &Arc<TableDemo>, situation: Situation) -> ApiResult<()> {
        match situation {
            Situation::LateChips => self.records_late(app, demo).await,
            Situation::PowerFails => self.reported(app, demo, Failed::Power).await,
            Situation::DisplayFails => self.reported(app, demo, Failed::Display).await,
            Situation::TerminalsFail => self.reported(app, demo, Failed::SomeTerminals).await,
            Situation::LinkDead => {
                demo.unlinked.store(true, Ordering::Release);
                let demo = Arc::clone(demo);
                tokio::spawn(async move {
                    tokio::time::sleep(AWAY).await;
                    demo.unlinked.store(false, Ordering::Release);
                });
                Ok(())
            }
            Situation::OutcomeChosen => {
                let open =
                    |table: &Table| table.round().filter(|round| round.phase() == Phase::Open).map(|one| one.id());
                let round = app.read(|floor: &Floor| floor.table(demo.table).and_then(open));
                let round = round.ok_or_else(|| ApiError::not_found("round with bets open"))?;
                *demo.chooses.lock().unwrap_or_else(PoisonError::into_inner) = Some(round);
                table::play(app, demo, DeviceAct::Fault(Fault::RestsEarly))
            }
            Situation::GroundDeclared => self.declares(app, demo).await,
            Situation::TakenOver => {
                let body = Body::TakeTable { table: demo.table };
                self.send(app, Sender::Staff(demo.supervisor), body).await.map(drop)
            }
            Situation::SecondPersonCalled => {
                let subject = Some(u64::from(demo.device.0));
                let purpose = Purpose { act: JointAct::TakeOutOfService, subject, amount: None };
                let body = Body::CallSecondPerson { table: Some(demo.table), reason: SHOWN.to_owned(), purpose };
                self.send(app, Sender::Staff(demo.dealer), body).await.map(drop)
            }
            Situation::OutOfService => {
                let (device, function, in_service) = (demo.device, Function::Device, false);
                let (reason, witness) = (SHOWN.to_owned(), Some(demo.manager));
                let body = Body::ChangeService { device, function, in_service, reason, witness };
                self.send(app, Sender::Staff(demo.supervisor), body).await.map(drop)
            }
            Situation::TerminalLost => {
                let is_live = |id: &TerminalId| app.read(|floor| floor.terminal(*id).is_some_and(|one| one.is_live()));
                let terminal = demo.players.iter().copied().find(is_live);
                let terminal = terminal.ok_or_else(|| ApiError::not_found("terminal to lose"))?;
                app.own(Body::TerminalLost { terminal }).await?;
                let app = Arc::clone(app);
                tokio::spawn(async move {
                    tokio::time::sleep(AWAY).await;
                    let _ = app.own_unanswered(Body::TerminalBack { terminal });
                });
                Ok(())
            }
            Situation::PrinterSilent => self.cash_out_without_report(app, demo).await,
        }
    }

    /// A player buys chips, and the dealer records them after the close (D20).
    async fn records_late(&self, app: &Arc<App>, demo: &TableDemo) -> ApiResult<()> {
        let closed = |table: &Table| table.round().is_some_and(|round| round.phase() == Phase::Closed);
        if !app.read(|floor: &Floor| floor.table(demo.table).is_some_and(closed)) {
            return Err(ApiError::not_found("round whose bets are closed"));
        }
        let (table, dealer) = (demo.table, Sender::Staff(demo.dealer));
        let movement = FloatMovement::BuyIn(LATE);
        let witness = Some(demo.supervisor);
        let buy = Body::MoveFloat { table, movement, counts: Vec::new(), witness, reason: String::new() };
        self.send(app, dealer, buy).await?;
        let spot = app.read(|floor: &Floor| {
            let layout = floor.rulebook_of(floor.table(table)?)?.layouts().first()?;
            layout.table().indices().next()
        });
        let spot = spot.ok_or_else(|| ApiError::not_found("spot"))?;
        let place = Body::PlaceChips { table, position: Position(1), spot, amount: LATE, for_player: false };
        self.send(app, dealer, place).await.map(drop)
    }

    /// The dealer declares the first ground of the document that no device reports; the Pit Supervisor signs too, as is
    /// needed once the outcome can be seen (D23).
    async fn declares(&self, app: &Arc<App>, demo: &TableDemo) -> ApiResult<()> {
        let ground = app.read(|floor: &Floor| {
            let rulebook = floor.rulebook_of(floor.table(demo.table)?)?;
            let declared = rulebook.void_grounds().iter().find(|ground| ground.arises == Arises::Declared);
            declared.map(|ground| ground.id)
        });
        let ground = ground.ok_or_else(|| ApiError::not_found("ground to declare"))?;
        let body = Body::DeclareGround { table: demo.table, ground, witness: Some(demo.supervisor) };
        self.send(app, Sender::Staff(demo.dealer), body).await.map(drop)
    }

    /// The dealer reports what failed at the table (D21).
    async fn reported(&self, app: &Arc<App>, demo: &TableDemo, failed: Failed) -> ApiResult<()> {
        let note = Some(SHOWN.to_owned());
        let body = Body::ReportInterruption { table: demo.table, failed, note };
        self.send(app, Sender::Staff(demo.dealer), body).await.map(drop)
    }

    /// The first automatic player who can cash out does, and the printer does not report (D25).
    async fn cash_out_without_report(&self, app: &Arc<App>, demo: &TableDemo) -> ApiResult<()> {
        let mut refused = ApiError::not_found("terminal with credit");
        for terminal in demo.players.iter().copied() {
            let has_credit = app.read(|floor| floor.terminal(terminal).is_some_and(|one| one.credit().is_positive()));
            if !has_credit {
                continue;
            }
            let sender = Sender::Terminal(terminal);
            let number = app.read(|floor| self.numbers.next(floor, sender));
            match app.issue(sender, number, |hash| Body::PrepareTicket { terminal, number: hash }).await {
                Ok(_) => return Ok(()),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }
}
