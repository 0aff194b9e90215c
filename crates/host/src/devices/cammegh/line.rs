//! The status line, and how lines are found in what comes over a serial port.

use super::Direction;

/// A line is shorter than this. What is longer is no line.
const LONGEST: usize = 48;

/// Where a game is, by the wheel.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// 1: a game can start.
    Start,
    /// 2: place bets; the ball is not in the track.
    PlaceBets,
    /// 3: the ball is in the track.
    BallInTrack,
    /// 4: no more bets, by the wheel.
    NoMoreBets,
    /// 5: the ball rests.
    WinningNumber,
    /// 6: the table is closed.
    Closed,
}

/// A status line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where the game is.
    pub phase: Phase,
    /// The wheel's own count of games.
    pub game: u32,
    /// The number, two characters as they came.
    pub win: String,
    /// A sum of warnings: 1 ball removed or unseen, 2 ball in the rotor's direction, 4 sensor or motor, 8 launch failed.
    pub warning: u8,
    /// How fast the rotor turns, if that was a number.
    pub speed: Option<u16>,
    /// Which way.
    pub direction: Option<Direction>,
}

impl Line {
    /// Reads a line, from its star to its last character.
    #[must_use]
    pub fn parse(text: &str) -> Option<Line> {
        let mut fields = text.strip_prefix("*X;")?.split(';');
        let mut next = || fields.next();
        let phase = match next()? {
            "1" => Phase::Start,
            "2" => Phase::PlaceBets,
            "3" => Phase::BallInTrack,
            "4" => Phase::NoMoreBets,
            "5" => Phase::WinningNumber,
            "6" => Phase::Closed,
            _ => return None,
        };
        let game = number(next()?)?;
        // A field of two characters: a shorter one has lost something on the way.
        let win = next().filter(|win| win.len() == 2)?.to_owned();
        let warning = number(next()?).and_then(|warning| u8::try_from(warning).ok())?;
        let speed = number(next()?).and_then(|speed| u16::try_from(speed).ok());
        // Which value is which way is not documented; that they alternate is all that is asked of them.
        let direction = match next()?.trim() {
            "0" => Some(Direction::Clockwise),
            "1" => Some(Direction::Anticlockwise),
            _ => None,
        };
        fields.next().is_none().then_some(Line { phase, game, win, warning, speed, direction })
    }
}

fn number(text: &str) -> Option<u32> {
    let digits = text.trim();
    let plain = !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

/// Something came that is no status line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// Finds lines in bytes as they come: in pieces, with rubbish between them, cut short or run together. It keeps one
/// line at most.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    line: Vec<u8>,
    rubbish: bool,
}

impl Lines {
    /// Takes bytes and tells of each line that ended in them.
    pub fn feed(&mut self, bytes: &[u8], mut tell: impl FnMut(Result<Line, Unreadable>)) {
        for byte in bytes {
            match byte {
                b'\r' | b'\n' => self.end(&mut tell),
                // A star begins a line, whatever came before it.
                b'*' => {
                    self.end(&mut tell);
                    self.line.push(b'*');
                }
                _ if self.line.is_empty() => self.rubbish = true,
                _ if self.line.len() >= LONGEST => {
                    self.line.clear();
                    self.rubbish = true;
                }
                byte => self.line.push(*byte),
            }
        }
    }

    /// Discards a partial line, because the port was reopened.
    pub fn reset(&mut self) {
        self.line.clear();
        self.rubbish = false;
    }

    fn end(&mut self, tell: &mut impl FnMut(Result<Line, Unreadable>)) {
        if std::mem::take(&mut self.rubbish) {
            tell(Err(Unreadable));
        }
        if !self.line.is_empty() {
            tell(str::from_utf8(&self.line).ok().and_then(Line::parse).ok_or(Unreadable));
            self.line.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<Result<u32, Unreadable>> {
        let mut found = Vec::new();
        Lines::default().feed(bytes, |line| found.push(line.map(|line| line.game)));
        found
    }

    #[test]
    fn a_line_is_read_field_by_field() {
        let line = Line::parse("*X;5;0123;36;10;024;1").unwrap();
        let expected = Line {
            phase: Phase::WinningNumber,
            game: 123,
            win: "36".to_owned(),
            warning: 10,
            speed: Some(24),
            direction: Some(Direction::Anticlockwise),
        };
        assert_eq!(line, expected);
        let strange = Line::parse("*X;1;7;  ;0;--;?").unwrap();
        assert_eq!((strange.speed, strange.direction), (None, None));
    }

    #[test]
    fn what_is_not_a_whole_line_is_none() {
        for text in [
            "",
            "*X",
            "X;5;123;36;0;24;1",
            "*Y;5;123;36;0;24;1",
            "*X;0;123;36;0;24;1",
            "*X;7;123;36;0;24;1",
            "*X;5;12a;36;0;24;1",
            "*X;5;;36;0;24;1",
            "*X;5;+12;36;0;24;1",
            "*X;5;99999999999;36;0;24;1",
            "*X;5;123;3;0;24;1",
            "*X;5;123;036;0;24;1",
            "*X;5;123;36;256;24;1",
            "*X;5;123;36;-1;24;1",
            "*X;5;123;36;0;24",
            "*X;5;123;36;0;24;1;0",
        ] {
            assert_eq!(Line::parse(text), None, "{text}");
        }
    }

    #[test]
    fn lines_are_found_however_they_end_and_in_whatever_pieces_they_come() {
        let bytes = b"*X;2;1;  ;0;24;0\r\n*X;2;2;  ;0;24;0\n*X;2;3;  ;0;24;0\r*X;2;4;  ;0;24;0*X;2;5;  ;0;24;0\r\n";
        assert_eq!(read(bytes), [Ok(1), Ok(2), Ok(3), Ok(4), Ok(5)]);
        for size in 1..20 {
            let (mut lines, mut found) = (Lines::default(), Vec::new());
            bytes.chunks(size).for_each(|piece| lines.feed(piece, |line| found.push(line.unwrap().game)));
            assert_eq!(found, [1, 2, 3, 4, 5], "in pieces of {size}");
        }
    }

    #[test]
    fn rubbish_costs_the_line_it_is_in_and_no_other() {
        assert_eq!(read(b"\xff\x00garbage\r\n*X;2;1;  ;0;24;0\r\n"), [Err(Unreadable), Ok(1)]);
        assert_eq!(read(b"*X;2;1;  ;0;2\xff4;0\r\n*X;2;2;  ;0;24;0\r\n"), [Err(Unreadable), Ok(2)]);
        // Cut short by the next.
        assert_eq!(read(b"*X;2;1;  ;*X;2;2;  ;0;24;0\r\n"), [Err(Unreadable), Ok(2)]);
        // Its beginning was missed.
        assert_eq!(read(b"1;  ;0;24;0\r\n*X;2;2;  ;0;24;0\r\n"), [Err(Unreadable), Ok(2)]);
    }

    #[test]
    fn a_line_without_end_is_thrown_away_and_takes_no_memory() {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        lines.feed(b"*X;2;", |line| found.push(line.is_ok()));
        for _ in 0..10_000 {
            lines.feed(&[b'1'; 100], |line| found.push(line.is_ok()));
        }
        assert!(lines.line.capacity() <= 2 * LONGEST, "{}", lines.line.capacity());
        lines.feed(b"\r\n*X;2;2;  ;0;24;0\r\n", |line| found.push(line.is_ok()));
        assert_eq!(found, [false, true]);
    }
}
