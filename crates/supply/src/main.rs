//! What the program is made of.
//!
//! `check` holds every crate against `deny.toml`: the licence of each that is compiled, and of each in the lock files, also
//! that of the fuzz targets, whether it is banned and where it comes from; and the fuzz targets' lock file against that of
//! the workspace. With a folder of
//! advisories (a copy of the RustSec database) it also looks up which are known to be bad. `sbom` writes a CycloneDX bill
//! of materials of the program and of the packages its pages are built from.
//!
//! The file is cargo-deny's own, so that a house that has that tool may run it instead. It is not used here because it
//! takes minutes to build, and no current binary can be installed from the package registries that the build uses anyway.

mod advisories;
mod check;
mod lock;
mod metadata;
mod policy;
mod sbom;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lock::Lock;
use metadata::Metadata;
use policy::Policy;

const USAGE: &str = "usage: supply check [--advisories DIR] | supply sbom [FILE]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["check"] => check_all(None),
        ["check", "--advisories", folder] => check_all(Some(Path::new(folder))),
        ["sbom"] => sbom::write(None),
        ["sbom", file] => sbom::write(Some(&PathBuf::from(file))),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(words) => {
            eprintln!("{words}");
            ExitCode::SUCCESS
        }
        Err(words) => {
            eprintln!("{words}");
            ExitCode::FAILURE
        }
    }
}

/// What is compiled is named in these.
const LOCKS: [&str; 2] = ["Cargo.lock", "fuzz/Cargo.lock"];

/// The folder of the whole workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn check_all(advisories: Option<&Path>) -> Result<String, String> {
    let metadata = Metadata::read(&root())?;
    let policy = Policy::read(&root().join("deny.toml"))?;
    let mut findings = check::findings(&metadata, &policy);
    let locks = LOCKS.iter().map(|file| Ok((file, Lock::read(&root().join(file))?)));
    let locks = locks.collect::<Result<Vec<_>, String>>()?;
    for (file, lock) in &locks {
        findings.extend(check::locked(lock, &policy).into_iter().map(|found| format!("{file}: {found}")));
    }
    if let [(_, workspace), (file, fuzzed)] = locks.as_slice() {
        let behind = fuzzed.is_behind(&metadata, workspace);
        findings
            .extend(behind.into_iter().map(|found| format!("{file}: {found}: update it (cargo update --workspace)")));
    }
    let known = match advisories {
        Some(folder) => {
            let advisories = advisories::read(folder)?;
            for (file, lock) in &locks {
                let found = advisories::findings(&lock.packages, &advisories, &policy.advisories.ignore);
                findings.extend(found.into_iter().map(|found| format!("{file}: {found}")));
            }
            format!("{} advisories looked up", advisories.len())
        }
        None => "no advisories to look up: give a copy of the RustSec database with --advisories DIR".to_owned(),
    };
    if findings.is_empty() {
        return Ok(format!(
            "{} crates: licences, bans and sources are as deny.toml has them; {known}.",
            metadata.count()
        ));
    }
    Err(findings.join("\n"))
}

#[cfg(test)]
mod tests {
    /// The check itself, among the tests: `make test` compiles nothing more for it.
    #[test]
    fn every_crate_is_as_deny_toml_allows() {
        if let Err(findings) = super::check_all(None) {
            panic!("{findings}");
        }
    }
}
