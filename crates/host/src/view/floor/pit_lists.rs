//! The lists of the pit. Each grows with what happens on the floor; a message has the first rows of each, and the whole
//! list is asked for in parts.

use std::collections::HashSet;

use floor::{Floor, Moment, Post, Staff, StaffId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cage::{PayableRow, payable};
use super::held::{DrawerRow, HeldRow, drawers, held};
use super::people::{CallRow, StaffSection, calls, staff};
use super::pit::{DoubtSection, MovedSection, StopRow, doubt, moved, stop};
use crate::links::HeldLink;
use crate::view::Money;

/// Rows of each list in a message to the pit.
pub const SHOWN: usize = 100;
/// The most letters of a call's reason in a message to the pit.
const CALLED: usize = 200;

/// How many more rows each list has than the message shows.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct MoreSection {
    /// Further amounts to be paid.
    pub payables: usize,
    /// Further places that are stopped.
    pub stops: usize,
    /// Further people: those who have left, those at the cage and in the office, those without a table.
    pub staff: usize,
    /// Further tickets in doubt.
    pub doubts: usize,
    /// What all tickets in doubt are worth, those of the message too.
    pub doubtful: Money,
    /// Further people who have moved something.
    pub moved: usize,
    /// Further calls.
    pub calls: usize,
    /// Further links.
    pub links: usize,
    /// Further open drawers.
    pub drawers: usize,
    /// Further terminals with money that are lost or locked.
    pub held: usize,
}

/// A list of the pit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PitList {
    /// What corrections left to be paid, oldest first.
    Payables,
    /// Places that are stopped after wrong ticket numbers.
    Stops,
    /// Everyone who is or was employed: those at tables first.
    Staff,
    /// Tickets in doubt, oldest first.
    Doubts,
    /// Who has moved what in this gaming day: the most first.
    Moved,
    /// Calls that wait for a second person, oldest first.
    Calls,
    /// Links that wait for approval, oldest first.
    Links,
    /// Drawers that are open.
    Drawers,
    /// Terminals with money that are lost or locked.
    Held,
}

/// A part of a list; of the lists, the one that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct PitListBody {
    /// How many rows the whole list has.
    pub total: usize,
    /// What corrections left to be paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payables: Option<Vec<PayableRow>>,
    /// Places that are stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stops: Option<Vec<StopRow>>,
    /// People.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub staff: Option<Vec<StaffSection>>,
    /// Tickets in doubt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubts: Option<Vec<DoubtSection>>,
    /// Who has moved what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Vec<MovedSection>>,
    /// Calls for a second person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<Vec<CallRow>>,
    /// Links that wait for approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<HeldLink>>,
    /// Drawers that are open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawers: Option<Vec<DrawerRow>>,
    /// Terminals with money that are lost or locked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Vec<HeldRow>>,
}

/// So many rows of a list from one on, and how many there are.
fn part<T, R>(all: impl Iterator<Item = T>, from: usize, most: usize, row: impl Fn(T) -> R) -> (Vec<R>, usize) {
    let mut all = all;
    let before = all.by_ref().take(from).count();
    let rows: Vec<R> = all.by_ref().take(most).map(row).collect();
    let total = before + rows.len() + all.count();
    (rows, total)
}

/// People: those who work now before those who have left, those at tables first, the pit before cage and office.
fn people(floor: &Floor) -> impl Iterator<Item = &Staff> {
    let dealers: HashSet<StaffId> = floor.tables().iter().filter_map(floor::Table::dealer).collect();
    let mut all: Vec<&Staff> = floor.staff().iter().collect();
    all.sort_by_key(|one| {
        let in_pit = matches!(one.acting().unwrap_or(one.post()), Post::Pit(_));
        (!one.is_active(), !dealers.contains(&one.id()), !in_pit, one.id())
    });
    all.into_iter()
}

/// Who has moved something: the most first. What a cashier moved adds up to what an open drawer should hold, and is not
/// listed until it is counted (D27).
fn movers(floor: &Floor) -> impl Iterator<Item = (StaffId, floor::Alone)> {
    let mut all: Vec<(StaffId, floor::Alone)> = floor.moved().filter(|(id, _)| !floor.counts_blind(*id)).collect();
    all.sort_by_key(|(id, alone)| (std::cmp::Reverse(alone.since), std::cmp::Reverse(alone.today), *id));
    all.into_iter()
}

/// A part of a list.
pub fn pit_list(
    floor: &Floor,
    links: Vec<HeldLink>,
    list: PitList,
    (from, most): (usize, usize),
    at: Moment,
) -> PitListBody {
    let mut body = PitListBody::default();
    let total = &mut body.total;
    let mut take = |count: usize| *total = count;
    match list {
        PitList::Payables => body.payables = Some(counted(part(floor.payables(), from, most, payable), &mut take)),
        PitList::Stops => {
            body.stops = Some(counted(part(floor.ticket_stops(at), from, most, |one| stop(floor, one)), &mut take));
        }
        PitList::Staff => {
            body.staff = Some(counted(part(people(floor), from, most, |one| staff(floor, one)), &mut take));
        }
        PitList::Doubts => {
            body.doubts = Some(counted(part(floor.doubts(), from, most, |one| doubt(floor, &one)), &mut take));
        }
        PitList::Moved => {
            let row = |(id, alone)| moved(floor, id, alone);
            body.moved = Some(counted(part(movers(floor), from, most, row), &mut take));
        }
        PitList::Calls => {
            body.calls = Some(counted(part(calls(floor, at).into_iter(), from, most, |one| one), &mut take));
        }
        PitList::Links => body.links = Some(counted(part(links.into_iter(), from, most, |one| one), &mut take)),
        PitList::Drawers => {
            body.drawers = Some(counted(part(drawers(floor, None).into_iter(), from, most, |one| one), &mut take));
        }
        PitList::Held => body.held = Some(counted(part(held(floor).into_iter(), from, most, |one| one), &mut take)),
    }
    body
}

fn counted<R>((rows, total): (Vec<R>, usize), take: &mut impl FnMut(usize)) -> Vec<R> {
    take(total);
    rows
}

/// The lists as a message to the pit shows them.
pub struct Shown {
    /// What corrections left to be paid.
    pub payables: Vec<PayableRow>,
    /// Places that are stopped.
    pub stops: Vec<StopRow>,
    /// People.
    pub staff: Vec<StaffSection>,
    /// Tickets in doubt.
    pub doubts: Vec<DoubtSection>,
    /// Who has moved what.
    pub moved: Vec<MovedSection>,
    /// Calls for a second person.
    pub calls: Vec<CallRow>,
    /// Links that wait for approval.
    pub links: Vec<HeldLink>,
    /// Drawers that are open.
    pub drawers: Vec<DrawerRow>,
    /// Terminals with money that are lost or locked.
    pub held: Vec<HeldRow>,
    /// How many more there are.
    pub more: Option<MoreSection>,
}

/// The first rows of each list, and how many more there are.
pub fn shown(floor: &Floor, links: Vec<HeldLink>, at: Moment) -> Shown {
    let (payables, payables_more) = cut(part(floor.payables(), 0, SHOWN, payable));
    let (stops, stops_more) = cut(part(floor.ticket_stops(at), 0, SHOWN, |one| stop(floor, one)));
    let (staff, staff_more) = cut(part(people(floor), 0, SHOWN, |one| staff(floor, one)));
    let (doubts, doubts_more) = cut(part(floor.doubts(), 0, SHOWN, |one| doubt(floor, &one)));
    let (moved, moved_more) = cut(part(movers(floor), 0, SHOWN, |(id, alone)| moved(floor, id, alone)));
    let (calls, calls_more) = cut(part(calls(floor, at).into_iter(), 0, SHOWN, short));
    let (links, links_more) = cut(part(links.into_iter(), 0, SHOWN, |one| one));
    let (drawers, drawers_more) = cut(part(drawers(floor, None).into_iter(), 0, SHOWN, |one| one));
    let (held, held_more) = cut(part(held(floor).into_iter(), 0, SHOWN, |one| one));
    let hidden = [payables_more, stops_more, staff_more, doubts_more, moved_more, calls_more, links_more];
    let more = hidden.iter().chain(&[drawers_more, held_more]).any(|count| *count > 0).then(|| MoreSection {
        payables: payables_more,
        stops: stops_more,
        staff: staff_more,
        doubts: doubts_more,
        doubtful: doubtful(floor),
        moved: moved_more,
        calls: calls_more,
        links: links_more,
        drawers: drawers_more,
        held: held_more,
    });
    Shown { payables, stops, staff, doubts, moved, calls, links, drawers, held, more }
}

/// What all tickets in doubt are worth.
fn doubtful(floor: &Floor) -> Money {
    let sum = floor.doubts().map(|one| one.amount.get()).fold(0, i64::saturating_add);
    rulebook::Cents::new(sum).into()
}

/// A call with the beginning of its reason.
fn short(mut call: CallRow) -> CallRow {
    if let Some((end, _)) = call.reason.char_indices().nth(CALLED) {
        call.reason.truncate(end);
        call.reason.push('…');
    }
    call
}

fn cut<R>((rows, total): (Vec<R>, usize)) -> (Vec<R>, usize) {
    let more = total.saturating_sub(rows.len());
    (rows, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_list_says_how_many_there_are() {
        let of = |from, most| part(0..250, from, most, |one| one);
        assert_eq!(of(0, 100), ((0..100).collect(), 250));
        assert_eq!(of(200, 100), ((200..250).collect(), 250));
        assert_eq!(of(300, 100), (Vec::new(), 250));
        assert_eq!(part(0..0, 0, 100, |one| one), (Vec::<i32>::new(), 0));
    }
}
