//! What cargo says of the workspace and everything it is built from.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// The systems the program is built for; crates for others are not in it.
const SYSTEM: &str = "x86_64-unknown-linux-gnu";

#[derive(Debug, Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    pub workspace_members: BTreeSet<String>,
    resolve: Resolve,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Link>,
}

#[derive(Debug, Deserialize)]
struct Link {
    pkg: String,
    dep_kinds: Vec<LinkKind>,
}

#[derive(Debug, Deserialize)]
struct LinkKind {
    kind: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub version: semver::Version,
    pub license: Option<String>,
    pub license_file: Option<String>,
    pub source: Option<String>,
    pub description: Option<String>,
    pub dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    pub req: String,
    pub path: Option<String>,
    kind: Option<String>,
    optional: bool,
}

impl Dependency {
    /// Whether it is built with its crate whatever features that has, and not only for tests.
    pub fn is_always_built(&self) -> bool {
        !self.optional && self.kind.as_deref() != Some("dev")
    }
}

impl Metadata {
    /// Asks cargo.
    pub fn read(root: &Path) -> Result<Metadata, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", SYSTEM]);
        let output = command.current_dir(root).output().map_err(|error| format!("cargo metadata: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
    }

    /// Everything that is compiled, also for tests.
    pub fn resolved(&self) -> Vec<&Package> {
        let ids: BTreeSet<&str> = self.resolve.nodes.iter().map(|node| node.id.as_str()).collect();
        self.packages.iter().filter(|package| ids.contains(package.id.as_str())).collect()
    }

    /// What a program and its build consist of, without what only tests need: the packages, and for each what it needs.
    pub fn shipped(&self, root: &str) -> Vec<(&Package, Vec<&str>)> {
        let node = |id: &str| self.resolve.nodes.iter().find(|node| node.id == id);
        let first = self.packages.iter().find(|package| package.name == root).map(|package| package.id.as_str());
        let (mut waiting, mut seen) = (Vec::from_iter(first), BTreeSet::new());
        while let Some(id) = waiting.pop() {
            if seen.insert(id) {
                waiting.extend(node(id).map(Node::needs).unwrap_or_default());
            }
        }
        let package = |id: &str| self.packages.iter().find(|package| package.id == id);
        seen.into_iter().filter_map(|id| Some((package(id)?, node(id)?.needs()))).collect()
    }

    pub fn count(&self) -> usize {
        self.resolve.nodes.len()
    }

    pub fn is_own(&self, package: &Package) -> bool {
        self.workspace_members.contains(&package.id)
    }
}

impl Node {
    fn needs(&self) -> Vec<&str> {
        let shipped = |link: &&Link| link.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"));
        self.deps.iter().filter(shipped).map(|link| link.pkg.as_str()).collect()
    }
}
