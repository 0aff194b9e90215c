//! Real wheels on serial ports: what they report goes to the floor as their device's observations.

use std::sync::{Arc, Weak};

use floor::{Body, DeviceId, DevicePlace, Sender};

use crate::app::App;
use crate::clock;
use crate::config::SerialWheel;
use crate::devices::Alternation;
use crate::devices::cammegh::{Cammegh, Reader, Report, Settings};

/// Starts to listen to the wheels in the settings. Each needs a device of the floor that stands at a table.
pub fn start(app: &Arc<App>) -> Vec<Reader> {
    let wheels = app.config.wheels.clone();
    wheels.iter().filter_map(|wheel| listen(app, wheel)).collect()
}

fn listen(app: &Arc<App>, wheel: &SerialWheel) -> Option<Reader> {
    let device = DeviceId(wheel.device);
    let settings = app.read(|floor| {
        let DevicePlace::Table(table) = floor.device(device)?.place() else { return None };
        let rulebook = floor.rulebook_of(floor.table(table)?)?;
        let code = |place: usize| wheel.zeros.get(place).map(String::as_str).filter(|code| !code.is_empty());
        Some((table, Settings::new(rulebook.outcomes(), [code(0), code(1), code(2)])))
    });
    let Some((table, settings)) = settings else {
        app.alert(
            None,
            format!("The wheel on {} is set for device {device}, which stands at no table", wheel.port.display()),
        );
        return None;
    };
    let runtime = tokio::runtime::Handle::current();
    // A weak hold: a port that waits must not keep a floor from stopping.
    let floor: Weak<App> = Arc::downgrade(app);
    let mut alternation = Alternation::default();
    let report = move |report: Report| {
        let Some(app) = floor.upgrade() else { return };
        match report {
            Report::Observed(observation) => {
                let task = async move {
                    let sender = Sender::Device(device);
                    let number = app.read(|floor| floor.last_number(sender)).unwrap_or(0) + 1;
                    if let Err(error) = app.submit(sender, number, Body::Observe(observation)).await {
                        tracing::warn!(device = device.0, code = error.error.code, "a report from a wheel was refused");
                    }
                };
                // One after the other: each number rests on the one before.
                runtime.block_on(task);
            }
            Report::Direction(direction) => {
                if alternation.spun(direction) {
                    app.alert(Some(table), "The wheel's direction was not alternated");
                }
            }
        }
    };
    match Reader::listen(&wheel.port, Cammegh::new(settings, clock::now()), clock::now, report) {
        Ok(reader) => Some(reader),
        Err(error) => {
            app.alert(Some(table), format!("Cannot read from the wheel on {}: {error}", wheel.port.display()));
            None
        }
    }
}
