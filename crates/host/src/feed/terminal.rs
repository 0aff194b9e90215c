//! What a terminal or device sends over its feed, as commands.

use std::sync::Arc;

use floor::{BetChange, Body, DeviceId, DevicePlace, Few, Observation, RoundId, Sender, TerminalId, TicketId};
use rulebook::{Face, Rulebook};

use axum::http::StatusCode;

use crate::app::App;
use crate::clock;
use crate::error::{ApiError, ApiResult};
use crate::feed::cabinet;
use crate::feed::message::{BetChangeMessage, ClientMessage, ObservationMessage};
use crate::tries;

/// A terminal at the other end of a feed, with what its bets are read by.
pub struct TerminalEnd {
    /// Which.
    pub id: TerminalId,
    rulebook: Arc<Rulebook>,
    layout: usize,
}

/// So many milliseconds a bet may be on its way.
const ON_ITS_WAY: i64 = 3_000;

/// A bet that comes long after it was touched is not registered without its player. A retry gets the first answer all the
/// same.
fn in_time(app: &App, sender: Sender, number: u64, sent: Option<i64>) -> ApiResult<()> {
    let late = |sent: i64| clock::now().since(floor::Moment(sent)) > ON_ITS_WAY;
    if !sent.is_some_and(late) || app.read(|floor| floor.has_answered(sender, number)) {
        return Ok(());
    }
    let words = "the bet was on its way for too long and is not registered";
    Err(ApiError::new(StatusCode::CONFLICT, "late", "D14", words, "下注在途时间过长，未登记"))
}

impl TerminalEnd {
    /// The terminal's current state on the floor; when it is moved its feed restarts.
    #[must_use]
    pub fn of(floor: &floor::Floor, id: TerminalId) -> Option<TerminalEnd> {
        let terminal = floor.terminal(id)?;
        let rulebook = floor.shared_rulebook(floor.table(terminal.table())?)?;
        Some(TerminalEnd { id, rulebook, layout: usize::from(terminal.layout()) })
    }

    /// Handles a message that came in.
    ///
    /// # Errors
    /// Why it was not taken in, with the number to be answered.
    pub async fn handle(&self, app: &Arc<App>, slot: u32, message: ClientMessage) -> Result<(), (u64, ApiError)> {
        let sender = Sender::Terminal(self.id);
        let (number, body) = match message {
            ClientMessage::Bet { number, changes, sent } => {
                let in_time = in_time(app, sender, number, sent);
                (number, in_time.and_then(|()| self.changes(&changes)).map(|changes| Body::Bet { changes }))
            }
            ClientMessage::Clear { number } => (number, Ok(Body::ClearBets)),
            ClientMessage::Repeat { number, doubled, sent } => {
                (number, in_time(app, sender, number, sent).map(|()| Body::RepeatBets { doubled }))
            }
            ClientMessage::Acknowledge { number, round } => {
                (number, Ok(Body::AcknowledgeClose { round: RoundId(round) }))
            }
            ClientMessage::TicketIn { number, ticket } => {
                let taken = tries::ticket_in(app, self.id, number, ticket).await;
                return answer(app, slot, number, taken);
            }
            ClientMessage::PrintJob { number } => {
                let slip = app.print_job(self.id).map_err(|error| (number, error))?;
                app.hub.answer(slot, number, None, Some(slip), None);
                return Ok(());
            }
            ClientMessage::Printed { number, ticket } => (number, Ok(Body::TicketPrinted { ticket: TicketId(ticket) })),
            ClientMessage::PrintFailed { number, ticket } => {
                (number, Ok(Body::PrintFailed { ticket: TicketId(ticket) }))
            }
            ClientMessage::ChooseTable { number, table } => {
                (number, Ok(Body::ChooseTable { terminal: self.id, table: floor::TableId(table) }))
            }
            ClientMessage::CallAttendant { number } => (number, Ok(Body::CallAttendant { terminal: self.id })),
            ClientMessage::Cabinet { number, event, about, at } => {
                let recorded = cabinet::happened(app, self.id, event, about.as_deref(), at).await;
                return answer(app, slot, number, recorded);
            }
            ClientMessage::LossLimit { number, limit } => {
                let limit = limit.map(|limit| limit.0);
                (number, Ok(Body::SetLossLimit { terminal: self.id, limit }))
            }
            ClientMessage::CashOut { number } => return self.cash_out(app, slot, number).await,
            ClientMessage::DemoCash { number, amount } => {
                let Some(demonstration) = &app.demonstration else {
                    return Err((number, ApiError::forbidden("play money exists in a demonstration only")));
                };
                let cash = demonstration.cash_numbered(app, self.id, number, amount.0).await;
                return answer(app, slot, number, cash);
            }
            ClientMessage::Hello { .. } | ClientMessage::Cash { .. } | ClientMessage::Observe { .. } => {
                return Err((message.number(), ApiError::malformed("a terminal does not send this")));
            }
        };
        let body = body.map_err(|error| (number, error))?;
        app.submit_on(slot, sender, number, body).map_err(|error| (number, error))
    }

    async fn cash_out(&self, app: &App, slot: u32, number: u64) -> Result<(), (u64, ApiError)> {
        let terminal = self.id;
        let prepare = |hash| Body::PrepareTicket { terminal, number: hash };
        match app.issue(Sender::Terminal(terminal), number, prepare).await {
            Ok((accepted, slip)) => {
                app.hub.answer(slot, number, None, Some(slip), Some(accepted));
                Ok(())
            }
            Err(error) => Err((number, error)),
        }
    }

    /// Changes of bets in the floor's terms.
    ///
    /// # Errors
    /// When a spot does not exist, or a change says too little or too much.
    pub fn changes(&self, changes: &[BetChangeMessage]) -> ApiResult<Few<BetChange>> {
        changes.iter().map(|change| self.change(change)).collect()
    }

    fn change(&self, change: &BetChangeMessage) -> ApiResult<BetChange> {
        let spot = |text: &str| {
            let layout = self.rulebook.layouts().get(self.layout).ok_or_else(|| ApiError::not_found("layout"))?;
            layout.find(text).map_err(|error| {
                let mut refused = ApiError::invalid("spot", &error);
                refused.error.code = error.code().to_owned();
                if let Some(paragraph) = error.paragraph() {
                    refused.error.rule = paragraph.to_string();
                }
                refused
            })
        };
        let amount = || change.amount.map(|amount| amount.0).ok_or_else(|| ApiError::invalid("amount", "is missing"));
        match change {
            BetChangeMessage { add: Some(text), take: None, pieces: None, take_pieces: None, unit: None, .. } => {
                Ok(BetChange::Add { spot: spot(text)?, amount: amount()? })
            }
            BetChangeMessage { take: Some(text), add: None, pieces: None, take_pieces: None, unit: None, .. } => {
                Ok(BetChange::Take { spot: spot(text)?, amount: amount()? })
            }
            BetChangeMessage { pieces: Some(bet), add: None, take: None, take_pieces: None, amount: None, .. } => {
                let unit = change.unit.map(|unit| unit.0).ok_or_else(|| ApiError::invalid("unit", "is missing"))?;
                Ok(BetChange::AddPieces { bet: bet.clone(), unit })
            }
            BetChangeMessage {
                take_pieces: Some(group),
                add: None,
                take: None,
                pieces: None,
                amount: None,
                unit: None,
            } => Ok(BetChange::TakePieces { group: *group }),
            _ => Err(ApiError::invalid(
                "changes",
                "give one of add, take, pieces and take_pieces, with its amount or unit",
            )),
        }
    }
}

fn answer(app: &App, slot: u32, number: u64, done: ApiResult<u64>) -> Result<(), (u64, ApiError)> {
    match done {
        Ok(accepted) => {
            app.hub.answer(slot, number, None, None, Some(accepted));
            Ok(())
        }
        Err(error) => Err((number, error)),
    }
}

/// Handles what a device sends.
///
/// # Errors
/// Why it was not taken in, with the number to be answered.
pub fn device(app: &App, slot: u32, id: DeviceId, message: ClientMessage) -> Result<(), (u64, ApiError)> {
    let (number, body) = match message {
        ClientMessage::Observe { number, observation: seen } => {
            (number, observation(app, id, &seen).map(Body::Observe))
        }
        ClientMessage::Cash { number, amount } => (number, cash(app, id, amount.0)),
        _ => return Err((message.number(), ApiError::malformed("a device does not send this"))),
    };
    let body = body.map_err(|error| (number, error))?;
    app.submit_on(slot, Sender::Device(id), number, body).map_err(|error| (number, error))
}

fn cash(app: &App, id: DeviceId, amount: rulebook::Cents) -> ApiResult<Body> {
    let place = app.read(|floor| floor.device(id).map(floor::Device::place));
    match place {
        Some(DevicePlace::Terminal(terminal)) => Ok(Body::CashIn { terminal, amount }),
        _ => Err(ApiError::forbidden("this device is in no terminal")),
    }
}

/// What a device saw, in the floor's terms.
///
/// # Errors
/// When it names a face or pocket that does not exist.
pub fn observation(app: &App, id: DeviceId, seen: &ObservationMessage) -> ApiResult<Observation> {
    Ok(match seen {
        ObservationMessage::Activated => Observation::Activated,
        ObservationMessage::Tumbled { times } => Observation::Tumbled { times: *times },
        ObservationMessage::Uncovered => Observation::Uncovered,
        ObservationMessage::Covered => Observation::Covered,
        ObservationMessage::DiceRead { dice } => {
            let mut faces = [None; 3];
            for (face, read) in faces.iter_mut().zip(dice) {
                *face = match read {
                    None => None,
                    Some(dots) => {
                        Some(Face::new(*dots).ok_or_else(|| ApiError::invalid("dice", "a die has 1 to 6 dots"))?)
                    }
                };
            }
            Observation::DiceRead { dice: faces }
        }
        ObservationMessage::NotFlat => Observation::NotFlat,
        ObservationMessage::Spun { against_rotation, wheel_rotating } => {
            Observation::Spun { against_rotation: *against_rotation, wheel_rotating: *wheel_rotating }
        }
        ObservationMessage::Revolved { times } => Observation::Revolved { times: *times },
        ObservationMessage::Rested { pocket } => {
            let parsed = app.read(|floor| {
                let DevicePlace::Table(table) = floor.device(id)?.place() else { return None };
                let rulebook = floor.rulebook_of(floor.table(table)?)?;
                Some(rulebook.outcomes().parse(pocket).map_err(|error| ApiError::invalid("pocket", error)))
            });
            let pocket = parsed.unwrap_or_else(|| Err(ApiError::forbidden("this device is not at a table")))?;
            Observation::Rested { pocket }
        }
        ObservationMessage::NoCompartment => Observation::NoCompartment,
        ObservationMessage::FlungOut => Observation::FlungOut,
        ObservationMessage::WheelStopped => Observation::WheelStopped,
        ObservationMessage::Fault { number } => Observation::Fault { number: *number },
        ObservationMessage::Restored => Observation::Restored,
    })
}
