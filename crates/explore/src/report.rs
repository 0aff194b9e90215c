//! The report: what was visited, what holds, the graph of round phases, and the insider table.

use std::fmt::Write as _;

use crate::phases::{PHASES, Phases};
use crate::property::Property;
use crate::search::Found;
use crate::spec::Spec;
use crate::suspects::Insiders;

/// The report as Markdown.
#[must_use]
pub fn report(found: &[(Spec, Found)], insiders: &[Insiders]) -> String {
    let mut text = String::from("# Exploration of the small floors\n\n");
    summary(&mut text, found, insiders);
    properties(&mut text, found, insiders);
    counts(&mut text, found);
    phases(&mut text, found);
    if !insiders.is_empty() {
        text.push_str("\n## The insider bound\n\n");
        text.push_str(&insider_tables(insiders));
    }
    text
}

/// What the insider table says, and what it leaves out.
const INSIDERS: &str = "The most that the house / the players lose beside the lawful outcome, in dollars: one person on the \
    diagonal, two people who sign for each other elsewhere. *No bound*: two people of the ranks that sign for each other moved \
    an amount far above the threshold, which D15 and D27 accept and the audit of people lists; the search ends there. A star: \
    not all states were visited.\n\nThe player has one terminal, bets, cashes out, claims that nothing was printed, and puts a \
    ticket back in. Not in these figures: theft of cash that no record mentions; a ground that a person must judge; which chips \
    stood on a live layout, except where the record changes; a live table's float, except for chips sold; sealed and enrolment \
    codes; and what is done over several gaming days.\n\n";

/// The insider tables as Markdown, with what they say and leave out.
#[must_use]
pub fn insider_tables(insiders: &[Insiders]) -> String {
    let mut text = String::from(INSIDERS);
    for table in insiders {
        text.push_str(&table.table());
        text.push('\n');
    }
    text
}

fn summary(text: &mut String, found: &[(Spec, Found)], insiders: &[Insiders]) {
    let states: usize = found.iter().map(|(_, one)| one.states).sum();
    let transitions: u64 = found.iter().map(|(_, one)| one.transitions).sum();
    let broken = found.iter().filter(|(_, one)| !one.broken.is_empty()).count();
    let proved = found.iter().filter(|(_, one)| one.broken.is_empty() && one.is_fixpoint()).count();
    let seconds: f64 = found.iter().map(|(_, one)| one.took.as_secs_f64()).sum();
    let games = games(found).len();
    let _ = writeln!(
        text,
        "{} small floors of {games} approved documents: {states} states and {transitions} transitions in {seconds:.0} seconds. \
         On {proved} floors every reachable state was visited: there the properties below are **proved**, except the insider \
         bound, which has tables of its own. On {} a bound ended the search: every state visited was checked, and what lies \
         beyond the frontier is **unproved**. On {broken} a property is violated.",
        found.len(),
        found.len() - proved - broken
    );
    let violated: usize = found.iter().map(|(_, one)| one.broken.len()).sum();
    let wrong: usize = insiders.iter().map(|table| table.wrong.len()).sum();
    let verdict = match violated + wrong {
        0 => "No violation was found in the states visited.".to_owned(),
        wrong => format!("**{wrong} violations.**"),
    };
    let _ = writeln!(text, "\n{verdict} `docs/explore.md` explains what a small floor is and what this proves.");
}

fn properties(text: &mut String, found: &[(Spec, Found)], insiders: &[Insiders]) {
    text.push_str("\n## What holds\n\n| property | what holds | rule | result |\n| --- | --- | --- | --- |\n");
    for property in Property::ALL {
        let result = match property {
            Property::Insider => insider_result(insiders),
            _ => result(property, found, insiders),
        };
        let _ = writeln!(text, "| {property} | {} | {} | {result} |", property.statement(), property.rule());
    }
}

/// What was found about a property on the floors, and by the insiders on the way.
fn result(property: Property, found: &[(Spec, Found)], insiders: &[Insiders]) -> String {
    let broken = found.iter().filter(|(_, one)| one.broken.contains_key(&property));
    let broken = broken.map(|(spec, _)| format!("{}, {}", spec.game, spec.name));
    let others = insiders.iter().flat_map(|table| &table.wrong);
    let others = others.filter(|wrong| wrong.caught.broken.violation.property == property);
    let others = others.map(|wrong| format!("{}, {}", wrong.game, wrong.who()));
    let wrong: Vec<String> = broken.chain(others).collect();
    if !wrong.is_empty() {
        return format!("**violated**: {}", wrong.join("; "));
    }
    // What is left out of a search that a violation ended is unproved, too.
    let open = found.iter().filter(|(_, one)| !one.is_fixpoint() || !one.broken.is_empty()).count();
    match (found.len(), open) {
        (0, _) => "not searched".to_owned(),
        (_, 0) => "proved: holds in every state".to_owned(),
        (all, open) => format!("holds in all states visited; *unproved* beyond on {open} of {all} floors"),
    }
}

fn insider_result(insiders: &[Insiders]) -> String {
    let beyond = insiders.iter().filter(|table| !table.beyond().is_empty());
    let wrong: Vec<String> = beyond
        .map(|table| format!("{}, {}: {}", table.game, table.mechanism.words(), table.beyond().join(", ")))
        .collect();
    let open: usize = insiders.iter().map(|table| table.unproved().len()).sum();
    match (&wrong[..], insiders.len(), open) {
        (_, 0, _) => "not searched".to_owned(),
        ([], _, 0) => "proved: every state of every person alone".to_owned(),
        ([], ..) => format!("holds in all states visited; *unproved* beyond for {open} people"),
        (wrong, ..) => format!("**violated**: {}", wrong.join("; ")),
    }
}

fn games(found: &[(Spec, Found)]) -> Vec<&'static str> {
    let mut games: Vec<&'static str> = found.iter().map(|(spec, _)| spec.game).collect();
    games.dedup();
    games
}

fn counts(text: &mut String, found: &[(Spec, Found)]) {
    text.push_str("\n## What was visited\n");
    for game in games(found) {
        let _ = write!(text, "\n### {game}\n\n| floor | what happens | states | transitions | depth | ");
        text.push_str("transitions/s | result |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n");
        for (spec, one) in found.iter().filter(|(spec, _)| spec.game == game) {
            let result = match (one.broken.is_empty(), one.is_fixpoint()) {
                (false, _) => "**violated**".to_owned(),
                (true, true) => "proved: every reachable state".to_owned(),
                (true, false) => format!("*unproved* beyond: {} states at the frontier", one.frontier),
            };
            let Found { states, transitions, depth, .. } = one;
            let (name, about, rate) = (spec.name, spec.about, one.rate());
            let _ = writeln!(text, "| {name} | {about} | {states} | {transitions} | {depth} | {rate:.0} | {result} |");
        }
    }
}

fn phases(text: &mut String, found: &[(Spec, Found)]) {
    text.push_str(
        "\n## Phases of a round, as reached\n\nEvery step from one phase of a round to another that was found, and how many \
         times. A step that is not listed was not found in the states visited; beyond a frontier there may be more.\n",
    );
    for game in games(found) {
        let mut phases = Phases::default();
        found.iter().filter(|(spec, _)| spec.game == game).for_each(|(_, one)| phases.add(&one.phases));
        let _ = write!(text, "\n### {game}\n\n```mermaid\n{}\n```\n\n", phases.mermaid());
        text.push_str("| from | to (transitions) |\n| --- | --- |\n");
        for (from, name) in PHASES.iter().enumerate() {
            let to = phases.edges().filter(|(one, ..)| *one == from);
            let to: Vec<String> = to.map(|(_, to, times)| format!("{} ({times})", PHASES[to])).collect();
            if !to.is_empty() {
                let _ = writeln!(text, "| {name} | {} |", to.join("; "));
            }
        }
    }
}
