//! Known vulnerabilities and abandoned crates, from a folder with the RustSec database.

use std::path::Path;

use semver::VersionReq;
use serde::Deserialize;

use crate::lock::Locked;
use crate::policy::Ignored;

#[derive(Debug, Deserialize)]
pub struct Advisory {
    advisory: Head,
    #[serde(default)]
    versions: Versions,
}

#[derive(Debug, Deserialize)]
struct Head {
    id: String,
    package: String,
    withdrawn: Option<toml::Value>,
    informational: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Versions {
    #[serde(default)]
    patched: Vec<VersionReq>,
    #[serde(default)]
    unaffected: Vec<VersionReq>,
}

/// Reads `crates/NAME/RUSTSEC-….md`; each begins with its facts as TOML between fences.
pub fn read(folder: &Path) -> Result<Vec<Advisory>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut advisories = Vec::new();
    for name in std::fs::read_dir(folder.join("crates")).map_err(failed)? {
        let Ok(files) = std::fs::read_dir(name.map_err(failed)?.path()) else { continue };
        for file in files {
            let path = file.map_err(failed)?.path();
            let text = std::fs::read_to_string(&path).map_err(failed)?;
            let advisory = parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
            advisories.extend(advisory.filter(|advisory| advisory.advisory.withdrawn.is_none()));
        }
    }
    Ok(advisories)
}

fn parse(text: &str) -> Result<Option<Advisory>, toml::de::Error> {
    let facts = text.split_once("```toml").and_then(|(_, rest)| rest.split_once("```"));
    facts.map(|(facts, _)| toml::from_str(facts)).transpose()
}

/// Which crates are affected, a line each. An advisory that `deny.toml` sets aside with a reason is none.
pub fn findings(packages: &[Locked], advisories: &[Advisory], ignored: &[Ignored]) -> Vec<String> {
    let mut findings = Vec::new();
    for package in packages {
        let applies = |advisory: &&Advisory| {
            let safe = advisory.versions.patched.iter().chain(&advisory.versions.unaffected);
            let Head { id, package: name, .. } = &advisory.advisory;
            let set_aside = ignored.iter().any(|one| one.id == *id);
            !set_aside && *name == package.name && !{ safe }.any(|safe| safe.matches(&package.version))
        };
        for advisory in advisories.iter().filter(applies) {
            let Head { id, informational, .. } = &advisory.advisory;
            let what = informational.as_deref().unwrap_or("vulnerable");
            findings.push(format!("{} {}: {what} ({id})", package.name, package.version));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advisory_is_read_with_its_versions() {
        let text = "```toml\n[advisory]\nid = \"RUSTSEC-2023-0089\"\npackage = \"atomic-polyfill\"\n\
                    date = \"2023-07-11\"\ninformational = \"unmaintained\"\n[versions]\npatched = [\">= 2.0\"]\n```\n# Words";
        let advisory = parse(text).unwrap().unwrap();
        assert_eq!(advisory.advisory.package, "atomic-polyfill");
        assert!(advisory.versions.patched[0].matches(&"2.1.0".parse().unwrap()));
        assert!(parse("words").unwrap().is_none());
    }

    #[test]
    fn a_version_before_the_patch_is_affected_and_others_are_not() {
        let text = "```toml\n[advisory]\nid = \"RUSTSEC-2030-0001\"\npackage = \"bad\"\n[versions]\n\
                    patched = [\">= 1.2.3\"]\nunaffected = [\"< 1.0.0\"]\n```";
        let advisories = [parse(text).unwrap().unwrap()];
        let package = |name: &str, version: &str| Locked {
            name: name.to_owned(),
            version: version.parse().unwrap(),
            source: None,
            dependencies: Vec::new(),
        };
        let found = |name: &str, version: &str| findings(&[package(name, version)], &advisories, &[]);
        assert_eq!(found("bad", "1.2.2"), ["bad 1.2.2: vulnerable (RUSTSEC-2030-0001)"]);
        for (name, version) in [("bad", "1.2.3"), ("bad", "0.9.0"), ("good", "1.2.2")] {
            assert!(found(name, version).is_empty(), "{name} {version}");
        }
        let ignored = |id: &str| [Ignored { id: id.to_owned(), _reason: "a reason".to_owned() }];
        let found = |id: &str| findings(&[package("bad", "1.2.2")], &advisories, &ignored(id)).len();
        assert_eq!((found("RUSTSEC-2030-0001"), found("RUSTSEC-2030-0002")), (0, 1), "the one that is named");
    }
}
