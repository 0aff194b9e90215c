//! What happens in the cabinet of a terminal: a note in the record, and an alert at the pit for what needs staff.

use floor::{AlertKind, Body, Moment, Terminal, TerminalId};

use crate::app::App;
use crate::clock;
use crate::door::refusals::plain;
use crate::error::{ApiError, ApiResult};
use crate::feed::message::CabinetEvent;

/// The longest name of a door or fault.
const NAME: usize = 32;
/// What is told later than so many milliseconds after it happened says when that was.
const LATE: i64 = 10_000;

/// What happened in words, and whether staff should come.
const fn words(event: CabinetEvent) -> (&'static str, bool) {
    match event {
        CabinetEvent::DoorOpened => ("a door was opened", true),
        CabinetEvent::DoorClosed => ("a door was closed", false),
        CabinetEvent::ValidatorFault => ("the validator has a fault", true),
        CabinetEvent::ValidatorCleared => ("a fault of the validator is over", false),
        CabinetEvent::ValidatorPower => ("the validator came up; a note was", false),
        CabinetEvent::ValidatorLost => ("the validator does not answer", true),
        CabinetEvent::ValidatorBack => ("the validator answers again", false),
        CabinetEvent::NoteHeld => ("a note is in the stacker and cannot be credited", true),
        CabinetEvent::NoteUnaccounted => ("a note may be in the stacker and was not credited: count the stacker", true),
        CabinetEvent::NoteUnexplained => {
            ("the validator took something that is not on record: count the stacker", true)
        }
        CabinetEvent::TicketDoubtful => ("the printer cannot say whether a ticket is good", true),
        CabinetEvent::TicketPaperReturned => ("a ticket that was credited was given back as paper", true),
        CabinetEvent::PaperLow => ("the printer's paper is low", true),
        CabinetEvent::PaperFull => ("the printer has paper again", false),
        CabinetEvent::PrinterJam => ("the printer is jammed", true),
        CabinetEvent::PrinterCleared => ("the printer is not jammed any more", false),
        CabinetEvent::PrinterLost => ("the printer does not answer", true),
        CabinetEvent::PrinterBack => ("the printer answers again", false),
    }
}

/// The whole line. It names nothing but a door, a fault or a place, in plain letters: a stolen key writes nothing else.
fn line(terminal: TerminalId, event: CabinetEvent, about: Option<&str>, late: Option<String>) -> ApiResult<String> {
    let plain = |text: &str| {
        let letters = text.chars().all(|letter| letter.is_ascii_alphanumeric() || " ._-".contains(letter));
        !text.is_empty() && text.len() <= NAME && letters
    };
    let about = match about {
        None => String::new(),
        Some(about) if plain(about) => format!(": {about}"),
        Some(_) => return Err(ApiError::invalid("about", "is no plain name")),
    };
    let late = late.map_or_else(String::new, |at| format!(" (at {at}, reported later)"));
    Ok(format!("Terminal {terminal}: {}{about}{late}", words(event).0))
}

/// Records what happened in the cabinet of a terminal. A report that is repeated, because its answer was lost, is recorded
/// again.
///
/// # Errors
/// When it names something that is no plain name, or cannot be recorded.
pub async fn happened(
    app: &App,
    terminal: TerminalId,
    event: CabinetEvent,
    about: Option<&str>,
    at: Option<i64>,
) -> ApiResult<u64> {
    let is_late = |at: &i64| clock::now().since(Moment(*at)) > LATE;
    let late = at.filter(is_late).and_then(|at| jiff::Timestamp::from_second(at / 1_000).ok());
    let words_of = line(terminal, event, about, late.map(|at| at.to_string()))?;
    let accepted = app.own(Body::Note { words: plain(&words_of) }).await?;
    if words(event).1 {
        let table = app.read(|floor| floor.terminal(terminal).map(Terminal::table));
        let what = AlertKind::Host(plain(&words_of));
        // The same alert may be up already: it stays.
        if let Err(refused) = app.own_unanswered(Body::RaiseAlert { table, what }) {
            tracing::info!(%refused, "an alert of a cabinet was not raised");
        }
    }
    Ok(accepted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_plain_things_only() {
        let line = |about, late: Option<&str>| {
            line(TerminalId(3), CabinetEvent::DoorOpened, about, late.map(str::to_owned)).ok()
        };
        assert_eq!(line(Some("main"), None).as_deref(), Some("Terminal 3: a door was opened: main"));
        let late = "Terminal 3: a door was opened (at 2026-11-19T20:00:00Z, reported later)";
        assert_eq!(line(None, Some("2026-11-19T20:00:00Z")).as_deref(), Some(late));
        for bad in ["", "main\n", "<b>", "a name that is longer than any door has"] {
            assert_eq!(line(Some(bad), None), None, "{bad}");
        }
    }
}
