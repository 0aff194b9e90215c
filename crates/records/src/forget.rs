//! Retention: old rows are deleted, so that the database stops growing. The journal deletes nothing.

use rusqlite::Transaction;

use crate::{Error, Records};

/// Rounds that go in one transaction, so that a reader or the next batch need not wait long.
const TOGETHER: usize = 1_000;

/// What belongs to a round and goes with it.
const OF_A_ROUND: [&str; 9] = [
    "DELETE FROM adjustments WHERE sequence IN
     (SELECT sequence FROM corrections WHERE round IN (SELECT round FROM forgotten))",
    "DELETE FROM corrections WHERE round IN (SELECT round FROM forgotten)",
    "DELETE FROM settlements WHERE round IN (SELECT round FROM forgotten)",
    "DELETE FROM bets WHERE round IN (SELECT round FROM forgotten)",
    "DELETE FROM pieces WHERE round IN (SELECT round FROM forgotten)",
    "DELETE FROM chip_shares WHERE round IN (SELECT round FROM forgotten)",
    "DELETE FROM changes WHERE round IN (SELECT round FROM forgotten)",
    "DELETE FROM events WHERE round IN (SELECT round FROM forgotten)",
    "DELETE FROM rounds WHERE round IN (SELECT round FROM forgotten)",
];

/// Rows that are old by themselves: completed movements of money, events, alerts and tickets.
const BY_TIME: [&str; 9] = [
    "UPDATE past_rounds SET bytes = NULL WHERE ended_at < ?1",
    "DELETE FROM money WHERE at < ?1",
    "DELETE FROM events WHERE at < ?1 AND round IS NULL",
    "DELETE FROM alerts WHERE acknowledged_at < ?1",
    "DELETE FROM tickets WHERE closed_at < ?1",
    "DELETE FROM moved WHERE at < ?1",
    "DELETE FROM findings WHERE at < ?1",
    "DELETE FROM out_of_service WHERE back_at < ?1",
    "DELETE FROM slips WHERE at < ?1",
];

impl Records {
    /// Forgets what was over before a gaming day, named as `2026-03-29`: rounds with their bets, settlements and
    /// corrections, movements of money, events, acknowledged alerts and tickets that are paid or expired. Totals by day,
    /// the house and its people stay. The room in the file is used again; returned is how many rounds went.
    ///
    /// # Errors
    /// When the day is none, or the file cannot be written.
    pub fn forget_before(&mut self, day: &str) -> Result<usize, Error> {
        let before = self.begins(day)?;
        let connection = self.connection_mut();
        connection.execute_batch("CREATE TEMP TABLE IF NOT EXISTS forgotten (round INTEGER PRIMARY KEY)")?;
        let mut rounds = 0;
        loop {
            let transaction = connection.transaction()?;
            let some = forget_rounds(&transaction, before)?;
            transaction.commit()?;
            rounds += some;
            if some < TOGETHER {
                break;
            }
        }
        let transaction = connection.transaction()?;
        for delete in BY_TIME {
            transaction.execute(delete, [before])?;
        }
        transaction.execute("UPDATE meta SET forgotten = max(ifnull(forgotten, ?1), ?1)", [day])?;
        transaction.commit()?;
        Ok(rounds)
    }
}

fn forget_rounds(transaction: &Transaction<'_>, before: i64) -> Result<usize, Error> {
    transaction.execute("DELETE FROM forgotten", [])?;
    let chosen = transaction
        .prepare_cached("INSERT INTO forgotten SELECT round FROM rounds WHERE ended_at < ? AND begun_at < ?1 LIMIT ?2")?
        .execute((before, TOGETHER))?;
    for delete in OF_A_ROUND {
        transaction.prepare_cached(delete)?.execute([])?;
    }
    Ok(chosen)
}
