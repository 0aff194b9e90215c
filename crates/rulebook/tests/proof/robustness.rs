//! No input makes the crate panic.

use proptest::prelude::*;
use rulebook::{Bet, Cents, Odds, Rulebook, Spot, library};

use crate::support::source;

/// Near-notation: pieces of real notation in any order, where the interesting mistakes are.
fn notation() -> impl Strategy<Value = String> {
    const PIECES: [&str; 26] = [
        "single",
        "double",
        "triple",
        "any",
        "total",
        "domino",
        "four",
        "three",
        "pair",
        "straight",
        "split",
        "street",
        "corner",
        "sixline",
        "column",
        "dozen",
        "neighbours",
        "finale",
        "/",
        "-",
        "=",
        "0",
        "00",
        "17",
        "36",
        ".",
    ];
    prop::collection::vec(
        prop_oneof![8 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned), 1 => ".{0,3}"],
        0..10,
    )
    .prop_map(|pieces| pieces.concat())
}

fn read_everything(text: &str) {
    if let Ok(spot) = text.parse::<Spot>() {
        assert!(spot.to_string() == text || text == "street/0-00-000", "{text} was read as {spot}");
    }
    if let Ok(bet) = text.parse::<Bet>() {
        assert_eq!(bet.to_string().parse::<Bet>(), Ok(bet));
    }
    if let Ok(cents) = text.parse::<Cents>() {
        assert_eq!(cents.to_string().parse::<Cents>(), Ok(cents));
    }
    if let Ok(odds) = text.parse::<Odds>() {
        assert_eq!(odds.to_string().parse::<Odds>(), Ok(odds));
    }
    for rulebook in library::all().unwrap() {
        if let Ok(index) = rulebook.outcomes().parse(text) {
            assert_eq!(rulebook.outcomes().outcome(index).unwrap().to_string(), text);
        }
        if let Ok((bet, pieces)) = rulebook.expand(text) {
            assert!(text.starts_with(&bet.id) && !pieces.is_empty());
        }
        for layout in rulebook.layouts() {
            let _ = layout.find(text);
        }
    }
}

/// One slip of the pen in a text: something cut, put in or doubled.
fn slip(text: &str, from: usize, length: usize, put: &str, twice: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let from = from % (chars.len() + 1);
    let to = (from + length).min(chars.len());
    let kept = if twice { from } else { to };
    chars[..to].iter().copied().chain(put.chars()).chain(chars[kept..].iter().copied()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,40}") {
        read_everything(&text);
    }

    #[test]
    fn any_near_notation_is_read_or_refused(text in notation()) {
        read_everything(&text);
    }

    #[test]
    fn any_figure_is_read_or_refused(text in "[0-9.+-]{0,24}") {
        read_everything(&text);
    }

    #[test]
    fn any_text_is_a_rulebook_or_an_incoherence(text in "(.|\n){0,200}") {
        prop_assert!(Rulebook::parse("any.toml", &text).is_err());
    }
}

const IDS: [&str; 4] = ["rws-roulette-000", "rws-taisai", "mbs-sicbo", "sicbo-macau"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_rulebook_with_a_slip_of_the_pen_is_coherent_or_not_but_never_a_panic(
        which in prop::sample::select(&IDS[..]),
        from in any::<usize>(),
        length in 0_usize..40,
        put in "[0-9a-z\"\\[\\]{}=, \n/#-]{0,4}",
        twice in any::<bool>(),
    ) {
        let text = slip(&source(which), from, length, &put, twice);
        match Rulebook::parse("slip.toml", &text) {
            Ok(rulebook) => {
                let again = Rulebook::parse("slip.toml", rulebook.canonical()).unwrap();
                prop_assert_eq!(again, rulebook);
            }
            Err(incoherence) => {
                prop_assert!(!incoherence.message.is_empty());
                prop_assert!(incoherence.line >= 1 && incoherence.line <= text.lines().count() + 1);
            }
        }
    }
}

#[test]
fn deep_nesting_and_strange_bytes_are_refused() {
    for text in [
        "a = [".to_owned() + &"[".repeat(100_000),
        "a = ".to_owned() + &"{ b = ".repeat(100_000),
        "[".repeat(100_000),
        "\u{feff}".to_owned(),
        "\0".to_owned(),
        "\r".to_owned(),
        "identity = 1".to_owned(),
        "[identity]\nid = \"x\"".to_owned(),
    ] {
        assert!(Rulebook::parse("strange.toml", &text).is_err());
    }
}
