//! The canonical form of a rulebook: TOML again, with one way to write everything.
//!
//! Each top-level key stands on a line of its own with its value inline, keys in alphabetical order, no comments and no
//! spare blanks. Reformatting a file changes nothing here, any figure does; the hash is taken over these bytes, and a
//! floor that installs a rulebook keeps them.

use std::fmt::Write;

use toml::{Table, Value};

/// The canonical text, or the key of a value that a rulebook cannot have.
pub(crate) fn canonical(table: &Table) -> Result<String, String> {
    let mut text = String::new();
    for (key, value) in sorted(table) {
        write_key(&mut text, key);
        text.push('=');
        write_value(&mut text, value)
            .map_err(|inner| if inner.is_empty() { key.clone() } else { format!("{key}.{inner}") })?;
        text.push('\n');
    }
    Ok(text)
}

fn sorted(table: &Table) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    entries
}

fn write_value(text: &mut String, value: &Value) -> Result<(), String> {
    match value {
        Value::String(string) => write_string(text, string),
        Value::Integer(integer) => {
            let _ = write!(text, "{integer}");
        }
        Value::Boolean(boolean) => text.push_str(if *boolean { "true" } else { "false" }),
        Value::Array(values) => {
            text.push('[');
            for (place, value) in values.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                write_value(text, value)?;
            }
            text.push(']');
        }
        Value::Table(table) => {
            text.push('{');
            for (place, (key, value)) in sorted(table).into_iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                write_key(text, key);
                text.push('=');
                write_value(text, value)
                    .map_err(|inner| if inner.is_empty() { key.clone() } else { format!("{key}.{inner}") })?;
            }
            text.push('}');
        }
        // Figures are written as strings, so that "8.5" is exact: a float or a date has no place in a rulebook.
        Value::Float(_) | Value::Datetime(_) => return Err(String::new()),
    }
    Ok(())
}

fn write_key(text: &mut String, key: &str) {
    let bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { text.push_str(key) } else { write_string(text, key) }
}

fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            control if control.is_control() => {
                let _ = write!(text, "\\U{:08X}", u32::from(control));
            }
            plain => text.push(plain),
        }
    }
    text.push('"');
}
