//! All terminals of a load, held by one thread.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};

use crate::house::Seat;
use crate::link::{Heard, Link, Stage};
use crate::{Failed, Result};

/// Links that may be on their way at once: fewer than a server's queue of new connections.
const ON_THE_WAY: usize = 200;

/// Many links.
pub struct Crowd {
    epoll: OwnedFd,
    /// The links, each at its place.
    pub links: Vec<Link>,
    scratch: Vec<u8>,
    events: Vec<epoll::Event>,
}

impl Crowd {
    /// Opens this many links and waits until each is current. `path` is the path of each.
    pub fn gather(
        address: SocketAddr,
        count: usize,
        path: impl Fn(usize) -> String,
        seat: impl Fn(usize) -> Option<Seat>,
    ) -> Result<Crowd> {
        Crowd::gather_and_look(address, count, path, seat, |_, _| {})
    }

    /// The same, with a look at each snapshot.
    pub fn gather_and_look(
        address: SocketAddr,
        count: usize,
        path: impl Fn(usize) -> String,
        seat: impl Fn(usize) -> Option<Seat>,
        mut look: impl FnMut(usize, &[u8]),
    ) -> Result<Crowd> {
        let mut crowd = Crowd {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            links: Vec::with_capacity(count),
            scratch: vec![0; 64 * 1024],
            events: Vec::with_capacity(1024),
        };
        let mut ready = 0;
        let mut ended = 0;
        let mut last = Instant::now();
        while ready < count {
            while crowd.links.len() < count && crowd.links.len() - ready < ON_THE_WAY {
                let place = crowd.links.len();
                let link = Link::open(address, &path(place), seat(place))?;
                epoll::add(&crowd.epoll, &link.stream, EventData::new_u64(place as u64), EventFlags::IN)?;
                crowd.links.push(link);
            }
            let before = ready;
            crowd.turn(Duration::from_millis(100), &mut |place, _, heard| match heard {
                Heard::Ready(snapshot) => {
                    ready += 1;
                    look(place, snapshot);
                }
                Heard::Ended => ended += 1,
                _ => {}
            })?;
            if ready > before {
                last = Instant::now();
            }
            if ended > 0 || last.elapsed() > Duration::from_secs(30) {
                return Err(Failed::new(format!("{ready} of {count} terminals came, {ended} were turned away")));
            }
        }
        Ok(crowd)
    }

    /// A terminal disconnects.
    pub fn leave(&mut self, place: usize) {
        if let Some(link) = self.links.get_mut(place).filter(|link| link.stage != Stage::Ended) {
            let _ = epoll::delete(&self.epoll, &link.stream);
            link.leave();
        }
    }

    /// A disconnected terminal returns.
    pub fn come_back(&mut self, place: usize, address: SocketAddr, path: &str, seat: Option<Seat>) -> Result<()> {
        let link = Link::open(address, path, seat)?;
        epoll::add(&self.epoll, &link.stream, EventData::new_u64(place as u64), EventFlags::IN)?;
        if let Some(old) = self.links.get_mut(place) {
            *old = link;
        }
        Ok(())
    }

    /// Takes what has come within a time and says what it was.
    pub fn turn(&mut self, wait: Duration, heard: &mut impl FnMut(usize, &mut Link, Heard<'_>)) -> Result<()> {
        let timeout = Timespec { tv_sec: wait.as_secs().try_into().unwrap_or(1), tv_nsec: wait.subsec_nanos().into() };
        self.events.clear();
        let events = &mut self.events;
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(events), Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in &self.events {
            let place = usize::try_from(event.data.u64()).unwrap_or(usize::MAX);
            let Some(link) = self.links.get_mut(place) else { continue };
            if link.is_waiting() {
                let _ = link.flush();
            }
            link.receive(&mut self.scratch, &mut |link, what| heard(place, link, what));
            if link.stage == Stage::Ended {
                let _ = epoll::delete(&self.epoll, &link.stream);
            }
        }
        Ok(())
    }

    /// Takes what comes until something holds, but no longer than a time.
    pub fn until(
        &mut self,
        most: Duration,
        what: &str,
        mut heard: impl FnMut(usize, &mut Link, Heard<'_>) -> bool,
    ) -> Result<Instant> {
        let started = Instant::now();
        let mut done = false;
        while !done {
            self.turn(Duration::from_millis(50), &mut |place, link, message| done |= heard(place, link, message))?;
            if !done && started.elapsed() > most {
                return Err(Failed::new(format!("waited {} s in vain for {what}", most.as_secs())));
            }
        }
        Ok(Instant::now())
    }
}
