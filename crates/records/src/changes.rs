//! The list of a round's bet changes and acknowledged closes: the two events that come in great numbers. Each takes a
//! few bytes in one list per round, instead of a row.

use floor::{Change, Group, Moment, RoundId, TerminalId};
use serde::{Deserialize, Serialize};

use crate::Error;

/// One change, as it is written. The encoding is part of the schema's version.
#[derive(Serialize)]
pub(crate) struct LineRef<'a> {
    pub sequence: u64,
    pub at: Moment,
    pub terminal: TerminalId,
    pub what: WhatRef<'a>,
}

#[derive(Serialize)]
pub(crate) enum WhatRef<'a> {
    Acknowledged,
    Bets { layout: u8, changes: &'a [Change], added: &'a [Group], removed: &'a [u16] },
}

/// One change, as it is read.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Line {
    pub sequence: u64,
    pub at: Moment,
    pub terminal: TerminalId,
    pub what: What,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum What {
    Acknowledged,
    Bets { layout: u8, changes: Vec<Change>, added: Vec<Group>, removed: Vec<u16> },
}

/// Changes of a round that are not yet in the database.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub round: Option<RoundId>,
    pub first: u64,
    pub lines: Vec<u8>,
}

impl Pending {
    pub(crate) fn add(&mut self, round: RoundId, line: &LineRef<'_>) -> Result<(), Error> {
        if self.lines.is_empty() {
            self.round = Some(round);
            self.first = line.sequence;
        }
        self.lines = postcard::to_extend(line, std::mem::take(&mut self.lines))?;
        Ok(())
    }
}

/// Reads a list.
pub(crate) fn read(mut lines: &[u8]) -> Result<Vec<Line>, Error> {
    let mut read = Vec::new();
    while !lines.is_empty() {
        let (line, rest) = postcard::take_from_bytes(lines)?;
        read.push(line);
        lines = rest;
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebook::{Cents, library};

    /// The bytes in databases that exist. If this fails, raise the version of the schema with the new bytes.
    #[test]
    fn a_line_is_written_as_version_1_writes_it() {
        let spot = library::find("rws-sicbo").unwrap().layouts()[0].table().index_at(3).unwrap();
        let changes = [Change { spot, group: 1, delta: Cents::new(-500) }];
        let added = [Group { id: 2, bet: "tiers".to_owned(), unit: Cents::new(100) }];
        let what = WhatRef::Bets { layout: 1, changes: &changes, added: &added, removed: &[1] };
        let mut pending = Pending::default();
        let line = LineRef { sequence: 300, at: Moment(1_000), terminal: TerminalId(7), what };
        pending.add(RoundId(4), &line).unwrap();
        let line = LineRef { sequence: 301, at: Moment(1_001), terminal: TerminalId(8), what: WhatRef::Acknowledged };
        pending.add(RoundId(4), &line).unwrap();
        let bets = [0xac, 2, 0xd0, 15, 7, 1, 1, 1, 3, 1, 0xe7, 7, 1, 2, 5, 116, 105, 101, 114, 115, 0xc8, 1, 1, 1];
        let acknowledged = [0xad, 2, 0xd2, 15, 8, 0];
        assert_eq!(pending.lines, [&bets[..], &acknowledged[..]].concat());
        assert_eq!((pending.round, pending.first), (Some(RoundId(4)), 300));

        let read = read(&pending.lines).unwrap();
        assert_eq!(read.len(), 2);
        let expected = What::Bets { layout: 1, changes: changes.to_vec(), added: added.to_vec(), removed: vec![1] };
        assert_eq!(read[0], Line { sequence: 300, at: Moment(1_000), terminal: TerminalId(7), what: expected });
        assert_eq!(read[1].what, What::Acknowledged);
    }

    #[test]
    fn a_cut_list_is_an_error() {
        assert!(matches!(read(&[0xac, 2]), Err(Error::Damaged(_))));
    }
}
