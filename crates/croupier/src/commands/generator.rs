//! `croupier generator check`: is the generator of the simulated devices good?

use std::fs;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use lab::generator::{self, CheckError};
use rand::rngs::SysRng;

use crate::output::{Answer, Form, SheetArg};
use crate::refusal::{Failure, Refusal};

/// Check the generator that simulated dice and wheels draw from.
#[derive(Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "\
Examples:
  croupier generator check
  croupier generator check --from recorded.bin --sheet generator.pdf")]
pub struct Generator {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(Check),
}

/// Draw dice and pockets as a device does, and make the usual statistical tests at 99 %.
#[derive(Args)]
#[command(after_help = "\
The bytes come from the operating system's generator, or from a file. The level of 1 % is shared by all tests (Holm): \
of a hundred checks of a good generator one fails. Exit code 1 if it fails.

Examples:
  croupier generator check --bytes 20000000
  croupier generator check --from recorded.bin")]
struct Check {
    /// How many bytes to draw.
    #[arg(long, value_name = "N", default_value_t = generator::BYTES, conflicts_with = "from")]
    bytes: usize,

    /// Check the bytes of this file instead.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    #[command(flatten)]
    sheet: SheetArg,
}

/// More bytes than this add no information, and have to fit into memory.
const MOST_BYTES: usize = 1 << 30;

impl Generator {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let Command::Check(check) = &self.command;
        check.run(form)
    }
}

impl Check {
    fn run(&self, form: Form) -> Result<Answer, Failure> {
        if self.bytes > MOST_BYTES {
            return Err(Failure::Usage(format!("--bytes: at most {MOST_BYTES}")));
        }
        let refused = |error: CheckError| Refusal::new(error.code(), error.to_string());
        let check = match &self.from {
            None => generator::check("the operating system's generator", &mut SysRng, self.bytes).map_err(refused)?,
            Some(file) => {
                let name = file.display().to_string();
                let unreadable = |error| Refusal::new("unreadable_file", format!("{name}: {error}"));
                let bytes = fs::read(file).map_err(unreadable)?;
                generator::check_bytes(&name, &bytes).map_err(refused)?
            }
        };
        let paper = check.paper();
        let text = match (self.sheet.write(|| paper.clone())?, form) {
            (Some(written), Form::Words) => written,
            _ => form.paper(&check, &paper),
        };
        Ok(if check.passed { Answer::Done(text) } else { Answer::Findings(text) })
    }
}
