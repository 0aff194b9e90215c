//! What a `Cargo.lock` names: every crate that could be compiled, for any system, and also by the fuzz targets.

use std::path::Path;

use semver::Version;
use serde::Deserialize;

use crate::metadata::Metadata;

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
    #[serde(default)]
    pub dependencies: Vec<String>,
}

impl Lock {
    pub fn read(file: &Path) -> Result<Lock, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
        toml::from_str(&text).map_err(|error| failed(&error))
    }

    /// Where this lock file is older than the workspace, whose crates it names too: a crate of the workspace needs one that
    /// is not named here, or a crate has another version here than in the workspace's own lock file.
    pub fn is_behind(&self, metadata: &Metadata, workspace: &Lock) -> Vec<String> {
        let mut findings = Vec::new();
        let own = metadata.packages.iter().filter(|package| metadata.is_own(package));
        for (package, here) in own.filter_map(|package| Some((package, self.own(&package.name)?))) {
            let names = |needed: &str| here.dependencies.iter().any(|known| known.split(' ').next() == Some(needed));
            let missing = package.dependencies.iter().filter(|needed| needed.is_always_built() && !names(&needed.name));
            findings
                .extend(missing.map(|needed| format!("{} needs {}, which is missing here", package.name, needed.name)));
        }
        for here in self.packages.iter().filter(|here| here.source.is_some()) {
            let known: Vec<&Locked> = workspace.packages.iter().filter(|known| known.name == here.name).collect();
            if let Some(first) = known.first()
                && !known.iter().any(|known| known.version == here.version)
            {
                findings.push(format!("{} {} is {} in the workspace", here.name, here.version, first.version));
            }
        }
        findings
    }

    fn own(&self, name: &str) -> Option<&Locked> {
        self.packages.iter().find(|locked| locked.source.is_none() && locked.name == name)
    }
}
