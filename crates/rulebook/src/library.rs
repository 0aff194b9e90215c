//! The rulebooks that come with the program: every file of the folder `rulebooks`, compiled once.

use std::sync::LazyLock;

use rust_embed::Embed;

use crate::{Incoherence, Rulebook};

#[derive(Embed)]
#[folder = "../../rulebooks"]
struct Files;

static ALL: LazyLock<Result<Vec<Rulebook>, Incoherence>> = LazyLock::new(compile);

/// Reads and compiles all files anew: the approved documents first, each group by id.
pub fn compile() -> Result<Vec<Rulebook>, Incoherence> {
    let mut rulebooks = sources().map(|(file, text)| Rulebook::parse(&file, &text)).collect::<Result<Vec<_>, _>>()?;
    rulebooks.sort_by(|a, b| (!a.identity.approved, a.id()).cmp(&(!b.identity.approved, b.id())));
    Ok(rulebooks)
}

/// The files as they are, by name.
pub fn sources() -> impl Iterator<Item = (String, String)> {
    Files::iter().filter_map(|name| {
        let file = Files::get(&name)?;
        Some((format!("rulebooks/{name}"), String::from_utf8_lossy(&file.data).into_owned()))
    })
}

/// All rulebooks, or what is wrong with the first that is not coherent.
pub fn all() -> Result<&'static [Rulebook], &'static Incoherence> {
    ALL.as_ref().map(Vec::as_slice)
}

/// The rulebook of that id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rulebook> {
    all().ok()?.iter().find(|rulebook| rulebook.id() == id)
}
