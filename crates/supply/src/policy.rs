//! What `deny.toml` allows.

use std::path::Path;

use serde::Deserialize;

/// The parts of cargo-deny's file that are used. One that is not known here is an error: nothing is thought to be checked
/// that is not.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    #[serde(default)]
    pub advisories: Advisories,
    pub licenses: Licenses,
    pub bans: Bans,
    pub sources: Sources,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advisories {
    #[serde(default)]
    pub ignore: Vec<Ignored>,
}

/// An advisory that does not apply here, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ignored {
    pub id: String,
    #[serde(rename = "reason")]
    pub _reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Licenses {
    pub allow: Vec<String>,
    #[serde(default)]
    pub exceptions: Vec<Exception>,
}

/// A licence that is allowed for one crate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    #[serde(rename = "crate")]
    pub name: String,
    pub allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bans {
    pub wildcards: Level,
    pub allow_wildcard_paths: bool,
    pub deny: Vec<Banned>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Banned {
    #[serde(rename = "crate")]
    pub name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sources {
    pub unknown_registry: Level,
    pub unknown_git: Level,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Deny,
    Allow,
}

impl Policy {
    pub fn read(file: &Path) -> Result<Policy, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
    }
}
