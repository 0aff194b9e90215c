//! Questions, and the answers as data.

mod corrections;
mod dispute;
mod events;
mod filter;
mod house;
mod money;
mod past;
pub(crate) mod recall;
mod results;
mod rounds;
mod tickets;
mod totals;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use floor::Moment;
use rulebook::Rulebook;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Row, Transaction};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{Error, schema};

pub use corrections::{AdjustmentRecord, CorrectionRecord};
pub use dispute::{ChipShareRecord, RoundLine, RoundRecord};
pub use events::{AlertRecord, EventFilter, EventRecord};
pub use house::{DeviceRecord, StaffRecord, TerminalRecord};
pub use money::{CauseTotal, MoneyFilter, MoneyRecord};
pub use past::PastRound;
pub use recall::{BetRecord, LayoutRecord, PayTableRecord, PlayerBets, PlayerRound, PricedSpotRecord};
pub use results::{OutcomeCount, ResultFilter, ResultRecord};
pub use rounds::{RoundFilter, RoundStatus, RoundSummary, VoidRecord};
pub use tickets::{TicketRecord, TicketStatus};
pub use totals::{Totals, TotalsFilter};

/// How many rows a page has by default.
pub(crate) const PAGE: u32 = 50;
/// How many rows a page has at most.
pub(crate) const LARGEST_PAGE: u32 = 1_000;

/// A part of a longer list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page<Row> {
    /// Up to which event of the log this is true.
    pub sequence: u64,
    /// The rows.
    pub rows: Vec<Row>,
    /// What to ask for with `before` to get the rest; `None` if this was all.
    pub next: Option<u64>,
}

/// Words in English and simplified Chinese, from the rulebook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Words {
    /// English.
    pub en: String,
    /// Simplified Chinese.
    pub zh: String,
}

impl From<&rulebook::Text> for Words {
    fn from(text: &rulebook::Text) -> Words {
        Words { en: text.en.clone(), zh: text.zh.clone() }
    }
}

/// Rulebooks that have been read from the database, by their hashes.
#[derive(Default)]
pub(crate) struct Rulebooks(RefCell<BTreeMap<String, Arc<Rulebook>>>);

/// What can be asked of the records.
#[derive(Copy, Clone)]
pub struct Query<'a> {
    pub(crate) connection: &'a Connection,
    rulebooks: &'a Rulebooks,
}

impl<'a> Query<'a> {
    pub(crate) fn new(connection: &'a Connection, rulebooks: &'a Rulebooks) -> Query<'a> {
        Query { connection, rulebooks }
    }

    /// Up to which event of the log the answers are true.
    ///
    /// # Errors
    /// When the database cannot be read, as with every question.
    pub fn sequence(&self) -> Result<u64, Error> {
        Ok(schema::position(self.connection)?.sequence)
    }

    /// When that event happened.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn at(&self) -> Result<Moment, Error> {
        Ok(Moment(schema::position(self.connection)?.at))
    }

    /// The gaming day before which everything has been forgotten, if something has.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn forgotten_before(&self) -> Result<Option<String>, Error> {
        Ok(self.connection.prepare_cached("SELECT forgotten FROM meta")?.query_row([], |row| row.get(0))?)
    }

    /// Answers of several statements are of one moment. A question within another is of the other's moment.
    pub(crate) fn snapshot(&self) -> Result<Option<Transaction<'a>>, Error> {
        let connection = self.connection;
        Ok(connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose()?)
    }

    /// The rulebook with that hash, as it was installed.
    pub(crate) fn rulebook(&self, hash: &str) -> Result<Arc<Rulebook>, Error> {
        if let Some(known) = self.rulebooks.0.borrow().get(hash) {
            return Ok(Arc::clone(known));
        }
        let mut select = self.connection.prepare_cached("SELECT canonical FROM rulebooks WHERE hash = ?")?;
        let canonical: String = select.query_row([hash], |row| row.get(0))?;
        let rulebook = Rulebook::parse(hash, &canonical).map_err(|error| Error::damaged(error.to_string()))?;
        let rulebook = Arc::new(rulebook);
        self.rulebooks.0.borrow_mut().insert(hash.to_owned(), Arc::clone(&rulebook));
        Ok(rulebook)
    }
}

/// A column that becomes an id or a moment.
fn get<Number: FromSql, Id>(row: &Row<'_>, column: &str, id: impl FnOnce(Number) -> Id) -> Result<Id, rusqlite::Error> {
    row.get(column).map(id)
}

/// A column that may be empty.
fn maybe<Number: FromSql, Id>(
    row: &Row<'_>,
    column: &str,
    id: impl FnOnce(Number) -> Id,
) -> Result<Option<Id>, rusqlite::Error> {
    row.get::<_, Option<Number>>(column).map(|number| number.map(id))
}

/// A word the database holds and this program does not know.
fn unknown(word: &str) -> Error {
    Error::damaged(format!("\"{word}\" is not known"))
}
