//! A running floor with everything around it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine::{Engine, Refused, Reply, Tag};
use floor::{
    Body, Command, Floor, Refusal, Sender, StaffId, TerminalId, TicketId, TicketKey, TicketNumber, TicketPlace,
};

use records::Follower;
use serde::Serialize;
use utoipa::ToSchema;

use crate::clock;
use crate::demo::Demonstration;
use crate::door::line::{Lines, Waits};
use crate::door::origin;
use crate::door::refusals::{Refusals, plain};
use crate::error::{ApiError, ApiResult};
use crate::feed::message::TicketSlip;
use crate::hub::{Hub, NOBODY};
use crate::members::{Ask, Membership, Wanted};
use crate::store::{SignInRefused, Store};
use crate::view::Words;
use crate::watch::Watch;
use crate::words_of_money;

/// A retry of a command that issues a ticket is looked for among so many tickets, the newest.
const RETRIED: usize = 256;
/// Whether who issued a ticket may still need its number: its printer has not reported (D25, D27).
fn may_be_printed_again(floor: &Floor, id: TicketId) -> bool {
    floor
        .tickets()
        .find(|ticket| ticket.id() == id)
        .is_some_and(|ticket| ticket.state() == floor::TicketState::Prepared)
}

/// A running floor with everything around it: what every request and every feed works with.
pub struct App {
    /// The floor's name, as in every path.
    pub name: String,
    /// The floor on its journal.
    pub engine: Arc<Engine>,
    /// The feeds.
    pub hub: Arc<Hub>,
    /// The other hosts of the floor, if there are any.
    pub membership: Option<Arc<Membership>>,
    /// Credentials, outside the log.
    pub store: Arc<Store>,
    /// The read model, which follows.
    pub records: Arc<Follower>,
    /// The transparency log, which follows; a host of a cluster keeps none.
    pub log: Option<Arc<receipts::Follower>>,
    /// What the witnesses of the log have cosigned.
    pub witnesses: Arc<crate::witnesses::Witnesses>,
    /// What the pit's figures are made from.
    pub watch: Watch,
    /// The demonstration, on a demonstration floor.
    pub demonstration: Option<Arc<Demonstration>>,
    /// The program that runs, by its hashes.
    pub release: floor::Release,
    /// Settings of the host.
    pub config: crate::config::Config,
    ticket_key: TicketKey,
    system: Mutex<u64>,
    tickets: tokio::sync::Mutex<()>,
    /// Held while a person is employed, so that the id is that person's.
    pub hiring: tokio::sync::Mutex<()>,
    in_charge: AtomicBool,
    refusals: Refusals,
    /// The queue for password checks.
    pub lines: Arc<Lines>,
    /// What is refused at the doors.
    pub access: crate::access::Access,
    /// Links with a key that is in use at another place.
    pub links: crate::links::Links,
    /// Ticket numbers that are being checked.
    pub tries: crate::tries::Tries,
    /// Whether this host ran all the while.
    pub pulse: Arc<crate::pulse::Pulse>,
}

/// How the host is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HealthSection {
    /// The last durable record.
    pub sequence: u64,
    /// Commands that wait.
    pub waiting: usize,
    /// Records the read model is behind.
    pub records_lag: u64,
    /// Feeds that are open.
    pub feeds: usize,
    /// MiB left on the disk.
    pub disk_left_mib: Option<u64>,
    /// Why play has stopped, if it has.
    pub stopped: Option<String>,
    /// The hash of the program (S9).
    pub program: String,
    /// The hash of the rulebooks inside it.
    pub rulebooks: String,
    /// Whether play is locked until the program is accepted (S10).
    pub locked: bool,
    /// The record that a client was shown and the journal does not have: play is locked until two people have stated
    /// what was lost.
    pub missing: Option<u64>,
    /// By how many milliseconds the clock is ahead of the time that has passed, until an administrator accepts it.
    pub clock_ahead: Option<i64>,
}

/// Parts from which an [`App`] is made.
pub struct Parts {
    /// The floor on its journal.
    pub engine: Arc<Engine>,
    /// The feeds.
    pub hub: Arc<Hub>,
    /// Credentials.
    pub store: Arc<Store>,
    /// The read model.
    pub records: Arc<Follower>,
    /// The transparency log.
    pub log: Option<Arc<receipts::Follower>>,
    /// Its witnesses.
    pub witnesses: Arc<crate::witnesses::Witnesses>,
    /// What the pit's figures are made from.
    pub watch: Watch,
    /// The demonstration.
    pub demonstration: Option<Arc<Demonstration>>,
    /// The program that runs.
    pub release: floor::Release,
    /// Settings.
    pub config: crate::config::Config,
    /// The other hosts.
    pub membership: Option<Arc<Membership>>,
}

/// Why a ticket was not issued.
pub enum NotIssued {
    /// This.
    Refused(Refusal),
    /// Nothing was decided: play has stopped here, or too much waits.
    Later,
}

impl App {
    /// A floor that has come up.
    #[must_use]
    pub fn new(parts: Parts) -> App {
        let Parts { engine, hub, store, records, log, witnesses, watch, demonstration, release, config, membership } =
            parts;
        let (name, last) = engine.read(|floor| {
            let name = floor.settings().map_or_else(String::new, |settings| settings.name.clone());
            (name, floor.last_number(Sender::System))
        });
        App {
            name,
            ticket_key: store.ticket_key(),
            system: Mutex::new(last.unwrap_or(0) + 1),
            tickets: tokio::sync::Mutex::new(()),
            hiring: tokio::sync::Mutex::new(()),
            // Among others a host is in charge only when it has been told so.
            in_charge: AtomicBool::new(membership.is_none()),
            refusals: Refusals::default(),
            lines: Arc::default(),
            access: crate::access::Access::default(),
            pulse: Arc::default(),
            links: crate::links::Links::default(),
            tries: crate::tries::Tries::default(),
            membership,
            engine,
            hub,
            store,
            records,
            log,
            witnesses,
            watch,
            demonstration,
            release,
            config,
        }
    }

    /// Looks at the durable floor.
    pub fn read<T>(&self, look: impl FnOnce(&Floor) -> T) -> T {
        self.engine.read(look)
    }

    /// Whether a terminal has a feed, at this host or, as far as the one in charge knows, at another.
    #[must_use]
    pub fn has_terminal(&self, id: TerminalId) -> bool {
        let elsewhere = |membership: &Arc<Membership>| self.is_in_charge() && membership.has_elsewhere(id);
        self.hub.has_terminal(id) || self.membership.as_ref().is_some_and(elsewhere)
    }

    /// Changes credentials, on a thread that may wait: for the disk, and for the cluster where hosts share them.
    ///
    /// # Errors
    /// When the change panics or the host is ending.
    pub async fn change_credentials<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> ApiResult<T> {
        let store = Arc::clone(&self.store);
        tokio::task::spawn_blocking(move || change(&store)).await.map_err(ApiError::internal)
    }

    /// Checks a password or passkey, or makes a password's hash, when it is its turn. Where the client has gone before,
    /// nothing is checked.
    ///
    /// # Errors
    /// What the check says; and that too many wait.
    pub async fn check<T: Send + 'static, E: From<SignInRefused> + Send + 'static>(
        &self,
        who: Waits,
        check: impl FnOnce(&Store) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let Ok(waiting) = self.lines.join(who) else { return Err(SignInRefused::Busy.into()) };
        let turn = waiting.turn().await.ok_or(SignInRefused::Busy)?;
        let store = Arc::clone(&self.store);
        let checked = tokio::task::spawn_blocking(move || {
            let checked = check(&store);
            drop(turn);
            checked
        });
        checked.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a password could not be checked");
            Err(SignInRefused::Wrong.into())
        })
    }

    /// Whether a machine deals at a table.
    #[must_use]
    pub fn is_automatic(&self, table: floor::TableId) -> bool {
        self.hub.is_automatic(table)
    }

    /// Whether it is permanently a demonstration.
    #[must_use]
    pub fn is_demonstration(&self) -> bool {
        self.demonstration.is_some()
    }

    /// A time at the pace of the demonstration.
    #[must_use]
    pub fn paced(&self, time: std::time::Duration) -> std::time::Duration {
        time * self.config.demonstration_pace / 100
    }

    /// Why no commands are taken.
    #[must_use]
    pub fn halted(&self) -> Option<String> {
        self.engine.stopped()
    }

    /// Whether commands are decided here, and timers run.
    #[must_use]
    pub fn is_in_charge(&self) -> bool {
        self.in_charge.load(Ordering::Acquire)
    }

    /// Whether this host leads and may say so.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.is_in_charge() && self.hub.term.holds()
    }

    /// Why clients are better served elsewhere, though play has not stopped here.
    #[must_use]
    pub fn not_ready(&self) -> Option<String> {
        self.membership.as_ref().and_then(|membership| membership.not_ready(self.is_in_charge(), &self.hub.term))
    }

    /// From now on commands are decided here, and timers run.
    pub fn take_charge(&self) {
        self.in_charge.store(true, Ordering::Release);
        self.hub.deadlines.notify_one();
        self.hub.staff.notify_one();
    }

    /// Has something decided: here, or by the host that leads.
    fn decide(&self, tag: Tag, ask: Ask) -> Result<(), Refused> {
        match &self.membership {
            Some(membership) if !self.is_in_charge() => membership.pass_on(tag, ask),
            _ => self.decide_here(tag, ask),
        }
    }

    /// Has something decided by this host.
    ///
    /// # Errors
    /// When it was not taken in.
    pub fn decide_here(&self, tag: Tag, ask: Ask) -> Result<(), Refused> {
        self.notice_freeze();
        match ask {
            Ask::Unread(_) => Err(Refused::Follows),
            // The caller would take a refusal for the floor's. The host's own commands are delayed by the journal
            // alone.
            Ask::Command { .. } if !self.hub.term.holds() => Err(Refused::Follows),
            Ask::Command { sender, number, body } => {
                self.engine.submit(tag, Command { sender, number, at: clock::now(), body })
            }
            Ask::Own(body) => {
                // The number and its place in the queue belong together. Another host may have led meanwhile.
                let mut next = self.system.lock().unwrap_or_else(PoisonError::into_inner);
                let last = self.read(|floor| floor.last_number(Sender::System)).unwrap_or(0);
                let number = (*next).max(last + 1);
                self.engine.submit(tag, Command { sender: Sender::System, number, at: clock::now(), body })?;
                *next = number + 1;
                Ok(())
            }
        }
    }

    /// Reports that the process did not run for a while: a stoppage of every round in play (D6).
    pub fn notice_freeze(&self) {
        let Some(gap) = self.pulse.missed() else { return };
        // On a cluster another host has led meanwhile, and has recorded the stoppage.
        if !self.is_in_charge() || !self.hub.term.holds() {
            return;
        }
        let seconds = gap / 1_000;
        tracing::error!(seconds, "the host did not run");
        let from = clock::now().after(-gap);
        if let Err(refused) = self.own_unanswered(Body::ReportStoppage { from, terminals_back: true }) {
            tracing::error!(%refused, "a stoppage could not be reported");
        }
        self.alert(None, format!("The host did not run for {seconds} s"));
    }

    /// Sends a command and waits until its answer is durable.
    ///
    /// # Errors
    /// Why it was not done.
    pub async fn submit(&self, sender: Sender, number: u64, body: Body) -> ApiResult<u64> {
        let sent = std::time::Instant::now();
        let answer = self.ask(Ask::Command { sender, number, body }).await;
        metrics::histogram!("croupier_commit_seconds").record(sent.elapsed().as_secs_f64());
        answer
    }

    async fn ask(&self, ask: Ask) -> ApiResult<u64> {
        let (tag, answer) = self.hub.expect();
        if let Err(refused) = self.decide(tag, ask) {
            self.hub.forget(tag);
            return Err(refused.into());
        }
        settle(answer.await)
    }

    /// Sends a command that came over a feed; the answer goes there.
    ///
    /// # Errors
    /// Why it was not taken in.
    pub fn submit_on(&self, slot: u32, sender: Sender, number: u64, body: Body) -> ApiResult<()> {
        let Some(tag) = self.hub.expect_on(slot, number) else { return Ok(()) };
        self.decide(tag, Ask::Command { sender, number, body }).map_err(|refused| {
            self.hub.withdraw(slot, number);
            refused.into()
        })
    }

    /// Sends a command of the host's own and waits for its answer.
    ///
    /// # Errors
    /// Why it was not done.
    pub async fn own(&self, body: Body) -> ApiResult<u64> {
        self.ask(Ask::Own(body)).await
    }

    /// Sends one of the host's own commands and ignores the answer.
    ///
    /// # Errors
    /// When it was not taken in.
    pub fn own_unanswered(&self, body: Body) -> Result<(), Refused> {
        match &self.membership {
            Some(membership) if !self.is_in_charge() => membership.pass_on(NOBODY, Ask::Own(body)),
            membership => {
                if let (Some(membership), Body::TerminalBack { terminal }) = (membership, &body) {
                    membership.is_here(*terminal);
                }
                self.decide_here(NOBODY, Ask::Own(body))
            }
        }
    }

    /// Raises an alert at the pit.
    pub fn alert(&self, table: Option<floor::TableId>, words: impl Into<String>) {
        let what = floor::AlertKind::Host(plain(&words.into()));
        if let Err(refused) = self.own_unanswered(Body::RaiseAlert { table, what }) {
            tracing::error!(%refused, "an alert could not be raised");
        }
    }

    /// Records that what the records say of people is in doubt, and shows it at the pit until it is acknowledged.
    pub fn integrity_alert(&self, words: &str) {
        self.significant(words, false);
        let what = floor::AlertKind::Integrity(plain(words));
        if let Err(refused) = self.own_unanswered(Body::RaiseAlert { table: None, what }) {
            tracing::error!(%refused, "an alert could not be raised");
        }
    }

    /// Shows at the pit that something was refused at the doors: one line with a count, which changes once a minute at
    /// most, however much is tried.
    pub fn access_alert(&self, words: &str) {
        self.refusals.add(words);
        self.tell_refusals();
    }

    /// Counts a refusal that is shown at the pit only if there are many in a minute, from all addresses together.
    pub fn quiet_alert(&self, words: &str) {
        self.refusals.add_quiet(words);
        self.tell_refusals();
    }

    /// Shows what was refused at the doors since the last time, if a minute has passed.
    pub fn tell_refusals(&self) {
        let Some((words, count)) = self.refusals.due() else { return };
        let tagged = self.read(Floor::level) >= floor::TAGGED;
        let access = || floor::AlertKind::Access(words.clone(), count);
        let what = if tagged { access() } else { floor::AlertKind::Host(words.clone()) };
        if let Err(refused) = self.own_unanswered(Body::RaiseAlert { table: None, what }) {
            tracing::error!(%refused, "an alert could not be raised");
            self.refusals.put_back(words, count);
        }
    }

    /// Records something about sign-in and keys; what is alarming is shown at the pit.
    pub fn significant(&self, words: impl Into<String>, alarming: bool) {
        let words = plain(&words.into());
        tracing::info!(target: "access", "{words}");
        if let Err(refused) = self.own_unanswered(Body::Note { words: words.clone() }) {
            tracing::error!(%refused, "an access could not be recorded");
        }
        if alarming {
            self.access_alert(&words);
        }
    }

    /// How the host is.
    #[must_use]
    pub fn health(&self, floor: &Floor) -> HealthSection {
        HealthSection {
            sequence: floor.sequence(),
            waiting: self.engine.waiting(),
            records_lag: self.records.lag(),
            feeds: self.hub.feeds(),
            disk_left_mib: crate::watch::disk_left(&self.config.data).map(|bytes| bytes >> 20),
            stopped: self.halted(),
            program: self.release.program.to_string(),
            rulebooks: self.release.rulebooks.to_string(),
            locked: floor.locked_by().is_some(),
            missing: floor.missing_record(),
            clock_ahead: floor.clock_ahead(),
        }
    }

    /// Issues a ticket by a command that takes its number's hash.
    ///
    /// # Errors
    /// Why it was not done.
    pub async fn issue(
        &self,
        sender: Sender,
        number: u64,
        body: impl Fn(floor::TicketHash) -> Body,
    ) -> ApiResult<(u64, TicketSlip)> {
        let retried = self.read(|floor| floor.has_answered(sender, number));
        let (accepted, id) = match &self.membership {
            Some(membership) if !self.is_in_charge() => {
                let wanted = Wanted { sender, number, body: body(floor::TicketHash([0; 16])) };
                membership.issue(&self.hub, wanted).await?
            }
            _ => self.issue_here(sender, number, body).await.map_err(|not| match not {
                NotIssued::Refused(refusal) => ApiError::from(refusal),
                NotIssued::Later => match self.engine.stopped() {
                    Some(reason) => ApiError::stopped(&reason),
                    None if !self.hub.term.holds() => ApiError::from(Refused::Follows),
                    None => ApiError::from(Refused::Busy),
                },
            })?,
        };
        if retried && !self.read(|floor| may_be_printed_again(floor, id)) {
            let en = "the paper was handed out: its number is not told again";
            let conflict = axum::http::StatusCode::CONFLICT;
            return Err(ApiError::new(conflict, "ticket_printed", "D27", en, "兑现券已交付，号码不再提供"));
        }
        Ok((accepted, self.slip(id)?))
    }

    /// Whether a command was accepted before and issued one of the newest tickets: it is known by that ticket's number.
    #[must_use]
    pub fn has_issued(&self, sender: Sender, number: u64, body: impl Fn(floor::TicketHash) -> Body) -> bool {
        let is_known = |floor: &Floor, hash| {
            let command = floor::Command { sender, number, at: clock::now(), body: body(hash) };
            matches!(floor.decide(&command), Ok(floor::Decision::Earlier(_)))
        };
        self.read(|floor| {
            floor.has_answered(sender, number)
                && floor.tickets().rev().take(RETRIED).any(|ticket| is_known(floor, ticket.number_hash()))
        })
    }

    /// Issues a ticket at this host; one at a time, so that each has a number of its own.
    ///
    /// # Errors
    /// Why it was not done.
    pub async fn issue_here(
        &self,
        sender: Sender,
        number: u64,
        body: impl Fn(floor::TicketHash) -> Body,
    ) -> Result<(u64, TicketId), NotIssued> {
        let _one_at_a_time = self.tickets.lock().await;
        let (next, made) = self.read(|floor| {
            // A retry is known by its body, and that has the number of the ticket it made: newest first.
            let retried = floor.has_answered(sender, number);
            let newest = floor.tickets().rev().take(if retried { RETRIED } else { 0 });
            (floor.next_ticket(), newest.map(|ticket| (ticket.id(), ticket.number_hash())).collect::<Vec<_>>())
        });
        for (id, hash) in made.into_iter().chain([(next, self.draw_number()?)]) {
            let (tag, answer) = self.hub.expect();
            let ask = Ask::Command { sender, number, body: body(hash) };
            if self.decide_here(tag, ask).is_err() {
                self.hub.forget(tag);
                return Err(NotIssued::Later);
            }
            match answer.await {
                Ok(Reply::Accepted(sequence)) => return Ok((sequence, id)),
                Ok(Reply::Refused(refusal)) if id != next && refusal.code == floor::Code::NumberReused => {}
                Ok(Reply::Refused(refusal)) => return Err(NotIssued::Refused(refusal)),
                Ok(Reply::Stopped(_) | Reply::Untaken(_)) | Err(_) => return Err(NotIssued::Later),
            }
        }
        Err(NotIssued::Later)
    }

    /// The print job of the ticket in doubt at a terminal: for its own printer, until that has reported (D25).
    ///
    /// # Errors
    /// When there is none.
    pub fn print_job(&self, terminal: TerminalId) -> ApiResult<TicketSlip> {
        let doubt = self.read(|floor| floor.doubt_of(terminal));
        let doubt = doubt.ok_or_else(|| ApiError::not_found("ticket that waits for this printer"))?;
        self.slip(doubt.ticket)
    }

    /// The print job of a ticket in doubt that a person sold or printed again: for that person's counter alone, until its
    /// printer has reported (D25).
    ///
    /// # Errors
    /// When there is none.
    pub fn counter_job(&self, staff: floor::StaffId, ticket: TicketId) -> ApiResult<TicketSlip> {
        let own = |doubt: &floor::Doubt| doubt.ticket == ticket && doubt.printed_for == Some(staff);
        let waits = self.read(|floor| floor.doubts().any(|doubt| own(&doubt)));
        if waits { self.slip(ticket) } else { Err(ApiError::not_found("ticket that waits for your printer")) }
    }

    /// A number that no ticket has is counted, and not answered before; its check digits say whether it was mistyped or is
    /// another floor's. Numbers tried at several hosts at once are counted together: one past the stop is not answered.
    pub async fn told_apart(&self, at: TicketPlace, digits: &str, error: ApiError) -> ApiError {
        let unknown = error.error.code == floor::Code::TicketUnknown.as_str();
        let Some(number) = TicketNumber::parse(digits).filter(|_| unknown) else { return error };
        let mistyped = !number.checks();
        if let Err(uncounted) = self.own(Body::WrongTicket { at, mistyped }).await {
            return uncounted;
        }
        if let Some(stopped) = self.read(|floor| floor.past_the_stop(at, mistyped, clock::now())) {
            return stopped.into();
        }
        let conflict = axum::http::StatusCode::CONFLICT;
        if mistyped {
            let en = "this number was mistyped: its check digits are wrong";
            return ApiError::new(conflict, "ticket_mistyped", "S16", en, "号码输入有误：校验码不符");
        }
        let code = number.issued_by();
        if code == TicketNumber::floor_code(&self.name) {
            return error;
        }
        let en = format!("this ticket was issued on another floor, number {code:04}");
        ApiError::new(conflict, "issued_elsewhere", "S16", en, format!("该兑现券由其他场地（编号 {code:04}）签发"))
    }

    /// A ticket as it is printed.
    ///
    /// # Errors
    /// When there is none.
    pub fn slip(&self, id: TicketId) -> ApiResult<TicketSlip> {
        self.read(|floor| {
            let ticket = floor.tickets().find(|ticket| ticket.id() == id)?;
            let digits = ticket.number(&self.ticket_key, &self.name)?;
            let terminal = ticket.terminal().and_then(|id| floor.terminal(id)).map(|t| t.name().to_owned());
            let days = floor.settings().map_or(1, |settings| i64::from(settings.ticket_days));
            let issued = if ticket.issued().0 == 0 { clock::now() } else { ticket.issued() };
            // Until it is printed it has no date yet, and the paper must show the one that it will have.
            let printed = ticket.state() != floor::TicketState::Prepared;
            let expires = if printed { ticket.expires() } else { issued.after(days * 86_400_000) };
            Some(TicketSlip {
                id: id.0,
                number: digits.to_string(),
                amount: ticket.amount().into(),
                words: Words::new(words_of_money::english(ticket.amount()), words_of_money::chinese(ticket.amount())),
                floor: self.name.clone(),
                terminal,
                issued: issued.0,
                expires: expires.0,
                reprint: ticket.reprints() > 0,
                demonstration: self.is_demonstration(),
            })
        })
        .ok_or_else(|| ApiError::not_found("such ticket"))
    }

    /// The hash by which the log knows a ticket's number.
    ///
    /// # Errors
    /// When it is no ticket number.
    pub fn ticket_hash(&self, text: &str) -> ApiResult<floor::TicketHash> {
        let number = TicketNumber::parse(text)
            .ok_or_else(|| ApiError::invalid("ticket", "a ticket has a number of 18 digits"))?;
        Ok(self.read(|floor| floor.hash_of(number, &self.ticket_key)))
    }

    /// A new number, as the log will have it. The system's random numbers make it, and nothing else.
    fn draw_number(&self) -> Result<floor::TicketHash, NotIssued> {
        loop {
            let mut random = [0; 16];
            getrandom::fill(&mut random).map_err(|error| {
                tracing::error!(%error, "the system gives no random numbers: no ticket is issued");
                NotIssued::Later
            })?;
            let number = TicketNumber::drawn(&self.name, u128::from_le_bytes(random)).hash(&self.ticket_key);
            if self.read(|floor| floor.ticket_with(number).is_none()) {
                return Ok(number);
            }
        }
    }

    /// The doors of a demonstration.
    #[must_use]
    pub fn doors(&self) -> Option<crate::demo::Doors> {
        self.demonstration.as_ref().map(|demonstration| self.read(|floor| demonstration.doors(floor)))
    }

    /// Whose pages may ask: the hosts of the floor by the addresses they go by, and those that the settings name.
    #[must_use]
    pub fn origins(&self) -> Vec<String> {
        let hosts = self.membership.as_ref().map(|membership| membership.addresses()).unwrap_or_default();
        let own = self.config.advertise.clone();
        let mut all: Vec<String> = hosts.into_iter().chain(own).map(|address| origin::of(&address)).collect();
        all.extend(self.config.origins.iter().cloned());
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A number that a sender may use for its next command: larger than any it used, and never behind the clock.
    #[must_use]
    pub fn next_number(floor: &Floor, sender: Sender) -> u64 {
        let last = floor.last_number(sender).unwrap_or(0);
        last.saturating_add(1).max(clock::now().0.unsigned_abs().saturating_mul(1000))
    }

    /// The sender's name.
    #[must_use]
    pub fn name_of_sender(&self, sender: Sender) -> String {
        match sender {
            Sender::Staff(id) => self.name_of(id),
            Sender::Terminal(id) => format!("terminal {id}"),
            Sender::Device(id) => format!("device {id}"),
            Sender::System => "the host".to_owned(),
        }
    }

    /// A person's name.
    #[must_use]
    pub fn name_of(&self, id: StaffId) -> String {
        self.read(|floor| floor.person(id).map_or_else(|| id.to_string(), |staff| staff.name().to_owned()))
    }
}

/// What an answer means to the caller.
pub(crate) fn settle(answer: Result<Reply, tokio::sync::oneshot::error::RecvError>) -> ApiResult<u64> {
    match answer {
        Ok(Reply::Accepted(sequence)) => Ok(sequence),
        Ok(Reply::Refused(refusal)) => Err(refusal.into()),
        Ok(Reply::Stopped(reason)) => Err(ApiError::stopped(&reason)),
        Ok(Reply::Untaken(refused)) => Err(refused.into()),
        Err(_) => Err(ApiError::stopped("the host is stopping")),
    }
}
