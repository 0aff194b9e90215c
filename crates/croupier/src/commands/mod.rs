//! The commands, one file each.

mod audit;
mod backup;
mod bench;
mod bias;
mod cabinet;
mod device;
mod expand;
mod explore;
mod generator;
mod journal;
mod log;
mod odds;
mod pipe;
mod prorata;
mod records;
mod report;
mod restore;
mod rules;
mod serve;
mod session;
mod settle;
mod simulate;
mod simulate_floor;
mod simulate_system;
mod verify;
mod witness;

use clap::Subcommand;

use crate::output::{Answer, Form};
use crate::refusal::Failure;

/// What can be asked for.
#[derive(Subcommand)]
pub enum Command {
    Serve(serve::Serve),
    Rules(rules::Rules),
    Odds(odds::Odds),
    Settle(settle::Settle),
    Expand(expand::Expand),
    Prorata(prorata::Prorata),
    Session(session::Session),
    Simulate(simulate::Simulate),
    Bias(bias::Bias),
    Generator(generator::Generator),
    SimulateFloor(simulate_floor::SimulateFloor),
    Explore(explore::Explore),
    SimulateSystem(simulate_system::SimulateSystem),
    Pipe(pipe::Pipe),
    Audit(audit::Audit),
    Journal(journal::Journal),
    Log(log::Log),
    Verify(verify::Verify),
    Witness(witness::Witness),
    Backup(backup::Backup),
    Restore(restore::Restore),
    Records(records::Records),
    Report(report::Report),
    Bench(bench::Bench),
    Cabinet(cabinet::Cabinet),
    Device(device::Device),
}

impl Command {
    /// The answer in the form that is wanted.
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        match self {
            Command::Serve(serve) => serve.run(form),
            Command::Rules(rules) => rules.run(form).map(Answer::from),
            Command::Odds(odds) => odds.run(form).map(Answer::from),
            Command::Settle(settle) => settle.run(form).map(Answer::from),
            Command::Expand(expand) => expand.run(form).map(Answer::from),
            Command::Prorata(prorata) => prorata.run(form).map(Answer::from),
            Command::Session(session) => session.run(form).map(Answer::from),
            Command::Simulate(simulate) => simulate.run(form),
            Command::Bias(bias) => bias.run(form),
            Command::Generator(generator) => generator.run(form),
            Command::SimulateFloor(simulate_floor) => simulate_floor.run(form),
            Command::Explore(explore) => explore.run(form),
            Command::SimulateSystem(simulate_system) => simulate_system.run(form),
            Command::Pipe(pipe) => pipe.run(),
            Command::Audit(audit) => audit.run(form),
            Command::Journal(journal) => journal.run(form),
            Command::Log(log) => log.run(form).map(Answer::from),
            Command::Verify(verify) => verify.run(form),
            Command::Witness(witness) => witness.run(form),
            Command::Backup(backup) => backup.run(form).map(Answer::from),
            Command::Restore(restore) => restore.run(form),
            Command::Records(records) => records.run(form).map(Answer::from),
            Command::Bench(bench) => bench.run(form),
            Command::Cabinet(cabinet) => cabinet.run(form),
            Command::Device(device) => device.run(form),
            Command::Report(report) => report.run(form),
        }
    }
}
