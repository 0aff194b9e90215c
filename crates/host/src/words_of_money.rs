//! Amounts in words, as a ticket shows them (S15).

use rulebook::Cents;

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const DIGITS: [&str; 10] = ["零", "壹", "贰", "叁", "肆", "伍", "陆", "柒", "捌", "玖"];
const PLACES: [&str; 4] = ["", "拾", "佰", "仟"];
const GROUPS: [&str; 5] = ["", "万", "亿", "万亿", "亿亿"];

/// In English.
#[must_use]
pub fn english(amount: Cents) -> String {
    let (dollars, cents) = (amount.get().unsigned_abs() / 100, amount.get().unsigned_abs() % 100);
    let unit = if dollars == 1 { "dollar" } else { "dollars" };
    match cents {
        0 => format!("{} {unit} only", number(dollars)),
        1 => format!("{} {unit} and one cent", number(dollars)),
        _ => format!("{} {unit} and {} cents", number(dollars), number(cents)),
    }
}

fn place<'a>(words: &[&'a str], at: u64) -> &'a str {
    usize::try_from(at).ok().and_then(|at| words.get(at)).copied().unwrap_or_default()
}

fn number(n: u64) -> String {
    match n {
        0..20 => place(&SMALL, n).to_owned(),
        20..100 if n.is_multiple_of(10) => place(&TENS, n / 10).to_owned(),
        20..100 => format!("{}-{}", place(&TENS, n / 10), place(&SMALL, n % 10)),
        100..1_000 => with_rest(n, 100, "hundred"),
        1_000..1_000_000 => with_rest(n, 1_000, "thousand"),
        1_000_000..1_000_000_000 => with_rest(n, 1_000_000, "million"),
        _ => with_rest(n, 1_000_000_000, "billion"),
    }
}

fn with_rest(n: u64, unit: u64, name: &str) -> String {
    let head = format!("{} {name}", number(n / unit));
    match n % unit {
        0 => head,
        rest if rest < 100 => format!("{head} and {}", number(rest)),
        rest => format!("{head} {}", number(rest)),
    }
}

/// In the Chinese numerals of bills.
#[must_use]
pub fn chinese(amount: Cents) -> String {
    let (dollars, cents) = (amount.get().unsigned_abs() / 100, amount.get().unsigned_abs() % 100);
    let (tenths, hundredths) = (cents / 10, cents % 10);
    let mut words = if dollars == 0 { "零".to_owned() } else { chinese_number(dollars) };
    words.push('元');
    match (tenths, hundredths) {
        (0, 0) => words.push('整'),
        (0, h) => words.push_str(&format!("零{}分", place(&DIGITS, h))),
        (t, 0) => words.push_str(&format!("{}角", place(&DIGITS, t))),
        (t, h) => words.push_str(&format!("{}角{}分", place(&DIGITS, t), place(&DIGITS, h))),
    }
    words
}

fn chinese_number(n: u64) -> String {
    let mut words = String::new();
    let groups: Vec<u64> =
        std::iter::successors(Some(n), |n| Some(n / 10_000)).take_while(|n| *n > 0).map(|n| n % 10_000).collect();
    let mut gap = false;
    for (group, value) in groups.iter().enumerate().rev() {
        if *value == 0 {
            gap = true;
            continue;
        }
        if !words.is_empty() && (gap || *value < 1_000) {
            words.push('零');
        }
        words.push_str(&chinese_group(*value));
        words.push_str(GROUPS.get(group).copied().unwrap_or_default());
        gap = false;
    }
    words
}

fn chinese_group(value: u64) -> String {
    let mut words = String::new();
    let mut gap = false;
    for at in (0..4_u64).rev() {
        let digit = value / 10_u64.pow(u32::try_from(at).unwrap_or(0)) % 10;
        if digit == 0 {
            gap = !words.is_empty();
            continue;
        }
        if gap {
            words.push('零');
        }
        gap = false;
        words.push_str(place(&DIGITS, digit));
        words.push_str(place(&PLACES, at));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s15_amounts_in_words() {
        for (cents, en, zh) in [
            (100, "one dollar only", "壹元整"),
            (2_050, "twenty dollars and fifty cents", "贰拾元伍角"),
            (10_001, "one hundred dollars and one cent", "壹佰元零壹分"),
            (
                123_456,
                "one thousand two hundred and thirty-four dollars and fifty-six cents",
                "壹仟贰佰叁拾肆元伍角陆分",
            ),
            (1_000_500, "ten thousand and five dollars only", "壹万零伍元整"),
            (100_000_000, "one million dollars only", "壹佰万元整"),
            (5, "zero dollars and five cents", "零元零伍分"),
            (10_100_000, "one hundred and one thousand dollars only", "壹拾万壹仟元整"),
        ] {
            assert_eq!(english(Cents::new(cents)), en);
            assert_eq!(chinese(Cents::new(cents)), zh);
        }
    }
}
