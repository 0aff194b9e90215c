//! The tables of a demonstration at which a person has switched the automatic dealer off: a file beside the journal, so that
//! no one who deals by hand finds the machine dealing after a restart.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use ::floor::TableId;

const FILE: &str = "by-hand";
/// Written whole before it takes the place of the one before.
const NEW: &str = "by-hand.new";

/// The tables where a person deals.
pub fn read(folder: &Path) -> BTreeSet<TableId> {
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    text.split_ascii_whitespace().filter_map(|id| id.parse().ok().map(TableId)).collect()
}

/// A person deals at a table from now on, or the machine again. When this returns, it is on the disk.
///
/// # Errors
/// When it cannot be written.
pub fn set(folder: &Path, table: TableId, by_hand: bool) -> io::Result<()> {
    let mut tables = read(folder);
    let changed = if by_hand { tables.insert(table) } else { tables.remove(&table) };
    if !changed {
        return Ok(());
    }
    let text: String = tables.iter().map(|table| format!("{table}\n")).collect();
    let new = folder.join(NEW);
    let mut file = journal::private::file_options().write(true).create(true).truncate(true).open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(new, folder.join(FILE))?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_has_switched_off_is_known_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let tables = || read(folder.path()).into_iter().map(|table| table.0).collect::<Vec<_>>();
        assert!(tables().is_empty());
        for (table, by_hand, known) in
            [(4, true, vec![4]), (1, true, vec![1, 4]), (1, true, vec![1, 4]), (4, false, vec![1])]
        {
            set(folder.path(), TableId(table), by_hand).unwrap();
            assert_eq!(tables(), known);
        }
        fs::write(folder.path().join(FILE), "2\nno number\n").unwrap();
        assert_eq!(tables(), [2], "what cannot be read switches nothing off");
    }
}
