//! Passwords: the work they cost, and which are refused. Logins: how they are written.

use std::collections::HashSet;
use std::sync::LazyLock;

use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Params, Version};
use unicode_normalization::UnicodeNormalization;

use super::{Error, Limits, SignInRefused};

/// The most bytes of a password and of a login.
pub(super) const LONGEST: usize = 256;
const LONGEST_LOGIN: usize = 64;

/// What it costs to look at a password (argon2id).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// KiB of memory.
    pub memory: u32,
    /// Passes over it.
    pub passes: u32,
}

impl Default for Work {
    /// 19 MiB and two passes.
    fn default() -> Work {
        Work { memory: 19 * 1024, passes: 2 }
    }
}

impl Work {
    /// The hash of a new password, in its one form.
    pub(super) fn hash_of(self, password: &str) -> Result<String, Error> {
        self.hash(form(password).as_bytes())
    }

    pub(super) fn hash(self, password: &[u8]) -> Result<String, Error> {
        let failed = |error: &dyn std::fmt::Display| Error::Hashing(error.to_string());
        let params = Params::new(self.memory, self.passes, 1, None).map_err(|error| failed(&error))?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: PasswordHash = argon2.hash_password(password).map_err(|error| failed(&error))?;
        Ok(hash.to_string())
    }
}

/// The form in which a password is kept and compared (NFKC): keyboards write the same character differently.
pub(super) fn form(password: &str) -> String {
    password.nfkc().collect()
}

/// Whether it is the password behind the hash, which says itself what work it takes. Earlier versions kept passwords as
/// they were typed.
pub(super) fn is(password: &str, hash: &str) -> bool {
    let Ok(hash) = PasswordHash::new(hash) else { return false };
    let fits = |text: &str| Argon2::default().verify_password(text.as_bytes(), &hash).is_ok();
    let form = form(password);
    fits(&form) || (form != password && fits(password))
}

/// Why a password or login was not taken.
#[derive(Debug, thiserror::Error)]
pub enum PasswordRefused {
    /// It is too short.
    #[error("a password has at least {minimum} characters")]
    TooShort {
        /// The fewest characters.
        minimum: usize,
    },
    /// It is too long.
    #[error("a password has at most {maximum} bytes")]
    TooLong {
        /// The most bytes.
        maximum: usize,
    },
    /// It is the login.
    #[error("a password is not the login")]
    IsLogin,
    /// It is one of the most common.
    #[error("this password is too common: choose another, for example four words that do not belong together")]
    Common,
    /// It is the old one.
    #[error("the new password is the old one")]
    Same,
    /// A login cannot be written like this.
    #[error("a login has 1 to 64 letters from a to z, digits, dots, hyphens and underscores")]
    Login,
    /// Another person has that login.
    #[error("another person has this login")]
    LoginTaken,
    /// The session has ended.
    #[error("sign in first")]
    SignedOut,
    /// The old password is wrong, or there were too many attempts.
    #[error(transparent)]
    Old(SignInRefused),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

impl From<SignInRefused> for PasswordRefused {
    fn from(refused: SignInRefused) -> PasswordRefused {
        PasswordRefused::Old(refused)
    }
}

impl From<rusqlite::Error> for PasswordRefused {
    fn from(error: rusqlite::Error) -> PasswordRefused {
        PasswordRefused::Store(error.into())
    }
}

pub(super) fn fits(limits: &Limits, login: &str, password: &str) -> Result<(), PasswordRefused> {
    let form = form(password);
    if form.chars().count() < limits.password_minimum {
        return Err(PasswordRefused::TooShort { minimum: limits.password_minimum });
    }
    if password.len().max(form.len()) > LONGEST {
        return Err(PasswordRefused::TooLong { maximum: LONGEST });
    }
    if self::login(password) == login {
        return Err(PasswordRefused::IsLogin);
    }
    if is_common(login, password) {
        return Err(PasswordRefused::Common);
    }
    Ok(())
}

/// The most common words, without the comment above them.
static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    include_str!("common_passwords.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect()
});

/// Whether a password is among the first that an attacker tries: a common word or the login with something around it or
/// repeated, a few characters only, or a row of them.
fn is_common(login: &str, password: &str) -> bool {
    let text: String = password.nfkc().flat_map(char::to_lowercase).collect();
    let distinct: HashSet<char> = text.chars().collect();
    if distinct.len() < 5 || is_row(&text) {
        return true;
    }
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let inside = plain.trim_matches(|c: char| !c.is_alphabetic());
    let known =
        |word: &str| !word.is_empty() && (COMMON.contains(word) || word == login || COMMON.contains(&*unmasked(word)));
    is_built(&plain, known)
        || known(&plain)
        || known(inside)
        || repeated(&plain).is_some_and(known)
        || repeated(inside).is_some_and(known)
}

/// Whether a text that a person made up is easy to guess: fewer than five different characters, one piece repeated, rows of
/// characters that follow each other, or a walk over the keyboard.
pub(crate) fn is_simple(text: &str) -> bool {
    let text: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let characters: Vec<char> = text.chars().collect();
    let distinct: HashSet<char> = text.chars().collect();
    let steps = |fits: &dyn Fn(char, char) -> bool| {
        characters.windows(2).filter(|pair| matches!(pair, [a, b] if fits(*a, *b))).count()
    };
    // Most characters follow the one before them: `abcd1234`, `99887766`.
    let mostly = characters.len().saturating_sub(1) * 3 / 4;
    let follows = |a: char, b: char| u32::from(a).abs_diff(u32::from(b)) <= 1;
    distinct.len() < 5 || repeated(&text).is_some() || steps(&follows) >= mostly || steps(&is_step) >= mostly
}

/// Whether a text is one or two common words or the login, with only digits, signs and keyboard walks around and
/// between them: `welcome-admin-2026`, `1qaz2wsx3edc`.
fn is_built(text: &str, known: impl Fn(&str) -> bool) -> bool {
    const MOST_WORDS: u8 = 2;
    const LONGEST_WORD: usize = 32;
    let places: Vec<(usize, char)> = text.char_indices().chain([(text.len(), ' ')]).collect();
    // The fewest words that the first so many characters are built of.
    let mut fewest: Vec<Option<u8>> = vec![None; places.len()];
    let better = |place: &mut Option<u8>, words: u8| *place = Some(place.map_or(words, |before| before.min(words)));
    if let Some(first) = fewest.first_mut() {
        *first = Some(0);
    }
    for (at, &(from, character)) in places.iter().enumerate() {
        let Some(words) = fewest.get(at).copied().flatten() else { continue };
        let walks = places.get(at..places.len() - 1).unwrap_or_default();
        let walks = walks.windows(2).take_while(|pair| matches!(pair, [(_, a), (_, b)] if is_step(*a, *b))).count() + 1;
        for (end, place) in fewest.iter_mut().enumerate().skip(at + 1).take(LONGEST) {
            let length = end - at;
            if (length == 1 && !character.is_alphabetic()) || (length >= 3 && length <= walks) {
                better(place, words);
            } else if length <= LONGEST_WORD
                && let Some(word) = places.get(end).and_then(|(to, _)| text.get(from..*to))
                && known(word)
            {
                better(place, words + 1);
            }
        }
    }
    fewest.last().copied().flatten().is_some_and(|words| words <= MOST_WORDS)
}

/// Whether two keys are the same or lie side by side.
fn is_step(a: char, b: char) -> bool {
    const ROWS: [&str; 4] = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];
    let place = |key: char| {
        ROWS.iter().zip(0_i32..).find_map(|(row, at)| Some((at, i32::try_from(row.find(key)?).unwrap_or_default())))
    };
    let (Some((row, column)), Some((other_row, other_column))) = (place(a), place(b)) else { return a == b };
    (row - other_row).abs() <= 1 && (column - other_column).abs() <= 1
}

/// Letters that stand behind digits and signs: `p@ssw0rd`.
fn unmasked(word: &str) -> String {
    word.chars()
        .map(|c| match c {
            '0' => 'o',
            '1' | '!' => 'i',
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            c => c,
        })
        .collect()
}

/// The word that a text consists of several times.
fn repeated(text: &str) -> Option<&str> {
    (1..=text.len() / 2)
        .filter(|length| text.len().is_multiple_of(*length))
        .filter_map(|length| text.get(..length))
        .find(|word| text.split(*word).all(str::is_empty))
}

/// Whether every character follows the one before it: `123456789012`, `abcdefghijkl`.
fn is_row(text: &str) -> bool {
    let characters: Vec<u32> = text.chars().map(u32::from).collect();
    let follows = |pair: &[u32]| match pair {
        [a, b] => a.abs_diff(*b) <= 1 || (*a == u32::from('9') && *b == u32::from('0')),
        _ => true,
    };
    characters.windows(2).all(follows)
}

/// A login as it is kept and compared: one form of each character (NFKC), in lower case, without blanks around it.
pub(super) fn login(text: &str) -> String {
    // Lower case may take a character out of its form.
    text.trim().nfkc().flat_map(char::to_lowercase).nfkc().collect()
}

pub(super) fn is_login(login: &str) -> bool {
    let readable = login.chars().all(|c| !c.is_control() && !c.is_whitespace() && !is_invisible(c));
    !login.is_empty() && login.len() <= LONGEST_LOGIN && readable
}

/// A login that a person may be given: in one script, so that no two look alike. Earlier versions gave others, which
/// remain valid.
pub(super) fn is_new_login(login: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'_');
    is_login(login) && login.bytes().all(plain)
}

/// Characters that show nothing, or change how others are shown.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// A name that a person gave something: short, on one line, every character visible.
#[must_use]
pub fn shown(text: &str) -> String {
    cut(text, |_| false)
}

/// An entered login, as it may be in a record or a log: as [`shown`], and between quotation marks that nothing inside
/// it can end.
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", cut(text, |c| matches!(c, '"' | '\\')))
}

/// The beginning of a text. Invisible characters, and those that move the text around them, are escaped as `\u{..}`,
/// and so are characters that a backslash marks. An escape is never cut.
fn cut(text: &str, marked: impl Fn(char) -> bool) -> String {
    const MOST: usize = 40;
    let (mut shown, mut length) = (String::new(), 0);
    for c in text.trim().chars() {
        let part: String = if marked(c) {
            ['\\', c].iter().collect()
        } else if c.is_control() || is_invisible(c) || (c.is_whitespace() && c != ' ') {
            c.escape_unicode().collect()
        } else {
            c.to_string()
        };
        length += part.chars().count();
        if length > MOST {
            shown.push('…');
            break;
        }
        shown.push_str(&part);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_passwords_are_refused_however_they_are_dressed_up() {
        for password in [
            "password1234",
            "P@ssw0rd2026!",
            "passwordpassword",
            "123456789012",
            "abcdefghijkl",
            "aaaaaaaaaaaa",
            "abababababab",
            "!!Administrator!!",
            "1q2w3e4r5t6y",
            "qwertyuiopasdf",
            "lin1234567890",
            "casinocasino",
            "qazwsxedcrfv",
            "1qaz2wsx3edc",
            "zxcvbnmasdfg",
            "Welcome-Admin-2026",
            "admin12345password",
            "dragon!lin!2026",
            "00qwerty00letmein",
            "ｐａｓｓｗｏｒｄ１２３４",
        ] {
            assert!(is_common("lin", password), "{password}");
        }
        for password in
            ["a long enough password", "demonstration", "correct horse staple wheel", "八个字的长密码啊不是吗好"]
        {
            assert!(!is_common("lin", password), "{password}");
        }
    }

    #[test]
    fn a_password_is_the_same_however_its_characters_are_typed() {
        let work = Work { memory: 8, passes: 1 };
        let kept = work.hash_of("caf\u{e9} au lait, deux").unwrap();
        for typed in ["café au lait, deux", "cafe\u{301} au lait, deux", "ｃafé au lait, deux"] {
            assert!(is(typed, &kept), "{typed:?}");
        }
        assert!(!is("cafe au lait, deux", &kept));
        // What an earlier version kept as it was typed remains valid.
        let earlier = work.hash("ｃafé au lait, deux".as_bytes()).unwrap();
        assert!(is("ｃafé au lait, deux", &earlier));
    }

    #[test]
    fn a_half_that_is_made_up_without_thought_is_refused() {
        for half in [
            "11111111",
            "12345678",
            "abcdefgh",
            "87654321",
            "abcd1234",
            "xyzxyzxyz",
            "QWERTYUI",
            "99887766",
            "abab1212",
        ] {
            assert!(is_simple(half), "{half}");
        }
        for half in
            ["kept by the second person", ", and its other half", "a half of mine", "k7fq9xmp", "purple-rain-44"]
        {
            assert!(!is_simple(half), "{half}");
        }
    }

    #[test]
    fn a_login_has_one_form() {
        for typed in ["Lin", " lin ", "ＬＩＮ", "LIN\t"] {
            assert_eq!(login(typed), "lin", "{typed:?}");
        }
        assert_eq!(login("JOSE\u{301}"), login("josé"));
        for bad in ["", "a b", "lin\n", "li\u{200b}n", "\u{202e}nil", "lin\0"] {
            assert!(!is_login(bad), "{bad:?}");
        }
    }

    #[test]
    fn what_was_typed_is_shown_on_one_line() {
        assert_eq!(shown("anna\nINFO all is well"), "anna\\u{a}INFO all is well");
        assert_eq!(shown("\u{202e}anna\u{1b}[31m"), "\\u{202e}anna\\u{1b}[31m");
        assert_eq!(shown(&"x".repeat(100)).chars().count(), 41);
        assert!(quoted(&"\n".repeat(100)).chars().count() <= 43);
    }

    #[test]
    fn what_was_typed_cannot_end_its_quotation() {
        assert_eq!(quoted("anna"), "\"anna\"");
        assert_eq!(quoted(r#"a" signed in from "b"#), r#""a\" signed in from \"b""#);
        assert_eq!(quoted(r#"a\" x"#), r#""a\\\" x""#);
        assert_eq!(quoted(r"a\u{22}"), r#""a\\u{22}""#);
        for typed in ["\\".repeat(40), "\"".repeat(40), format!("{}\\", "x".repeat(39))] {
            let inside = quoted(&typed);
            let inside = inside.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap();
            let mut escaped = false;
            for c in inside.chars() {
                assert!(escaped || c != '"', "{inside}");
                escaped = !escaped && c == '\\';
            }
            assert!(!escaped, "{inside}");
        }
    }

    #[test]
    fn a_new_login_is_in_one_script() {
        for good in ["anna", "anna.lin-2_x", "007"] {
            assert!(is_new_login(good), "{good}");
        }
        for bad in ["\u{430}nna", "josé", "陳", "an\u{456}a", "a b", "a'b", "a\"b", ""] {
            assert!(!is_new_login(bad), "{bad}");
        }
    }
}
