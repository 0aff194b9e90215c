//! A mix of bets as a file has it.

/// A line of a mix: how often its bets are placed in proportion to the others, and the bets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighted<'a> {
    /// The number of the line, from one on.
    pub line: usize,
    /// More than zero.
    pub weight: u32,
    /// The bets, as they are written.
    pub bets: Vec<&'a str>,
}

/// Reads a mix: `WEIGHT,BETS` on each line, as in `3,small=10 big=5`. Empty lines and lines that begin with # do not count.
///
/// # Errors
/// With the number of the first line that is none of these.
pub fn mix(text: &str) -> Result<Vec<Weighted<'_>>, usize> {
    let lines = text.lines().map(str::trim).zip(1..).filter(|(text, _)| !text.is_empty() && !text.starts_with('#'));
    lines
        .map(|(text, line)| {
            let (weight, bets) = text.split_once(',').ok_or(line)?;
            let weight = weight.trim().parse().ok().filter(|weight| *weight > 0).ok_or(line)?;
            Ok(Weighted { line, weight, bets: bets.split_whitespace().collect() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_has_a_weight_and_bets_on_each_line() {
        let read = mix("# one evening\n3,small=10 big=5\n\n 1 , triple/1=5\n").unwrap();
        assert_eq!(read[0], Weighted { line: 2, weight: 3, bets: vec!["small=10", "big=5"] });
        assert_eq!(read[1], Weighted { line: 4, weight: 1, bets: vec!["triple/1=5"] });
        for (text, line) in [("small=10", 1), ("1,a=1\n0,a=1", 2), ("-1,a=1", 1), ("99999999999,a=1", 1)] {
            assert_eq!(mix(text), Err(line), "{text}");
        }
    }
}
