//! Automatic players: they buy in, bet while bets are open, show the close, and sometimes cash out.

use std::sync::Arc;
use std::time::Duration;

use floor::{BetChange, Body, Few, Floor, Phase, Position, RoundId, Sender, TableId, TableMode, TerminalId};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rulebook::{Cents, SpotIndex};
use tokio::time::{sleep, timeout};

use crate::app::App;
use crate::demo::TableDemo;

/// Chips an automatic player uses.
const CHIPS: [i64; 5] = [100, 500, 1_000, 2_500, 5_000];
/// Below this a player buys in again.
const POOR: i64 = 10_000;
/// What a player buys in with.
const BUY_IN: i64 = 50_000;
/// Above this a player sometimes cashes out, and another one sits down.
const RICH: i64 = 150_000;

/// Plays without end.
pub async fn run(app: Arc<App>, id: TableId, demo: Arc<TableDemo>) {
    for terminal in &demo.players {
        let _ = app.own_unanswered(Body::TerminalBack { terminal: *terminal });
    }
    let (mut played, mut shown): (Option<RoundId>, Option<RoundId>) = (None, None);
    loop {
        let changed = demo.changed.notified();
        let state = app.read(|floor| {
            let table = floor.table(id)?;
            let round = table.round()?;
            let left = round.closes_at().map(|at| at.since(crate::clock::now()));
            Some((round.id(), round.phase(), table.mode(), left))
        });
        match state {
            Some((round, Phase::Open, mode, left)) if played != Some(round) => {
                played = Some(round);
                let (app, demo) = (Arc::clone(&app), Arc::clone(&demo));
                let long = i64::try_from(app.paced(Duration::from_secs(12)).as_millis()).unwrap_or(12_000);
                let span = u64::try_from(left.unwrap_or(long)).unwrap_or(0).saturating_sub(1_500).max(500);
                tokio::spawn(async move {
                    match mode {
                        TableMode::Terminals => bet(&app, id, &demo, round, span).await,
                        TableMode::BetsRecorded => chips(&app, id, &demo, round, span).await,
                        TableMode::ResultsOnly => {}
                    }
                });
            }
            Some((round, Phase::Closed, TableMode::Terminals, _)) if shown != Some(round) => {
                shown = Some(round);
                show_close(&app, &demo, round).await;
            }
            _ => {
                let _ = timeout(Duration::from_millis(500), changed).await;
            }
        }
    }
}

/// Every automatic terminal shows that there are no more bets (D12).
async fn show_close(app: &Arc<App>, demo: &TableDemo, round: RoundId) {
    let Some(demonstration) = &app.demonstration else { return };
    for terminal in &demo.players {
        if app.read(|floor| floor.terminal(*terminal).is_some_and(floor::Terminal::is_live)) {
            let _ = demonstration.send(app, Sender::Terminal(*terminal), Body::AcknowledgeClose { round }).await;
        }
    }
}

/// When each player acts, from the first to the last.
fn times(count: usize, span: u64) -> Vec<(u64, usize)> {
    let mut rng = rand::rng();
    let mut times: Vec<(u64, usize)> = (0..count).map(|player| (rng.random_range(200..200 + span), player)).collect();
    times.retain(|_| rng.random_bool(0.85));
    times.sort_unstable();
    times
}

fn still_open(floor: &Floor, id: TableId, round: RoundId) -> bool {
    floor
        .table(id)
        .and_then(floor::Table::round)
        .is_some_and(|open| open.id() == round && open.phase() == Phase::Open && !open.is_halted())
}

async fn bet(app: &Arc<App>, id: TableId, demo: &TableDemo, round: RoundId, span: u64) {
    let Some(demonstration) = &app.demonstration else { return };
    let mut passed = 0;
    for (at, player) in times(demo.players.len(), span) {
        sleep(Duration::from_millis(at.saturating_sub(passed))).await;
        passed = at;
        let Some(terminal) = demo.players.get(player).copied() else { continue };
        if !app.read(|floor| still_open(floor, id, round)) {
            return;
        }
        let credit = app.read(|floor| floor.terminal(terminal).map_or(0, |terminal| terminal.credit().get()));
        let tired = rand::rng().random_bool(0.2);
        if credit > RICH && tired {
            go_home(app, terminal).await;
        }
        if credit < POOR {
            let _ = demonstration.cash(app, terminal, Cents::new(BUY_IN)).await;
        }
        let repeats = rand::rng().random_bool(0.1);
        let body = if repeats {
            Body::RepeatBets { doubled: false }
        } else {
            Body::Bet { changes: app.read(|floor| some_bets(floor, terminal)) }
        };
        if let Err(error) = demonstration.send(app, Sender::Terminal(terminal), body).await {
            tracing::trace!(code = error.error.code, "an automatic player was refused");
        }
    }
}

/// A ticket for the whole credit, printed at once, and soon put in at another terminal.
async fn go_home(app: &Arc<App>, terminal: TerminalId) {
    let Some(demonstration) = &app.demonstration else { return };
    let sender = Sender::Terminal(terminal);
    let number = app.read(|floor| demonstration.numbers.next(floor, sender));
    let issued = app.issue(sender, number, |hash| Body::PrepareTicket { terminal, number: hash }).await;
    if let Ok((_, slip)) = issued {
        let ticket = floor::TicketId(slip.id);
        let _ = demonstration.send(app, sender, Body::TicketPrinted { ticket }).await;
        // Most of them are redeemed, so that they do not pile up.
        let redeems = rand::rng().random_bool(0.9);
        if let Some(hash) = app.ticket_hash(&slip.number).ok().filter(|_| redeems) {
            let _ = demonstration.send(app, sender, Body::TicketIn { terminal, number: hash }).await;
            let credit = app.read(|floor| floor.terminal(terminal).map_or(Cents::ZERO, floor::Terminal::credit));
            let supervisor = demonstration.tables().next().map(|(_, demo)| (demo.supervisor, demo.dealer));
            if let Some((supervisor, _)) = supervisor {
                let pay = Body::AttendantPay { terminal, amount: credit, witness: None };
                let _ = demonstration.send(app, Sender::Staff(supervisor), pay).await;
            }
        }
    }
}

fn some_bets(floor: &Floor, terminal: TerminalId) -> Few<BetChange> {
    let mut rng = rand::rng();
    let Some((found, layout)) = floor.terminal(terminal).and_then(|t| Some((t, floor.layout_of(t)?))) else {
        return Few::new();
    };
    let spots: Vec<SpotIndex> = layout.table().indices().collect();
    let step = floor.table(found.table()).map_or(100, |table| table.settings().step.get()).max(1);
    let count = rng.random_range(1..=5);
    let bet = |_| {
        let spot = *spots.choose(&mut rand::rng())?;
        let chip = *CHIPS.choose(&mut rand::rng())?;
        Some(BetChange::Add { spot, amount: Cents::new((chip / step).max(1) * step) })
    };
    (0..count).filter_map(bet).collect()
}

/// At a live table chips stand on the layout, recorded by the dealer.
async fn chips(app: &Arc<App>, id: TableId, demo: &TableDemo, round: RoundId, span: u64) {
    let Some(demonstration) = &app.demonstration else { return };
    let dealer = Sender::Staff(demo.dealer);
    let mut passed = 0;
    for (at, player) in times(7, span) {
        sleep(Duration::from_millis(at.saturating_sub(passed))).await;
        passed = at;
        let position = Position(u8::try_from(player + 1).unwrap_or(1));
        let spots: Vec<SpotIndex> = app.read(|floor| {
            let layout = floor.table(id).and_then(|table| floor.rulebook_of(table)).and_then(|r| r.layouts().first());
            layout.map(|layout| layout.table().indices().collect()).unwrap_or_default()
        });
        let count = rand::rng().random_range(1..=3);
        for _ in 0..count {
            if !app.read(|floor| still_open(floor, id, round)) || !app.is_automatic(id) {
                return;
            }
            let Some(spot) = spots.choose(&mut rand::rng()).copied() else { return };
            let amount = Cents::new(*[2_500, 5_000, 10_000, 20_000].choose(&mut rand::rng()).unwrap_or(&2_500));
            let place = Body::PlaceChips { table: id, position, spot, amount, for_player: false };
            let buy = |witness| Body::MoveFloat {
                table: id,
                movement: floor::FloatMovement::BuyIn(amount),
                counts: Vec::new(),
                witness,
                reason: String::new(),
            };
            // Past the threshold the supervisor signs for what the dealer has sold (D27).
            if demonstration.send(app, dealer, buy(None)).await.is_err() {
                let _ = demonstration.send(app, dealer, buy(Some(demo.supervisor))).await;
            }
            let _ = demonstration.send(app, dealer, place).await;
        }
    }
}
