//! The bytes of a plain bet: the most frequent record has a short form of its own within encoding 2.
//!
//! After the version and [`PLAIN`]: the terminal, which is also the sender; the sender's number; the hash of the
//! command, as eight bytes, the lowest first; the round; the spot; the amount, zigzag. Numbers are varints. The fields
//! of this form never change: a bet with anything else is written in the general form.

use floor::{Change, Event, Few, Moment, Origin, Record, RoundId, Sender, TerminalId};
use rulebook::{Cents, SpotIndex};

/// The record goes on as a plain bet.
const PLAIN: u8 = 1;

/// The most bytes of a plain bet: version, form, terminal, number, hash, round, spot, amount.
const MOST: usize = 1 + 1 + 5 + 10 + 8 + 10 + 3 + 10;
/// With room to write eight at the end.
const ROOM: usize = (MOST + 7).next_multiple_of(16);

/// Writes a record with its version; false, with nothing written, if it is no plain bet.
#[inline]
pub(crate) fn write(version: u8, record: &Record, buffer: &mut Vec<u8>) -> bool {
    let Some(Origin { sender: Sender::Terminal(sender), number, body }) = record.origin else { return false };
    let Event::BetsChanged { terminal, changes, added, removed, round: Some(round) } = &record.event else {
        return false;
    };
    let ([Change { spot, group: 0, delta }], [], []) = (&changes[..], &added[..], &removed[..]) else { return false };
    if sender != *terminal {
        return false;
    }
    let delta = delta.get();
    let start = buffer.len();
    buffer.resize(start + ROOM, 0);
    let Some(room) = buffer[start..].first_chunk_mut() else { return false };
    let mut end = fixed(room, 0, [version, PLAIN]);
    end = number_at(room, end, terminal.0.into());
    end = number_at(room, end, number);
    end = word_at(room, end, body, 8);
    end = number_at(room, end, round.0);
    end = number_at(room, end, spot.get() as u64);
    end = number_at(room, end, ((delta << 1) ^ (delta >> 63)).cast_unsigned());
    buffer.truncate(start + end);
    true
}

/// Reads a record after its version; `None` if it is no plain bet, or not whole.
#[inline]
pub(crate) fn read(at: Moment, bytes: &[u8]) -> Option<Record> {
    let mut rest = bytes.strip_prefix(&[PLAIN])?;
    let terminal = u32::try_from(number::<5>(&mut rest)?).ok().map(TerminalId)?;
    let number_of_sender = number::<10>(&mut rest)?;
    let (body, after) = rest.split_first_chunk()?;
    rest = after;
    let body = u64::from_le_bytes(*body);
    let round = Some(RoundId(number::<10>(&mut rest)?));
    let ((spot, delta), rest) = postcard::take_from_bytes::<(SpotIndex, Cents)>(rest).ok()?;
    if !rest.is_empty() {
        return None;
    }
    let changes = Few::from([Change { spot, group: 0, delta }]);
    let event = Event::BetsChanged { terminal, changes, added: Vec::new(), removed: Vec::new(), round };
    let origin = Origin { sender: Sender::Terminal(terminal), number: number_of_sender, body };
    Some(Record { at, origin: Some(origin), event })
}

/// A number of at most so many bytes.
fn number<const MOST: u32>(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..MOST {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        number |= bits << (7 * place);
        if byte & 0x80 == 0 {
            // The tenth byte has room for one bit.
            return (place < 9 || bits < 2).then_some(number);
        }
    }
    None
}

/// Writes bytes at a place and returns their end. Eight are always written at a time: later bytes overwrite the excess.
#[inline(always)]
fn word_at(room: &mut [u8; ROOM], place: usize, word: u64, length: usize) -> usize {
    if let Some(bytes) = room.get_mut(place..).and_then(<[u8]>::first_chunk_mut) {
        *bytes = word.to_le_bytes();
    }
    place + length
}

#[inline(always)]
fn fixed<const N: usize>(room: &mut [u8; ROOM], place: usize, bytes: [u8; N]) -> usize {
    let word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    word_at(room, place, word, N)
}

/// Seven bits a byte, the lowest first, and the highest bit where another follows.
#[inline(always)]
fn number_at(room: &mut [u8; ROOM], place: usize, number: u64) -> usize {
    if number < 0x80 {
        return word_at(room, place, number, 1);
    }
    // 56 bits over eight bytes: half of them to the upper half, and so on within the halves.
    let mut spread = number & 0x0000_0000_0fff_ffff | (number & 0x00ff_ffff_f000_0000) << 4;
    spread = spread & 0x0000_3fff_0000_3fff | (spread & 0x0fff_c000_0fff_c000) << 2;
    spread = spread & 0x007f_007f_007f_007f | (spread & 0x3f80_3f80_3f80_3f80) << 1;
    const FOLLOWED: u64 = 0x8080_8080_8080_8080;
    let rest = number >> 56;
    if rest == 0 {
        let length = (64 - number.leading_zeros()).div_ceil(7);
        return word_at(room, place, spread | FOLLOWED & ((1 << (8 * (length - 1))) - 1), length as usize);
    }
    let place = word_at(room, place, spread | FOLLOWED, 8);
    if rest < 0x80 {
        word_at(room, place, rest, 1)
    } else {
        word_at(room, place, rest & 0x7f | 0x80 | rest >> 7 << 8, 2)
    }
}

#[cfg(test)]
mod tests {
    use floor::{Group, StaffId};
    use rulebook::library;

    use super::*;

    const VERSION: u8 = 2;

    /// Written and read again as it was, or not in this form at all.
    fn check(origin: Option<Origin>, event: Event, plain: bool) {
        let record = Record { at: Moment(7), origin, event };
        let mut bytes = vec![9];
        assert_eq!(write(VERSION, &record, &mut bytes), plain);
        if plain {
            assert_eq!(bytes[..3], [9, VERSION, PLAIN]);
            assert_eq!(read(Moment(7), &bytes[2..]), Some(record));
            assert_eq!(read(Moment(7), &bytes[2..bytes.len() - 1]), None, "one byte too few");
            bytes.push(0);
            assert_eq!(read(Moment(7), &bytes[2..]), None, "one byte too many");
        } else {
            assert_eq!(bytes, [9]);
        }
    }

    fn bets(
        terminal: TerminalId,
        changes: &[Change],
        added: &[Group],
        removed: &[u16],
        round: Option<RoundId>,
    ) -> Event {
        let changes = changes.iter().copied().collect();
        Event::BetsChanged { terminal, changes, added: added.to_vec(), removed: removed.to_vec(), round }
    }

    #[test]
    fn a_plain_bet_is_read_as_it_was_written() {
        let table = library::find("rws-sicbo").unwrap().layouts()[0].table();
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX / 2, u64::MAX];
        for (spot, number) in table.indices().zip(numbers.into_iter().cycle()) {
            for body in numbers {
                let terminal = TerminalId(u32::try_from(number).unwrap_or(u32::MAX));
                let origin = Some(Origin { sender: Sender::Terminal(terminal), number, body });
                let change = Change { spot, group: 0, delta: Cents::new(body.cast_signed()) };
                check(origin, bets(terminal, &[change], &[], &[], Some(RoundId(number))), true);
            }
        }
    }

    #[test]
    fn numbers_that_are_too_long_or_too_large_are_refused() {
        let whole = [&[PLAIN, 5, 2][..], &[3; 8], &[7, 3, 4]].concat();
        assert!(read(Moment(0), &whole).is_some());
        let long = [&[PLAIN, 0x85, 0x80, 0x80, 0x80, 0x80, 0][..], &whole[2..]].concat();
        let large = [&[PLAIN, 0xff, 0xff, 0xff, 0xff, 0x1f][..], &whole[2..]].concat();
        let larger = [&[PLAIN, 5][..], &[0xff; 9], &[2], &whole[3..]].concat();
        for bytes in [long, large, larger] {
            assert_eq!(read(Moment(0), &bytes), None);
        }
    }

    #[test]
    fn a_bet_with_anything_else_is_left_to_the_general_form() {
        let table = library::find("rws-sicbo").unwrap().layouts()[0].table();
        let change = Change { spot: table.index_at(3).unwrap(), group: 0, delta: Cents::new(100) };
        let piece = Change { group: 1, ..change };
        let group = Group { id: 1, bet: "tiers".to_owned(), unit: Cents::new(100) };
        let (terminal, round) = (TerminalId(1), Some(RoundId(9)));
        let sent = Some(Origin { sender: Sender::Terminal(terminal), number: 2, body: 3 });
        let other = Some(Origin { sender: Sender::Terminal(TerminalId(2)), number: 2, body: 3 });
        let staff = Some(Origin { sender: Sender::Staff(StaffId(1)), number: 2, body: 3 });
        check(sent, bets(terminal, &[change], &[], &[], round), true);
        check(sent, bets(terminal, &[change], &[], &[], None), false);
        check(sent, bets(terminal, &[], &[], &[], round), false);
        check(sent, bets(terminal, &[piece], &[], &[], round), false);
        check(sent, bets(terminal, &[change, change], &[], &[], round), false);
        check(sent, bets(terminal, &[change], &[group], &[], round), false);
        check(sent, bets(terminal, &[change], &[], &[1], round), false);
        check(other, bets(terminal, &[change], &[], &[], round), false);
        check(staff, bets(terminal, &[change], &[], &[], round), false);
        check(None, bets(terminal, &[change], &[], &[], round), false);
    }
}
