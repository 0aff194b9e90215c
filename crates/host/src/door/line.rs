//! The queue for password checks. The check is slow on purpose: without a queue, strangers who try passwords would make
//! everyone else wait.
//!
//! There are several independent queues, each with checks of its own: strangers, addresses from which staff signed in
//! lately, people who are signed in, and passkeys, whose check is quick. Each is bounded, in total and for one address
//! or person. When a queue is full, a request is refused at once, and nothing is computed. A client that disconnects
//! leaves its queue.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use floor::StaffId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::address::counted;

/// The client of a check.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Waits {
    /// A client at an address from which no one has signed in lately.
    Stranger(IpAddr),
    /// A client at an address from which staff signed in lately.
    Known(IpAddr),
    /// A person who is signed in: for the own password, or the second person's.
    SignedIn(StaffId),
    /// A person with a passkey.
    Passkey(IpAddr),
}

/// The line is full: in all, or for this address or person.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Full;

/// How long a line is.
#[derive(Copy, Clone)]
struct Length {
    /// Checks at the same time.
    checks: usize,
    /// Checks that wait or run, in total …
    all: usize,
    /// … and from one address or person.
    each: usize,
}

/// Strangers, known addresses, people who are signed in, passkeys.
const LENGTHS: [Length; 4] = [
    Length { checks: 1, all: 16, each: 2 },
    Length { checks: 1, all: 64, each: 8 },
    Length { checks: 2, all: 64, each: 4 },
    Length { checks: 1, all: 64, each: 4 },
];

/// The most passwords that are worked on at the same time.
pub const AT_ONCE: usize = 4;

impl Waits {
    const fn line(self) -> usize {
        match self {
            Waits::Stranger(_) => 0,
            Waits::Known(_) => 1,
            Waits::SignedIn(_) => 2,
            Waits::Passkey(_) => 3,
        }
    }

    /// An IPv6 client is one with all its addresses.
    fn counted(self) -> Waits {
        match self {
            Waits::Stranger(address) => Waits::Stranger(counted(address)),
            Waits::Known(address) => Waits::Known(counted(address)),
            Waits::Passkey(address) => Waits::Passkey(counted(address)),
            signed_in @ Waits::SignedIn(_) => signed_in,
        }
    }
}

/// All lines.
pub struct Lines {
    inside: Mutex<Inside>,
    checks: [Arc<Semaphore>; 4],
}

#[derive(Default)]
struct Inside {
    all: [usize; 4],
    each: HashMap<Waits, usize>,
}

impl Default for Lines {
    fn default() -> Lines {
        let checks = LENGTHS.map(|length| Arc::new(Semaphore::new(length.checks)));
        Lines { inside: Mutex::default(), checks }
    }
}

impl Lines {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins the line.
    ///
    /// # Errors
    /// When it is full.
    pub fn join(self: &Arc<Lines>, who: Waits) -> Result<Waiting, Full> {
        let (who, mut inside) = (who.counted(), self.lock());
        let length = LENGTHS.get(who.line()).ok_or(Full)?;
        let all = inside.all.get_mut(who.line()).ok_or(Full)?;
        if *all >= length.all {
            return Err(Full);
        }
        *all += 1;
        let own = inside.each.entry(who).or_default();
        *own += 1;
        let full = *own > length.each;
        drop(inside);
        // Leaving is the same for all.
        let waiting = Waiting { lines: Arc::clone(self), who };
        if full { Err(Full) } else { Ok(waiting) }
    }

    /// How many wait or are checked, strangers first.
    #[must_use]
    pub fn waiting(&self) -> [usize; 4] {
        self.lock().all
    }
}

/// A place in a line, for as long as this lives.
pub struct Waiting {
    lines: Arc<Lines>,
    who: Waits,
}

impl Waiting {
    /// Waits for the turn. A client that stops waiting has left the queue.
    pub async fn turn(self) -> Option<Turn> {
        let checks = Arc::clone(self.lines.checks.get(self.who.line())?);
        let permit = checks.acquire_owned().await.ok()?;
        Some(Turn { _permit: permit, _waiting: self })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut inside = self.lines.lock();
        if let Some(all) = inside.all.get_mut(self.who.line()) {
            *all -= 1;
        }
        if let Some(own) = inside.each.get_mut(&self.who) {
            *own -= 1;
            if *own == 0 {
                inside.each.remove(&self.who);
            }
        }
    }
}

/// The place of a check: held until the check is over, even if its client has disconnected.
pub struct Turn {
    _permit: OwnedSemaphorePermit,
    _waiting: Waiting,
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn one_address_has_two_places_and_strangers_sixteen_and_nobody_else_waits_for_them() {
        let lines = Arc::<Lines>::default();
        let one: Vec<Waiting> = (0..9).filter_map(|_| lines.join(Waits::Stranger(ip(1))).ok()).collect();
        assert_eq!(one.len(), 2);
        let others: Vec<Waiting> = (2..99).filter_map(|last| lines.join(Waits::Stranger(ip(last))).ok()).collect();
        assert_eq!(others.len(), 14);
        assert!(lines.join(Waits::Known(ip(1))).is_ok());
        assert!(lines.join(Waits::SignedIn(StaffId(3))).is_ok());
        assert!(lines.join(Waits::Passkey(ip(1))).is_ok());
        drop((one, others));
        assert_eq!(lines.waiting(), [0; 4]);
        assert!(lines.lock().each.is_empty());
    }

    #[tokio::test]
    async fn who_leaves_while_waiting_is_not_checked_and_known_people_do_not_wait_for_strangers() {
        let lines = Arc::<Lines>::default();
        let checked = lines.join(Waits::Stranger(ip(1))).unwrap_or_else(|_| panic!("room")).turn().await;
        {
            let waiting = lines.join(Waits::Stranger(ip(2))).unwrap_or_else(|_| panic!("room")).turn();
            tokio::pin!(waiting);
            assert!((&mut waiting).now_or_never().is_none());
            assert_eq!(lines.waiting()[0], 2);
        }
        assert_eq!(lines.waiting()[0], 1);
        let known = lines.join(Waits::Known(ip(3))).unwrap_or_else(|_| panic!("room")).turn();
        tokio::pin!(known);
        assert!((&mut known).now_or_never().is_some());
        drop(checked);
        assert_eq!(LENGTHS.iter().take(3).map(|length| length.checks).sum::<usize>(), AT_ONCE);
    }
}
