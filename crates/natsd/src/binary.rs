//! Where the server's program is.

use std::env;
use std::path::{Path, PathBuf};

const NAME: &str = "nats-server";

/// `$NATS_SERVER`, or what `make nats` has installed, or the first on the path.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(chosen) = env::var_os("NATS_SERVER").filter(|chosen| !chosen.is_empty()) {
        return Some(PathBuf::from(chosen)).filter(|chosen| chosen.is_file());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let installed = root.map(|root| root.join("target/nats/bin").join(NAME));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join(NAME));
    installed.into_iter().chain(on_path).find(|file| file.is_file())
}
