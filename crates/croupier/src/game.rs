//! Finding the game and the layout that were asked for.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::Args;
use rulebook::{Layout, Rulebook, library};

use crate::refusal::{Failure, Refusal};

/// A rulebook is some tens of kilobytes; what is larger is something else.
const LARGEST_FILE: u64 = 4 << 20;

/// The game of a command.
#[derive(Args)]
pub struct GameArg {
    /// The id of a game, or the path of a rulebook file.
    #[arg(value_name = "GAME")]
    game: String,
}

impl GameArg {
    /// The rulebook of that id or file.
    pub fn rulebook(&self) -> Result<Cow<'static, Rulebook>, Refusal> {
        if self.game.contains('/') || self.game.ends_with(".toml") {
            return read(Path::new(&self.game)).map(Cow::Owned);
        }
        let rulebooks = library::all().map_err(Refusal::from)?;
        rulebooks.iter().find(|rulebook| rulebook.id() == self.game).map(Cow::Borrowed).ok_or_else(|| {
            let ids: Vec<&str> = rulebooks.iter().map(Rulebook::id).collect();
            unknown("unknown_game", "game", &self.game, &ids)
        })
    }
}

/// The layout of a command.
#[derive(Args)]
pub struct LayoutArg {
    /// The layout, in upper or lower case; not needed if the game has one.
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<String>,
}

impl LayoutArg {
    /// The layout that was named, or the only one.
    pub fn one<'a>(&self, rulebook: &'a Rulebook) -> Result<&'a Layout, Failure> {
        match (&self.layout, rulebook.layouts()) {
            (Some(id), _) => Ok(layout(rulebook, id)?),
            (None, [layout]) => Ok(layout),
            (None, layouts) => {
                let ids: Vec<&str> = layouts.iter().map(Layout::id).collect();
                Err(Failure::Usage(format!(
                    "{} has several layouts: say which with --layout {}",
                    rulebook.id(),
                    ids.join(" or --layout ")
                )))
            }
        }
    }
}

/// The layout of that id.
pub fn layout<'a>(rulebook: &'a Rulebook, id: &str) -> Result<&'a Layout, Refusal> {
    rulebook.layout(id).ok_or_else(|| {
        let ids: Vec<&str> = rulebook.layouts().iter().map(Layout::id).collect();
        unknown("unknown_layout", &format!("layout of {}", rulebook.id()), id, &ids)
    })
}

/// Reads and compiles a rulebook file.
pub fn read(path: &Path) -> Result<Rulebook, Refusal> {
    let name = path.display().to_string();
    let unreadable = |why: String| Refusal::new("unreadable_file", format!("{name}: {why}"));
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(unreadable(format!("more than {} MiB is no rulebook", LARGEST_FILE >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|_| unreadable("is not UTF-8 text".to_owned()))?;
    Rulebook::parse(&name, &text).map_err(|error| Refusal::from(&error))
}

fn unknown(code: &'static str, what: &str, text: &str, known: &[&str]) -> Refusal {
    let nearest = known
        .iter()
        .map(|id| (strsim::damerau_levenshtein(id, &text.to_lowercase()), *id))
        .min()
        .filter(|(distance, id)| *distance <= id.len() / 3);
    let hint = match nearest {
        Some((_, id)) => format!("; did you mean {id}?"),
        None => ".".to_owned(),
    };
    Refusal::new(code, format!("there is no {what} \"{text}\"{hint} There are: {}", known.join(", ")))
}
