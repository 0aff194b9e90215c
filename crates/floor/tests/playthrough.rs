//! A golden playthrough of every approved document: what was wanted, what happened, what each screen shows.
//!
//! The texts are in `tests/playthroughs`. `UPDATE_GOLDEN=1 cargo test -p floor playthrough` rewrites them; read the
//! difference before keeping it.

use std::fmt::Write;
use std::path::Path;

use crate::common::*;
use floor::*;
use rulebook::{Cents, GroundId, OutcomeIndex, Spot};

/// A house whose every step is written down.
pub struct Play {
    pub house: House,
    text: String,
    told: usize,
    /// The file it is kept in.
    name: String,
}

impl Play {
    fn new(game: &str) -> Play {
        let house = House::with(game);
        let told = house.log.len();
        let rulebook = house.rulebook(TABLE).identity();
        let text = format!("{} · {} · version {}\n", rulebook.id, rulebook.operator, rulebook.version);
        Play { house, text, told, name: game.to_owned() }
    }

    /// A playthrough of a decision, at a table that is set up already.
    pub fn of(name: &str, about: &str, house: House) -> Play {
        let told = house.log.len();
        let game = house.rulebook(TABLE).id().to_owned();
        Play { house, text: format!("{name} · {about} · {game}\n"), told, name: name.to_owned() }
    }

    /// What comes next, in words.
    pub fn part(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n# {title}");
    }

    /// What is shown or known, in a line.
    pub fn note(&mut self, words: &str) {
        let _ = writeln!(self.text, "  {words}");
    }

    /// A command, and what came of it: its events, or the refusal with the rule it rests on.
    pub fn send(&mut self, sender: Sender, body: Body) {
        let _ = writeln!(self.text, "  > {}: {}", who(sender), what(&body));
        match self.house.send(sender, body) {
            Err(refusal) => {
                let _ = writeln!(self.text, "    refused, {}: {refusal}", refusal.code);
            }
            Ok(events) => {
                for happened in &events {
                    let _ = writeln!(self.text, "    {}", event(&self.house, happened));
                }
            }
        }
        self.told = self.house.log.len();
    }

    pub fn staff(&mut self, staff: StaffId, body: Body) {
        self.send(Sender::Staff(staff), body);
    }

    pub fn step(&mut self, title: &str, act: impl FnOnce(&mut House)) {
        act(&mut self.house);
        let _ = writeln!(self.text, "\n# {title}");
        for record in &self.house.log[self.told..] {
            let _ = writeln!(self.text, "  {}", event(&self.house, &record.event));
        }
        self.told = self.house.log.len();
    }

    pub fn screens(&mut self) {
        let mut text = String::new();
        for terminal in self.house.floor.terminals().iter().map(Terminal::id) {
            let view = self.house.floor.terminal_view(terminal).unwrap();
            let _ = writeln!(text, "  terminal {terminal} | {}", terminal_text(&self.house, &view));
        }
        let console = self.house.floor.console_view(TABLE).unwrap();
        let _ = writeln!(text, "  console    | {}", console_text(&self.house, &console));
        for held in &console.boxes {
            let bets: Vec<String> = held.bets.iter().map(|(p, c)| format!("{p}: {c}")).collect();
            let under: Vec<String> = held.under_minimum.iter().map(Position::to_string).collect();
            let _ = writeln!(
                text,
                "             |   {} {} ({}) over by {}, under the minimum: {}",
                held.spot,
                held.total,
                bets.join(", "),
                held.excess,
                if under.is_empty() { "nobody".to_owned() } else { under.join(", ") }
            );
        }
        let display = self.house.floor.display_view(TABLE).unwrap();
        let _ = writeln!(text, "  display    | {}", display_text(&self.house, &display));
        let pit = self.house.floor.pit_view();
        let row = &pit.tables[0];
        let _ = writeln!(
            text,
            "  pit        | {} players, {} settled, {} void, turnover {}, win {}, alerts {:?}, uncollected {}, payable {}",
            row.players,
            row.rounds.0,
            row.rounds.1,
            row.turnover,
            row.win,
            pit.alerts.iter().map(Alert::what).collect::<Vec<_>>(),
            pit.uncollected,
            pit.payable
        );
        self.text.push_str(&text);
    }

    pub fn done(mut self) {
        let _ = writeln!(self.text, "\n# the books");
        for (account, balance) in self.house.floor.accounts().iter().filter(|(_, balance)| *balance != Cents::ZERO) {
            let _ = writeln!(self.text, "  {:<24} {balance:>14}", format!("{account:?}"));
        }
        let game = &self.name;
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/playthroughs/{game}.txt"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &self.text).unwrap();
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        for (line, (was, is)) in golden.lines().zip(self.text.lines()).enumerate() {
            assert_eq!(was, is, "{game}, line {} (UPDATE_GOLDEN=1 writes the file anew)", line + 1);
        }
        assert_eq!(golden.lines().count(), self.text.lines().count(), "{game}: another length");
    }
}

/// Who sends a command.
fn who(sender: Sender) -> String {
    let names = [
        (DEALER, "dealer"),
        (SECOND_DEALER, "second dealer"),
        (SUPERVISOR, "pit supervisor"),
        (SECOND_SUPERVISOR, "second pit supervisor"),
        (MANAGER, "pit manager"),
        (SECOND_MANAGER, "second pit manager"),
        (SHIFT_MANAGER, "shift manager"),
        (SECOND_SHIFT_MANAGER, "second shift manager"),
        (CASINO_MANAGER, "casino manager"),
        (CASHIER, "cashier"),
        (ADMINISTRATOR, "administrator"),
        (SECOND_ADMINISTRATOR, "second administrator"),
    ];
    match sender {
        Sender::System => "host".to_owned(),
        Sender::Terminal(terminal) => format!("terminal {terminal}"),
        Sender::Device(_) => "device".to_owned(),
        Sender::Staff(id) => {
            let named = names.iter().find(|(staff, _)| *staff == id);
            named.map_or_else(|| format!("person {id}"), |(_, name)| (*name).to_owned())
        }
    }
}

/// What a command wants, and who signs beside the sender.
fn what(body: &Body) -> String {
    let words = match body {
        Body::Observe(observation) => format!("{observation:?}"),
        Body::CallSecondPerson { purpose, .. } => format!("call a second person, to {purpose}"),
        Body::Attest { finding, .. } => format!("attest {finding:?}"),
        Body::ReportInterruption { failed, .. } => format!("report an interruption: {failed:?}"),
        Body::AttendantIn { terminal, amount, .. } => format!("put {amount} on terminal {terminal}"),
        Body::AttendantPay { terminal, amount, .. } => format!("pay {amount} of terminal {terminal} by hand"),
        body if body.doing() == "do this" => {
            let text = format!("{body:?}");
            text.split([' ', '(']).next().unwrap_or_default().to_owned()
        }
        body => body.doing().to_owned(),
    };
    let second = body.clone().witness_mut().copied().flatten();
    second.map_or(words.clone(), |second| format!("{words}, with {}", who(Sender::Staff(second))))
}

fn outcome(house: &House, outcome: OutcomeIndex) -> String {
    house.rulebook(TABLE).outcomes().outcome(outcome).unwrap().to_string()
}

/// An event in a line: its own words, with outcomes and spots in the notation.
fn event(house: &House, event: &Event) -> String {
    let spot = |terminal: TerminalId, spot| {
        let layout = house.floor.layout_of(house.floor.terminal(terminal).unwrap()).unwrap();
        layout.table().spot(spot).unwrap().spot
    };
    match event {
        Event::BetsChanged { terminal, changes, added, removed, .. } => {
            let changes: Vec<String> = changes
                .iter()
                .map(|c| format!("{} {}{}", spot(*terminal, c.spot), sign(c.delta), group(c.group)))
                .collect();
            let groups: Vec<&str> = added.iter().map(|g| g.bet.as_str()).collect();
            format!("BetsChanged terminal {terminal}: {} added {groups:?} removed {removed:?}", changes.join(", "))
        }
        Event::RoundSettled { round, outcome: o, returns, .. } => {
            let returns: Vec<String> = returns.iter().map(|(t, c)| format!("terminal {t} {c}")).collect();
            format!("RoundSettled round {round} {}: {}", outcome(house, *o), returns.join(", "))
        }
        Event::ResultEntered { outcome: o, by, .. } => format!("ResultEntered {} by {by}", outcome(house, *o)),
        Event::ResultChanged { from, to, by, .. } => {
            format!("ResultChanged {} to {} by {by}", outcome(house, *from), outcome(house, *to))
        }
        other => format!("{other:?}"),
    }
}

fn sign(amount: Cents) -> String {
    if amount < Cents::ZERO { amount.to_string() } else { format!("+{amount}") }
}

fn group(group: u16) -> String {
    if group == 0 { String::new() } else { format!(" [{group}]") }
}

fn table_text(table: &TableView) -> String {
    match &table.round {
        None => "no round".to_owned(),
        Some(round) => {
            let notice = round.notice.as_ref().map_or("–", |text| text.en.as_str());
            let halted = if round.halted { ", halted" } else { "" };
            let interrupted = if round.interrupted { ", interrupted" } else { "" };
            format!("round {} {}: “{notice}”{halted}{interrupted}", round.id, round.phase.as_str())
        }
    }
}

fn terminal_text(house: &House, view: &TerminalView) -> String {
    let bets: Vec<String> = view.bets.iter().map(|(spot, g, c)| format!("{spot} {c}{}", group(*g))).collect();
    let last = view.last.map_or("–".to_owned(), |last| {
        let shown = last.outcome.map_or("void".to_owned(), |o| outcome(house, o));
        format!("{shown} bet {} back {}", last.staked, last.returned)
    });
    let bets = if bets.is_empty() { "no bets".to_owned() } else { bets.join(", ") };
    format!("{} | {bets} | credit {} | last {last}", table_text(&view.table), view.credit)
}

fn console_text(house: &House, view: &ConsoleView) -> String {
    let worst = view.worst.map_or("–".to_owned(), |(o, cost)| format!("{} costs {cost}", outcome(house, o)));
    let entered = view.entered.map_or("–".to_owned(), |(o, pays)| format!("{} returns {pays}", outcome(house, o)));
    let ground = view.ground.as_ref().map_or("–".to_owned(), |(_, cite, text)| format!("{} ({cite})", text.en));
    let proposal = view.proposal.as_ref().map_or("–".to_owned(), |p| {
        format!("{:?} ({}), {} bets concluded", p.finding, p.paragraph, p.concluded.len())
    });
    format!(
        "staked {} | worst {worst} | awaiting {} | entered {entered} | ground {ground} | proposal {proposal}",
        view.staked, view.awaiting
    )
}

fn display_text(house: &House, view: &DisplayView) -> String {
    let history: Vec<String> = view.table.history.iter().map(|o| outcome(house, *o)).collect();
    let lit: Vec<String> = view.lit.iter().map(Spot::to_string).collect();
    format!("results {} | lit {} | for information only ({})", history.join(" "), lit.join(" "), view.information_only)
}

/// The same story on every game with terminals: a round won and lost, a short tumble or spin, an interruption, a wrong
/// result put right after another player has come.
fn on_terminals(game: &str, bets: [&[&'static str]; 2], results: [&'static str; 3]) {
    let mut play = Play::new(game);
    let [first, second] = bets;
    let [result, wrong, right] = results;
    let wheel = play.house.rulebook(TABLE).outcomes().wheel().is_some();
    play.step("bets are opened", |h| {
        h.open();
    });
    play.step("two players bet", |h| {
        h.bet(T0, first);
        h.bet(T1, second);
    });
    play.screens();
    play.step("bets are closed", |h| h.close());
    play.step("the device is set off and read", |h| h.play_device());
    play.step("the dealer enters the result", |h| h.enter(result));
    play.screens();
    play.step("and confirms it", |h| drop(h.staff(DEALER, Body::confirm_result(TABLE))));
    play.screens();

    play.step("a round in which the device reports a ground", |h| {
        h.open();
        h.ok(Sender::Terminal(T0), Body::RepeatBets { doubled: true });
        h.close();
        if wheel {
            h.device(Observation::Spun { against_rotation: false, wheel_rotating: true });
        } else {
            if game != "mbs-sicbo" {
                h.device(Observation::Activated);
            }
            h.device(Observation::Tumbled { times: 2 });
        }
    });
    play.screens();
    play.step("the dealer confirms it: void", |h| drop(h.staff(DEALER, Body::ConfirmGround { table: TABLE })));
    play.screens();

    play.step("an interruption after the close, one thing read", |h| {
        h.open();
        h.bet(T1, second);
        h.close();
        h.play_device();
        if wheel {
            let pocket = h.outcome(TABLE, wrong);
            h.device(Observation::Rested { pocket });
        } else {
            let dice = [rulebook::Face::new(1), None, None];
            h.device(Observation::DiceRead { dice });
        }
        let from = h.at;
        h.later(60_000);
        h.system(Body::ReportStoppage { from, terminals_back: true });
    });
    play.screens();
    play.step("attested as established; the wrong result is entered and confirmed", |h| {
        h.staff(DEALER, Body::Attest { table: TABLE, finding: Finding::Established, witness: Some(SUPERVISOR) });
        h.enter(wrong);
        h.confirm();
    });
    play.screens();
    play.step("the second player cashes out, the error is noticed, the result corrected", |h| {
        let round = h.floor.table(TABLE).unwrap().archive().next_back().unwrap().id();
        if h.credit(T1).is_positive() {
            h.cash_out(T1);
        }
        let outcome = h.outcome(TABLE, right);
        let (sender, witness) =
            if game == "mbs-sicbo" { (SHIFT_MANAGER, SECOND_SHIFT_MANAGER) } else { (SUPERVISOR, SECOND_SUPERVISOR) };
        let reason = "the camera shows another result".to_owned();
        h.staff(sender, Body::CorrectResult { round, outcome, reason, witness: Some(witness) });
    });
    play.screens();

    play.step("a second tumble or spin halts the round: the first outcome stands (D18)", |h| {
        h.open();
        h.bet(T0, first);
        h.close();
        let outcome = h.outcome(TABLE, result);
        h.honest_device(TABLE, outcome);
        h.tumble_at(TABLE);
        h.refused(Sender::Staff(DEALER), Body::enter_result(TABLE, outcome), Code::SecondTumble);
    });
    play.screens();
    play.step("the dealer and a Pit Supervisor end the round with it", |h| {
        h.staff(DEALER, Body::KeepFirstOutcome { table: TABLE, witness: Some(SUPERVISOR), affirmed: Vec::new() });
    });
    play.screens();
    play.step("power fails at the table, and the device stays dead (D19, D21)", |h| {
        if game == "mbs-sicbo" {
            h.staff(DEALER, Body::BeginRound { table: TABLE });
        } else {
            h.open();
            h.bet(T0, first);
            h.close();
        }
        h.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::Power, note: None });
    });
    play.screens();
    play.step("attested as not affected; the device goes out of service and the dealer affirms", |h| {
        h.staff(DEALER, Body::Attest { table: TABLE, finding: Finding::NotAffected, witness: Some(SUPERVISOR) });
        let service = Body::ChangeService {
            device: DEVICE,
            function: Function::Device,
            in_service: false,
            reason: "no report since the power failed".to_owned(),
            witness: Some(SECOND_SUPERVISOR),
        };
        h.staff(SECOND_DEALER, service);
        if game == "mbs-sicbo" {
            let affirmed = vec![rulebook::Point::Cover, rulebook::Point::Times];
            h.staff(DEALER, Body::OpenBets { table: TABLE, affirmed });
            h.close();
        }
        h.enter(result);
        h.confirm();
    });
    play.screens();
    play.done();
}

#[test]
fn playthrough_of_rws_sicbo() {
    on_terminals(
        "rws-sicbo",
        [&["small=50.00", "total/8=10.00"], &["big=20.00", "triple/any=5.00"]],
        ["2-2-4", "1-5-6", "1-1-1"],
    );
}

#[test]
fn playthrough_of_rws_sicbo_open() {
    on_terminals(
        "rws-sicbo-open",
        [&["odd=50.00", "four/1-2-3-4=10.00"], &["even=20.00", "single/1=5.00"]],
        ["1-2-4", "1-5-6", "1-1-2"],
    );
}

#[test]
fn playthrough_of_mbs_sicbo() {
    on_terminals(
        "mbs-sicbo",
        [&["pair/1-1-3=2.00", "three/1-2-4=3.00"], &["even=20.00", "domino/1-6=5.00"]],
        ["4-2-1", "1-5-6", "1-1-3"],
    );
}

#[test]
fn playthrough_of_rws_roulette_000() {
    on_terminals(
        "rws-roulette-000",
        [&["neighbours/21/2=5.00", "red=10.00"], &["grandseries=1.00", "green=5.00"]],
        ["4", "17", "000"],
    );
}

#[test]
fn playthrough_of_rws_taisai() {
    let mut play = Play::new("rws-taisai");
    play.step("the table gets its float, players buy chips", |h| {
        h.float(SUPERVISOR, FloatMovement::Opener(dollars(50_000)));
        h.float(DEALER, FloatMovement::BuyIn(dollars(4_000)));
    });
    let place = |h: &mut House, position: u8, spot: &str, amount: i64| {
        let (spot, amount) = (h.chip_spot(spot), dollars(amount));
        h.staff(
            DEALER,
            Body::PlaceChips { table: TABLE, position: Position(position), spot, amount, for_player: false },
        );
    };
    play.step("bets are opened and placed, too many on big", |h| {
        h.open();
        place(h, 1, "big", 900);
        place(h, 2, "big", 300);
        place(h, 3, "big", 20);
        place(h, 4, "small", 200);
        place(h, 4, "double/5", 50);
    });
    play.screens();
    play.step("the dealer advises a player and does not notice the excess", |h| {
        let spot = h.chip_spot("big");
        h.staff(DEALER, Body::AdviseMinimum { table: TABLE, position: Position(3), spot });
        h.staff(DEALER, Body::PlayerLeft { table: TABLE, position: Position(2) });
    });
    play.step("the round is dealt and settled pro rata", |h| drop(h.finish("5-5-6")));
    play.screens();
    play.step("another round: the excess is rejected", |h| {
        h.open();
        place(h, 1, "big", 400);
        place(h, 2, "big", 300);
        let spot = h.chip_spot("big");
        h.staff(DEALER, Body::RejectExcess { table: TABLE, spot });
    });
    play.screens();
    play.step("the covered dice are exposed too early: void", |h| {
        h.device(Observation::Activated);
        h.device(Observation::Tumbled { times: 3 });
        h.device(Observation::Uncovered);
        h.staff(DEALER, Body::ConfirmGround { table: TABLE });
    });
    play.screens();
    play.step("dice found damaged: the settled round is void too", |h| {
        let rounds = vec![RoundId(0)];
        let reason = "a die is chipped".to_owned();
        let witness = Some(SECOND_MANAGER);
        h.staff(MANAGER, Body::VoidRounds { table: TABLE, ground: GroundId::DiceDamaged, rounds, reason, witness });
    });
    play.screens();
    play.step("the table is counted", |h| {
        let counted = h.floor.table(TABLE).unwrap().float();
        h.float(SUPERVISOR, FloatMovement::Closer(counted));
        h.float(SUPERVISOR, FloatMovement::Drop(dollars(4_000)));
    });
    play.done();
}
