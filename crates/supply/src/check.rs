//! Licences, bans and sources.

use spdx::{Expression, Licensee};

use crate::lock::Lock;
use crate::metadata::{Metadata, Package};
use crate::policy::{Level, Policy};

/// Where crates may come from: the registry, as cargo names it in the lock file wherever it is fetched from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// What is not as the policy has it, a line each.
pub fn findings(metadata: &Metadata, policy: &Policy) -> Vec<String> {
    let mut findings = Vec::new();
    let allowed: Vec<Licensee> = policy.licenses.allow.iter().filter_map(|text| Licensee::parse(text).ok()).collect();
    if allowed.len() != policy.licenses.allow.len() {
        findings.push("deny.toml: a licence that is none".to_owned());
    }
    for package in metadata.resolved() {
        let mut found = |what: String| findings.push(format!("{} {}: {what}", package.name, package.version));
        let exceptions = policy.licenses.exceptions.iter().filter(|exception| exception.name == package.name);
        let exceptions =
            exceptions.flat_map(|exception| &exception.allow).filter_map(|text| Licensee::parse(text).ok());
        let allowed: Vec<Licensee> = allowed.iter().cloned().chain(exceptions).collect();
        if let Some(what) = license(package, &allowed) {
            found(what);
        }
        if !metadata.is_own(package)
            && let Some(what) = source(package.source.as_deref(), policy)
        {
            found(what);
        }
        if metadata.is_own(package) && policy.bans.wildcards == Level::Deny {
            let any = |paths_may| move |req: &str, path: bool| req == "*" && !(path && paths_may);
            let any = any(policy.bans.allow_wildcard_paths);
            for dependency in package.dependencies.iter().filter(|d| any(&d.req, d.path.is_some())) {
                found(format!("takes any version of {}", dependency.name));
            }
        }
    }
    findings
}

/// What a lock file names that is banned or comes from elsewhere, a line each: also what no build for this system uses.
pub fn locked(lock: &Lock, policy: &Policy) -> Vec<String> {
    let mut findings = Vec::new();
    for package in &lock.packages {
        let mut found = |what: String| findings.push(format!("{} {}: {what}", package.name, package.version));
        if policy.bans.deny.iter().any(|banned| banned.name == package.name) {
            found("is banned".to_owned());
        }
        // Without a source it is the workspace's own.
        if let Some(what) = package.source.as_deref().and_then(|from| source(Some(from), policy)) {
            found(what);
        }
    }
    findings
}

fn license(package: &Package, allowed: &[Licensee]) -> Option<String> {
    let Some(text) = &package.license else {
        let file = package.license_file.as_deref().unwrap_or("none");
        return Some(format!("has no licence expression (file: {file})"));
    };
    // Older crates write a slash for "or".
    let Ok(expression) = Expression::parse(&text.replace('/', " OR ")) else {
        return Some(format!("its licence cannot be read: {text}"));
    };
    let fits = expression.evaluate(|wanted| allowed.iter().any(|licensee| licensee.satisfies(wanted)));
    (!fits).then(|| format!("its licence is not allowed: {text}"))
}

fn source(source: Option<&str>, policy: &Policy) -> Option<String> {
    let source = source.unwrap_or("a folder outside the workspace");
    let denied = match source {
        REGISTRY => false,
        git if git.starts_with("git+") => policy.sources.unknown_git == Level::Deny,
        _ => policy.sources.unknown_registry == Level::Deny,
    };
    denied.then(|| format!("comes from {source}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(license: &str) -> Package {
        let text = format!(
            r#"{{"id":"a","name":"a","version":"1.0.0","license":{license},"license_file":null,"source":null,
                "description":null,"dependencies":[]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_licence_is_allowed_or_it_is_named() {
        let allowed = [Licensee::parse("MIT").unwrap(), Licensee::parse("Unicode-3.0").unwrap()];
        for fits in [r#""MIT""#, r#""MIT OR GPL-3.0-only""#, r#""MIT/Apache-2.0""#, r#""MIT AND Unicode-3.0""#] {
            assert_eq!(license(&package(fits), &allowed), None, "{fits}");
        }
        for wrong in [r#""GPL-3.0-only""#, r#""MIT AND GPL-3.0-only""#, r#""whatever""#, "null"] {
            assert!(license(&package(wrong), &allowed).is_some(), "{wrong}");
        }
    }

    #[test]
    fn what_comes_from_elsewhere_is_named() {
        let policy = "[licenses]\nallow = []\n[bans]\nwildcards = 'deny'\nallow-wildcard-paths = true\ndeny = []\n\
                      [sources]\nunknown-registry = 'deny'\nunknown-git = 'deny'";
        let policy: Policy = toml::from_str(policy).unwrap();
        let from = |from: Option<&str>| source(from, &policy);
        assert_eq!(from(Some(REGISTRY)), None);
        assert!(from(Some("git+https://example.org/a.git#1234")).is_some());
        assert!(from(Some("registry+https://example.org/index")).is_some());
        assert!(from(None).is_some());
    }

    #[test]
    fn a_banned_crate_is_found_in_the_lock_file_whatever_system_it_is_for() {
        let policy = "[licenses]\nallow = []\n[bans]\nwildcards = 'deny'\nallow-wildcard-paths = true\n\
                      deny = [{ crate = 'bad' }]\n[sources]\nunknown-registry = 'deny'\nunknown-git = 'deny'";
        let policy: Policy = toml::from_str(policy).unwrap();
        let lock = format!(
            "version = 4\n[[package]]\nname = 'own'\nversion = '0.1.0'\n[[package]]\nname = 'bad'\nversion = '1.0.3'\n\
             source = '{REGISTRY}'\n[[package]]\nname = 'far'\nversion = '1.0.0'\nsource = 'git+https://example.org/a'"
        );
        let found = locked(&toml::from_str(&lock).unwrap(), &policy);
        assert_eq!(found, ["bad 1.0.3: is banned", "far 1.0.0: comes from git+https://example.org/a"]);
    }
}
