//! What can be measured against a host.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::crowd::Crowd;
use crate::dealer::Dealer;
use crate::house::{AFFIRMED, House};
use crate::link::{Heard, Stage, tells};
use crate::report::{Report, Times};
use crate::{Failed, Result};

/// Nothing is waited for longer.
const MOST: Duration = Duration::from_secs(60);
/// Spots of the layout that bets go to in turn.
const SPOTS: [&str; 12] = [
    "small", "big", "odd", "even", "single/1", "single/2", "single/3", "single/4", "single/5", "single/6", "double/1",
    "double/2",
];

/// What is measured.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Bets a second and how long each takes.
    Bets,
    /// From the dealer's close until the last terminal has it.
    Fanout,
    /// From the result's entry until the last terminal has its own new credit.
    Settle,
    /// From the host's start until the last terminal is current again.
    Reconnect,
    /// Every terminal bets in the last second before the close.
    LastSecond,
}

/// When a bet is sent.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Pace {
    /// Each terminal sends its next when the last was answered.
    Closed,
    /// So many messages a second, whatever the host does.
    Open(f64),
}

/// How it is measured.
#[derive(Copy, Clone, Debug)]
pub struct Plan {
    /// What.
    pub mode: Mode,
    /// How long, for bets.
    pub time: Duration,
    /// Bets in each message.
    pub bets: usize,
    /// When they are sent.
    pub pace: Pace,
    /// How often, for what happens once a round.
    pub rounds: usize,
}

/// Measures.
pub fn run(house: &mut House, plan: Plan) -> Result<Report> {
    let before = house.memory();
    let mut crowd = gather(house)?;
    let count = crowd.links.len() as u64;
    let memory = house.memory().zip(before).map(|(now, before)| now.saturating_sub(before) / count.max(1));
    let mut dealer = house.dealer()?;
    let mut report = match plan.mode {
        Mode::Bets => bets(house, &mut crowd, &mut dealer, plan)?,
        Mode::Fanout => fanout(house, &mut crowd, &mut dealer, plan.rounds)?,
        Mode::Settle => settle(house, &mut crowd, &mut dealer, plan.rounds)?,
        Mode::LastSecond => last_second(house, &mut crowd, &mut dealer)?,
        Mode::Reconnect => reconnect(house, crowd)?,
    };
    report.memory_each = memory;
    Ok(report)
}

/// Every terminal with its feed.
pub fn gather(house: &House) -> Result<Crowd> {
    let path = |place: usize| house.feed(place);
    Crowd::gather(house.address, house.seats.len(), path, |place| house.seats.get(place).cloned())
}

/// Opens bets and waits until every terminal has heard it.
fn open(house: &House, crowd: &mut Crowd, dealer: &mut Dealer) -> Result<()> {
    dealer.does(&format!("/tables/{}/open-bets", house.table), &json!({}))?;
    everybody(crowd, "open bets", br#""kind":"bets_opened""#).map(drop)
}

/// Waits until every terminal has heard of something; when the last did.
fn everybody(crowd: &mut Crowd, what: &str, kind: &[u8]) -> Result<Instant> {
    let mut left = crowd.links.iter().filter(|link| link.stage == Stage::Ready).count();
    crowd.until(MOST, what, |_, _, heard| {
        match heard {
            Heard::Update(update) if tells(update, kind) => left -= 1,
            Heard::Ended => left -= 1,
            _ => {}
        }
        left == 0
    })
}

fn void(house: &House, crowd: &mut Crowd, dealer: &mut Dealer) -> Result<()> {
    // After the close a second person signs for it (D23).
    let body = json!({ "ground": "dice-damaged", "witness": house.witness() });
    dealer.does(&format!("/tables/{}/void", house.table), &body)?;
    everybody(crowd, "the void", br#""kind":"round_voided""#).map(drop)
}

/// A bet message: one dollar more on each of this many spots, from one on.
pub fn bet(number: u64, bets: usize, from: u64) -> Vec<u8> {
    let mut text = format!(r#"{{"type":"bet","number":{number},"changes":["#);
    for (place, spot) in SPOTS.iter().cycle().skip(usize::try_from(from % 12).unwrap_or(0)).take(bets).enumerate() {
        let comma = if place == 0 { "" } else { "," };
        text.push_str(&format!(r#"{comma}{{"add":"{spot}","amount":"1.00"}}"#));
    }
    text.push_str("]}");
    text.into_bytes()
}

/// Numbers must be larger than any a terminal used before.
pub fn first_number() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(1)
}

fn bets(house: &House, crowd: &mut Crowd, dealer: &mut Dealer, plan: Plan) -> Result<Report> {
    open(house, crowd, dealer)?;
    let count = crowd.links.len();
    let base = first_number();
    let mut report = Report::new("bets", count);
    let mut times = Times::new();
    // When each terminal's message that waits for an answer was sent, or meant to be.
    let mut sent: Vec<std::collections::VecDeque<(u64, Instant)>> = vec![std::collections::VecDeque::new(); count];
    let mut next: u64 = base;
    let started = Instant::now();
    let end = started + plan.time;
    let mut meant = 0_u64;
    if plan.pace == Pace::Closed {
        for (place, link) in crowd.links.iter_mut().enumerate() {
            next += 1;
            sent[place].push_back((next, Instant::now()));
            link.send(&bet(next, plan.bets, next))?;
        }
    }
    let mut waiting: u64 = sent.iter().map(|sent| sent.len() as u64).sum();
    let mut grace = None;
    loop {
        let now = Instant::now();
        if now >= end && (waiting == 0 || grace.get_or_insert(now + Duration::from_secs(5)) <= &mut now.clone()) {
            break;
        }
        let mut wait = Duration::from_millis(20);
        if let Pace::Open(rate) = plan.pace {
            // Everything that is due goes out now, timed from when it was meant to.
            loop {
                let at = started + Duration::from_secs_f64(meant as f64 / rate);
                if at > end {
                    break;
                }
                if at > Instant::now() {
                    wait = at.saturating_duration_since(Instant::now());
                    break;
                }
                let place = usize::try_from(meant).unwrap_or(0) % count;
                meant += 1;
                next += 1;
                let Some(link) = crowd.links.get_mut(place).filter(|link| link.stage == Stage::Ready) else { continue };
                sent[place].push_back((next, at));
                waiting += 1;
                link.send(&bet(next, plan.bets, meant))?;
            }
        }
        let (report, times, sent, next, waiting) = (&mut report, &mut times, &mut sent, &mut next, &mut waiting);
        crowd.turn(wait, &mut |place, link, heard| {
            let Heard::Answer(number, accepted) = heard else { return };
            let now = Instant::now();
            if let Some((expected, at)) = sent[place].pop_front() {
                *waiting -= 1;
                debug_assert_eq!(expected, number);
                times.record(now.saturating_duration_since(at));
                report.messages += 1;
                if accepted {
                    report.bets += plan.bets as u64;
                } else {
                    report.refused += 1;
                }
            }
            if plan.pace == Pace::Closed && now < end {
                *next += 1;
                sent[place].push_back((*next, now));
                *waiting += 1;
                let _ = link.send(&bet(*next, plan.bets, *next));
            }
        })?;
    }
    report.hanging = waiting;
    report.seconds = started.elapsed().min(plan.time).as_secs_f64();
    report.bets_a_second = report.bets as f64 / report.seconds;
    report.latency = Some(times.latency());
    if report.messages == 0 {
        return Err(Failed::new("no bet was answered"));
    }
    void(house, crowd, dealer)?;
    Ok(report)
}

fn fanout(house: &House, crowd: &mut Crowd, dealer: &mut Dealer, rounds: usize) -> Result<Report> {
    let mut report = Report::new("fanout", crowd.links.len());
    let mut times = Times::new();
    for _ in 0..rounds {
        open(house, crowd, dealer)?;
        let path = format!("/tables/{}/close-bets", house.table);
        let started = Instant::now();
        // The dealer's answer is waited for beside, so that the crowd listens from the beginning.
        let last = std::thread::scope(|scope| {
            let close = scope.spawn(|| dealer.does(&path, &json!({})));
            let last = everybody(crowd, "the close", br#""kind":"bets_closed""#);
            close.join().map_err(|_| Failed::new("the dealer failed"))??;
            last
        })?;
        times.record(last.saturating_duration_since(started));
        void(house, crowd, dealer)?;
    }
    report.latency = Some(times.latency());
    Ok(report)
}

/// Each terminal bets once and shows the close; everything is ready for a result.
fn bet_and_close(house: &House, crowd: &mut Crowd, dealer: &mut Dealer) -> Result<()> {
    open(house, crowd, dealer)?;
    let base = first_number();
    let count = crowd.links.len();
    for link in &mut crowd.links {
        link.send(&bet(base, 1, 0))?;
    }
    let mut left = count;
    crowd.until(MOST, "the bets", |_, _, heard| {
        left -= usize::from(matches!(heard, Heard::Answer(..)));
        left == 0
    })?;
    dealer.does(&format!("/tables/{}/close-bets", house.table), &json!({}))?;
    let mut left = count;
    crowd.until(MOST, "the acknowledgements", |_, link, heard| {
        match heard {
            Heard::Update(update) if tells(update, br#""kind":"bets_closed""#) => {
                let round = memchr::memmem::find(update, br#""round":"#).and_then(|at| update.get(at + 8..));
                let digits: String = round
                    .unwrap_or_default()
                    .iter()
                    .take_while(|b| b.is_ascii_digit())
                    .map(|b| char::from(*b))
                    .collect();
                let text = format!(r#"{{"type":"acknowledge","number":{},"round":{digits}}}"#, base + 1);
                let _ = link.send(text.as_bytes());
            }
            Heard::Answer(..) => left -= 1,
            _ => {}
        }
        left == 0
    })?;
    Ok(())
}

fn settle(house: &House, crowd: &mut Crowd, dealer: &mut Dealer, rounds: usize) -> Result<Report> {
    let mut report = Report::new("settle", crowd.links.len());
    let mut times = Times::new();
    for round in 0..rounds {
        bet_and_close(house, crowd, dealer)?;
        let outcome = if round % 2 == 0 { "1-2-3" } else { "6-5-4" };
        let (result, confirm) = (format!("/tables/{}/result", house.table), format!("/tables/{}/confirm", house.table));
        let started = Instant::now();
        let last = std::thread::scope(|scope| {
            let settle = scope.spawn(|| {
                dealer.does(&result, &json!({ "outcome": outcome, "affirmed": AFFIRMED }))?;
                dealer.does(&confirm, &json!({}))
            });
            let mut left = crowd.links.len();
            let last = crowd.until(MOST, "the new credit", |_, _, heard| {
                if let Heard::Update(update) = heard
                    && tells(update, br#""kind":"round_settled""#)
                    && memchr::memmem::find(update, br#""credit":"#).is_some()
                {
                    left -= 1;
                }
                left == 0
            });
            settle.join().map_err(|_| Failed::new("the dealer failed"))??;
            last
        })?;
        times.record(last.saturating_duration_since(started));
    }
    report.latency = Some(times.latency());
    Ok(report)
}

fn last_second(house: &House, crowd: &mut Crowd, dealer: &mut Dealer) -> Result<Report> {
    open(house, crowd, dealer)?;
    let count = crowd.links.len();
    let mut report = Report::new("last-second", count);
    let mut times = Times::new();
    let base = first_number();
    let path = format!("/tables/{}/close-bets", house.table);
    let started = Instant::now();
    let mut sent = vec![started; count];
    let mut answered = 0;
    let mut sending = 0;
    std::thread::scope(|scope| {
        let close = scope.spawn(|| {
            // The close falls into the middle of the burst's last tenth.
            std::thread::sleep(Duration::from_millis(950));
            dealer.does(&path, &json!({}))
        });
        while answered < count {
            let due = (started.elapsed().as_secs_f64() * count as f64) as usize;
            while sending < count.min(due) {
                if let Some(link) = crowd.links.get_mut(sending) {
                    sent[sending] = Instant::now();
                    link.send(&bet(base, 1, 0))?;
                }
                sending += 1;
            }
            let wait = if sending < count { Duration::from_millis(1) } else { Duration::from_millis(20) };
            let (report, times, answered) = (&mut report, &mut times, &mut answered);
            crowd.turn(wait, &mut |place, _, heard| {
                if let Heard::Answer(_, accepted) = heard {
                    *answered += 1;
                    times.record(sent[place].elapsed());
                    report.messages += 1;
                    report.bets += u64::from(accepted);
                    report.refused += u64::from(!accepted);
                }
            })?;
            if started.elapsed() > Duration::from_secs(15) {
                break;
            }
        }
        close.join().map_err(|_| Failed::new("the dealer failed"))?
    })?;
    report.hanging = (count - answered) as u64;
    report.seconds = started.elapsed().as_secs_f64();
    report.latency = Some(times.latency());
    void(house, crowd, dealer)?;
    Ok(report)
}

fn reconnect(house: &mut House, crowd: Crowd) -> Result<Report> {
    let mut report = Report::new("reconnect", crowd.links.len());
    let mut times = Times::new();
    let started = if house.is_own() {
        drop(crowd);
        let started = Instant::now();
        house.restart()?;
        started
    } else {
        let started = Instant::now();
        drop(crowd);
        started
    };
    let crowd = gather(house)?;
    times.record(started.elapsed());
    report.seconds = started.elapsed().as_secs_f64();
    report.latency = Some(times.latency());
    drop(crowd);
    Ok(report)
}
