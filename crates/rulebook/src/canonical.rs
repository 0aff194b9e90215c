//! The canonical form of a rulebook: TOML again, with one way to write everything.
//!
//! Each top-level key stands on a line of its own with its value inline, keys in alphabetical order, no comments and no
//! spare blanks. Reformatting a file changes nothing here, any figure does; the hash is taken over these bytes, and a
//! floor that installs a rulebook keeps them.

use std::fmt::Write;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// The canonical text, or the place of a value that a rulebook cannot have.
pub(crate) fn canonical(table: &DeTable) -> Result<String, Range<usize>> {
    let mut text = String::new();
    for (key, value) in sorted(table) {
        write_key(&mut text, key);
        text.push('=');
        write_value(&mut text, value)?;
        text.push('\n');
    }
    Ok(text)
}

fn sorted<'a, 'i>(table: &'a DeTable<'i>) -> Vec<(&'a DeString<'i>, &'a Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().map(|(key, value)| (key.get_ref(), value)).collect();
    entries.sort_by_key(|(key, _)| *key);
    entries
}

fn write_value(text: &mut String, value: &Spanned<DeValue>) -> Result<(), Range<usize>> {
    match value.get_ref() {
        DeValue::String(string) => write_string(text, string),
        DeValue::Integer(integer) => {
            let figure = i64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| value.span())?;
            let _ = write!(text, "{figure}");
        }
        DeValue::Boolean(boolean) => text.push_str(if *boolean { "true" } else { "false" }),
        DeValue::Array(values) => {
            text.push('[');
            for (place, value) in values.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                write_value(text, value)?;
            }
            text.push(']');
        }
        DeValue::Table(table) => {
            text.push('{');
            for (place, (key, value)) in sorted(table).into_iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                write_key(text, key);
                text.push('=');
                write_value(text, value)?;
            }
            text.push('}');
        }
        // Figures are written as strings, so that "8.5" is exact: a float or a date has no place in a rulebook.
        DeValue::Float(_) | DeValue::Datetime(_) => return Err(value.span()),
    }
    Ok(())
}

fn write_key(text: &mut String, key: &str) {
    let bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { text.push_str(key) } else { write_string(text, key) }
}

fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for part in string.split_inclusive(|character: char| matches!(character, '"' | '\\') || character.is_control()) {
        let mut plain = part.chars();
        match plain.next_back() {
            Some('"') => text.extend([plain.as_str(), "\\\""]),
            Some('\\') => text.extend([plain.as_str(), "\\\\"]),
            Some(control) if control.is_control() => {
                let _ = write!(text, "{}\\U{:08X}", plain.as_str(), u32::from(control));
            }
            _ => text.push_str(part),
        }
    }
    text.push('"');
}
