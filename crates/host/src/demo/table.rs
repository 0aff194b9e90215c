//! The simulated device of a table, played in time.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use floor::{Body, Sender};
use rand::rngs::SysRng;

use crate::app::App;
use crate::demo::TableDemo;
use crate::devices::{Fault, Script};
use crate::error::{ApiError, ApiResult};

/// What a dealer can have a simulated device do.
#[derive(Copy, Clone, Debug)]
pub enum DeviceAct {
    /// Tumble the dice or spin the ball.
    Deal,
    /// Take the cover off.
    Uncover,
    /// Put it on.
    Cover,
    /// Show what can go wrong.
    Fault(Fault),
}

/// What the device will report.
pub fn script(app: &App, demo: &TableDemo, act: DeviceAct) -> ApiResult<Script> {
    let mut simulated = demo.simulated.lock().unwrap_or_else(PoisonError::into_inner);
    match act {
        DeviceAct::Deal => {
            let script = simulated.deal(&mut SysRng).map_err(ApiError::internal)?;
            if let Some(direction) = simulated.direction() {
                let mut alternation = demo.alternation.lock().unwrap_or_else(PoisonError::into_inner);
                if alternation.spun(direction) {
                    app.alert(Some(demo.table), "The wheel's direction was not alternated");
                }
            }
            Ok(script)
        }
        DeviceAct::Uncover => Ok(simulated.uncover()),
        DeviceAct::Cover => Ok(simulated.cover()),
        DeviceAct::Fault(fault) => simulated.fault(fault, &mut SysRng).map_err(ApiError::internal),
    }
}

/// Plays it beside.
pub fn play(app: &Arc<App>, demo: &Arc<TableDemo>, act: DeviceAct) -> ApiResult<()> {
    let script = script(app, demo, act)?;
    // What is armed now is shown at the consoles, though no record is made of it.
    app.hub.staff.notify_one();
    let (app, demo) = (Arc::clone(app), Arc::clone(demo));
    tokio::spawn(async move { perform(&app, &demo, script).await });
    Ok(())
}

/// Sends each observation in its time.
pub async fn perform(app: &App, demo: &TableDemo, script: Script) {
    let _playing = demo.plays();
    let mut passed = 0;
    for (at, observation) in script {
        tokio::time::sleep(app.paced(Duration::from_millis(at.saturating_sub(passed)))).await;
        passed = at;
        let Some(demonstration) = &app.demonstration else { return };
        if !demonstration.has_link(demo.device) {
            continue;
        }
        if let Err(error) = demonstration.send(app, Sender::Device(demo.device), Body::Observe(observation)).await {
            tracing::debug!(?observation, code = error.error.code, "what a simulated device saw was not taken");
        }
    }
}
