//! From a draft to a rulebook, or to one clear error.

mod document;
mod layouts;
mod outcomes;
mod pays;
mod play;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use toml::de::{DeTable, Deserializer};

use crate::citation::is_decision;
use crate::draft::{self, Draft, Word};
use crate::{Citation, FamilyRule, Hash, Identity, Mark, Play, Rulebook, Text, canonical};

/// What is wrong with a rulebook file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoherence {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Incoherence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for Incoherence {}

/// What every check needs: the file for messages, and the paragraphs that may be cited.
struct Context<'a> {
    file: &'a str,
    text: &'a str,
    numbers: BTreeSet<String>,
}

impl Context<'_> {
    fn at(&self, span: Range<usize>, message: impl Into<String>) -> Incoherence {
        let before = self.text.get(..span.start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Incoherence {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or("").chars().count() + 1,
            message: message.into(),
        }
    }

    /// A paragraph of this document or one of our decisions.
    fn cite(&self, word: &Word) -> Result<Citation, Incoherence> {
        let text = word.get_ref();
        if is_decision(text) || self.numbers.contains(text) {
            Ok(Citation::new(text))
        } else {
            Err(self.at(word.span(), format!("there is no paragraph {text} in this document")))
        }
    }

    fn cite_if(&self, word: &Option<Word>) -> Result<Option<Citation>, Incoherence> {
        word.as_ref().map(|word| self.cite(word)).transpose()
    }

    /// A mark must name one of our decisions: the document itself cannot say that something is assumed.
    fn decision(&self, word: &Word) -> Result<Citation, Incoherence> {
        if is_decision(word.get_ref()) {
            Ok(Citation::new(word.get_ref()))
        } else {
            Err(self.at(word.span(), format!("\"{}\" is not a decision: write D and a number", word.get_ref())))
        }
    }

    fn assumed(&self, word: &Option<Word>) -> Result<Option<Mark>, Incoherence> {
        word.as_ref().map(|word| self.decision(word).map(Mark::Assumed)).transpose()
    }

    /// Nothing that a screen shows may be empty.
    fn words(&self, text: Text, what: &str, span: Range<usize>) -> Result<Text, Incoherence> {
        for (language, words) in [("English", &text.en), ("Chinese", &text.zh)] {
            if words.trim().is_empty() {
                return Err(self.at(span, format!("{what} has no words in {language}")));
            }
        }
        Ok(text)
    }
}

pub(crate) fn compile(file: &str, text: &str) -> Result<Rulebook, Incoherence> {
    let mut context = Context { file, text, numbers: BTreeSet::new() };
    let unreadable = |error: toml::de::Error| {
        let span = error.span().unwrap_or(0..0);
        let message = plain(error.message(), text.get(span.clone()).unwrap_or_default());
        context.at(span, message)
    };
    let table = DeTable::parse(text).map_err(unreadable)?;
    let canonical = canonical::canonical(table.get_ref()).map_err(|span| {
        let value = text.get(span.clone()).unwrap_or_default();
        context.at(span, format!("{value} must be written as a string, as in \"8.5\" or \"2021-01-18T08:00\""))
    })?;
    let draft = Draft::deserialize(Deserializer::from(table)).map_err(unreadable)?;
    let paragraphs = document::paragraphs(&context, draft.document)?;
    context.numbers = paragraphs.iter().map(|paragraph| paragraph.number.clone()).collect();
    let context = &context;

    let identity = identity(context, draft.identity)?;
    let (outcomes, outcomes_paragraph) = outcomes::outcomes(context, draft.outcomes)?;
    let pays = pays::PayTables::new(context, &outcomes, &draft.families, draft.pay_tables)?;
    let places: Vec<_> = draft.layouts.iter().map(|layout| layout.id.span()).collect();
    let layouts = layouts::layouts(context, &outcomes, &pays, draft.layouts)?;
    pays.all_offered(context, &layouts)?;
    let terminals = layouts::terminals(context, identity.play, &layouts, &places, draft.terminals)?;
    let multi_piece = layouts::multi_piece(context, &outcomes, &terminals, &layouts, draft.multi_piece)?;
    let limits = play::limits(context, identity.play, &layouts, draft.limits)?;
    let procedure = play::procedure(context, &outcomes, draft.procedure)?;
    let irregularities = play::irregularities(context, identity.play, draft.irregularities)?;
    let void_grounds = play::void_grounds(context, &outcomes, &procedure, &irregularities, draft.void_grounds)?;
    let affirmations = play::affirmations(context, &procedure, draft.affirmations)?;
    let discretion = play::discretion(context, draft.discretion)?;
    let powers = play::powers(context, identity.play, &discretion, draft.powers)?;
    let families = draft
        .families
        .into_iter()
        .map(|(family, rule)| {
            let span = rule.span();
            let rule = rule.into_inner();
            let name = context.words(rule.name, &format!("the name of {family}"), span.clone())?;
            let wins = context.words(rule.wins, &format!("the rule of {family}"), span)?;
            Ok((family, FamilyRule { name, wins, paragraph: context.cite(&rule.paragraph)? }))
        })
        .collect::<Result<_, Incoherence>>()?;

    Ok(Rulebook {
        identity,
        hash: Hash(*blake3::hash(canonical.as_bytes()).as_bytes()),
        canonical,
        outcomes,
        outcomes_paragraph,
        families,
        layouts,
        terminals,
        multi_piece,
        procedure,
        limits,
        affirmations,
        void_grounds,
        irregularities,
        discretion,
        acting: context.cite(&draft.ranks.acting)?,
        higher: context.cite(&draft.ranks.higher)?,
        powers,
        paragraphs,
    })
}

/// The message of the TOML reader, in words for the author of the file.
fn plain(message: &str, found: &str) -> String {
    let message = message.lines().next().unwrap_or("not a TOML file");
    let unknown = message.strip_prefix("unknown field ").or_else(|| message.strip_prefix("unknown variant "));
    if let Some((name, known)) = unknown.and_then(|rest| rest.split_once(", expected ")) {
        let known = known.strip_prefix("one of ").unwrap_or(known).replace('`', "");
        return format!("{} is not known here; known are {known}", name.replace('`', ""));
    }
    if let Some(name) = message.strip_prefix("missing field ") {
        return format!("{} is missing", name.replace('`', ""));
    }
    if let Some((kind, expected)) =
        message.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected "))
    {
        return format!("{expected} belongs here, not {}", kind.replace('`', ""));
    }
    match message {
        "duplicate key" => format!("{found} is there twice"),
        other => other.to_owned(),
    }
}

fn identity(context: &Context, draft: draft::Identity) -> Result<Identity, Incoherence> {
    let id = draft.id.get_ref();
    let kebab = !id.is_empty() && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !kebab {
        return Err(context.at(draft.id.span(), format!("\"{id}\" is no id: use a to z, 0 to 9 and hyphens")));
    }
    for word in [&draft.operator, &draft.version] {
        if word.get_ref().trim().is_empty() {
            return Err(context.at(word.span(), "operator and version must not be empty"));
        }
    }
    if let Some(from) = &draft.in_force_from {
        let moment: Option<toml::value::Datetime> = from.get_ref().parse().ok();
        if moment.is_none_or(|moment| moment.date.is_none() || moment.time.is_none() || moment.offset.is_some()) {
            let message = format!("\"{}\" is no date and time in the manner of 2021-01-18T08:00", from.get_ref());
            return Err(context.at(from.span(), message));
        }
    }
    let title = context.words(draft.title, "the title", draft.id.span())?;
    Ok(Identity {
        id: draft.id.into_inner(),
        title,
        operator: draft.operator.into_inner(),
        version: draft.version.into_inner(),
        in_force_from: draft.in_force_from.map(Word::into_inner),
        approved: draft.approved,
        play: match draft.play.into_inner() {
            draft::Play::Terminals => Play::Terminals,
            draft::Play::Chips => Play::Chips,
        },
    })
}
