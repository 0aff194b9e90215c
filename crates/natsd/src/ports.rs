//! Ports that no other process takes, even while the server that had them is down.
//!
//! They are below those that the system uses for outgoing connections. A block of them belongs to the process that
//! holds the lock on its file. The lock ends with the process.

use std::fs::{self, DirBuilder, File};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::DirBuilderExt;
use std::sync::atomic::{AtomicU16, Ordering};
use std::{env, process};

use crate::{Error, MOST, failed};

const FIRST: u16 = 20_000;
const BLOCKS: u16 = 700;
const BLOCK: u16 = 16;
const EACH: usize = 3;
const _: () = assert!(MOST * EACH <= BLOCK as usize);

/// Searches of one process begin at different places.
static SEARCHES: AtomicU16 = AtomicU16::new(0);

/// The ports of one server.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Three {
    pub(crate) client: u16,
    pub(crate) route: u16,
    pub(crate) monitor: u16,
}

/// A block of ports, held as long as this value.
pub(crate) struct Ports {
    first: u16,
    _lock: File,
}

impl Ports {
    /// A block with ports for so many servers, none of them in use.
    pub(crate) fn claim(servers: usize) -> Result<Ports, Error> {
        let folder = env::temp_dir().join(format!("natsd-ports-{}", rustix::process::getuid().as_raw()));
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed("a folder for locks on ports"))?;
        let mixed = process::id().wrapping_mul(2_654_435_761) >> 16;
        let begin = u16::try_from(mixed).unwrap_or_default().wrapping_add(SEARCHES.fetch_add(1, Ordering::Relaxed));
        for block in (0..BLOCKS).map(|step| (begin % BLOCKS + step) % BLOCKS) {
            let file = fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(folder.join(block.to_string()))
                .map_err(failed("a lock on ports"))?;
            let ports = Ports { first: FIRST + block * BLOCK, _lock: file };
            if ports._lock.try_lock().is_ok() && ports.are_free(servers) {
                return Ok(ports);
            }
        }
        Err(Error::Ports)
    }

    /// The ports of a server.
    pub(crate) fn of(&self, index: usize) -> Three {
        let first = self.first + u16::try_from(index * EACH).unwrap_or_default();
        Three { client: first, route: first + 1, monitor: first + 2 }
    }

    fn are_free(&self, servers: usize) -> bool {
        let count = u16::try_from(servers * EACH).unwrap_or(BLOCK);
        (self.first..self.first + count).all(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_claims_share_no_port() {
        let (one, other) = (Ports::claim(3).unwrap(), Ports::claim(3).unwrap());
        assert!(one.first.abs_diff(other.first) >= BLOCK);
        let clients: Vec<u16> = (0..3).map(|index| one.of(index).client).collect();
        assert_eq!(clients, [one.first, one.first + 3, one.first + 6]);
    }
}
