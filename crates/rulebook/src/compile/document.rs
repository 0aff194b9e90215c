//! The paragraphs: none missing, none twice, in order.

use super::{Context, Incoherence};
use crate::draft;
use crate::{Paragraph, Text};

pub(super) fn paragraphs(context: &Context, draft: draft::Document) -> Result<Vec<Paragraph>, Incoherence> {
    let mut last_appendix: Option<char> = None;
    let mut previous: Vec<u32> = Vec::new();
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
            if last_appendix.is_some() {
                return fail(format!("paragraph {number} must stand before the appendices"));
            }
            if parts < previous {
                return fail(format!("paragraph {number} must stand before {}", join(&previous)));
            }
            if let Some(missing) = missing_between(&previous, &parts) {
                return fail(format!("paragraph {} is missing before {number}", join(&missing)));
            }
            previous = parts;
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

fn join(parts: &[u32]) -> String {
    parts.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

/// The paragraph that should stand between two neighbours and does not.
fn missing_between(previous: &[u32], parts: &[u32]) -> Option<Vec<u32>> {
    // Where the two part ways, the later one counts one further.
    let shared = previous.iter().zip(parts).take_while(|(a, b)| a == b).count();
    let next = previous.get(shared).map_or(1, |own| own.saturating_add(1));
    let mut expected: Vec<u32> = previous.iter().take(shared).copied().chain([next]).collect();
    // A section (the first number) need not be listed itself: 4.1 may follow 3.9.
    if shared == 0 && parts != expected {
        expected.push(1);
    }
    (parts != expected).then_some(expected)
}
