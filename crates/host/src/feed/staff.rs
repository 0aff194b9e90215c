//! What staff see, sent a few times a second while it changes.

use std::sync::Arc;
use std::time::Duration;

use floor::{Body, Floor, Moment, Refusal, Sender, StaffId, TableId};
use rulebook::OutcomeIndex;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::clock;
use crate::error::Error;
use crate::hub::Viewer;
use crate::view::{self, MaySection};

/// Between two messages to staff at least so much time passes.
const PACE: Duration = Duration::from_millis(100);

/// Tells staff what they see whenever it changes.
pub async fn run(app: Arc<App>) {
    loop {
        app.hub.staff.notified().await;
        if app.hub.staff_watch() {
            app.read(|floor| app.hub.tell_staff(floor, |viewer| sections(&app, floor, viewer)));
        }
        tokio::time::sleep(PACE).await;
    }
}

/// What a person sees beside the table.
pub fn sections(app: &App, floor: &Floor, viewer: Viewer) -> Option<Value> {
    let mut view = Map::new();
    match viewer {
        Viewer::Console(table, staff) => {
            let may = may(floor, table, staff, clock::now());
            view.insert(
                "console".to_owned(),
                json!(view::console(floor, table, may, app.is_demonstration(), clock::now())),
            );
            view.insert("faults".to_owned(), json!(app.demonstration.as_ref().map(|demo| demo.faults(floor, table))));
        }
        Viewer::Pit(_) => {
            let tables = floor.tables().iter().filter_map(|table| {
                let id = table.id();
                let at = clock::now();
                view::pit_table(floor, id, app.is_automatic(id), app.watch.games_per_hour(id, at), at)
            });
            let (tables, more_tables) = view::tables_that_fit(tables.collect());
            let (alerts, more_alerts) = view::alerts(floor);
            let (uncollected, payable) = floor.corrections_left();
            let lists = view::shown(floor, app.links.held(), clock::now());
            let section = view::PitSection {
                tables,
                more_tables,
                alerts,
                more_alerts,
                uncollected: uncollected.into(),
                payable: payable.into(),
                payables: lists.payables,
                stops: lists.stops,
                staff: lists.staff,
                doubts: lists.doubts,
                gaming_day: (floor.level() >= floor::TAGGED).then(|| records::day_text(floor.gaming_day())),
                moved: lists.moved,
                thresholds: view::thresholds(floor),
                calls: lists.calls,
                drawers: lists.drawers,
                held: lists.held,
                links: lists.links,
                more: lists.more,
            };
            view.insert("pit".to_owned(), json!(section));
        }
        Viewer::Cage(staff) => drop(view.insert("cage".to_owned(), json!(view::cage(floor, staff)))),
        Viewer::Admin(_) => {
            let devices = floor.devices().iter().map(|device| view::device(floor, device, app.is_demonstration()));
            view.insert("floor".to_owned(), json!(view::floor(floor, clock::now(), |table| app.is_automatic(table))));
            view.insert("devices".to_owned(), json!(devices.collect::<Vec<_>>()));
            let staff: Vec<_> = floor.staff().iter().map(|staff| view::staff(floor, staff)).collect();
            view.insert("staff".to_owned(), json!(staff));
            view.insert("control".to_owned(), json!(view::control(floor)));
            view.insert("health".to_owned(), json!(app.health(floor)));
        }
        Viewer::Terminal(_) | Viewer::Display(_) | Viewer::Device(_) => return None,
    }
    Some(Value::Object(view))
}

fn may(floor: &Floor, table: TableId, staff: StaffId, at: Moment) -> MaySection {
    let ask =
        |body: Body| floor.may(Sender::Staff(staff), &body, at).err().map(|refusal: Refusal| Error::from(refusal));
    let ground = floor.table(table).and_then(|table| floor.rulebook_of(table)).and_then(|rulebook| {
        let declared = |ground: &&rulebook::VoidGround| ground.arises != rulebook::Arises::Attested;
        rulebook.void_grounds().iter().find(declared).map(|ground| ground.id)
    });
    // The dealer's affirmations and the second person are requested with the step; here it is whether the step is due.
    let due = |body: Body| ask(body).filter(|error| !matches!(error.code.as_ref(), "affirm" | "second_person"));
    let outcome: Option<OutcomeIndex> = floor
        .table(table)
        .and_then(|table| floor.rulebook_of(table))
        .and_then(|rulebook| rulebook.outcomes().indices().next());
    let spot = floor
        .table(table)
        .and_then(|table| floor.rulebook_of(table))
        .and_then(|rulebook| rulebook.layouts().first())
        .and_then(|layout| layout.table().indices().next());
    MaySection {
        take_table: ask(Body::TakeTable { table }),
        begin_round: ask(Body::BeginRound { table }),
        open_bets: due(Body::open_bets(table)),
        close_bets: ask(Body::CloseBets { table }),
        enter_result: outcome.and_then(|outcome| due(Body::enter_result(table, outcome))),
        confirm_result: due(Body::confirm_result(table)),
        declare_ground: ground.and_then(|ground| due(Body::declare_ground(table, ground))),
        keep_first_outcome: due(Body::KeepFirstOutcome { table, witness: None, affirmed: Vec::new() }),
        report_interruption: ask(Body::ReportInterruption { table, failed: floor::Failed::Display, note: None }),
        answer_fault: ask(Body::AnswerFault { table, affects: false }),
        open_table: ask(Body::OpenTable { table }),
        announce_closing: ask(Body::AnnounceClosing { table }),
        close_table: ask(Body::CloseTable { table }),
        record_chips: spot.and_then(|spot| {
            let amount = floor.table(table).map_or(rulebook::Cents::ZERO, |table| table.settings().step);
            ask(Body::PlaceChips { table, position: floor::Position(1), spot, amount, for_player: false })
        }),
        refuse_late: ask(Body::RefuseLate { table, position: floor::Position(1) }),
        declare_uncovered: ask(Body::DeclareUncovered { table }),
        state_early_rest: due(Body::StateEarlyRest { table, affirmed: Vec::new() }),
    }
}
