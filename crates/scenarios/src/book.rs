//! Reads the book: files of sections, sections of paragraphs and courses, courses of steps.
//!
//! ```text
//! # Fewer than three tumbles
//! paragraph rws-sicbo 5.3.1
//! paragraph mbs-sicbo 5.1
//!
//! honest: three tumbles count
//!   bets open
//!   terminal 1 bets small=5.00
//!
//! unlucky: the tumbler stops after two
//!   at rws-sicbo
//!   dealer enters 1-2-3 → refused ground_open (this paragraph)
//! ```
//!
//! A course is run at a table of every document that its section names, or at those its own `at` line names.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::phrase;
use crate::steps::{Do, Where, vocabulary};

/// A paragraph of a document, or a decision (`D` and its number).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clause {
    /// The document, or `D`.
    pub document: String,
    /// The paragraph, or the number of the decision.
    pub number: String,
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.document.as_str() {
            "D" => write!(f, "D{}", self.number),
            document => write!(f, "{document} {}", self.number),
        }
    }
}

/// What kind of course it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Everything as it should be.
    Honest,
    /// A person does what is not allowed.
    Dishonest,
    /// Something goes wrong.
    Unlucky,
}

/// What is expected of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It is done.
    Done,
    /// It is refused.
    Refused {
        /// With this code, if the book names one.
        code: Option<String>,
        /// Under this rule; `this paragraph` stands for those of the section.
        rule: Option<String>,
    },
}

/// A step of a course.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its line in the file.
    pub line: usize,
    /// As it is written.
    pub text: String,
    /// What it means.
    pub what: Do,
    /// What is expected.
    pub expected: Expected,
    /// Where it can be taken.
    pub place: Where,
}

/// A course of play.
#[derive(Clone, Debug)]
pub struct Course {
    /// Its line in the file.
    pub line: usize,
    /// What kind it is.
    pub kind: Kind,
    /// What it is called.
    pub title: String,
    /// The documents whose tables it is run at.
    pub at: Vec<String>,
    /// The paragraphs it is about.
    pub clauses: Vec<Clause>,
    /// Why it is known to fail, where the program is not as it should be.
    pub fails: Option<String>,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A file of the book.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// Its name.
    pub name: String,
    /// Its courses.
    pub courses: Vec<Course>,
}

/// A place in the book that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The file.
    pub file: String,
    /// The line.
    pub line: usize,
    /// What is wrong.
    pub words: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.words)
    }
}

/// The folder of the book.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// Reads the whole book.
///
/// # Errors
/// Every place that cannot be read.
pub fn read(folder: &Path) -> Result<Vec<Chapter>, Vec<Unreadable>> {
    let whole = |words: String| vec![Unreadable { file: folder.display().to_string(), line: 0, words }];
    let entries = fs::read_dir(folder).map_err(|error| whole(error.to_string()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    paths.sort();
    let (mut chapters, mut wrong) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match fs::read_to_string(&path) {
            Ok(text) => match chapter(&name, &text) {
                Ok(chapter) => chapters.push(chapter),
                Err(found) => wrong.extend(found),
            },
            Err(error) => wrong.push(Unreadable { file: name, line: 0, words: error.to_string() }),
        }
    }
    if wrong.is_empty() { Ok(chapters) } else { Err(wrong) }
}

/// Reads a file of the book.
///
/// # Errors
/// Every line that cannot be read.
pub fn chapter(name: &str, text: &str) -> Result<Chapter, Vec<Unreadable>> {
    let mut reader = Reader::default();
    let mut wrong = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if let Err(words) = reader.line(line, text) {
            wrong.push(Unreadable { file: name.to_owned(), line, words });
        }
    }
    for course in &reader.courses {
        if course.steps.is_empty() {
            wrong.push(Unreadable { file: name.to_owned(), line: course.line, words: "a course without steps".into() });
        }
    }
    if wrong.is_empty() { Ok(Chapter { name: name.to_owned(), courses: reader.courses }) } else { Err(wrong) }
}

#[derive(Default)]
struct Reader {
    clauses: Vec<Clause>,
    courses: Vec<Course>,
    /// Whether a course of this section has begun: the next paragraph begins another section.
    within: bool,
}

impl Reader {
    fn line(&mut self, line: usize, text: &str) -> Result<(), String> {
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return Ok(());
        }
        if text.starts_with(' ') {
            return self.step(line, trimmed);
        }
        if let Some(cited) = trimmed.strip_prefix("paragraph ").or_else(|| trimmed.strip_prefix("decision ")) {
            if std::mem::take(&mut self.within) {
                self.clauses.clear();
            }
            return self.clauses(cited);
        }
        let (kind, title) = trimmed.split_once(": ").ok_or("neither a paragraph, a course nor an indented step")?;
        let kind = match kind {
            "honest" => Kind::Honest,
            "dishonest" => Kind::Dishonest,
            "unlucky" => Kind::Unlucky,
            other => return Err(format!("'{other}' is no kind of course: honest, dishonest or unlucky")),
        };
        if self.clauses.is_empty() {
            return Err("a course before any paragraph".to_owned());
        }
        self.within = true;
        let mut at: Vec<String> = self.clauses.iter().map(|clause| clause.document.clone()).collect();
        at.retain(|document| document != "D");
        at.sort();
        at.dedup();
        let (title, clauses) = (title.to_owned(), self.clauses.clone());
        self.courses.push(Course { line, kind, title, at, clauses, fails: None, steps: Vec::new() });
        Ok(())
    }

    /// `rws-sicbo 5.3.1, 5.3.2` or `D18`.
    fn clauses(&mut self, cited: &str) -> Result<(), String> {
        if let Some(number) = cited.strip_prefix('D').filter(|number| number.bytes().all(|b| b.is_ascii_digit())) {
            self.clauses.push(Clause { document: "D".to_owned(), number: number.to_owned() });
            return Ok(());
        }
        let (document, numbers) = cited.split_once(' ').ok_or("a paragraph is a document and a number")?;
        let rulebook = rulebook::library::find(document).ok_or_else(|| format!("there is no document '{document}'"))?;
        for number in numbers.split(',').map(str::trim) {
            if !rulebook.paragraphs().iter().any(|paragraph| paragraph.number == number) {
                return Err(format!("{document} has no paragraph {number}"));
            }
            self.clauses.push(Clause { document: document.to_owned(), number: number.to_owned() });
        }
        Ok(())
    }

    fn step(&mut self, line: usize, text: &str) -> Result<(), String> {
        let course = self.courses.last_mut().ok_or("a step before any course")?;
        if let Some(documents) = text.strip_prefix("at ") {
            let documents: Vec<String> = documents.split(',').map(|document| document.trim().to_owned()).collect();
            if let Some(unknown) = documents.iter().find(|document| rulebook::library::find(document).is_none()) {
                return Err(format!("there is no document '{unknown}'"));
            }
            course.at = documents;
            return Ok(());
        }
        if let Some(reason) = text.strip_prefix("expected failure: ") {
            course.fails = Some(reason.to_owned());
            return Ok(());
        }
        let (sentence, expected) = match text.split_once(" → ") {
            None => (text, Expected::Done),
            Some((sentence, answer)) => (sentence, refused(answer)?),
        };
        let words = phrase::words(sentence)?;
        let found = vocabulary().iter().find_map(|known| Some((known, known.phrase.fits(&words)?)));
        let (known, filled) = found.ok_or_else(|| format!("no such step: {sentence}"))?;
        let what = (known.make)(&filled)?;
        course.steps.push(Step { line, text: text.to_owned(), what, expected, place: known.place });
        Ok(())
    }
}

/// `refused ground_open (5.3.1)`; code and rule may be left out.
fn refused(answer: &str) -> Result<Expected, String> {
    let answer = answer.strip_prefix("refused").ok_or("after the arrow stands 'refused CODE (RULE)'")?.trim();
    let (code, rule) = match answer.split_once('(') {
        None => (answer, None),
        Some((code, rule)) => (code.trim(), Some(rule.strip_suffix(')').ok_or("the rule has no closing bracket")?)),
    };
    let code = Some(code).filter(|code| !code.is_empty());
    if let Some(unknown) = code.filter(|code| !floor::Code::ALL.iter().any(|known| known.as_str() == *code)) {
        return Err(format!("'{unknown}' is no code of a refusal"));
    }
    Ok(Expected::Refused { code: code.map(str::to_owned), rule: rule.map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_named_by_its_line() {
        let wrong = |text: &str| {
            let found = chapter("x.txt", text).unwrap_err();
            found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(wrong("paragraph rws-sicbo 9.9\n"), "x.txt:1: rws-sicbo has no paragraph 9.9");
        assert_eq!(wrong("honest: x\n"), "x.txt:1: a course before any paragraph");
        assert!(wrong("paragraph rws-sicbo 5.4\nhonest: x\n  dealer dances\n").starts_with("x.txt:3: no such step"));
        assert!(wrong("paragraph rws-sicbo 5.4\nhonest: x\n  bets open → refused dance\n").contains("no code"));
        assert!(wrong("paragraph rws-sicbo 5.4\nhonest: x\n").contains("without steps"));
    }

    #[test]
    fn a_paragraph_after_a_course_begins_a_section() {
        let text = "paragraph rws-sicbo 5.4\nparagraph mbs-sicbo 5.4\nhonest: one\n  bets open\n\
                    decision D18\nunlucky: two\n  at rws-taisai\n  bets open → refused phase (D18)\n";
        let read = chapter("x.txt", text).unwrap();
        assert_eq!(read.courses[0].at, ["mbs-sicbo", "rws-sicbo"]);
        assert_eq!(read.courses[1].clauses, [Clause { document: "D".into(), number: "18".into() }]);
        assert_eq!((read.courses[1].kind, &read.courses[1].at[..]), (Kind::Unlucky, &["rws-taisai".to_owned()][..]));
    }
}
