//! The rulebooks that come with the program: every file of the folder `rulebooks`, compiled once.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use rust_embed::Embed;

use crate::{Incoherence, Rulebook};

#[derive(Embed)]
#[folder = "../../rulebooks"]
struct Files;

static ALL: LazyLock<Result<Vec<Rulebook>, Incoherence>> = LazyLock::new(compile);

/// Reads and compiles all files again: the approved documents first, each group by id.
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

/// Rulebooks that were read last, at most so many.
const KEPT: usize = 8;

static KEPT_RULEBOOKS: Mutex<Vec<Arc<Rulebook>>> = Mutex::new(Vec::new());

/// The rulebook of a canonical text. Reading one takes milliseconds, and the same few are read again for every floor that is
/// made from a snapshot or a log: those that were read last are kept and shared.
///
/// # Errors
/// When it is not coherent.
pub fn shared(canonical: &str) -> Result<Arc<Rulebook>, Incoherence> {
    let kept = || KEPT_RULEBOOKS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept().iter().find(|known| known.canonical() == canonical) {
        return Ok(Arc::clone(known));
    }
    let rulebook = Arc::new(Rulebook::parse("installed", canonical)?);
    if rulebook.canonical() == canonical {
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Arc::clone(&rulebook));
    }
    Ok(rulebook)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rulebook_that_was_read_is_shared_and_is_the_same() {
        let original = find("rws-sicbo").expect("built in");
        let (one, other) =
            (shared(original.canonical()).expect("coherent"), shared(original.canonical()).expect("coherent"));
        assert!(Arc::ptr_eq(&one, &other));
        assert_eq!((one.hash(), one.canonical()), (original.hash(), original.canonical()));
        assert!(shared("nonsense").is_err());
    }
}
