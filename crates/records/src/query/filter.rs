//! Conditions that were asked for, put together.

use rusqlite::types::Value;

use super::{LARGEST_PAGE, PAGE};

/// The conditions of a question.
#[derive(Default)]
pub(super) struct Filter {
    conditions: Vec<&'static str>,
    values: Vec<Value>,
}

impl Filter {
    /// A condition that always holds.
    pub(super) fn always(mut self, condition: &'static str) -> Filter {
        self.conditions.push(condition);
        self
    }

    /// A condition with one `?` for its value, if there is a value.
    pub(super) fn and<V: Into<Value>>(mut self, condition: &'static str, value: Option<V>) -> Filter {
        if let Some(value) = value {
            self.conditions.push(condition);
            self.values.push(value.into());
        }
        self
    }

    /// The statement with its conditions between the two parts.
    pub(super) fn sql(&self, select: &str, rest: &str) -> String {
        let conditions = self.conditions.join(" AND ");
        let keyword = if conditions.is_empty() { "" } else { " WHERE " };
        format!("{select}{keyword}{conditions} {rest}")
    }

    pub(super) fn values(self) -> Vec<Value> {
        self.values
    }
}

/// A number that counts up, for the database.
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The length of a page.
pub(super) fn page(limit: Option<u32>) -> u32 {
    limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE)
}

/// The end of a statement that asks for one row more than the page has, to know whether there are more.
pub(super) fn limit(page: u32) -> String {
    format!("LIMIT {}", u64::from(page) + 1)
}

/// Cuts the row too many off and says where the next page begins.
pub(super) fn cut<Row>(rows: &mut Vec<Row>, page: u32, key: impl Fn(&Row) -> u64) -> Option<u64> {
    let page = usize::try_from(page).unwrap_or(usize::MAX);
    if rows.len() <= page {
        return None;
    }
    rows.truncate(page);
    rows.last().map(key)
}
