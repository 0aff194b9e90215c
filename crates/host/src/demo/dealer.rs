//! The automatic dealer of a table: looks at the state of the round and takes the next step, as a dealer would.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use floor::{Body, Finding, Floor, Function, Need, Phase, RoundId, Ruling, Sender, TableId, TableMode};
use rulebook::{Affirmed, Begins, OutcomeIndex, Point, Timing};
use tokio::time::{sleep, timeout};

use crate::app::App;
use crate::clock;
use crate::demo::TableDemo;
use crate::demo::table::{self, DeviceAct};
use crate::error::ApiResult;

/// Between two rounds.
const PAUSE: Duration = Duration::from_millis(5_000);
/// Between the entry of a result and its confirmation.
const LOOK: Duration = Duration::from_millis(1_500);
/// How long a table without a betting period takes bets.
const LIVE_BETS: Duration = Duration::from_secs(15);

/// The next thing to do.
#[derive(Debug, PartialEq)]
enum Step {
    /// Nothing, until something happens.
    Wait,
    /// Begin with the activation.
    Begin,
    /// Open bets.
    Open,
    /// Close them after a while, at a table without a betting period.
    CloseLater,
    /// Tumble or spin.
    Deal,
    /// Take the cover off.
    Uncover,
    /// Enter what is shown.
    Enter(OutcomeIndex),
    /// Confirm it.
    Confirm,
    /// Confirm what a device reported.
    Void,
    /// After a second tumble or spin, end the round with the first outcome (D18).
    KeepFirst,
    /// Have the Shift Manager void what no rule covers.
    Decide(RoundId),
    /// Close them at once: the ball rests already.
    Close,
    /// Have the Shift Manager decide that the ball which rested early stands (D24).
    Choose(RoundId, OutcomeIndex),
    /// Say that a device fault does not affect the round (D21).
    Answer,
    /// Have the device taken out of service, because it does not report (D19).
    OutOfService,
    /// Have it put back between rounds.
    BackInService,
    /// Attest what an interruption did.
    Attest(Finding),
    /// Open the table.
    OpenTable,
    /// Take the table over.
    Take,
}

/// Deals without end, as long as the table has its automatic dealer.
pub async fn run(app: Arc<App>, id: TableId, demo: Arc<TableDemo>) {
    loop {
        let changed = demo.changed.notified();
        let step = if app.is_automatic(id) { app.read(|floor| next(floor, id, &demo)) } else { Step::Wait };
        if step == Step::Wait {
            // A wake-up may be missed; checking again costs nothing.
            let _ = timeout(Duration::from_millis(500), changed).await;
            continue;
        }
        if let Err(error) = act(&app, id, &demo, step).await {
            tracing::debug!(table = id.0, code = error.error.code, "the automatic dealer was refused");
            sleep(Duration::from_millis(500)).await;
        }
    }
}

fn next(floor: &Floor, id: TableId, demo: &TableDemo) -> Step {
    let Some((found, rulebook)) = floor.table(id).and_then(|table| Some((table, floor.rulebook_of(table)?))) else {
        return Step::Wait;
    };
    if floor.locked_by().is_some() {
        return Step::Wait;
    }
    if !found.is_open() {
        return Step::OpenTable;
    }
    if found.dealer() != Some(demo.dealer) {
        return Step::Take;
    }
    let procedure = rulebook.procedure();
    let serving = floor.serving(found).is_some();
    let Some(round) = found.round() else {
        if !serving {
            return Step::BackInService;
        }
        return if procedure.begins == Begins::Activation { Step::Begin } else { Step::Open };
    };
    if round.is_interrupted() {
        return Step::Attest(floor.proposal(id).map_or(Finding::NotEstablished, |proposal| proposal.finding));
    }
    if round.ground().is_some() {
        return Step::Void;
    }
    if round.fault().is_some() {
        return Step::Answer;
    }
    if round.second().is_some() {
        return if floor.first_outcome(id).is_some() { Step::KeepFirst } else { Step::Decide(round.id()) };
    }
    let seen = round.seen();
    let chooses = *demo.chooses.lock().unwrap_or_else(PoisonError::into_inner) == Some(round.id());
    if seen.rested_early && round.phase() == Phase::Closed {
        return match seen.early.filter(|_| chooses) {
            Some(_) if round.awaiting() > 0 => Step::Wait,
            Some(outcome) => Step::Choose(round.id(), outcome),
            None => Step::Decide(round.id()),
        };
    }
    // The dealer has set the device off, and it has not reported the end in time.
    let dealt = *demo.dealt.lock().unwrap_or_else(PoisonError::into_inner) == Some(round.id());
    let due = matches!(round.phase(), Phase::Begun | Phase::Closed) && round.awaiting() == 0;
    // Or it was running when the program ended, and no one plays it any more.
    let abandoned = seen.running && !demo.is_playing();
    if due && serving && (dealt && !seen.has_ended() || abandoned) {
        return Step::OutOfService;
    }
    match round.phase() {
        // What runs and serves no more has nothing to wait for.
        Phase::Begun if seen.running && serving => Step::Wait,
        Phase::Begun if dealt && !serving => Step::Open,
        // The dealer has declared that the tumbler is set off; the notice waits for its tumbles (mbs-sicbo 3.1).
        Phase::Begun if seen.times.is_none() => Step::Deal,
        Phase::Begun => Step::Open,
        Phase::Open if seen.rested_early && chooses => Step::Close,
        Phase::Open if found.settings().betting_period == 0 => Step::CloseLater,
        Phase::Open => Step::Wait,
        Phase::Closed if round.awaiting() > 0 || seen.running && serving => Step::Wait,
        Phase::Closed if !dealt && !seen.reported() && procedure.timing != Timing::BeforeNotice => Step::Deal,
        Phase::Closed => read(floor, found).map_or_else(
            || {
                let simulated = demo.simulated.lock().unwrap_or_else(PoisonError::into_inner);
                let covered = matches!(procedure.device, rulebook::Device::Tumbler { covered: true, .. });
                match simulated.shown(rulebook) {
                    // Under the cover nothing is shown.
                    None if covered => Step::Uncover,
                    // The device said nothing, or not all: a dealer has eyes.
                    Some(outcome) => Step::Enter(outcome),
                    // The simulation was lost with the program that ran before.
                    None => Step::Deal,
                }
            },
            Step::Enter,
        ),
        Phase::Entered => Step::Confirm,
    }
}

/// What the device has read.
fn read(floor: &Floor, table: &floor::Table) -> Option<OutcomeIndex> {
    let rulebook = floor.rulebook_of(table)?;
    let seen = table.round()?.seen();
    match rulebook.outcomes().wheel() {
        Some(_) => seen.pocket,
        None => match seen.dice {
            [Some(a), Some(b), Some(c)] => {
                rulebook.outcomes().index(rulebook::Outcome::Dice(rulebook::Dice([a, b, c])))
            }
            _ => None,
        },
    }
}

async fn act(app: &Arc<App>, id: TableId, demo: &Arc<TableDemo>, step: Step) -> ApiResult<()> {
    let Some(demonstration) = &app.demonstration else { return Ok(()) };
    let dealer = Sender::Staff(demo.dealer);
    let send = |body| demonstration.send(app, dealer, body);
    match step {
        Step::Wait => {}
        Step::Begin => {
            wait(app, PAUSE).await;
            if app.is_automatic(id) {
                send(Body::BeginRound { table: id }).await?;
            }
        }
        Step::Open => {
            let begun = app.read(|floor| floor.table(id).is_some_and(|table| table.round().is_some()));
            wait(app, if begun { LOOK } else { PAUSE }).await;
            if app.is_automatic(id) {
                let affirmed = app.read(|floor| affirmed(floor, id, Affirmed::Notice));
                send(Body::OpenBets { table: id, affirmed }).await?;
            }
        }
        Step::CloseLater => {
            wait(app, LIVE_BETS).await;
            let live = app.read(|floor| floor.table(id).is_some_and(|table| table.mode() == TableMode::BetsRecorded));
            if live {
                reject_excess(app, id, dealer).await;
            }
            if app.is_automatic(id) {
                send(Body::CloseBets { table: id }).await?;
            }
        }
        Step::Deal => deal(app, id, demo).await?,
        Step::Uncover => {
            let script = table::script(app, demo, DeviceAct::Uncover)?;
            if script.is_empty() {
                // There is nothing under this cover: the simulation was lost with the program that ran before.
                deal(app, id, demo).await?;
            } else {
                table::perform(app, demo, script).await;
            }
        }
        Step::Enter(outcome) => {
            wait(app, LOOK).await;
            let affirmed = app.read(|floor| affirmed(floor, id, Affirmed::Result));
            send(Body::EnterResult { table: id, outcome, affirmed, witness: None, reason: None }).await?;
        }
        Step::Confirm => {
            wait(app, LOOK).await;
            if app.is_automatic(id) {
                let need = app.read(|floor| floor.entered_need(id, clock::now()));
                let witness = (need != Need::Nothing).then_some(demo.supervisor);
                let reason = witness.map(|_| "seen at the table".to_owned());
                send(Body::ConfirmResult { table: id, outcome: None, witness, reason }).await?;
            }
        }
        Step::Void => {
            wait(app, PAUSE).await;
            if app.is_automatic(id) {
                send(Body::ConfirmGround { table: id }).await?;
            }
        }
        Step::KeepFirst => {
            wait(app, PAUSE).await;
            if app.is_automatic(id) {
                let affirmed = app.read(|floor| affirmed(floor, id, Affirmed::Result));
                send(Body::KeepFirstOutcome { table: id, witness: Some(demo.supervisor), affirmed }).await?;
            }
        }
        Step::Decide(round) => {
            wait(app, PAUSE).await;
            let [first, second] = demo.shift;
            let (ruling, reason) = (Ruling::VoidRound, "the outcome cannot be established".to_owned());
            let body = Body::Decide { table: id, round: Some(round), ruling, reason, witness: Some(second) };
            if app.is_automatic(id) {
                demonstration.send(app, Sender::Staff(first), body).await?;
            }
        }
        Step::Close => drop(send(Body::CloseBets { table: id }).await?),
        Step::Choose(round, outcome) => {
            wait(app, PAUSE).await;
            let [first, second] = demo.shift;
            let affirmed = app.read(|floor| affirmed(floor, id, Affirmed::Result));
            let stated =
                |floor: &Floor| floor.table(id).and_then(floor::Table::round).is_none_or(floor::Round::rest_is_stated);
            if app.is_automatic(id) && !affirmed.is_empty() && !app.read(stated) {
                send(Body::StateEarlyRest { table: id, affirmed }).await?;
            }
            let (ruling, reason) = (Ruling::Outcome { outcome }, "no bet changed after the ball rested".to_owned());
            let body = Body::Decide { table: id, round: Some(round), ruling, reason, witness: Some(second) };
            if app.is_automatic(id)
                && let Err(refused) = demonstration.send(app, Sender::Staff(first), body).await
            {
                // A bet changed after all: the round is void.
                *demo.chooses.lock().unwrap_or_else(PoisonError::into_inner) = None;
                return Err(refused);
            }
        }
        Step::Answer => {
            wait(app, LOOK).await;
            if app.is_automatic(id) {
                send(Body::AnswerFault { table: id, affects: false }).await?;
            }
        }
        Step::OutOfService => service(app, id, demo, false).await?,
        Step::BackInService => service(app, id, demo, true).await?,
        Step::Attest(finding) => {
            wait(app, LOOK).await;
            send(Body::Attest { table: id, finding, witness: Some(demo.supervisor) }).await?;
        }
        Step::OpenTable => {
            wait(app, PAUSE).await;
            let manager = app.read(|floor| {
                let manager = floor::Post::Pit(rulebook::Rank::PitManager);
                floor.staff().iter().find(|staff| staff.post() == manager).map(floor::Staff::id)
            });
            if let Some(manager) = manager.filter(|_| app.is_automatic(id)) {
                demonstration.send(app, Sender::Staff(manager), Body::OpenTable { table: id }).await?;
            }
        }
        Step::Take => drop(send(Body::TakeTable { table: id }).await?),
    }
    Ok(())
}

/// The points a dealer affirms with a step (D19).
fn affirmed(floor: &Floor, id: TableId, with: Affirmed) -> Vec<Point> {
    let found = floor.table(id).and_then(|table| Some((table, floor.rulebook_of(table)?)));
    let Some((table, rulebook)) = found else { return Vec::new() };
    floor.to_affirm(table, rulebook, with).into_iter().map(|affirmation| affirmation.point).collect()
}

/// Sets the device off for this round and waits until it has had its time.
async fn deal(app: &Arc<App>, id: TableId, demo: &Arc<TableDemo>) -> ApiResult<()> {
    device(app, demo, DeviceAct::Deal).await?;
    let round = app.read(|floor| floor.table(id).and_then(|table| table.round()).map(floor::Round::id));
    *demo.dealt.lock().unwrap_or_else(PoisonError::into_inner) = round;
    Ok(())
}

/// Two people of the pit who do not deal here change the service of the device (D19).
async fn service(app: &Arc<App>, id: TableId, demo: &Arc<TableDemo>, in_service: bool) -> ApiResult<()> {
    wait(app, PAUSE).await;
    let Some(demonstration) = app.demonstration.as_ref().filter(|_| app.is_automatic(id)) else { return Ok(()) };
    let reason = if in_service { "it reports again" } else { "it reports nothing" };
    let body = Body::ChangeService {
        device: demo.device,
        function: Function::Device,
        in_service,
        reason: reason.to_owned(),
        witness: Some(demo.manager),
    };
    demonstration.send(app, Sender::Staff(demo.supervisor), body).await.map(drop)
}

/// As long as a person would take, at the pace of the demonstration.
async fn wait(app: &App, time: Duration) {
    sleep(app.paced(time)).await;
}

/// Has the device do something, and waits until it has.
async fn device(app: &Arc<App>, demo: &Arc<TableDemo>, act: DeviceAct) -> ApiResult<()> {
    let script = table::script(app, demo, act)?;
    // A device with nothing to say must not be asked again at once.
    if script.is_empty() {
        wait(app, LOOK).await;
    }
    table::perform(app, demo, script).await;
    Ok(())
}

/// At a live table excess is rejected before the close.
async fn reject_excess(app: &Arc<App>, id: TableId, dealer: Sender) {
    let Some(demonstration) = &app.demonstration else { return };
    for (spot, _) in app.read(|floor| floor.excess(id)) {
        let _ = demonstration.send(app, dealer, Body::RejectExcess { table: id, spot }).await;
    }
}
