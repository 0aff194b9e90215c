//! What a file of records holds.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::Value;

/// Every row of every table, but for how the file was opened. The changes of a round are one list, however many batches
/// they came in.
pub fn contents(file: &Path) -> String {
    let connection = Connection::open(file).unwrap();
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(tables.len() > 20, "{tables:?}");
    let mut text = String::new();
    for table in tables {
        let sql = match table.as_str() {
            "meta" => "SELECT sequence, at, day_starts, journal, mark FROM meta".to_owned(),
            "changes" => "SELECT round, min(first), group_concat(hex(lines), '') FROM \
                          (SELECT * FROM changes ORDER BY round, first) GROUP BY round ORDER BY round"
                .to_owned(),
            table => format!("SELECT * FROM {table}"),
        };
        let mut select = connection.prepare(&sql).unwrap();
        let width = select.column_count();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<Value> = (0..width).map(|column| row.get(column).unwrap()).collect();
            text.push_str(&format!("{table} {values:?}\n"));
        }
    }
    text
}
