//! The paragraphs: none missing, none twice, in order.

use std::collections::BTreeMap;

use super::{Context, Incoherence};
use crate::draft;
use crate::{Paragraph, Text};

pub(super) fn paragraphs(context: &Context, draft: draft::Document) -> Result<Vec<Paragraph>, Incoherence> {
    // For each parent, the number of its last child so far.
    let mut last: BTreeMap<Vec<u32>, (u32, String)> = BTreeMap::new();
    let mut last_appendix: Option<char> = None;
    let mut paragraphs: Vec<Paragraph> = Vec::with_capacity(draft.paragraphs.len());
    for paragraph in draft.paragraphs {
        let number = paragraph.number.get_ref();
        let fail = |message: String| Err(context.at(paragraph.number.span(), message));
        if paragraphs.iter().any(|earlier| earlier.number == *number) {
            return fail(format!("paragraph {number} is there twice"));
        }
        if let Some(letter) = number.strip_prefix("Appendix ") {
            let expected = last_appendix.map_or('A', |last| char::from_u32(last as u32 + 1).unwrap_or('?'));
            if letter != expected.to_string() {
                return fail(format!("paragraph Appendix {expected} is missing before {number}"));
            }
            last_appendix = Some(expected);
        } else {
            let Some(parts) = parts(number) else {
                return fail(format!("\"{number}\" is no paragraph number"));
            };
            let missing = missing_before(&last, &parts);
            if let Some(missing) = missing {
                return fail(format!("paragraph {missing} is missing before {number}"));
            }
            if let Some((own, parent)) = parts.split_last() {
                last.insert(parent.to_vec(), (*own, number.clone()));
                // A paragraph that has sections counts as the last of them, so that 5.4 may follow 5.3.9.
                if let Some((section, [])) = parent.split_first() {
                    last.insert(Vec::new(), (*section, section.to_string()));
                }
            }
        }
        let text = Text { en: paragraph.en, zh: paragraph.zh };
        let text = context.words(text, &format!("paragraph {number}"), paragraph.number.span())?;
        paragraphs.push(Paragraph {
            number: paragraph.number.into_inner(),
            class: paragraph.class,
            inferred: paragraph.inferred,
            text,
        });
    }
    if paragraphs.is_empty() {
        return Err(context.at(0..0, "a document has at least one paragraph"));
    }
    Ok(paragraphs)
}

fn parts(number: &str) -> Option<Vec<u32>> {
    let plain = |part: &str| !part.is_empty() && !part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit());
    number.split('.').map(|part| part.parse().ok().filter(|_| plain(part))).collect()
}

/// The paragraph that should stand before this one and does not.
fn missing_before(last: &BTreeMap<Vec<u32>, (u32, String)>, parts: &[u32]) -> Option<String> {
    let join = |parts: &[u32]| parts.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
    let (own, parent) = parts.split_last()?;
    // A section (the first number) need not be listed itself, but its turn must have come.
    if let (Some((section, rest)), false) = (parent.split_first(), parent.is_empty()) {
        let reached = last.get(&Vec::new()).map_or(0, |(last, _)| *last);
        if *section > reached + 1 {
            return Some(format!("{}.1", reached + 1));
        }
        if !rest.is_empty() {
            let (child, grandparent) = parent.split_last()?;
            if last.get(grandparent).is_none_or(|(last, _)| last < child) {
                return Some(join(parent));
            }
        }
    }
    let before = last.get(parent).map_or(0, |(last, _)| *last);
    (*own != before + 1 && !(parent.is_empty() && *own == before)).then(|| {
        let mut missing = parent.to_vec();
        missing.push(before + 1);
        join(&missing)
    })
}
