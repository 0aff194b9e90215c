//! Phrases: a step of a scenario is a sentence with places to fill in.
//!
//! `<person> enters <outcome> [with <person:witness>]` has two places that must be filled and one that may be left out.
//! The name of a place says what fits there; after a colon stands the name under which it is found.

use rulebook::Cents;

use crate::people::Person;

/// A part of a phrase.
#[derive(Clone, Debug)]
enum Piece {
    Word(String),
    Place { kind: String, name: String },
    Maybe(Vec<Piece>),
}

/// A phrase that sentences are compared with.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// As it is written in the table.
    pub text: &'static str,
    pieces: Vec<Piece>,
}

/// What a sentence put in the places of a phrase.
#[derive(Clone, Debug, Default)]
pub struct Filled(Vec<(String, String)>);

impl Filled {
    /// What stands in a place.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// What stands in a place that is always filled.
    ///
    /// # Errors
    /// When it is not.
    pub fn text(&self, name: &str) -> Result<String, String> {
        self.get(name).map(str::to_owned).ok_or_else(|| format!("<{name}> is missing"))
    }

    /// A number.
    ///
    /// # Errors
    /// When it is none.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, String> {
        let text = self.text(name)?;
        text.parse().map_err(|_| format!("'{text}' is no number for <{name}>"))
    }

    /// An amount of money.
    ///
    /// # Errors
    /// When it is none.
    pub fn amount(&self, name: &str) -> Result<Cents, String> {
        let text = self.text(name)?;
        text.parse().map_err(|error| format!("'{text}': {error}"))
    }

    /// A person.
    ///
    /// # Errors
    /// When there is none such.
    pub fn person(&self, name: &str) -> Result<Person, String> {
        let text = self.text(name)?;
        Person::parse(&text).ok_or_else(|| format!("'{text}' is no person of the book"))
    }

    /// A person who may be left out.
    ///
    /// # Errors
    /// When there is none such.
    pub fn maybe_person(&self, name: &str) -> Result<Option<Person>, String> {
        self.get(name).map(|_| self.person(name)).transpose()
    }
}

impl Phrase {
    /// A phrase of the table.
    #[must_use]
    pub fn new(text: &'static str) -> Phrase {
        let mut rest = text;
        Phrase { text, pieces: pieces(&mut rest) }
    }

    /// What the words fill in, if they are such a sentence.
    #[must_use]
    pub fn fits(&self, words: &[String]) -> Option<Filled> {
        let mut filled = Vec::new();
        let pieces: Vec<&Piece> = self.pieces.iter().collect();
        matches(&pieces, words, &mut filled).then_some(Filled(filled))
    }
}

fn pieces(rest: &mut &'static str) -> Vec<Piece> {
    let mut found = Vec::new();
    loop {
        *rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('[') {
            *rest = after;
            found.push(Piece::Maybe(pieces(rest)));
        } else if let Some(after) = rest.strip_prefix(']') {
            *rest = after;
            return found;
        } else if let Some(after) = rest.strip_prefix('<') {
            let (place, after) = after.split_once('>').unwrap_or((after, ""));
            let (kind, name) = place.split_once(':').unwrap_or((place, place));
            found.push(Piece::Place { kind: kind.to_owned(), name: name.to_owned() });
            *rest = after;
        } else if rest.is_empty() {
            return found;
        } else {
            let end = rest.find([' ', ']']).unwrap_or(rest.len());
            found.push(Piece::Word(rest[..end].to_owned()));
            *rest = &rest[end..];
        }
    }
}

fn matches(pieces: &[&Piece], words: &[String], filled: &mut Vec<(String, String)>) -> bool {
    let Some((piece, later)) = pieces.split_first() else { return words.is_empty() };
    match piece {
        Piece::Word(word) => words.first().is_some_and(|w| w == word) && matches(later, &words[1..], filled),
        Piece::Maybe(inner) => {
            let with: Vec<&Piece> = inner.iter().chain(later.iter().copied()).collect();
            let before = filled.len();
            if matches(&with, words, filled) {
                return true;
            }
            filled.truncate(before);
            matches(later, words, filled)
        }
        Piece::Place { kind, name } => lengths(kind, words).into_iter().any(|(length, text)| {
            filled.push((name.clone(), text));
            let fits = matches(later, &words[length..], filled);
            if !fits {
                filled.truncate(filled.len().saturating_sub(1));
            }
            fits
        }),
    }
}

/// How many words can stand in a place of that kind, and what they say there; the longest first.
fn lengths(kind: &str, words: &[String]) -> Vec<(usize, String)> {
    let Some(first) = words.first() else { return Vec::new() };
    let counted = |word: &str| match words {
        [named, number, ..] if named == word && number.bytes().all(|b| b.is_ascii_digit()) => vec![(2, number.clone())],
        _ => Vec::new(),
    };
    match kind {
        "person" => {
            let most = words.len().min(3);
            let named = (1..=most).rev().map(|length| (length, words[..length].join(" ")));
            named.filter(|(_, text)| Person::parse(text).is_some()).collect()
        }
        "terminal" => counted("terminal"),
        "player" => counted("player"),
        "round" => counted("round"),
        "bets" => {
            let count = words.iter().take_while(|word| word.contains('=')).count();
            (1..=count).rev().map(|length| (length, words[..length].join(" "))).collect()
        }
        "text" => first.strip_prefix('"').map(|text| vec![(1, text.to_owned())]).unwrap_or_default(),
        "n" if first.bytes().all(|b| b.is_ascii_digit()) => vec![(1, first.clone())],
        "amount" if first.parse::<Cents>().is_ok() => vec![(1, first.clone())],
        "n" | "amount" => Vec::new(),
        _ => vec![(1, first.clone())],
    }
}

/// The words of a sentence; what stands in quotation marks is one word that begins with a mark.
///
/// # Errors
/// When a quotation does not end.
pub fn words(sentence: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut rest = sentence.trim();
    while !rest.is_empty() {
        let end = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = quoted.find('"').ok_or_else(|| format!("a quotation does not end: {rest}"))?;
                found.push(format!("\"{}", &quoted[..end]));
                end + 2
            }
            None => {
                let end = rest.find(' ').unwrap_or(rest.len());
                found.push(rest[..end].to_owned());
                end
            }
        };
        rest = rest[end..].trim_start();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_fills_the_places_of_its_phrase() {
        let phrase = Phrase::new("<person> enters <outcome> [with <person:witness>] [because <text>]");
        let fits = |sentence: &str| phrase.fits(&words(sentence).unwrap());
        let filled = fits("second pit supervisor enters 1-2-3 with pit manager because \"the lamp\"").unwrap();
        assert_eq!(filled.get("person"), Some("second pit supervisor"));
        assert_eq!(filled.get("witness"), Some("pit manager"));
        assert_eq!(filled.get("text"), Some("the lamp"));
        let filled = fits("dealer enters 17").unwrap();
        assert_eq!((filled.get("outcome"), filled.get("witness")), (Some("17"), None));
        assert!(fits("dealer enters").is_none());
        assert!(fits("dealer enters 17 with nobody").is_none());
        assert!(words("because \"open").is_err());
    }
}
