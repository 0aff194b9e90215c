//! Where the files are that tests read and write: docs, scenarios, regressions.

use std::path::{Path, PathBuf};

/// The folder of the repository. `CROUPIER_SOURCE` names another one for a test that runs on another machine than the one
/// that built it.
pub fn root() -> PathBuf {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::var_os("CROUPIER_SOURCE").map_or_else(built, PathBuf::from)
}
