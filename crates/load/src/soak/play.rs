//! The crowd of a soak: it bets while bets are open, shows the close, and some of it goes and comes back.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Shared, Soak};
use crate::Result;
use crate::crowd::Crowd;
use crate::house::{AFFIRMED, House};
use crate::link::{Heard, Link, Stage, tells};
use crate::modes::{bet as message, first_number};

/// How long bets are open at the crowd's table.
const OPEN: Duration = Duration::from_secs(15);
/// How long the dealer waits for the acknowledgements of the close, and between two rounds.
const CLOSED: Duration = Duration::from_millis(2_500);
/// A terminal goes this often …
const LEAVES: Duration = Duration::from_secs(2);
/// … and comes back after this long.
const AWAY: Duration = Duration::from_secs(5);
/// A message that has no answer after this long hangs.
const HANGS: Duration = Duration::from_secs(15);

/// Deals at the crowd's table until it is over.
pub fn deal(house: &House, shared: &Shared) {
    let mut chance = first_number();
    let mut fails = 0;
    while !shared.is_over() && fails < 10 {
        match round(house, shared, &mut chance) {
            Ok(()) => shared.counts().rounds += 1,
            Err(failed) => {
                fails += 1;
                shared.trouble(format!("the dealer: {failed}"));
                shared.sleep(CLOSED);
            }
        }
    }
}

fn round(house: &House, shared: &Shared, chance: &mut u64) -> Result<()> {
    let mut dealer = house.dealer()?;
    let mut does = |what: &str, body| dealer.does(&format!("/tables/{}/{what}", house.table), &body);
    does("open-bets", json!({}))?;
    shared.sleep(OPEN);
    does("close-bets", json!({}))?;
    std::thread::sleep(CLOSED);
    let mut die = || {
        *chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*chance >> 33) % 6 + 1
    };
    let outcome = format!("{}-{}-{}", die(), die(), die());
    does("result", json!({ "outcome": outcome, "affirmed": AFFIRMED }))?;
    does("confirm", json!({}))?;
    shared.sleep(CLOSED);
    Ok(())
}

/// A message on its way.
struct Sent {
    number: u64,
    /// When it was meant to be sent.
    at: Instant,
    is_bet: bool,
}

/// Bets until the time is over.
pub fn bet(house: &House, shared: &Shared, plan: &Soak, started: Instant) -> Result<()> {
    let count = house.seats.len();
    let path = |place: usize| match house.seats.get(place) {
        Some(_) => house.feed(place),
        None => format!("/api/v1/floors/{}/feed/display/{}", house.floor, place as u64 % (house.table + 1)),
    };
    let seat = |place: usize| house.seats.get(place).cloned();
    let mut crowd = Crowd::gather(house.address, count + plan.watchers, path, seat)?;
    let mut sent: Vec<VecDeque<Sent>> = (0..count + plan.watchers).map(|_| VecDeque::new()).collect();
    let mut away: VecDeque<(Instant, usize)> = VecDeque::new();
    let (mut number, mut open, mut turn, mut leaver) = (first_number(), false, 0_usize, 0_usize);
    let (mut due, mut leaves) = (Instant::now(), Instant::now() + LEAVES);
    let apart = Duration::from_secs_f64(1.0 / plan.rate.max(0.01));
    let end = started + plan.time;
    loop {
        let now = Instant::now();
        let over = now >= end;
        if over && (sent.iter().all(VecDeque::is_empty) || now >= end + HANGS) {
            break;
        }
        // What is due goes out, timed from when it was meant to.
        if !open || over {
            due = now;
        }
        while open && !over && due <= now {
            let place = turn % count;
            turn += 1;
            let at = due;
            due += apart;
            let Some(link) = crowd.links.get_mut(place).filter(|link| link.stage == Stage::Ready) else { continue };
            number += 1;
            sent[place].push_back(Sent { number, at, is_bet: true });
            let _ = link.send(&message(number, 1, number));
        }
        if !over && now >= leaves {
            leaves = now + LEAVES;
            let place = leaver % count;
            leaver += 7;
            if crowd.links.get(place).is_some_and(|link| link.stage == Stage::Ready) {
                crowd.leave(place);
                sent[place].clear();
                away.push_back((now + AWAY, place));
            }
        }
        while let Some((_, place)) = away.front().copied().filter(|(at, _)| *at <= now) {
            away.pop_front();
            crowd.come_back(place, house.address, &path(place), seat(place))?;
            shared.counts().returns += 1;
        }
        let wait = if open && !over { due.saturating_duration_since(now) } else { Duration::from_millis(20) };
        let (mut answers, mut dropped) = (Vec::new(), Vec::new());
        crowd.turn(wait.min(Duration::from_millis(20)), &mut |place, link, heard| match heard {
            Heard::Answer(answered, accepted) => {
                let Some(found) = sent[place].iter().position(|sent| sent.number == answered) else { return };
                let Some(of) = sent[place].remove(found) else { return };
                if of.is_bet {
                    answers.push((of.at.elapsed(), accepted));
                }
            }
            Heard::Update(update) if place < count && tells(update, br#""kind":"bets_opened""#) => open = true,
            Heard::Update(update) if place < count && tells(update, br#""kind":"bets_closed""#) => {
                open = false;
                number += 1;
                sent[place].push_back(Sent { number, at: Instant::now(), is_bet: false });
                show_close(link, update, number);
            }
            Heard::Ended => dropped.push(place),
            _ => {}
        })?;
        let mut counts = shared.counts();
        for (took, accepted) in answers {
            counts.times.record(took);
            counts.accepted += u64::from(accepted);
            counts.refused += u64::from(!accepted);
        }
        for place in dropped {
            counts.ended += 1;
            counts.hanging += sent[place].drain(..).len() as u64;
            away.push_back((Instant::now() + AWAY, place));
        }
        drop(counts);
        for waiting in &mut sent {
            while waiting.front().is_some_and(|sent| sent.at.elapsed() > HANGS) {
                waiting.pop_front();
                shared.counts().hanging += 1;
            }
        }
    }
    Ok(())
}

/// The terminal shows that there are no more bets.
fn show_close(link: &mut Link, update: &[u8], number: u64) {
    let round = memchr::memmem::find(update, br#""round":"#).and_then(|at| update.get(at + 8..)).unwrap_or_default();
    let digits: String = round.iter().take_while(|b| b.is_ascii_digit()).map(|b| char::from(*b)).collect();
    let text = format!(r#"{{"type":"acknowledge","number":{number},"round":{digits}}}"#);
    let _ = link.send(text.as_bytes());
}
