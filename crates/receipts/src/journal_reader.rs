//! Reading records from the journal, for the tree and for proofs.

use std::io;
use std::path::{Path, PathBuf};

use journal::{Entry, Read, RealDisk, Scan};

/// The folder of a journal, and those of its archived segments.
#[derive(Clone, Debug)]
pub(crate) struct Segments {
    pub folder: PathBuf,
    pub archives: Vec<PathBuf>,
}

impl Segments {
    pub fn new(folder: &Path, archives: &[PathBuf]) -> Segments {
        Segments { folder: folder.to_owned(), archives: archives.to_vec() }
    }

    /// The last record; 0 if there is none.
    pub fn last(&self) -> io::Result<u64> {
        let folders = self.archives.iter().chain([&self.folder]).map(|folder| RealDisk::to_read(folder));
        let mut scan = Scan::new(folders.collect())?;
        if scan.is_empty() {
            return Ok(0);
        }
        scan.start_at(u64::MAX).map_err(io::Error::other)?;
        while scan.read().map_err(io::Error::other)?.is_some() {}
        Ok(scan.ending().map_or(0, |ending| ending.sequence))
    }

    /// Hands over the records after one, in batches with the sequence of their first, until told to stop or up to the end.
    pub fn after(&self, sequence: u64, mut each: impl FnMut(u64, &[Entry<'_>]) -> io::Result<bool>) -> io::Result<()> {
        let folders = self.archives.iter().chain([&self.folder]).map(|folder| RealDisk::to_read(folder));
        let mut scan = Scan::new(folders.collect())?;
        if scan.is_empty() {
            return Ok(());
        }
        scan.start_at(sequence + 1).map_err(io::Error::other)?;
        let begins = scan.begins().map_err(io::Error::other)?;
        if begins > sequence + 1 {
            let words = format!("the records before {begins} are not here: name the folder of the archive");
            return Err(io::Error::new(io::ErrorKind::NotFound, words));
        }
        while let Some(read) = scan.read().map_err(io::Error::other)? {
            let Read::Records { first, entries, .. } = read else { continue };
            let known = usize::try_from((sequence + 1).saturating_sub(first)).unwrap_or(usize::MAX);
            let Some(entries) = entries.get(known..).filter(|entries| !entries.is_empty()) else { continue };
            if !each(first.max(sequence + 1), entries)? {
                break;
            }
        }
        Ok(())
    }
}
