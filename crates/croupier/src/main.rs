//! The command line of Croupier: what the rulebooks say, priced, settled and explained; the laboratory; and a floor's
//! journal, driven, audited and kept.

mod bets;
mod commands;
mod data;
mod game;
mod output;
mod place;
mod program;
mod refusal;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

use commands::Command;
use output::{Answer, Form};
use refusal::Failure;

/// Commands and records are small, made on one thread and dropped on another; this allocator is built for that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Casino table games, run exactly by the approved rulebook.
#[derive(Parser)]
#[command(name = "croupier", version, arg_required_else_help = true, max_term_width = 110)]
#[command(disable_help_subcommand = true)]
#[command(after_help = "\
Examples:
  croupier rules list
  croupier rules show rws-sicbo --layout a
  croupier odds rws-roulette-000
  croupier settle rws-sicbo --layout a --outcome 2-2-3 single/2=10.00 double/2=5.00
  croupier session rws-sicbo --layout a --rounds 1000 --bankroll 500 small=10
  croupier pipe --data ./demonstration --demo < commands.jsonl
  croupier audit --data ./demonstration
  croupier report day --data ./demonstration --sheet day.pdf

A GAME is an id from `croupier rules list`, or the path of a rulebook file (my-game.toml).
Exit codes: 0 done; 1 the input is refused, or there are findings; 2 wrong usage.")]
struct Cli {
    /// Print JSON for programs instead of words for people.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let form = if cli.json { Form::Json } else { Form::Words };
    match cli.command.run(form) {
        Ok(Answer::Done(text)) => print(&text, ExitCode::SUCCESS),
        Ok(Answer::Findings(text)) => print(&text, ExitCode::from(1)),
        Err(Failure::Refused(refusal)) if cli.json => print(&refusal.json(), ExitCode::from(1)),
        Err(Failure::Refused(refusal)) => complain(&format!("refused: {refusal}"), ExitCode::from(1)),
        Err(Failure::Usage(message)) => complain(&format!("error: {message}"), ExitCode::from(2)),
    }
}

/// Writes to standard output. A reader that has gone away (`croupier … | head`) is no error.
fn print(text: &str, code: ExitCode) -> ExitCode {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => code,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => code,
        Err(error) => complain(&format!("cannot write the answer: {error}"), ExitCode::from(1)),
    }
}

fn complain(message: &str, code: ExitCode) -> ExitCode {
    // If standard error is closed as well, only the exit code can report it.
    let _ = writeln!(io::stderr(), "{message}");
    code
}
