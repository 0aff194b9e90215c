//! When this host was last alive: a file beside the journal, written every second while a round is open.
//!
//! A quiet table has no records for many seconds. Without the file a restart that takes one second would look like a
//! stoppage since the last record, and interrupt the round (D6). After a power cut the file may be older than the truth,
//! never newer.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use floor::{Floor, Moment};

use crate::app::App;
use crate::clock;

const FILE: &str = "alive";
const EVERY: Duration = Duration::from_secs(1);

/// When the host in this folder was last alive, if that is known and can be true.
pub fn last(folder: &Path, now: Moment) -> Option<Moment> {
    let text = fs::read_to_string(folder.join(FILE)).ok()?;
    text.trim().parse().ok().map(Moment).filter(|moment| *moment <= now)
}

/// Says every second that this host is alive, as long as a round is open.
pub async fn run(app: Arc<App>) {
    let mut every = tokio::time::interval(EVERY);
    loop {
        every.tick().await;
        let open = |floor: &Floor| floor.tables().iter().any(|table| table.round().is_some());
        if !app.is_in_charge() || !app.read(open) {
            continue;
        }
        let (file, text) = (app.config.data.join(FILE), clock::now().0.to_string());
        let written = tokio::task::spawn_blocking(move || write(&file, &text)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(%error, "cannot say that this host is alive");
        }
    }
}

/// Written in place: after a crash it holds what was there before, or nothing.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut file = journal::private::file_options().write(true).create(true).truncate(true).open(file)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_true_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(last(folder.path(), Moment(9)), None);
        for (text, expected) in
            [("5", Some(Moment(5))), ("5\n", Some(Moment(5))), ("", None), ("10", None), ("x", None)]
        {
            fs::write(folder.path().join(FILE), text).unwrap();
            assert_eq!(last(folder.path(), Moment(9)), expected, "{text:?}");
        }
    }
}
