//! What can happen at a table of the demonstration besides what its device reports, so that each of these situations can
//! be shown: an interruption, a device out of service, a terminal that loses the host, a printer that does not report.

use std::sync::Arc;
use std::time::Duration;

use ::floor::{Body, Failed, Function, Sender, TerminalId};
use rulebook::Text;
use serde::{Deserialize, Serialize};

use super::{Demonstration, TableDemo};
use crate::app::App;
use crate::error::{ApiError, ApiResult};

/// How long a lost terminal stays away.
const AWAY: Duration = Duration::from_secs(20);

/// Something that happens at a table.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Situation {
    /// Power fails at the table during a round, and the dealer reports the interruption.
    PowerFails,
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
    pub const ALL: [Situation; 4] =
        [Situation::PowerFails, Situation::OutOfService, Situation::TerminalLost, Situation::PrinterSilent];

    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Situation::PowerFails => "power_fails",
            Situation::OutOfService => "out_of_service",
            Situation::TerminalLost => "terminal_lost",
            Situation::PrinterSilent => "printer_silent",
        }
    }

    /// The decision or standard it shows.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Situation::PowerFails => "D21",
            Situation::OutOfService => "D19",
            Situation::TerminalLost => "S18",
            Situation::PrinterSilent => "D25",
        }
    }

    /// Whether a table can show it: a table without terminals has none to lose.
    #[must_use]
    pub fn is_for(self, demo: &TableDemo) -> bool {
        match self {
            Situation::PowerFails | Situation::OutOfService => true,
            Situation::TerminalLost | Situation::PrinterSilent => !demo.players.is_empty(),
        }
    }

    /// Words for the menu.
    #[must_use]
    pub fn words(self) -> Text {
        let (en, zh) = match self {
            Situation::PowerFails => ("Power fails at the table", "牌桌断电"),
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
    pub async fn happens(&self, app: &Arc<App>, demo: &TableDemo, situation: Situation) -> ApiResult<()> {
        match situation {
            Situation::PowerFails => {
                let (failed, note) = (Failed::Power, Some("shown by the demonstration".to_owned()));
                let body = Body::ReportInterruption { table: demo.table, failed, note };
                self.send(app, Sender::Staff(demo.dealer), body).await.map(drop)
            }
            Situation::OutOfService => {
                let (device, function, in_service) = (demo.device, Function::Device, false);
                let (reason, witness) = ("shown by the demonstration".to_owned(), Some(demo.manager));
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
