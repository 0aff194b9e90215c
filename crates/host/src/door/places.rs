//! Connection limits: in total and per address, before and after a client has authenticated.
//!
//! A connection holds a place while it is open, and so does a feed, which outlives the request that opened it. A client
//! that has not authenticated is a stranger: a display, a page before sign-in, an attacker. Strangers get only a share
//! of the places; the rest is reserved for enrolled terminals and staff. An address from which a client has
//! authenticated may use the reserved places at once, for example when a terminal reconnects. These addresses are kept
//! in a file, so that strangers do not take all places while the host restarts.

use std::collections::HashMap;
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::address::counted;

/// How long an address counts as known after a client there has authenticated.
const KNOWN: Duration = Duration::from_secs(24 * 3600);
/// The most known addresses that are kept.
const MOST_KNOWN: usize = 50_000;
/// The file of known addresses, in the folder of the journal.
pub const FILE: &str = "addresses";
/// An address in use stays known; the file need not be accurate to the minute.
const RENEWED: Duration = Duration::from_secs(3600);
/// How the file says that a person signed in there.
const STAFF: &str = "staff";

/// How many places there are.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// In all.
    pub all: usize,
    /// Of these, kept for clients that have proved who they are, or come from where one has.
    pub reserved: usize,
    /// From one address.
    pub per_address: usize,
    /// From one address, for clients that have proved nothing.
    pub strangers_per_address: usize,
}

/// All places.
pub struct Places {
    limits: Limits,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    connections: usize,
    strangers: usize,
    by_address: HashMap<IpAddr, Here>,
    known: HashMap<IpAddr, Instant>,
    /// Of these, where a person has signed in.
    staff: HashMap<IpAddr, Instant>,
    /// Whether the file is behind.
    changed: bool,
}

#[derive(Copy, Clone, Default)]
struct Here {
    all: usize,
    strangers: usize,
}

impl Places {
    /// No place is taken.
    #[must_use]
    pub fn new(limits: Limits) -> Arc<Places> {
        Arc::new(Places { limits, inside: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a client's own connection.
    #[must_use]
    pub fn connection(self: &Arc<Places>, address: IpAddr) -> Option<Place> {
        self.take(true, Some(counted(address)))
    }

    /// A place for a connection of a trusted proxy, which may carry requests of many clients.
    #[must_use]
    pub fn proxy(self: &Arc<Places>) -> Option<Place> {
        self.take(true, None)
    }

    /// A place for a request or feed that came through a trusted proxy.
    #[must_use]
    pub fn behind_proxy(self: &Arc<Places>, address: IpAddr) -> Option<Place> {
        self.take(false, Some(counted(address)))
    }

    fn take(self: &Arc<Places>, connection: bool, address: Option<IpAddr>) -> Option<Place> {
        let mut inside = self.lock();
        if !inside.has_room(&self.limits, connection, address) {
            return None;
        }
        inside.connections += usize::from(connection);
        if let Some(address) = address {
            inside.strangers += 1;
            let here = inside.by_address.entry(address).or_default();
            here.all += 1;
            here.strangers += 1;
        }
        drop(inside);
        Some(Place { places: Arc::clone(self), connection, address, stranger: AtomicBool::new(address.is_some()) })
    }

    /// Reads the addresses that were known before a restart. A file that is missing or damaged is no reason not to start.
    pub fn recall(&self, folder: &Path, now: i64) {
        if let Ok(text) = std::fs::read_to_string(folder.join(FILE)) {
            self.recall_from(&text, now);
        }
    }

    /// Reads what the file says; how many addresses are known.
    pub(crate) fn recall_from(&self, text: &str, now: i64) -> usize {
        let mut inside = self.lock();
        for line in text.lines().take(MOST_KNOWN) {
            let Some((address, rest)) = line.split_once(' ') else { continue };
            let (at, staff) = rest.split_once(' ').map_or((rest, false), |(at, who)| (at, who == STAFF));
            let (Ok(address), Ok(at)) = (address.parse(), at.parse::<i64>()) else { continue };
            let age = Duration::from_millis(u64::try_from(now.saturating_sub(at)).unwrap_or(0));
            if let Some(at) = Instant::now().checked_sub(age).filter(|_| age < KNOWN) {
                inside.known.insert(address, at);
                if staff {
                    inside.staff.insert(address, at);
                }
            }
        }
        inside.known.len()
    }

    /// Writes the known addresses, if there are others than before.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep(&self, folder: &Path, now: i64) -> io::Result<()> {
        let mut text = String::new();
        {
            let mut inside = self.lock();
            if !std::mem::take(&mut inside.changed) {
                return Ok(());
            }
            for (address, at) in inside.known.iter().filter(|(_, at)| at.elapsed() < KNOWN) {
                let age = i64::try_from(at.elapsed().as_millis()).unwrap_or(0);
                let staff = inside.staff.get(address).is_some_and(|at| at.elapsed() < KNOWN);
                let staff = if staff { format!(" {STAFF}") } else { String::new() };
                text.push_str(&format!("{address} {}{staff}\n", now.saturating_sub(age)));
            }
        }
        let (new, file) = (folder.join("addresses.new"), folder.join(FILE));
        let mut out = journal::private::file_options().write(true).create(true).truncate(true).open(&new)?;
        out.write_all(text.as_bytes())?;
        std::fs::rename(&new, &file)
    }

    /// Places that are taken, and those of strangers among them.
    #[must_use]
    pub fn taken(&self) -> (usize, usize) {
        let inside = self.lock();
        (inside.connections, inside.strangers)
    }
}

impl Inside {
    fn has_room(&self, limits: &Limits, connection: bool, address: Option<IpAddr>) -> bool {
        if connection && self.connections >= limits.all {
            return false;
        }
        let Some(address) = address else { return true };
        let here = self.by_address.get(&address).copied().unwrap_or_default();
        let known = self.known.get(&address).is_some_and(|at| at.elapsed() < KNOWN);
        here.all < limits.per_address
            && here.strangers < limits.strangers_per_address
            && (known || self.strangers < limits.all.saturating_sub(limits.reserved).max(1))
    }

    fn leave(&mut self, address: IpAddr, stranger: bool) {
        self.strangers -= usize::from(stranger);
        if let Some(here) = self.by_address.get_mut(&address) {
            here.all -= 1;
            here.strangers -= usize::from(stranger);
            if here.all == 0 {
                self.by_address.remove(&address);
            }
        }
    }

    fn know(&mut self, address: IpAddr) {
        if self.known.len() >= MOST_KNOWN && !self.known.contains_key(&address) {
            self.known.retain(|_, at| at.elapsed() < KNOWN);
        }
        if self.known.len() < MOST_KNOWN || self.known.contains_key(&address) {
            let before = self.known.insert(address, Instant::now());
            self.changed |= before.is_none_or(|at| at.elapsed() >= RENEWED);
        }
    }
}

/// A place, taken for as long as this lives.
pub struct Place {
    places: Arc<Places>,
    connection: bool,
    address: Option<IpAddr>,
    stranger: AtomicBool,
}

impl Place {
    /// The client has authenticated: a terminal or device by its key, a person by a session.
    pub fn proved(&self) {
        let Some(address) = self.address else { return };
        if !self.stranger.swap(false, Ordering::AcqRel) {
            return;
        }
        let mut inside = self.places.lock();
        inside.strangers -= 1;
        if let Some(here) = inside.by_address.get_mut(&address) {
            here.strangers -= 1;
        }
        inside.know(address);
    }
}

impl Place {
    /// A person is signed in here: the address is one of staff for a while.
    pub fn is_staff(&self) {
        self.proved();
        let Some(address) = self.address else { return };
        let mut inside = self.places.lock();
        if inside.staff.len() >= MOST_KNOWN && !inside.staff.contains_key(&address) {
            inside.staff.retain(|_, at| at.elapsed() < KNOWN);
        }
        if inside.staff.len() < MOST_KNOWN || inside.staff.contains_key(&address) {
            let before = inside.staff.insert(address, Instant::now());
            inside.changed |= before.is_none_or(|at| at.elapsed() >= RENEWED);
        }
    }

    /// Whether staff signed in lately from the same address.
    #[must_use]
    pub fn is_of_staff(&self) -> bool {
        let Some(address) = self.address else { return false };
        self.places.lock().staff.get(&address).is_some_and(|at| at.elapsed() < KNOWN)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inside = self.places.lock();
        inside.connections -= usize::from(self.connection);
        if let Some(address) = self.address {
            inside.leave(address, self.stranger.load(Ordering::Acquire));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { all: 10, reserved: 6, per_address: 5, strangers_per_address: 3 };

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn strangers_get_their_share_and_no_more() {
        let places = Places::new(LIMITS);
        let from_one: Vec<Place> = (0..9).filter_map(|_| places.connection(ip(1))).collect();
        assert_eq!(from_one.len(), 3, "from one address");
        let others: Vec<Place> = (2..9).filter_map(|last| places.connection(ip(last))).collect();
        assert_eq!(others.len(), 1, "from all addresses together: the rest is reserved");
        drop(from_one);
        assert!(places.connection(ip(3)).is_some(), "a closed connection makes room");
        assert_eq!(places.taken(), (1, 1));
    }

    #[test]
    fn whoever_has_proved_who_it_is_takes_no_room_from_strangers() {
        let places = Places::new(LIMITS);
        let mut terminals = Vec::new();
        for _ in 0..9 {
            if let Some(place) = places.connection(ip(1)) {
                place.proved();
                place.proved();
                terminals.push(place);
            }
        }
        assert_eq!(terminals.len(), 5, "the limit of one address holds for all");
        assert_eq!(places.taken(), (5, 0));
        let strangers: Vec<Place> = (2..9).filter_map(|last| places.connection(ip(last))).collect();
        assert_eq!(strangers.len(), 4);
        // A terminal reconnects although strangers have used up their share.
        terminals.pop();
        assert!(places.connection(ip(1)).is_some());
        assert!(places.connection(ip(9)).is_none());
        drop((terminals, strangers));
        assert_eq!(places.taken(), (0, 0));
    }

    #[test]
    fn known_addresses_outlast_a_restart_and_not_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::new(LIMITS);
        places.connection(ip(1)).unwrap().proved();
        places.keep(folder.path(), 1_000_000_000).unwrap();
        for (passed, room) in [(60_000, true), (25 * 3_600_000, false)] {
            let places = Places::new(LIMITS);
            places.recall(folder.path(), 1_000_000_000 + passed);
            let _strangers: Vec<Place> = (2..9).filter_map(|last| places.connection(ip(last))).collect();
            assert_eq!(places.connection(ip(1)).is_some(), room, "{passed}");
            assert!(places.connection(ip(9)).is_none());
        }
        assert!(!places.connection(ip(1)).unwrap().is_of_staff(), "a terminal is no person");
        places.connection(ip(1)).unwrap().is_staff();
        places.keep(folder.path(), 1_000_000_000).unwrap();
        let places = Places::new(LIMITS);
        places.recall(folder.path(), 1_000_060_000);
        assert!(places.connection(ip(1)).unwrap().is_of_staff() && !places.connection(ip(2)).unwrap().is_of_staff());
        std::fs::write(folder.path().join(FILE), "nonsense\n10.0.0.1 x\n10.0.0.2 1 x\n").unwrap();
        Places::new(LIMITS).recall(folder.path(), 0);
    }

    #[test]
    fn behind_a_proxy_clients_are_counted_by_their_own_address() {
        let places = Places::new(LIMITS);
        let proxy: Vec<Place> = (0..5).filter_map(|_| places.proxy()).collect();
        let one: Vec<Place> = (0..9).filter_map(|_| places.behind_proxy(ip(1))).collect();
        assert_eq!((proxy.len(), one.len()), (5, 3));
        assert!(places.behind_proxy(ip(2)).is_some());
        drop((proxy, one));
        assert_eq!(places.taken(), (0, 0));
    }
}
