//! Floor counts: all sequences of commands up to a depth, for each procedure.
//!
//! From an open table with one bettor, every command of a small alphabet is tried in every state. Sequences whose last
//! command is accepted and changes something continue; the others end there. The number of accepted sequences and of
//! end states is pinned in `tests/perft`: a change of any rule of the round changes a count. `UPDATE_GOLDEN=1` rewrites
//! the counts.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use floor::*;
use rulebook::{Cents, Face, GroundId, Point, Rank, Rulebook, library};

const DEPTH: usize = 7;
/// Longer than the period for bets, and than a terminal may take to show the close.
const LATER: i64 = 3_000;

const TABLE: TableId = TableId(0);
const TERMINAL: TerminalId = TerminalId(0);
const DEVICE: DeviceId = DeviceId(0);
const DEALER: StaffId = StaffId(0);
const SUPERVISOR: StaffId = StaffId(1);
const OTHER_SUPERVISOR: StaffId = StaffId(2);
const MANAGER: StaffId = StaffId(3);

/// A command of the alphabet: what it is called, who sends it, what, and how long after the last.
struct Letter {
    name: &'static str,
    sender: Sender,
    body: Body,
    after: i64,
}

fn letter(name: &'static str, sender: Sender, body: Body) -> Letter {
    Letter { name, sender, body, after: 0 }
}

fn dealer(name: &'static str, body: Body) -> Letter {
    letter(name, Sender::Staff(DEALER), body)
}

fn device(name: &'static str, observation: Observation) -> Letter {
    letter(name, Sender::Device(DEVICE), Body::Observe(observation))
}

fn terminal(name: &'static str, body: Body) -> Letter {
    letter(name, Sender::Terminal(TERMINAL), body)
}

/// What every procedure has.
fn common(rulebook: &Rulebook, right: &str, wrong: &str, declared: GroundId) -> Vec<Letter> {
    let outcome = |text: &str| rulebook.outcomes().parse(text).unwrap();
    let reason = "seen".to_owned();
    let witness = Some(OTHER_SUPERVISOR);
    let table = TABLE;
    let attest = |finding| Body::Attest { table, finding, witness: Some(SUPERVISOR) };
    // What no device measures is affirmed with the entry (D19).
    let enter = |text: &str| {
        let affirmed = Point::ALL.to_vec();
        Body::EnterResult { table, outcome: outcome(text), affirmed, witness: None, reason: None }
    };
    let correct = Body::CorrectResult { round: RoundId(0), outcome: outcome(wrong), reason: reason.clone(), witness };
    vec![
        dealer("open bets", Body::OpenBets { table, affirmed: Point::ALL.to_vec() }),
        dealer("close bets", Body::CloseBets { table }),
        Letter { after: LATER, ..letter("time passes", Sender::System, Body::Elapse) },
        dealer("enter", enter(right)),
        dealer("enter another", enter(wrong)),
        dealer("confirm", Body::confirm_result(table)),
        dealer(
            "keep the first outcome",
            Body::KeepFirstOutcome { table, witness: Some(SUPERVISOR), affirmed: Vec::new() },
        ),
        dealer("declare a ground", Body::declare_ground(table, declared)),
        dealer("confirm the ground", Body::ConfirmGround { table }),
        letter("put the ground aside", Sender::Staff(SUPERVISOR), Body::DismissGround { table, reason, witness: None }),
        letter("long stoppage", Sender::System, Body::ReportStoppage { from: Moment(0), terminals_back: true }),
        dealer("attest: not affected", attest(Finding::NotAffected)),
        dealer("attest: established", attest(Finding::Established)),
        dealer("attest: not established", attest(Finding::NotEstablished)),
        letter("correct the first round", Sender::Staff(SUPERVISOR), correct),
    ]
}

fn bets(rulebook: &Rulebook, spot: &str) -> Vec<Letter> {
    let spot = rulebook.layouts()[0].find(spot).unwrap();
    let amount = Cents::new(100);
    vec![
        terminal("bet", Body::Bet { changes: [BetChange::Add { spot, amount }].into() }),
        terminal("withdraw", Body::Bet { changes: [BetChange::Take { spot, amount }].into() }),
        terminal("show the close", Body::AcknowledgeClose { round: RoundId(0) }),
    ]
}

fn tumbler() -> Vec<Letter> {
    let dice = [Some(Face::ALL[0]), None, None];
    vec![
        device("activated", Observation::Activated),
        device("three tumbles", Observation::Tumbled { times: 3 }),
        device("two tumbles", Observation::Tumbled { times: 2 }),
        device("uncovered", Observation::Uncovered),
        device("one die read", Observation::DiceRead { dice }),
    ]
}

fn wheel() -> Vec<Letter> {
    let pocket = library::find("rws-roulette-000").unwrap().outcomes().parse("17").unwrap();
    vec![
        device("spun", Observation::Spun { against_rotation: true, wheel_rotating: true }),
        device("spun with the wheel", Observation::Spun { against_rotation: false, wheel_rotating: true }),
        device("four revolutions", Observation::Revolved { times: 4 }),
        device("three revolutions", Observation::Revolved { times: 3 }),
        device("at rest", Observation::Rested { pocket }),
        device("in no compartment", Observation::NoCompartment),
    ]
}

fn chips(rulebook: &Rulebook) -> Vec<Letter> {
    let spot = rulebook.layouts()[0].find("small").unwrap();
    let (table, position, amount) = (TABLE, Position(1), Cents::new(80_000));
    vec![
        dealer("place", Body::PlaceChips { table, position, spot, amount, for_player: false }),
        dealer("take", Body::TakeChips { table, position, spot, amount, witness: None }),
        dealer("reject excess", Body::RejectExcess { table, spot }),
        dealer("player leaves", Body::PlayerLeft { table, position }),
    ]
}

fn alphabet(game: &str) -> Vec<Letter> {
    let rulebook = library::find(game).unwrap();
    let mut letters = match game {
        "rws-roulette-000" => common(rulebook, "17", "0", GroundId::ForeignObject),
        _ => common(rulebook, "1-2-3", "6-6-6", GroundId::DiceDamaged),
    };
    match game {
        "rws-roulette-000" => letters.extend(bets(rulebook, "red").into_iter().chain(wheel())),
        "rws-taisai" => letters.extend(chips(rulebook).into_iter().chain(tumbler())),
        _ => letters.extend(bets(rulebook, "small").into_iter().chain(tumbler())),
    }
    if game == "mbs-sicbo" {
        letters.insert(0, dealer("begin", Body::BeginRound { table: TABLE }));
    }
    letters
}

/// An open table with its device and, unless it is live, one terminal with credit.
fn house(game: &str) -> Floor {
    let mut floor = Floor::new();
    let rulebook = library::find(game).unwrap();
    let live = rulebook.terminals().is_empty();
    let mut settings = TableSettings::usual();
    settings.betting_period = LATER;
    let table = TABLE;
    let floor_settings = FloorSettings {
        name: "counts".to_owned(),
        demonstration: true,
        day_starts: 0,
        ticket_days: 30,
        ..FloorSettings::default()
    };
    let mut bodies = vec![
        Body::CreateFloor(floor_settings),
        Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None },
        Body::AddTable {
            name: game.to_owned(),
            rulebook: rulebook.hash(),
            mode: if live { TableMode::BetsRecorded } else { TableMode::Terminals },
            settings: settings.into(),
            witness: None,
        },
    ];
    let ranks = [Rank::Dealer, Rank::PitSupervisor, Rank::PitSupervisor, Rank::PitManager];
    bodies.extend(ranks.map(|rank| Body::AddStaff { name: "person".to_owned(), post: Post::Pit(rank), witness: None }));
    let kind = if rulebook.outcomes().wheel().is_some() { DeviceKind::Wheel } else { DeviceKind::Tumbler };
    bodies.push(Body::add_device("device".to_owned(), kind, DevicePlace::Table(table)));
    if let Some(kind) = rulebook.terminals().first() {
        let (kind, layout) = (kind.id.clone(), kind.layouts[0].clone());
        bodies.push(Body::EnrolTerminal { table, name: "terminal".to_owned(), kind, layout });
        bodies.push(Body::TerminalBack { terminal: TERMINAL });
    }
    let mut commands: Vec<(Sender, Body)> = bodies.into_iter().map(|body| (Sender::System, body)).collect();
    commands.push((Sender::Staff(MANAGER), Body::OpenTable { table }));
    commands.push((Sender::Staff(DEALER), Body::TakeTable { table }));
    if !live {
        let amount = Cents::new(1_000);
        commands.push((Sender::Terminal(TERMINAL), Body::CashIn { terminal: TERMINAL, amount }));
    }
    for ((sender, body), number) in commands.into_iter().zip(1..) {
        floor = after(&floor, Command { sender, number, at: Moment(1_000_000), body }).expect("the house is set up");
    }
    floor
}

/// The floor after a command, if it is accepted.
fn after(floor: &Floor, command: Command) -> Option<Floor> {
    let Ok(Decision::Events(records)) = floor.decide(&command) else { return None };
    let mut next = floor.clone();
    for record in &records {
        next.apply(record).expect("it fits");
    }
    assert_eq!(next.check(), Vec::<String>::new(), "{command:?}");
    Some(next)
}

type State = [u8; 32];

/// Everything about the table that the game is about; not who asked for what, and when.
fn state(floor: &Floor) -> State {
    let table = floor.table(TABLE).unwrap();
    let round = table.round().map(|round| {
        let parts = (round.phase(), round.outcome(), round.ground(), round.is_interrupted(), round.awaiting());
        (round.id(), parts, (round.seen().clone(), round.later().to_vec(), round.second()), round.chips().to_vec())
    });
    let terminal = floor.terminals().first().map(|terminal| (terminal.credit(), terminal.stakes().to_vec()));
    let past: Vec<_> = table.archive().map(|past| (past.id(), past.outcome(), past.shares().to_vec())).collect();
    let alerts: Vec<_> = floor.alerts().map(|alert| alert.what().clone()).collect();
    let accounts: Vec<_> = floor.accounts().into_iter().filter(|(_, balance)| *balance != Cents::ZERO).collect();
    let words = format!("{:?}", (round, terminal, past, alerts, accounts));
    *blake3::hash(words.as_bytes()).as_bytes()
}

#[derive(Default)]
struct Counts {
    sequences: [u64; DEPTH],
    states: [BTreeSet<State>; DEPTH],
}

fn count((floor, from): (&Floor, State), tried: &Letter, letters: &[Letter], depth: usize, counts: &mut Counts) {
    let mut body = tried.body.clone();
    if let Body::ReportStoppage { from, .. } = &mut body {
        *from = floor.now().after(-60_000);
    }
    let at = floor.now().after(tried.after);
    let number = 1_000 + depth as u64;
    let Some(next) = after(floor, Command { sender: tried.sender, number, at, body }) else { return };
    let reached = state(&next);
    counts.sequences[depth] += 1;
    counts.states[depth].insert(reached);
    if depth + 1 < DEPTH && reached != from {
        letters.iter().for_each(|letter| count((&next, reached), letter, letters, depth + 1, counts));
    }
}

fn counts(game: &str) -> String {
    let floor = house(game);
    let letters = alphabet(game);
    let mut total = Counts::default();
    let mut by_first = Vec::new();
    for letter in &letters {
        let mut own = Counts::default();
        count((&floor, state(&floor)), letter, &letters, 0, &mut own);
        if own.sequences[0] == 0 {
            continue;
        }
        by_first.push((letter.name, own.sequences));
        for depth in 0..DEPTH {
            total.sequences[depth] += own.sequences[depth];
            total.states[depth].append(&mut own.states[depth]);
        }
    }
    write(game, &letters, &total, &by_first)
}

fn write(game: &str, letters: &[Letter], total: &Counts, by_first: &[(&str, [u64; DEPTH])]) -> String {
    let mut text = format!("{game}: commands accepted one after the other, and the states they end in\n");
    let names: Vec<&str> = letters.iter().map(|letter| letter.name).collect();
    writeln!(text, "of {} commands: {}\n", names.len(), names.join(", ")).unwrap();
    writeln!(text, "{:>8}{:>12}{:>12}", "commands", "sequences", "states").unwrap();
    for depth in 0..DEPTH {
        let (sequences, states) = (total.sequences[depth], total.states[depth].len());
        writeln!(text, "{:>8}{sequences:>12}{states:>12}", depth + 1).unwrap();
    }
    writeln!(text, "\nsequences by the first command").unwrap();
    for (name, sequences) in by_first {
        let columns: String = sequences.iter().map(|count| format!("{count:>10}")).collect();
        writeln!(text, "{name:<24}{columns}").unwrap();
    }
    text
}

fn check(game: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perft").join(format!("{game}.txt"));
    let now = counts(game);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &now).unwrap();
        return;
    }
    let pinned = std::fs::read_to_string(&path).unwrap_or_default();
    let differing: String = pinned
        .lines()
        .zip(now.lines())
        .filter(|(was, is)| was != is)
        .map(|(was, is)| format!("was {was}\nis  {is}\n"))
        .collect();
    assert!(pinned == now, "{game}: the counts have changed (UPDATE_GOLDEN=1 pins them anew)\n{differing}");
}

#[test]
fn covered() {
    check("rws-sicbo");
}

#[test]
fn open_cover() {
    check("rws-sicbo-open");
}

#[test]
fn live() {
    check("rws-taisai");
}

#[test]
fn activation_first() {
    check("mbs-sicbo");
}

#[test]
fn roulette() {
    check("rws-roulette-000");
}
