//! `pipe`: a floor driven over standard input and output.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::floor::{DEALER, Pipe, Place, ROULETTE, SHIFT_MANAGERS, STRAIGHT_17, TERMINALS};
use crate::{program, refused};

#[test]
fn the_demonstration_floor_has_every_table_rank_and_layout() {
    let place = Place::new();
    let mut pipe = Pipe::demo(&place.at("floor"));
    let tables = pipe.floor["tables"].as_array().unwrap();
    let games: Vec<&str> = tables.iter().filter_map(|table| table["game"].as_str()).collect();
    assert_eq!(games, ["mbs-sicbo", "rws-roulette-000", "rws-sicbo", "rws-sicbo-open", "rws-taisai"]);
    let mut layouts: Vec<String> = tables
        .iter()
        .flat_map(|table| {
            let terminals = table["terminals"].as_array().unwrap().iter();
            terminals
                .map(|terminal| format!("{} {}", table["game"].as_str().unwrap(), terminal["layout"].as_str().unwrap()))
        })
        .collect();
    layouts.sort();
    layouts.dedup();
    assert_eq!(layouts.len(), 9, "{layouts:?}");
    let staff: Vec<&str> =
        pipe.floor["staff"].as_array().unwrap().iter().filter_map(|person| person["name"].as_str()).collect();
    for post in ["dealer", "pit-supervisor", "pit-manager", "shift-manager", "casino-manager", "cashier", "auditor"] {
        assert!(staff.contains(&format!("{post} 2").as_str()), "{post} of {staff:?}");
    }
    assert_eq!(pipe.floor["demonstration"], true);
    assert_eq!((&pipe.recovered["sequence"], &pipe.recovered["snapshot"]), (&json!(0), &Value::Null));
    assert_eq!(pipe.end(), Some(0));
}

#[test]
fn a_round_is_played_and_there_after_a_restart() {
    let place = Place::with_a_round();
    let mut pipe = Pipe::demo(&place.at("floor"));
    assert_eq!(pipe.recovered["replayed"], 0, "the snapshot has everything: {}", pipe.recovered);
    assert_eq!(pipe.recovered["snapshot"], pipe.recovered["sequence"]);
    assert_eq!((&pipe.recovered["open_rounds"], &pipe.recovered["stoppage_reported"]), (&json!(0), &Value::Null));
    assert!(pipe.recovered["program_started"]["accepted"].is_u64() && pipe.recovered["locked"] == false);
    assert_eq!(pipe.end(), Some(0));
    let report = place.json("audit");
    assert_eq!((&report["settlements"], &report["tables"][1]["settled"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&report["tables"][1]["turnover"], &report["tables"][1]["house_win"]),
        (&json!("10.00"), &json!("-350.00"))
    );
}

#[test]
fn d24_a_round_of_long_ago_is_recalled_and_changed_after_its_preview() {
    let place = Place::new();
    let mut pipe = Pipe::demo(&place.at("floor"));
    for _ in 0..34 {
        pipe.play_a_round();
    }
    let changes = json!([[0, null]]);
    let preview = json!({ "preview": { "table": ROULETTE, "changes": changes } });
    let refused = pipe.question(preview.clone());
    assert_eq!(refused["refused"]["code"], "not_found", "{refused}");
    let recalled = pipe.question(json!({ "recall": [0] }));
    for command in recalled["recall"].as_array().expect("commands") {
        pipe.ok(json!("System"), command.clone());
    }
    let shown = pipe.question(preview);
    let round = &shown["preview"]["rounds"][0];
    assert_eq!((&round["round"], &round["players"]), (&json!(0), &json!(1)), "{shown}");
    let change = json!({ "ChangeRounds": {
        "table": ROULETTE, "changes": changes, "ground": null, "reason": "a magnet was found",
        "preview": shown["preview"]["hash"], "witness": SHIFT_MANAGERS[1],
    } });
    pipe.ok(json!({ "Staff": SHIFT_MANAGERS[0] }), change);
    assert!(pipe.question(json!({ "recall": ["x"] }))["malformed"].is_string());
    assert_eq!(pipe.end(), Some(0));
}

#[test]
fn a_round_that_was_open_is_reported_as_stopped() {
    let place = Place::new();
    let data = place.at("floor");
    let mut pipe = Pipe::demo(&data);
    pipe.ok(json!({ "Staff": DEALER }), json!({ "OpenBets": { "table": ROULETTE } }));
    assert_eq!(pipe.end(), Some(0));
    let mut pipe = Pipe::demo(&data);
    assert_eq!(pipe.recovered["open_rounds"], 1);
    let reported = pipe.recovered["stoppage_reported"]["accepted"].as_u64().expect("D6").to_string();
    assert_eq!(pipe.end(), Some(0));
    let record = place.run(&format!("journal dump --from {reported} --to {reported}")).stdout;
    assert!(record.contains("\"StoppageRecorded\":{\"table\":1,\"round\":0,"), "{record}");
}

#[test]
fn a_retry_gets_the_first_answer_and_another_command_under_its_number_none() {
    let place = Place::new();
    let mut pipe = Pipe::demo(&place.at("floor"));
    let dealer = json!({ "Staff": DEALER });
    let open = json!({ "OpenBets": { "table": ROULETTE } });
    let first = pipe.ask(dealer.clone(), 7, open.clone());
    assert!(first["accepted"].is_u64(), "{first}");
    assert_eq!(pipe.ask(dealer.clone(), 7, open), first);
    let other = pipe.ask(dealer.clone(), 7, json!({ "CloseBets": { "table": ROULETTE } }));
    assert_eq!(other["refused"]["code"], "number_reused");
    // A number that another has overtaken is still good; one that is older than the answers kept is not.
    let overtaken = pipe.ask(dealer.clone(), 6, json!({ "CloseBets": { "table": ROULETTE } }));
    assert!(overtaken["accepted"].is_u64(), "{overtaken}");
    assert_eq!(pipe.end(), Some(0));
}

#[test]
fn a_refusal_has_a_code_a_rule_and_words() {
    let place = Place::new();
    let mut pipe = Pipe::demo(&place.at("floor"));
    let add = json!({ "Add": { "spot": STRAIGHT_17, "amount": 1_000 } });
    let answer = pipe.ask(json!({ "Terminal": TERMINALS[0] }), 1, json!({ "Bet": { "changes": [add] } }));
    assert_eq!(answer, json!({ "refused": { "code": "bets_closed", "rule": "3.2", "words": "bets are not open" } }));
    assert_eq!(pipe.end(), Some(0));
}

#[test]
fn what_is_no_command_is_said_so_and_the_next_line_is_read() {
    let place = Place::new();
    let mut pipe = Pipe::demo(&place.at("floor"));
    let own = u64::MAX;
    for (line, tag) in [
        ("nonsense".to_owned(), Value::Null),
        ("{\"tag\":3,\"sender\":\"System\",\"number\":1}".to_owned(), json!(3)),
        ("{\"tag\":4,\"sender\":\"System\",\"number\":1,\"body\":\"Elapse\",\"at\":5}".to_owned(), json!(4)),
        ("{\"tag\":-4,\"sender\":\"System\",\"number\":1,\"body\":\"Elapse\"}".to_owned(), Value::Null),
        ("{\"tag\":5,\"sender\":{\"Terminal\":99999999999},\"number\":1,\"body\":\"ClearBets\"}".to_owned(), json!(5)),
        (format!("{{\"tag\":{own},\"sender\":\"System\",\"number\":1,\"body\":\"Elapse\"}}"), json!(own)),
        ("x".repeat(3 << 20), Value::Null),
    ] {
        pipe.say("");
        pipe.say(&line);
        let answer = pipe.answer();
        assert_eq!(answer["tag"], tag, "{answer}");
        assert!(answer["malformed"].is_string(), "{answer}");
    }
    let unknown = pipe.ask(json!({ "Terminal": 4_000_000 }), 1, json!("ClearBets"));
    assert_eq!(unknown["refused"]["code"], "unknown_sender");
    assert_eq!(pipe.end(), Some(0));
}

#[test]
fn a_folder_in_use_is_refused() {
    let place = Place::new();
    let data = place.at("floor");
    let mut pipe = Pipe::demo(&data);
    let refused = refused(&["pipe", "--data", &data]);
    assert_eq!(refused.code, "in_use");
    assert!(refused.message.contains("is in use by another process"), "{}", refused.message);
    assert!(place.json("audit")["running"] == true);
    assert_eq!(pipe.end(), Some(0));
}

#[test]
fn a_floor_of_one_s_own_begins_with_create_floor() {
    let place = Place::new();
    let data = place.at("floor");
    let mut pipe = own_floor(&data, program(), false);
    let early = pipe.ask(json!("System"), 1, json!("Elapse"));
    assert_eq!(early["refused"]["code"], "floor");
    let settings = json!({ "name": "house", "demonstration": false, "day_starts": 360, "ticket_days": 30 });
    assert_eq!(pipe.ask(json!("System"), 1, json!({ "CreateFloor": settings })), json!({ "accepted": 1 }));
    // The program's start is the next record, under the next number.
    let person = json!({ "AddStaff": { "name": "Ada", "post": "Administrator" } });
    assert_eq!(pipe.ask(json!("System"), 2, person.clone())["refused"]["code"], "number_reused");
    assert_eq!(pipe.ask(json!("System"), 3, person), json!({ "accepted": 3 }));
    assert_eq!(pipe.end(), Some(0));
    let second = place.run("journal dump --from 2 --to 2").stdout;
    assert!(second.contains("\"ProgramStarted\""), "{second}");
    let pipe = own_floor(&data, program(), true);
    assert_eq!((&pipe.recovered["locked"], &pipe.recovered["system_number"]), (&json!(false), &json!(5)));
}

#[test]
fn another_program_locks_play_until_it_is_accepted() {
    let place = Place::new();
    let data = place.at("floor");
    let mut pipe = own_floor(&data, program(), false);
    let settings = json!({ "name": "house", "demonstration": false, "day_starts": 360, "ticket_days": 30 });
    pipe.ask(json!("System"), 1, json!({ "CreateFloor": settings }));
    pipe.ask(json!("System"), 3, json!({ "AddStaff": { "name": "Ada", "post": "Administrator" } }));
    pipe.ask(json!("System"), 4, json!({ "AddStaff": { "name": "Eve", "post": "Administrator" } }));
    assert_eq!(pipe.end(), Some(0));
    // A client of a pipe can act as any person: a floor that is no demonstration must be driven in this way on purpose
    // only.
    assert_eq!(refused(&["pipe", "--data", &data]).code, "production");
    // The rounds of a real floor stay within reach of a correction (D24).
    assert_eq!(refused(&["pipe", "--production", "--keep-days", "399", "--data", &data]).code, "keep_days");

    let mut pipe = own_floor(&data, another_program(&place), true);
    assert_eq!((&pipe.recovered["program_changed"], &pipe.recovered["locked"]), (&json!(true), &json!(true)));
    assert!(pipe.recovered["words"].as_str().unwrap().contains("play is locked until it is accepted (S10)"));
    let person = json!({ "AddStaff": { "name": "Bea", "post": "Cashier" } });
    assert_eq!(pipe.ask(json!("System"), 100, person.clone())["refused"]["code"], "locked");
    let accept = |witness: u32| json!({ "AcceptProgram": { "witness": witness } });
    assert_eq!(pipe.ask(json!({ "Staff": 0 }), 1, accept(0))["refused"]["code"], "second_person");
    assert!(pipe.ask(json!({ "Staff": 0 }), 2, accept(1))["accepted"].is_u64());
    assert!(pipe.ask(json!("System"), 100, person)["accepted"].is_u64());
    assert_eq!(pipe.end(), Some(0));
    assert_eq!(place.run("audit").code, 0);
    let findings = place.json("audit")["people"].to_string();
    assert!(findings.contains("driven over a pipe, without sign-in"), "{findings}");
}

#[test]
fn a_demonstration_accepts_another_program_by_itself_and_says_so() {
    let place = Place::new();
    let data = place.at("floor");
    assert_eq!(Pipe::demo(&data).end(), Some(0));
    let mut pipe = own_floor(&data, another_program(&place), true);
    assert_eq!((&pipe.recovered["program_changed"], &pipe.recovered["locked"]), (&json!(true), &json!(false)));
    assert!(pipe.recovered["words"].as_str().unwrap().contains("and is accepted (S10)"), "{}", pipe.recovered);
    assert_eq!(pipe.end(), Some(0));
    let mut pipe = own_floor(&data, Command::new(place.at("croupier")), true);
    assert_eq!(pipe.recovered["program_changed"], false);
    assert_eq!(pipe.end(), Some(0));
}

/// The same program with a byte after its end is another program. A process of its own writes it: a program that is open
/// for writing anywhere cannot be started.
fn another_program(place: &Place) -> Command {
    let other = place.at("croupier");
    let script = "cp \"$1\" \"$2\" && printf x >> \"$2\"";
    let copied = Command::new("sh").args(["-c", script, "copy", env!("CARGO_BIN_EXE_croupier"), &other]).status();
    assert!(copied.unwrap().success());
    Command::new(other)
}

fn own_floor(data: &str, mut program: Command, there_is_a_floor: bool) -> Pipe {
    program.args(["pipe", "--production", "--segment", "1", "--data", data]);
    Pipe::spawn(program, there_is_a_floor)
}

#[test]
fn a_reader_that_goes_away_ends_it_in_order() {
    let place = Place::new();
    let data = place.at("floor");
    let words = ["pipe", "--demo", "--segment", "1", "--data", &data];
    let mut child =
        program().args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let report = place.json("audit");
    assert_eq!((&report["unsigned"], &report["snapshots"]), (&json!(0), &json!(1)));
}

#[test]
fn checkpoints_come_as_lines_that_anchor_an_audit() {
    let place = Place::new();
    let mut pipe = Pipe::start(&["--demo", "--segment", "1", "--checkpoint-every", "20", "--data", &place.at("floor")]);
    pipe.fill(100);
    assert_eq!(pipe.end(), Some(0));
    let anchors: Vec<&str> = pipe.others.iter().filter_map(|line| line["checkpoint"].as_str()).collect();
    assert!(anchors.len() >= 5, "{:?}", pipe.others);
    let file = place.at("anchors.txt");
    std::fs::write(&file, anchors.join("\n")).unwrap();
    assert_eq!(place.json(&format!("audit --anchor {file}"))["anchors"], anchors.len());
}

/// A limit on the size of files stands for a full disk: the journal's next segment cannot be made.
#[test]
fn a_disk_that_takes_no_more_stops_play_and_loses_nothing() {
    let place = Place::new();
    let data = place.at("floor");
    assert_eq!(Pipe::demo(&data).end(), Some(0));
    let mut limited = Command::new("bash");
    let program = env!("CARGO_BIN_EXE_croupier");
    let script = format!("trap '' XFSZ; ulimit -f 1536; exec {program} pipe --segment 2 --data {data}");
    limited.args(["-c", &script]).stderr(Stdio::null());
    let mut pipe = Pipe::spawn(limited, true);
    let (mut accepted, mut stopped) = (Vec::new(), None);
    for number in 1_000..2_000 {
        let cash = json!({ "CashIn": { "terminal": TERMINALS[0], "amount": 100 } });
        let answer = pipe.ask(json!({ "Device": crate::floor::VALIDATOR }), number, cash);
        match answer["accepted"].as_u64() {
            Some(record) => accepted.push(record),
            None => {
                stopped = answer["stopped"].as_str().map(str::to_owned);
                break;
            }
        }
    }
    let reason = stopped.expect("the segment is full after some hundred batches");
    assert!(reason.contains("File too large"), "{reason}");
    assert_eq!(pipe.end(), Some(1));
    let report = place.json("audit");
    assert!(report["last"].as_u64() >= accepted.last().copied(), "{report}");
    assert_eq!(Pipe::demo(&data).end(), Some(0));
    assert_eq!(place.run("audit").code, 0);
}

#[test]
fn a_ticket_in_doubt_is_printed_again_and_paid_over_the_pipe_and_a_sealed_code_serves_once() {
    let hexadecimal = |byte: u8, times: usize| format!("{byte:02x}").repeat(times);
    let place = Place::new();
    let mut pipe = Pipe::demo(&place.at("floor"));
    let people = pipe.floor["staff"].as_array().expect("people").clone();
    let person = |name: &str| {
        let found = people.iter().find(|person| person["name"] == name);
        found.unwrap_or_else(|| panic!("{name} of {people:?}"))["staff"].as_u64().expect("an id")
    };
    let (cashier, supervisor) = (person("cashier 1"), person("pit-supervisor 1"));
    let (terminal, clerk) = (json!({ "Terminal": TERMINALS[0] }), json!({ "Staff": cashier }));
    pipe.ok(clerk.clone(), json!({ "OpenShift": { "float": 900_000, "witness": supervisor } }));

    // A ticket of 1,000.00 is in doubt; its printer has made no paper, and two people say so.
    pipe.ok(
        json!({ "Device": crate::floor::VALIDATOR }),
        json!({ "CashIn": { "terminal": TERMINALS[0], "amount": 100_000 } }),
    );
    let prepare =
        |number: u8| json!({ "PrepareTicket": { "terminal": TERMINALS[0], "number": hexadecimal(number, 16) } });
    pipe.ok(terminal.clone(), prepare(1));
    let money = json!({ "Device": crate::floor::VALIDATOR });
    let beside = pipe.ask(money, 1, json!({ "CashIn": { "terminal": TERMINALS[0], "amount": 100 } }));
    assert_eq!((&beside["refused"]["code"], &beside["refused"]["rule"]), (&json!("ticket_state"), &json!("D25")));
    let resolve = |finding: &str, witness: Value| {
        json!({ "ResolveTicket": {
        "ticket": 0, "finding": finding, "reason": "the printer is dark", "witness": witness,
    } })
    };
    let alone = pipe.ask(clerk.clone(), 1, resolve("NotPrinted", Value::Null));
    assert_eq!(alone["refused"]["code"], "second_person", "{alone}");
    pipe.ok(clerk.clone(), resolve("NotPrinted", json!(supervisor)));
    let late = pipe.ask(clerk.clone(), 2, resolve("PaidByHand", json!(supervisor)));
    assert_eq!(late["refused"]["code"], "ticket_state", "the first answer decides: {late}");

    // The next one is printed, and replaced: the old number is void, and the duplicate is paid once.
    pipe.ok(terminal.clone(), prepare(2));
    pipe.ok(terminal, json!({ "TicketPrinted": { "ticket": 1 } }));
    let (number, reason) = (hexadecimal(3, 16), "torn");
    let reprint =
        json!({ "ReprintTicket": { "ticket": 1, "number": number, "reason": reason, "witness": supervisor } });
    pipe.ok(clerk.clone(), reprint);
    pipe.ok(clerk.clone(), json!({ "TicketPrinted": { "ticket": 2 } }));
    let redeem = |number: u8| json!({ "RedeemTicket": { "number": hexadecimal(number, 16), "amount": null, "witness": supervisor } });
    let old = pipe.ask(clerk.clone(), 3, redeem(2));
    assert_eq!(old["refused"]["code"], "ticket_void", "{old}");
    pipe.ok(clerk.clone(), redeem(3));
    let twice = pipe.ask(clerk, 4, redeem(3));
    assert_eq!(twice["refused"]["code"], "ticket_paid", "{twice}");

    // A sealed code stands for the second person of one act on accounts.
    let administrators: Vec<u64> = people
        .iter()
        .filter(|person| person["name"].as_str().is_some_and(|name| name.starts_with("administrator")))
        .filter_map(|person| person["staff"].as_u64())
        .collect();
    let [first, second] = administrators[..] else { panic!("two administrators of {people:?}") };
    let office = json!({ "Staff": first });
    let hash = hexadecimal(7, 32);
    pipe.ok(office.clone(), json!({ "SealCodes": { "hashes": [hash], "witness": second } }));
    let appoint = |name: &str| json!({ "AddStaff": { "name": name, "post": "Administrator", "witness": null } });
    let alone = pipe.ask(office.clone(), 1, appoint("too early"));
    assert_eq!(alone["refused"]["code"], "second_person", "{alone}");
    pipe.ok(office.clone(), json!({ "OpenSealedCode": { "hash": hash, "reason": "the other one has left" } }));
    pipe.ok(office.clone(), appoint("the next one"));
    let served = pipe.ask(office, 2, appoint("too late"));
    assert_eq!(served["refused"]["code"], "second_person", "{served}");
    assert_eq!(pipe.end(), Some(0));
    let found = place.json("audit")["people"].to_string();
    for words in ["ticket 0", "ticket 2", "opened a sealed code in place of a second person", "created the next one"] {
        assert!(found.contains(words), "{words}: {found}");
    }
}
