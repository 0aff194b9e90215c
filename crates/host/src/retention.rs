//! The disk of a demonstration: it keeps so much of its journal and throws the oldest away. A real floor archives.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::app::App;

/// Looks once a minute.
const EVERY: Duration = Duration::from_secs(60);

/// Keeps the journal of a demonstration within its bound.
pub async fn run(app: Arc<App>) {
    if !app.is_demonstration() {
        return;
    }
    let mut every = tokio::time::interval(EVERY);
    loop {
        every.tick().await;
        let (folder, most) = (app.config.data.clone(), app.config.demonstration_keeps_mib << 20);
        let done = tokio::task::spawn_blocking(move || keep(&folder, most)).await;
        if let Ok(Err(error)) = done {
            tracing::debug!(%error, "old segments of the demonstration stay");
        }
    }
}

/// Removes segments that a snapshot stands for, while the journal is larger than it may be.
fn keep(folder: &Path, most: u64) -> std::io::Result<()> {
    let size: u64 = fs::read_dir(folder)?
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "segment"))
        .filter_map(|entry| entry.metadata().ok())
        .map(|found| found.len())
        .sum();
    if size <= most {
        return Ok(());
    }
    let old = folder.join("old");
    let moved = engine::archive(folder, &old);
    fs::remove_dir_all(&old)?;
    moved.map(|files| tracing::info!(files = files.len(), "old segments of the demonstration were removed"))
}
