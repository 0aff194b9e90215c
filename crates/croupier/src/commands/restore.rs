//! `croupier restore`: a backup brought back, and audited.

use std::path::PathBuf;

use clap::Args;
use host::witnesses::{Ahead, compare, shown};
use serde_json::json;

use crate::commands::audit::audit;
use crate::commands::backup::{credentials, put};
use crate::data::{self, ArchiveArg, DataArg};
use crate::output::{Answer, Form};
use crate::refusal::{Failure, Refusal};

/// Restore a backup into an empty folder, and audit the result.
#[derive(Args)]
#[command(after_help = "\
Journal, keys and credentials are restored; people sign in again, and terminals prove the keys they have. What was \
acknowledged after the backup is not in it: give the anchors you keep elsewhere with --anchor, and the audit says whether \
anything is missing.

Where the floor's log has witnesses, name its settings with --config: the witnesses are asked what they have cosigned last. If \
records are lost, the log does not go on under its name; --new-era begins a new one, with a new name, and keeps the head that \
proves the loss.

Examples:
  croupier restore --from /backup/floor-2026-03-29 --data /srv/floor --anchor /elsewhere/anchors.txt
  croupier restore --from /backup/floor-2026-03-29 --data /srv/floor --config /etc/croupier.toml --new-era")]
pub struct Restore {
    #[command(flatten)]
    data: DataArg,

    /// The folder of the backup.
    #[arg(long, value_name = "DIR")]
    from: PathBuf,

    #[command(flatten)]
    archive: ArchiveArg,

    /// A file with one or more checkpoints that were kept elsewhere; give the option once for each.
    #[arg(long, value_name = "FILE")]
    anchor: Vec<PathBuf>,

    /// The settings of the floor: the witnesses in them are asked.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Begin a new era of the log, because records are lost that a witness has cosigned, or no witness can be asked.
    #[arg(long, requires = "config")]
    new_era: bool,
}

/// What the witnesses say of a backup.
enum Witnessed {
    /// None was named, or the backup has everything they have cosigned.
    Whole,
    /// It has not.
    Ahead(Ahead),
    /// None of them could be asked.
    Silent(String),
}

impl Restore {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        data::holds_journal(&self.from)?;
        let witnessed = self.witnessed()?;
        let last = match (&witnessed, self.new_era) {
            (Witnessed::Whole, false) => None,
            (Witnessed::Whole, true) => {
                let words = "every record that a witness has cosigned is in the backup: the log goes on under its name";
                return Err(Refusal::new("nothing_lost", words).into());
            }
            (Witnessed::Ahead(ahead), false) => {
                let words =
                    format!("{ahead}. What is missing is lost: restore with --new-era if there is no newer backup");
                return Err(Refusal::new("records_lost", words).into());
            }
            (Witnessed::Silent(why), false) => {
                let words =
                    format!("no witness could be asked: {why}. Without --config they are not asked before the start");
                return Err(Refusal::new("no_witness", words).into());
            }
            (Witnessed::Ahead(ahead), true) => Some(Some(ahead.head().note.clone())),
            (Witnessed::Silent(_), true) => Some(None),
        };
        let to = self.data.path();
        let mut files = engine::restore(&self.from, to).map_err(|error| Refusal::disk("cannot restore", &error))?;
        credentials(&self.from, to, &mut files)?;
        let unreadable = |error| Refusal::disk("cannot restore the log", &error);
        put(to, &receipts::cosigned::notes(&self.from).map_err(unreadable)?, &mut files)?;
        let era = last.map(|last| receipts::eras::begin(to, last.as_ref())).transpose();
        let era = era.map_err(|error| Refusal::disk("no new era was begun", &error))?;
        let era = era.map(|key| key.name().to_owned());
        let report = audit(to, &self.archive, &self.anchor, None)?;
        let (from, into) = (self.from.display().to_string(), to.display().to_string());
        let answer = json!({ "from": from, "to": into, "files": files, "log": era, "audit": report });
        let text = form.render(&answer, |page| {
            page.words(&format!("{} files restored from {from} into {into}. What is there now:", files.len()));
            if let Some(era) = &era {
                page.words(&format!("The log begins again under the name {era}, with a new key: tell the witnesses."));
            }
            report.write(page);
        });
        Ok(if report.is_clean() { Answer::Done(text) } else { Answer::Findings(text) })
    }

    /// Asks the witnesses of the settings for what they have cosigned, and compares the backup.
    fn witnessed(&self) -> Result<Witnessed, Refusal> {
        let Some(file) = &self.config else { return Ok(Witnessed::Whole) };
        let config = host::Config::read(file).map_err(|error| Refusal::new("settings", error.to_string()))?;
        if config.witnesses.is_empty() {
            return Err(Refusal::new("settings", format!("{}: there are no witnesses in it", file.display())));
        }
        let failed = |error: std::io::Error| Refusal::disk("the witnesses cannot be asked", &error);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let shown = runtime.map_err(failed)?.block_on(shown(&self.from, &config.witnesses)).map_err(failed)?;
        if shown.is_empty() {
            return Ok(Witnessed::Silent("the backup has no key of a log that they could be asked about".to_owned()));
        }
        if let Some(ahead) = compare(&self.from, self.archive.folders(), &shown).map_err(failed)? {
            return Ok(Witnessed::Ahead(ahead));
        }
        let mut silent = shown.iter().filter_map(|one| one.head.as_ref().err().map(|why| (&one.witness, why)));
        Ok(match silent.next() {
            Some((witness, why)) if shown.iter().all(|one| one.head.is_err()) => {
                Witnessed::Silent(format!("{witness}: {why}"))
            }
            _ => Witnessed::Whole,
        })
    }
}
