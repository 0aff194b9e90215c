//! `croupier rules show`: a rulebook as a rule sheet.

use clap::Args;

use super::{data, sheet};
use crate::game::{self, GameArg};
use crate::output::Form;
use crate::output::Language;
use crate::refusal::Failure;

/// Show a rulebook as a rule sheet, every rule with its paragraph.
#[derive(Args)]
#[command(after_help = "\
Examples:
  croupier rules show rws-sicbo
  croupier rules show rws-sicbo --layout b --lang zh
  croupier rules show ./my-pay-table.toml --json")]
pub struct Show {
    #[command(flatten)]
    game: GameArg,

    /// Show only this layout, in upper or lower case.
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<String>,

    /// The language of the sheet: en or zh.
    #[arg(long, value_name = "LANGUAGE", value_enum, default_value = "en", hide_possible_values = true)]
    lang: Language,
}

impl Show {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let rulebook = self.game.rulebook()?;
        let layouts = match &self.layout {
            Some(id) => std::slice::from_ref(game::layout(&rulebook, id)?),
            None => rulebook.layouts(),
        };
        let data = data::rulebook(&rulebook, layouts);
        Ok(form.render(&data, |page| sheet::write(page, self.lang, &rulebook, layouts)))
    }
}
