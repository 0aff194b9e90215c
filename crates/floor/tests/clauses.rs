//! Clause → code → test → scenario: every behavioural paragraph of the approved documents, every decision and every
//! standard in scope has code that keeps it and a test that would notice if it did not; and the scenario book plays
//! every paragraph and the decisions D18 to D30, once as it should be and once with something wrong. The table is
//! `docs/clauses.md`; `UPDATE_GOLDEN=1 cargo test -p floor clauses` writes it anew.
//!
//! Code says which paragraph it keeps in a comment: `§ rws-taisai 5.1.1, 5.1.2 · mbs-sicbo 5.8` (`etg` stands for the
//! three documents of electronic tables at Resorts World). A test says it by its name: `rws_taisai_5_1_1_…`, `etg_5_5_…`,
//! `rws_sicbo_appendix_a_…`, `d7_…`, `s11_…`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use rulebook::{Rulebook, library};

use crate::courses::{self, Course};

/// The documents at electronic tables of Resorts World, which share most of their numbering.
const ETG: [&str; 3] = ["rws-sicbo", "rws-sicbo-open", "rws-roulette-000"];
const DECISIONS: std::ops::RangeInclusive<u8> = 1..=30;
/// The decisions that the scenario book plays: those about what people and devices do to a round or to money. The others
/// say how a paragraph is read, and are played with it.
const PLAYED: std::ops::RangeInclusive<u8> = 18..=30;
/// The standards that bind the floor; the others are the host's and the journal's.
const STANDARDS: [u8; 15] = [1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17, 19];

/// Where rules are kept. Other crates mention a decision when they show what came of it.
const PURE: [&str; 2] = ["floor/", "rulebook/"];

/// A document and a paragraph of it, or `D` or `S` and a number.
pub type Clause = (String, String);
type Places = BTreeMap<Clause, BTreeSet<String>>;

#[derive(Default)]
struct Evidence {
    code: Places,
    tests: Places,
    /// Files of the scenario book with a course in which all is as it should be …
    honest: Places,
    /// … and with one in which something goes wrong or a person does what is not allowed.
    other: Places,
    /// Citations that cite nothing.
    wrong: Vec<String>,
}

#[test]
fn every_clause_has_code_and_a_test_and_the_table_of_them_is_up_to_date() {
    let evidence = Evidence::gathered();
    let path = root().join("docs/clauses.md");
    let table = table(&evidence);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &table).unwrap();
    }
    assert!(evidence.wrong.is_empty(), "citations of nothing:\n{}", evidence.wrong.join("\n"));
    let missing = missing(&evidence);
    assert!(missing.is_empty(), "{} clauses lack something:\n{}", missing.len(), missing.join("\n"));
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(table.lines()).position(|(was, is)| was != is);
    assert!(
        kept == table,
        "docs/clauses.md is stale from line {}: UPDATE_GOLDEN=1 cargo test -p floor clauses writes it anew",
        differs.map_or(kept.lines().count().min(table.lines().count()), |line| line) + 1
    );
}

#[test]
fn a_clause_without_code_or_test_is_told() {
    let all = missing(&Evidence::default());
    let nothing = "rws-taisai 5.1.1 lacks code, a test, an honest course, a dishonest or unlucky course";
    assert!(all.len() > 250 && all.contains(&nothing.to_owned()), "{}", all.len());
    assert!(all.contains(&"D7 lacks code, a test".to_owned()));
    let played = "D18 lacks code, a test, an honest course, a dishonest or unlucky course";
    assert!(all.contains(&played.to_owned()), "a decision about what people do is played");
    assert!(!all.iter().any(|line| line.starts_with("rws-taisai 1.1 ")), "a definition keeps itself");
    let mut evidence = Evidence::default();
    evidence.read_code("x.rs", "// § rws-taisai 5.1.1, 5.2 · mbs-sicbo 5.9\nfn kept() {}\n");
    evidence.read_tests("x.rs", "#[test]\nfn rws_taisai_5_1_1_holds() {}\nfn rws_taisai_5_2_no_test() {}\n");
    let book = "paragraph rws-taisai 5.1.1\nhonest: x\n  bets open\nparagraph rws-taisai 5.2\nhonest: y\n  bets open\n";
    evidence.read_courses("x.txt", book);
    let told = missing(&evidence);
    assert_eq!(told.len(), all.len());
    assert!(
        told.contains(&"rws-taisai 5.1.1 lacks a dishonest or unlucky course".to_owned()),
        "one course is not enough"
    );
    assert!(told.contains(&"rws-taisai 5.2 lacks a test, a dishonest or unlucky course".to_owned()));
    evidence.read_courses("x.txt", &book.replace("honest", "unlucky"));
    let told = missing(&evidence);
    assert_eq!(told.len(), all.len() - 1);
    assert!(told.contains(&"rws-taisai 5.2 lacks a test".to_owned()));
    evidence.read_code("x.rs", "// § rws-taisai 9.9\n// § nobody 1.1\n");
    evidence.read_tests("x.rs", "#[test]\nfn etg_9_9_nothing() {}\n");
    assert_eq!(evidence.wrong.len(), 3, "{:?}", evidence.wrong);
}

#[test]
fn a_test_is_named_after_the_longest_number_that_is_a_paragraph() {
    let check = |test: &str, expected: &[&str]| {
        let clauses = clauses_of(test).unwrap();
        assert_eq!(clauses.iter().map(|(of, number)| format!("{of} {number}")).collect::<Vec<_>>(), expected, "{test}");
    };
    check("rws_sicbo_5_1_an_interruption", &["rws-sicbo 5.1"]);
    check("rws_sicbo_5_1_1_established", &["rws-sicbo 5.1.1"]);
    check("rws_sicbo_open_5_3_3_set_off_early", &["rws-sicbo-open 5.3.3"]);
    check("rws_sicbo_5_3_1_2_tumbles", &["rws-sicbo 5.3.1"]);
    check("mbs_sicbo_7_bets", &["mbs-sicbo 7"]);
    check("rws_roulette_000_appendix_b_pieces", &["rws-roulette-000 Appendix B"]);
    check("etg_5_5_wrong", &["rws-roulette-000 5.5", "rws-sicbo 5.5", "rws-sicbo-open 5.5"]);
    check("etg_1_11_void", &["rws-roulette-000 1.11"]);
    check("d7_visits", &["D 7"]);
    check("s11_meters", &["S 11"]);
    check("damage_is_declared", &[]);
    check("mbs_sicbo_has_no_wheel", &[]);
}

fn approved() -> impl Iterator<Item = &'static Rulebook> {
    library::all().unwrap().iter().filter(|rulebook| rulebook.identity().approved)
}

/// The behavioural paragraphs of a document.
fn behavioural(rulebook: &Rulebook) -> impl Iterator<Item = &rulebook::Paragraph> {
    rulebook.paragraphs().iter().filter(|paragraph| paragraph.class.is_behavioural())
}

/// The clauses that lack something.
fn missing(evidence: &Evidence) -> Vec<String> {
    let mut clauses: Vec<Clause> = Vec::new();
    for rulebook in approved() {
        clauses.extend(behavioural(rulebook).map(|p| (rulebook.id().to_owned(), p.number.clone())));
    }
    clauses.extend(DECISIONS.map(|number| ("D".to_owned(), number.to_string())));
    clauses.extend(STANDARDS.map(|number| ("S".to_owned(), number.to_string())));
    let lacks = |clause: &Clause| {
        let mut needed = vec![("code", &evidence.code), ("a test", &evidence.tests)];
        if is_played(clause) {
            needed.push(("an honest course", &evidence.honest));
            needed.push(("a dishonest or unlucky course", &evidence.other));
        }
        let absent: Vec<&str> =
            needed.into_iter().filter(|(_, places)| !places.contains_key(clause)).map(|(what, _)| what).collect();
        let name = if clause.0.len() == 1 { clause.0.clone() } else { format!("{} ", clause.0) };
        (!absent.is_empty()).then(|| format!("{name}{} lacks {}", clause.1, absent.join(", ")))
    };
    clauses.iter().filter_map(lacks).collect()
}

/// Whether the scenario book must play a clause.
fn is_played((document, number): &Clause) -> bool {
    match document.as_str() {
        "D" => number.parse().is_ok_and(|number| PLAYED.contains(&number)),
        "S" => false,
        _ => true,
    }
}

fn table(evidence: &Evidence) -> String {
    let mut page = String::from(
        "# Clause → code → test → scenario\n\n\
         Every paragraph of the approved documents that a program can keep or break, with the functions that keep it, \
         the tests named after it\nand the files of the scenario book that play it; then our decisions and the standards \
         that bind the floor. Made from the sources by\n`crates/floor/tests/clauses.rs`, which fails when a clause lacks \
         code or a test, or a paragraph or one of the\ndecisions D18 to D30 an honest course or one in which something \
         goes wrong. Do not edit it: \
         `UPDATE_GOLDEN=1 cargo test -p floor clauses` writes it anew.\n",
    );
    for rulebook in approved() {
        write!(
            page,
            "\n## {}\n\n| paragraph | what it says | code | test | scenario |\n| --- | --- | --- | --- | --- |\n",
            rulebook.id()
        )
        .unwrap();
        for paragraph in behavioural(rulebook) {
            let clause = (rulebook.id().to_owned(), paragraph.number.clone());
            row(&mut page, &paragraph.number, Some(&paragraph.text.en), &clause, evidence);
        }
    }
    for (title, letter, numbers) in [
        ("Decisions (rules.md)", "D", DECISIONS.collect::<Vec<u8>>()),
        ("Standards that bind the floor", "S", STANDARDS.to_vec()),
    ] {
        write!(page, "\n## {title}\n\n| | code | test | scenario |\n| --- | --- | --- | --- |\n").unwrap();
        for number in numbers {
            let clause = (letter.to_owned(), number.to_string());
            row(&mut page, &format!("{letter}{number}"), None, &clause, evidence);
        }
    }
    page
}

fn row(page: &mut String, number: &str, says: Option<&str>, clause: &Clause, evidence: &Evidence) {
    let cell = |places: &Places| match places.get(clause) {
        Some(found) => found.iter().cloned().collect::<Vec<_>>().join("<br>"),
        None => "**none**".to_owned(),
    };
    let played: BTreeSet<&String> =
        [&evidence.honest, &evidence.other].into_iter().filter_map(|places| places.get(clause)).flatten().collect();
    let played: Vec<String> = played.iter().map(|file| format!("[{file}](../scenarios/{file})")).collect();
    let played = if played.is_empty() { "–".to_owned() } else { played.join("<br>") };
    let says = says.map_or(String::new(), |says| format!(" {} |", says.replace('|', "\\|")));
    writeln!(page, "| {number} |{says} {} | {} | {played} |", cell(&evidence.code), cell(&evidence.tests)).unwrap();
}

// ---- reading the sources

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder with that ending, by path.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path, ending) } else { vec![path] };
    paths.into_iter().flat_map(below).filter(|path| path.extension().is_some_and(|e| e == ending)).collect()
}

/// A path as it is written in the table.
fn named(path: &Path) -> String {
    let root = root().canonicalize().unwrap();
    let path = path.canonicalize().unwrap();
    path.strip_prefix(&root).unwrap().to_string_lossy().trim_start_matches("crates/").to_owned()
}

impl Evidence {
    fn gathered() -> Evidence {
        let mut evidence = Evidence::default();
        let mut crates: Vec<PathBuf> =
            fs::read_dir(root().join("crates")).unwrap().map(|c| c.unwrap().path()).collect();
        crates.sort();
        for path in crates.iter().flat_map(|of| files(&of.join("src"), "rs")) {
            let text = fs::read_to_string(&path).unwrap();
            let (code, tests) = text.split_once("#[cfg(test)]\nmod ").unwrap_or((&text, ""));
            evidence.read_code(&named(&path), code);
            evidence.read_tests(&named(&path), tests);
        }
        for path in crates.iter().flat_map(|of| files(&of.join("tests"), "rs")) {
            evidence.read_tests(&named(&path), &fs::read_to_string(&path).unwrap());
        }
        for path in files(&root().join("rulebooks"), "toml") {
            let text = fs::read_to_string(&path).unwrap();
            text.lines().for_each(|line| evidence.mentioned(line, &format!("`{}`", named(&path))));
        }
        for path in files(&root().join("scenarios"), "txt") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            evidence.read_courses(&name, &fs::read_to_string(&path).unwrap());
        }
        evidence
    }

    /// A course is evidence for the paragraphs of its section, at the documents it is run at. One that is known to fail
    /// is evidence of nothing.
    fn read_courses(&mut self, file: &str, text: &str) {
        for Course { honest, clauses, .. } in courses::read(text).into_iter().filter(|course| !course.fails) {
            for clause in clauses {
                let places = if honest { &mut self.honest } else { &mut self.other };
                places.entry(clause).or_default().insert(file.to_owned());
            }
        }
    }

    fn read_code(&mut self, file: &str, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let place = || match item_of(&lines, at) {
                Some(item) => format!("`{file}` {item}"),
                None => format!("`{file}`"),
            };
            if PURE.iter().any(|pure| file.starts_with(pure)) {
                self.mentioned(line, &place());
            }
            let Some((_, cited)) = line.split_once("//").and_then(|(_, comment)| comment.split_once("§ ")) else {
                continue;
            };
            for cited in cited.split('·') {
                if let Err(why) = self.cited(cited.trim(), &place()) {
                    self.wrong.push(format!("{file}:{}: {why}", at + 1));
                }
            }
        }
    }

    /// `rws-taisai 5.1.1, 5.1.2`.
    fn cited(&mut self, cited: &str, place: &str) -> Result<(), String> {
        let (document, numbers) = cited.split_once(' ').ok_or_else(|| format!("`{cited}` cites no paragraph"))?;
        for number in numbers.split(',').map(|number| number.trim().trim_end_matches(['.', ':', ';'])) {
            let documents = documents_with(document, number);
            if documents.is_empty() {
                return Err(format!("`{document} {number}` is no paragraph"));
            }
            for of in documents {
                self.code.entry((of, number.to_owned())).or_default().insert(place.to_owned());
            }
        }
        Ok(())
    }

    /// Decisions and standards are mentioned by their names, in comments and in what refusals rest on.
    fn mentioned(&mut self, line: &str, place: &str) {
        for word in line.split(|c: char| !c.is_ascii_alphanumeric()) {
            let Some((letter, number)) = word.split_at_checked(1) else { continue };
            let counted = matches!(letter, "D" | "S") && number.parse::<u8>().is_ok_and(|n| n.to_string() == number);
            if counted {
                self.code.entry((letter.to_owned(), number.to_owned())).or_default().insert(place.to_owned());
            }
        }
    }

    fn read_tests(&mut self, file: &str, text: &str) {
        let mut is_test = false;
        for line in text.lines().map(str::trim_start) {
            is_test |= line == "#[test]";
            let Some((test, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('(')) else { continue };
            if !std::mem::take(&mut is_test) {
                continue;
            }
            match clauses_of(test) {
                Ok(clauses) => {
                    for clause in clauses {
                        self.tests.entry(clause).or_default().insert(format!("`{test}`"));
                    }
                }
                Err(why) => self.wrong.push(format!("{file}: {why}")),
            }
        }
    }
}

/// The documents that a citation's first word stands for, as far as they have the paragraph.
fn documents_with(document: &str, number: &str) -> Vec<String> {
    let has = |rulebook: &&Rulebook| {
        let named = rulebook.id() == document || document == "etg" && ETG.contains(&rulebook.id());
        named && rulebook.paragraphs().iter().any(|paragraph| paragraph.number == number)
    };
    approved().filter(has).map(|rulebook| rulebook.id().to_owned()).collect()
}

/// The clauses that a test is named after: none for most functions, an error if the name promises one and has none.
fn clauses_of(test: &str) -> Result<Vec<Clause>, String> {
    for letter in ["d", "s"] {
        let number = test.strip_prefix(letter).and_then(|rest| rest.split('_').next()).unwrap_or_default();
        if number.parse::<u8>().is_ok() {
            return Ok(vec![(letter.to_uppercase(), number.to_owned())]);
        }
    }
    // The longest first: `rws_sicbo_` begins `rws_sicbo_open_` too.
    let mut documents: Vec<&str> = approved().map(Rulebook::id).chain(["etg"]).collect();
    documents.sort_by_key(|document| std::cmp::Reverse(document.len()));
    let found = documents.iter().find_map(|document| {
        let rest = test.strip_prefix(&document.replace('-', "_"))?.strip_prefix('_')?;
        Some((*document, rest))
    });
    let Some((document, rest)) = found else { return Ok(Vec::new()) };
    let words: Vec<&str> = rest.split('_').collect();
    let promised = if words[0] == "appendix" {
        words.get(1).map(|letter| vec![format!("Appendix {}", letter.to_uppercase())]).unwrap_or_default()
    } else {
        // The longest number that is a paragraph: `5_1_1_…` is 5.1.1 and not 5.1.
        let digits = words.iter().take_while(|word| word.bytes().all(|b| b.is_ascii_digit())).count();
        (1..=digits).rev().map(|length| words[..length].join(".")).collect()
    };
    let clauses =
        promised.iter().map(|number| (number, documents_with(document, number))).find(|(_, of)| !of.is_empty());
    match clauses {
        Some((number, of)) => Ok(of.into_iter().map(|document| (document, number.clone())).collect()),
        None if promised.is_empty() => Ok(Vec::new()),
        None => Err(format!("`{test}` names no paragraph of {document}")),
    }
}

/// The function, type or constant that a line belongs to: the one it stands over, or the one it stands in.
fn item_of(lines: &[&str], at: usize) -> Option<String> {
    let is_comment = |line: &str| line.trim_start().starts_with("//") || line.trim_start().starts_with("#[");
    if lines[at].trim_start().starts_with("//!") {
        return None;
    }
    if is_comment(lines[at])
        && let Some(next) = lines[at..].iter().find(|line| !is_comment(line))
        && let Some(name) = item_name(next)
    {
        return Some(name);
    }
    if let Some(name) = item_name(lines[at]) {
        return Some(name);
    }
    // The nearest line above that stands further left and begins an item. The end of a long signature stands as far left
    // as its beginning.
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut within = indent(lines[at]);
    for line in lines[..at].iter().rev().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with(')')) {
        if indent(line) < within {
            if let Some(name) = item_name(line) {
                return Some(name);
            }
            within = indent(line);
        }
    }
    None
}

/// The name of what a line begins to define.
fn item_name(line: &str) -> Option<String> {
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    loop {
        match words.next()? {
            "pub" | "crate" | "super" | "const" if line.contains(" fn ") => {}
            "pub" | "crate" | "super" => {}
            "fn" | "struct" | "enum" | "trait" | "const" | "static" | "type" => {
                return words.next().map(str::to_owned);
            }
            _ => return None,
        }
    }
}
