//! What was sent, what was answered, and whether the floor that comes back agrees.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Moment;
use crate::load::{Load, Wanted};
use crate::process::{Process, croupier};
use crate::random::Random;

/// Answers of a sender that are asked for again after a kill.
const ASKED_AGAIN: usize = 4;

struct Sent {
    tag: u64,
    number: u64,
    wanted: Wanted,
}

impl Sent {
    fn line(&self) -> String {
        let Wanted { sender, body, .. } = &self.wanted;
        format!("{}\n", json!({ "tag": self.tag, "sender": sender, "number": self.number, "body": body }))
    }

    fn key(&self) -> (String, u64) {
        (self.wanted.sender.to_string(), self.number)
    }
}

/// What came of a whole run.
#[derive(Default)]
pub struct Totals {
    pub kills: u32,
    acknowledged: usize,
    asked_again: u64,
    durable_unheard: u64,
    pub settled: u64,
    pub cash_in: i64,
    pub tickets: u64,
    records: u64,
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} kills, {} commands acknowledged, {} asked again, {} durable and not heard of before the kill, {} records, \
             {} rounds settled, {} tickets sold",
            self.kills,
            self.acknowledged,
            self.asked_again,
            self.durable_unheard,
            self.records,
            self.settled,
            self.tickets
        )
    }
}

pub struct Client {
    data: PathBuf,
    next_tag: u64,
    numbers: BTreeMap<String, u64>,
    unanswered: VecDeque<Sent>,
    /// The acknowledged commands: the record of each.
    accepted: BTreeMap<(String, u64), u64>,
    /// The last acknowledged commands of each sender, to be asked for again.
    recent: BTreeMap<String, VecDeque<Sent>>,
    /// Every command in the log so far.
    logged: BTreeMap<(String, u64), u64>,
    checked: u64,
    anchors: String,
    totals: Totals,
    outstanding: i64,
}

impl Client {
    pub fn new(data: &Path) -> Client {
        Client {
            data: data.to_owned(),
            next_tag: 0,
            numbers: BTreeMap::new(),
            unanswered: VecDeque::new(),
            accepted: BTreeMap::new(),
            recent: BTreeMap::new(),
            logged: BTreeMap::new(),
            checked: 0,
            anchors: String::new(),
            totals: Totals::default(),
            outstanding: 0,
        }
    }

    /// The floor is back: everything unanswered is sent again, some of what was answered is asked for again, and the log
    /// and the audit are compared with what this client knows.
    pub fn comes_back(&mut self, process: &mut Process, load: &mut Option<Load>, random: &mut Random) {
        let recovered = process.answer()["recovered"].clone();
        let end = recovered["sequence"].as_u64().expect("where it is");
        let heard = self.accepted.values().max().copied().unwrap_or(0);
        assert!(heard <= end, "record {heard} was acknowledged, and the floor comes back at record {end}: {recovered}");
        let open_rounds = recovered["open_rounds"].as_u64().expect("a number");
        assert_eq!(open_rounds > 0, !recovered["stoppage_reported"].is_null(), "D6: {recovered}");
        let floor = process.answer()["floor"].clone();
        let load = load.get_or_insert_with(|| Load::new(&floor));
        self.ask_again(process, end);
        self.read_log(load);
        self.audit();
        load.begin_again(random);
    }

    fn ask_again(&mut self, process: &mut Process, end: u64) {
        let unanswered = std::mem::take(&mut self.unanswered);
        let recent: Vec<Sent> = std::mem::take(&mut self.recent).into_values().flatten().collect();
        self.totals.asked_again += (unanswered.len() + recent.len()) as u64;
        let lines: String = recent.iter().chain(&unanswered).map(Sent::line).collect();
        process.say(&lines);
        for sent in recent.into_iter().chain(unanswered) {
            let answer = self.answer(process, &sent);
            let key = sent.key();
            let known = self.accepted.get(&key).copied();
            match answer.get("accepted").and_then(Value::as_u64) {
                Some(record) => {
                    assert!(known.is_none_or(|known| known == record), "{key:?} was {known:?}, and is now {record}");
                    if known.is_none() && record <= end {
                        self.totals.durable_unheard += 1;
                    }
                    self.accept(sent, record);
                }
                None => assert_eq!(known, None, "{key:?} was acknowledged, and is now answered {answer}"),
            }
        }
    }

    fn answer(&mut self, process: &mut Process, sent: &Sent) -> Value {
        loop {
            let line = process.answer();
            if line["tag"] == sent.tag {
                return line;
            }
            assert!(self.is_checkpoint(&line), "{line} where {} was due", sent.tag);
        }
    }

    /// Keeps a checkpoint; the audit gets all of them.
    fn is_checkpoint(&mut self, line: &Value) -> bool {
        let checkpoint = line.get("checkpoint").and_then(Value::as_str);
        if let Some(line) = checkpoint {
            self.anchors.push_str(&format!("{line}\n"));
        }
        checkpoint.is_some()
    }

    fn accept(&mut self, sent: Sent, record: u64) {
        let key = sent.key();
        self.accepted.insert(key.clone(), record);
        let recent = self.recent.entry(key.0).or_default();
        recent.push_back(sent);
        if recent.len() > ASKED_AGAIN {
            recent.pop_front();
        }
    }

    /// Reads what is new in the log: every command once, and exactly those that were acknowledged.
    fn read_log(&mut self, load: &mut Load) {
        let from = (self.checked + 1).to_string();
        let dump = croupier(&["journal", "dump", "--from", &from, "--data"], &self.data);
        assert_eq!((dump.code, dump.stderr.as_str()), (0, ""), "{}", dump.stdout.lines().last().unwrap_or(""));
        for line in dump.stdout.lines() {
            let record: Value = serde_json::from_str(line).expect("JSON");
            let sequence = record["sequence"].as_u64().expect("a sequence");
            assert_eq!(sequence, self.checked + 1, "no gap");
            self.checked = sequence;
            load.see(&record["event"]);
            self.see(&record["event"]);
            let origin = &record["origin"];
            if origin.is_null() {
                continue;
            }
            let key = (origin["sender"].to_string(), origin["number"].as_u64().expect("a number"));
            let before = self.logged.insert(key.clone(), sequence);
            assert_eq!(before, None, "{key:?} is in the log twice: {record}");
            // All of this client's have been answered by now; the rest is the host's own.
            if key.1 >= FIRST {
                assert_eq!(self.accepted.get(&key), Some(&sequence), "{key:?} is in the log and was not acknowledged");
            }
        }
        for (key, record) in &self.accepted {
            assert_eq!(self.logged.get(key), Some(record), "{key:?} was acknowledged and is not in the log");
        }
    }

    fn see(&mut self, event: &Value) {
        let amount = |body: &Value| body["amount"].as_i64().expect("an amount");
        if let Some(cash) = event.get("CashIn") {
            self.totals.cash_in += amount(cash);
        }
        if let Some(sold) = event.get("TicketSold") {
            self.totals.tickets += 1;
            self.outstanding += amount(sold);
        }
        if let Some(redeemed) = event.get("TicketRedeemed") {
            self.outstanding -= amount(redeemed);
        }
        if event.get("RoundSettled").is_some_and(|settled| settled["part"] == settled["parts"]) {
            self.totals.settled += 1;
        }
        // A decision may void a round that is settled (D24); it is then counted among the void ones.
        if event.get("SettledRoundVoided").is_some() {
            self.totals.settled -= 1;
        }
    }

    /// The audit, with every checkpoint heard of as an anchor.
    fn audit(&mut self) {
        let file = self.data.with_extension("anchors");
        std::fs::write(&file, &self.anchors).expect("anchors");
        let anchor = file.to_str().expect("UTF-8");
        let mut words = vec!["--json", "audit"];
        if !self.anchors.is_empty() {
            words.extend(["--anchor", anchor]);
        }
        words.push("--data");
        let run = croupier(&words, &self.data);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
        let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!((&report["figures_clean"], &report["sum"]), (&json!(true), &json!("0.00")));
        assert_eq!(report["last"], self.checked);
        assert_eq!(report["anchors"], self.anchors.lines().count());
        let accounts = report["accounts"].as_array().expect("accounts");
        let balance = |of: &str| accounts.iter().find(|account| account["account"] == of).expect(of)["balance"].clone();
        assert_eq!(balance("cash-drop"), money(-self.totals.cash_in), "the cash that was acknowledged");
        assert_eq!(balance("tickets-outstanding"), money(self.outstanding), "the tickets that were acknowledged");
        let tables = report["tables"].as_array().expect("tables");
        let settled: u64 = tables.iter().filter_map(|table| table["settled"].as_u64()).sum();
        assert_eq!(settled, self.totals.settled);
    }

    /// Sends as fast as it is taken, until the moment has come.
    pub fn drive(&mut self, process: &mut Process, load: &mut Load, random: &mut Random, moment: Moment) {
        let begun = Instant::now();
        let mut answers = 0;
        loop {
            let mut lines = String::new();
            for wanted in load.wanted(random) {
                let sent = self.number(wanted);
                lines.push_str(&sent.line());
                self.unanswered.push_back(sent);
            }
            process.say(&lines);
            let left = match moment {
                Moment::Answers(count) if answers >= count => return,
                Moment::Answers(_) => Duration::from_secs(60),
                Moment::Time(time) => time.saturating_sub(begun.elapsed()),
            };
            if left.is_zero() {
                return;
            }
            match process.line_within(left) {
                Ok(Some(line)) => answers += u64::from(self.take(&line, load)),
                Ok(None) => panic!("it ended by itself: {}", process.complaints()),
                Err(_) => assert!(matches!(moment, Moment::Time(_)), "no answer, and {} wait", self.unanswered.len()),
            }
        }
    }

    fn number(&mut self, wanted: Wanted) -> Sent {
        self.next_tag += 1;
        let next = self.numbers.entry(wanted.sender.to_string()).or_insert(FIRST);
        let number = *next;
        *next += 1;
        Sent { tag: self.next_tag, number, wanted }
    }

    /// Takes an answer. They come in the order in which the commands were sent.
    fn take(&mut self, line: &Value, load: &mut Load) -> bool {
        if self.is_checkpoint(line) {
            return false;
        }
        let sent = self.unanswered.pop_front().unwrap_or_else(|| panic!("{line} and nothing was asked"));
        assert_eq!(line["tag"], sent.tag, "{line}");
        let accepted = line.get("accepted").and_then(Value::as_u64);
        assert!(accepted.is_some() || line.get("refused").is_some(), "{line}");
        load.answered(sent.wanted.owner, &sent.wanted.sender, &sent.wanted.body, accepted.is_some());
        if let Some(record) = accepted {
            self.accept(sent, record);
        }
        true
    }

    /// After the kill: what was said before it counts.
    pub fn take_what_was_said(&mut self, process: &mut Process, load: &mut Load) {
        while let Some(line) = process.line() {
            self.take(&line, load);
        }
    }

    /// After the end in order: everything is signed and there is a snapshot of it.
    pub fn ends(mut self, totals: &mut Totals) {
        let run = croupier(&["--json", "audit", "--data"], &self.data);
        let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!((run.code, &report["unsigned"]), (0, &json!(0)), "{report}");
        assert!(report["snapshots"].as_u64() > Some(0), "{report}");
        self.totals.acknowledged = self.accepted.len();
        self.totals.records = self.checked;
        totals.acknowledged += self.totals.acknowledged;
        totals.asked_again += self.totals.asked_again;
        totals.durable_unheard += self.totals.durable_unheard;
        totals.settled += self.totals.settled;
        totals.cash_in += self.totals.cash_in;
        totals.tickets += self.totals.tickets;
        totals.records += self.totals.records;
    }
}

/// The first number of every sender: the demonstration floor was made with smaller ones.
const FIRST: u64 = 10_000;

fn money(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.unsigned_abs() / 100, cents.unsigned_abs() % 100)
}
