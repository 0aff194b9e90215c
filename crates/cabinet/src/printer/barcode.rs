//! Interleaved 2 of 5, as bars on paper and back.

const PATTERNS: [[bool; 5]; 10] = [
    [false, false, true, true, false],
    [true, false, false, false, true],
    [false, true, false, false, true],
    [true, true, false, false, false],
    [false, false, true, false, true],
    [true, false, true, false, false],
    [false, true, true, false, false],
    [false, false, false, true, true],
    [true, false, false, true, false],
    [false, true, false, true, false],
];

/// How much wider a wide bar is.
const WIDE: usize = 3;

/// The widths of bars and gaps, beginning with a bar, in narrow units; nothing for anything but pairs of digits.
#[must_use]
pub fn widths(digits: &str) -> Vec<usize> {
    let values: Vec<usize> =
        digits.chars().filter_map(|digit| digit.to_digit(10)).filter_map(|digit| usize::try_from(digit).ok()).collect();
    if values.len() != digits.len() || values.is_empty() || values.len() % 2 == 1 {
        return Vec::new();
    }
    let width = |wide: bool| if wide { WIDE } else { 1 };
    let mut widths = vec![1, 1, 1, 1];
    for pair in values.chunks(2) {
        let [Some(black), Some(white)] = [pair.first(), pair.last()].map(|digit| PATTERNS.get(*digit?)) else {
            continue;
        };
        widths.extend(black.iter().zip(white).flat_map(|(bar, gap)| [width(*bar), width(*gap)]));
    }
    widths.extend([WIDE, 1, 1]);
    widths
}

/// The digits that bars and gaps say, if they are such a barcode.
#[must_use]
pub fn read_bars(widths: &[usize]) -> Option<String> {
    let body = widths.strip_prefix(&[1, 1, 1, 1])?.strip_suffix(&[WIDE, 1, 1])?;
    let digit = |every: &mut dyn Iterator<Item = &usize>| {
        let pattern: Vec<bool> = every.map(|width| *width == WIDE).collect();
        PATTERNS.iter().position(|known| known.as_slice() == pattern).and_then(|at| u32::try_from(at).ok())
    };
    let mut digits = String::new();
    for pair in body.chunks(10) {
        digits.push(char::from_digit(digit(&mut pair.iter().step_by(2))?, 10)?);
        digits.push(char::from_digit(digit(&mut pair.iter().skip(1).step_by(2))?, 10)?);
    }
    Some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_back_from_its_bars() {
        let number = "004218273645546372";
        assert_eq!(read_bars(&widths(number)).as_deref(), Some(number));
        assert_eq!(widths("12").len(), 4 + 10 + 3);
        for bad in ["", "1", "12x4", "１２"] {
            assert!(widths(bad).is_empty(), "{bad}");
        }
    }
}
