//! The bytes of a plain bet: the record that comes in great numbers is written and read as the general encoding does,
//! without going through all of that.

use floor::{Change, Event, Few, Moment, Origin, Record, Sender, TerminalId};

/// There is an origin, and it is a terminal.
const FROM_TERMINAL: [u8; 2] = [1, 1];
/// The place of [`Event::BetsChanged`] among the events.
const BETS_CHANGED: u8 = 39;
const ONE_CHANGE: u8 = 1;
const NO_PIECES: [u8; 2] = [0, 0];

/// The most bytes of a plain bet: sender, number, hash, terminal, spot, group, amount, and those that never change.
const MOST: usize = 5 + 10 + 10 + 5 + 3 + 3 + 10 + 6;
/// With room to write eight at the end.
const ROOM: usize = (MOST + 7).next_multiple_of(16);

/// Writes a record after its version; false, with nothing written, if it is no plain bet.
#[inline]
pub(crate) fn write(record: &Record, buffer: &mut Vec<u8>) -> bool {
    let Some(Origin { sender: Sender::Terminal(sender), number, body }) = record.origin else { return false };
    let Event::BetsChanged { terminal, changes, added, removed } = &record.event else { return false };
    let ([change], [], []) = (&changes[..], &added[..], &removed[..]) else { return false };
    let delta = change.delta.get();
    let start = buffer.len();
    buffer.resize(start + ROOM, 0);
    let Some(room) = buffer[start..].first_chunk_mut() else { return false };
    let mut end = fixed(room, 0, FROM_TERMINAL);
    end = number_at(room, end, sender.0.into());
    end = number_at(room, end, number);
    end = number_at(room, end, body);
    end = fixed(room, end, [BETS_CHANGED]);
    end = number_at(room, end, terminal.0.into());
    end = fixed(room, end, [ONE_CHANGE]);
    end = number_at(room, end, change.spot.get() as u64);
    end = number_at(room, end, change.group.into());
    end = number_at(room, end, ((delta << 1) ^ (delta >> 63)).cast_unsigned());
    end = fixed(room, end, NO_PIECES);
    buffer.truncate(start + end);
    true
}

/// Reads a record after its version; `None` if it is no plain bet, or not whole.
pub(crate) fn read(at: Moment, bytes: &[u8]) -> Option<Record> {
    let mut rest = bytes.strip_prefix(&FROM_TERMINAL)?;
    let sender = Sender::Terminal(terminal(&mut rest)?);
    let (number, body) = (number::<10>(&mut rest)?, number::<10>(&mut rest)?);
    rest = rest.strip_prefix(&[BETS_CHANGED])?;
    let terminal = terminal(&mut rest)?;
    rest = rest.strip_prefix(&[ONE_CHANGE])?;
    let (change, rest) = postcard::take_from_bytes::<Change>(rest).ok()?;
    if rest != NO_PIECES {
        return None;
    }
    let event = Event::BetsChanged { terminal, changes: Few::from([change]), added: Vec::new(), removed: Vec::new() };
    Some(Record { at, origin: Some(Origin { sender, number, body }), event })
}

fn terminal(bytes: &mut &[u8]) -> Option<TerminalId> {
    u32::try_from(number::<5>(bytes)?).ok().map(TerminalId)
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

/// Writes bytes at a place, and says where they end. Eight are written at a time, whatever they are worth: what follows is
/// written over the rest.
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
    use rulebook::{Cents, library};

    use super::*;

    /// The same bytes as the general encoding, and the same record from them; or neither.
    fn check(origin: Option<Origin>, event: Event, plain: bool) {
        let general = postcard::to_allocvec(&(&origin, &event)).unwrap();
        let record = Record { at: Moment(7), origin, event };
        let mut bytes = Vec::new();
        assert_eq!(write(&record, &mut bytes), plain);
        assert_eq!(read(Moment(7), &general), plain.then_some(record));
        assert_eq!(bytes, if plain { general } else { Vec::new() });
    }

    #[test]
    fn nothing_is_read_that_the_general_encoding_refuses() {
        let general = |bytes: &[u8]| postcard::from_bytes::<(Option<Origin>, Event)>(bytes).ok();
        // A terminal's id of 6 bytes, one that is too large, a number that is too large, one byte too many, one too few.
        let whole = [1, 1, 5, 2, 3, BETS_CHANGED, 5, 1, 3, 0, 4, 0, 0];
        assert!(read(Moment(0), &whole).is_some() && general(&whole).is_some());
        let long = [&[1, 1], &[0x85, 0x80, 0x80, 0x80, 0x80, 0][..], &whole[3..]].concat();
        let large = [&[1, 1], &[0xff, 0xff, 0xff, 0xff, 0x1f][..], &whole[3..]].concat();
        let larger = [&[1, 1, 5], &[0xff; 9][..], &[2], &whole[4..]].concat();
        for bytes in [&long, &large, &larger, &whole[..12].to_vec()] {
            assert_eq!(read(Moment(0), bytes), None);
            assert_eq!(general(bytes), None);
        }
        assert_eq!(read(Moment(0), &[&whole[..], &[0]].concat()), None);
    }

    #[test]
    fn a_plain_bet_is_written_as_any_other_record() {
        let table = library::find("rws-sicbo").unwrap().layouts()[0].table();
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX / 2, u64::MAX];
        for (spot, number) in table.indices().zip(numbers.into_iter().cycle()) {
            for body in numbers {
                let sender = TerminalId(u32::try_from(number).unwrap_or(u32::MAX));
                let origin = Some(Origin { sender: Sender::Terminal(sender), number, body });
                let delta = Cents::new(body.cast_signed());
                let changes = Few::from([Change { spot, group: number as u16, delta }]);
                let terminal = TerminalId(body as u32);
                let event = Event::BetsChanged { terminal, changes, added: Vec::new(), removed: Vec::new() };
                check(origin, event, true);
            }
        }
    }

    #[test]
    fn what_is_more_than_a_plain_bet_is_left_to_the_general_encoding() {
        let table = library::find("rws-sicbo").unwrap().layouts()[0].table();
        let change = Change { spot: table.index_at(3).unwrap(), group: 0, delta: Cents::new(100) };
        let group = Group { id: 1, bet: "tiers".to_owned(), unit: Cents::new(100) };
        let terminal = TerminalId(1);
        let bets = |changes: &[Change], added: &[Group], removed: &[u16]| {
            let changes = changes.iter().copied().collect();
            Event::BetsChanged { terminal, changes, added: added.to_vec(), removed: removed.to_vec() }
        };
        let terminal = Some(Origin { sender: Sender::Terminal(terminal), number: 2, body: 3 });
        let staff = Some(Origin { sender: Sender::Staff(StaffId(1)), number: 2, body: 3 });
        check(terminal, bets(&[change], &[], &[]), true);
        check(terminal, bets(&[], &[], &[]), false);
        check(terminal, bets(&[change, change], &[], &[]), false);
        check(terminal, bets(&[change], &[group], &[]), false);
        check(terminal, bets(&[change], &[], &[1]), false);
        check(staff, bets(&[change], &[], &[]), false);
        check(None, bets(&[change], &[], &[]), false);
    }
}
