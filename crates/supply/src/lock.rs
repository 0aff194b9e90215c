//! What a `Cargo.lock` names: every crate that could be compiled, for any system, and also by the fuzz targets.

use std::path::Path;

use semver::Version;
use serde::Deserialize;

/// A lock file.
#[derive(Debug, Deserialize)]
pub struct Lock {
    #[serde(rename = "package")]
    pub packages: Vec<Locked>,
}

/// A crate in it; those of the workspace have no source.
#[derive(Debug, Deserialize)]
pub struct Locked {
    pub name: String,
    pub version: Version,
    pub source: Option<String>,
}

impl Lock {
    pub fn read(file: &Path) -> Result<Lock, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
        toml::from_str(&text).map_err(|error| failed(&error))
    }
}
