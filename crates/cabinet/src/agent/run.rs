//! The agent as it runs: one loop that takes what happened, makes the state durable, and does what was decided.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::core::{Action, Core, Input, Lamps, Side};
use super::forward::Hosts;
use super::hear::hear;
use super::link::{Link, Said};
use super::notify::Notify;
use super::view::money;
use super::{Config, Keep, Key, Line, PrinterKind, State, Tower, ValidatorKind, button, port, serve};
use crate::Millis;
use crate::ebds::Ebds;
use crate::id003::Id003;
use crate::port::{Framing, Parity};
use crate::printer::{self, Epic, EscPos, Printer};
use crate::ssp::Ssp;
use crate::validator::{self, Settings, Validator};

/// How often the agent looks at the time.
const TICK: Duration = Duration::from_millis(250);

/// The simulated devices beside a simulated cabinet.
#[derive(Debug)]
pub struct Simulated {
    /// The input of the validator's program.
    pub validator: Mutex<std::process::ChildStdin>,
    /// The input of the printer's program.
    pub printer: Mutex<std::process::ChildStdin>,
    /// Where the validator keeps what it holds.
    pub validator_state: PathBuf,
    /// Where the printer does.
    pub printer_state: PathBuf,
}

/// Something that happened outside.
#[derive(Debug)]
pub(super) enum Happened {
    Said(Said),
    Validator(validator::Event),
    Printer(printer::Event),
    PageOpened(u64, mpsc::Sender<String>),
    PageSaid(u64, Value),
    PageClosed(u64),
    Switched(Input),
}

/// What requests look at.
pub(super) struct Shared {
    pub hosts: Arc<Hosts>,
    pub floor: String,
    pub terminal: u32,
    pub port: u16,
    pub status: Mutex<Value>,
    pub happened: mpsc::Sender<Happened>,
    pub simulated: Option<Simulated>,
}

/// An agent that runs.
pub struct Agent {
    /// Where the page is served.
    pub address: SocketAddr,
    core: Core,
    keep: Keep,
    saved: State,
    view: Map<String, Value>,
    /// The last snapshot or update, without its view.
    head: Option<Map<String, Value>>,
    pages: BTreeMap<u64, mpsc::Sender<String>>,
    terminal: mpsc::Sender<Value>,
    device: mpsc::Sender<Value>,
    validator: mpsc::Sender<validator::Order>,
    printer: mpsc::Sender<printer::Order>,
    happened: mpsc::Receiver<Happened>,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
    tower: Tower,
    lamps: Option<Lamps>,
    begun: Instant,
    notify: Notify,
}

/// Starts an agent: it serves its page when this returns.
///
/// # Errors
/// When its memory, a key or its address cannot be used.
pub async fn start(config: Config, simulated: Option<Simulated>) -> io::Result<Agent> {
    let invalid = |error: String| io::Error::new(io::ErrorKind::InvalidInput, error);
    let (keep, state) = Keep::open::<State>(&config.data)?;
    let state = state.unwrap_or_default();
    let hosts = Arc::new(Hosts::new(&config.hosts, config.ca.as_deref())?);
    let link =
        |side, id, key, reader| Link { side, floor: config.floor.clone(), id, key, hosts: Arc::clone(&hosts), reader };
    let terminal_key = Key::read(&config.terminal.key)?;
    let device_key = Key::read(&config.validator.key)?;
    let terminal_link = link(Side::Terminal, config.terminal.id, terminal_key, state.reader.clone());
    let device_link = link(Side::Validator, u32::from(config.validator.device), device_key, None);
    let listener = TcpListener::bind(config.listen).await?;
    let address = listener.local_addr()?;
    let (happens, happened) = mpsc::channel(256);
    let mut tasks = JoinSet::new();
    let (terminal, to_terminal) = mpsc::channel(64);
    let (device, to_device) = mpsc::channel(64);
    for (link, to_send) in [(terminal_link, to_terminal), (device_link, to_device)] {
        let (said, mut hears) = mpsc::channel(64);
        tasks.spawn(link.run(said, to_send));
        let happens = happens.clone();
        tasks.spawn(async move {
            while let Some(said) = hears.recv().await {
                if happens.send(Happened::Said(said)).await.is_err() {
                    return;
                }
            }
        });
    }
    let settings = Settings { denominations: config.worth().map_err(invalid)?, tickets: config.validator.tickets };
    let (driver, framing) = validator_driver(config.validator.protocol, settings, state.mark);
    let at = framed(&config.validator.line, framing);
    let validator = device_task(&mut tasks, driver, at, happens.clone(), Happened::Validator);
    let driver: Box<dyn Printer> = match config.printer.protocol {
        PrinterKind::Epic950 => Box::new(Epic::default()),
        PrinterKind::Escpos => Box::new(EscPos::default()),
    };
    let at = framed(&config.printer.line, PLAIN);
    let printer = device_task(&mut tasks, driver, at, happens.clone(), Happened::Printer);
    config.switches.iter().for_each(|switch| drop(tasks.spawn(serve::watch(switch.clone(), happens.clone()))));
    config.buttons.iter().for_each(|button| drop(tasks.spawn(button::watch(button.clone(), happens.clone()))));
    let shared = Arc::new(Shared {
        hosts,
        floor: config.floor.clone(),
        terminal: config.terminal.id,
        port: address.port(),
        status: Mutex::new(Value::Null),
        happened: happens,
        simulated,
    });
    let router = serve::router(Arc::clone(&shared));
    tasks.spawn(async move {
        let _ = axum::serve(listener, router).await;
    });
    let core = Core::new(state.clone(), config.credit_limit().map_err(invalid)?);
    Ok(Agent {
        address,
        core,
        keep,
        saved: state,
        view: Map::new(),
        head: None,
        pages: BTreeMap::new(),
        terminal,
        device,
        validator,
        printer,
        happened,
        shared,
        _tasks: tasks,
        tower: config.tower.clone(),
        lamps: None,
        begun: Instant::now(),
        notify: Notify::new(),
    })
}

/// Eight data bits, no parity, one stop bit. The speed is that of the settings.
const PLAIN: Framing = Framing { speed: 0, parity: Parity::None, seven: false, two_stops: false };

/// The driver of a validator, and how its protocol frames bytes. `mark`: what was recorded of its line.
fn validator_driver(kind: ValidatorKind, settings: Settings, mark: bool) -> (Box<dyn Validator>, Framing) {
    let even = Framing { parity: Parity::Even, ..PLAIN };
    match kind {
        ValidatorKind::Id003 => (Box::new(Id003::new(settings)), even),
        ValidatorKind::Ebds => (Box::new(Ebds::new(settings, mark)), Framing { seven: true, ..even }),
        ValidatorKind::Ssp => (Box::new(Ssp::new(settings)), Framing { two_stops: true, ..PLAIN }),
    }
}

fn framed(line: &Line, usual: Framing) -> (PathBuf, Framing) {
    (line.port.clone(), Framing { speed: line.speed, parity: line.parity.unwrap_or(usual.parity), ..usual })
}

fn device_task<D: port::Driver + 'static>(
    tasks: &mut JoinSet<()>,
    driver: D,
    at: (PathBuf, Framing),
    happens: mpsc::Sender<Happened>,
    wrap: fn(D::Event) -> Happened,
) -> mpsc::Sender<D::Order> {
    let (orders, takes) = mpsc::channel(64);
    let (events, mut reported) = mpsc::channel(64);
    tasks.spawn(port::run(driver, at, takes, events));
    tasks.spawn(async move {
        while let Some(event) = reported.recv().await {
            if happens.send(wrap(event)).await.is_err() {
                return;
            }
        }
    });
    orders
}

impl Agent {
    /// Runs until its memory fails.
    ///
    /// # Errors
    /// When the disk fails: without a durable record nothing may be done.
    pub async fn run(mut self) -> io::Result<()> {
        let actions = self.core.begin(self.now(), wall());
        self.perform(actions).await?;
        self.notify.say("READY=1");
        let mut tick = tokio::time::interval(TICK);
        let watchdog = Notify::watchdog();
        let mut alive = Instant::now();
        loop {
            tokio::select! {
                Some(happened) = self.happened.recv() => self.happen(happened).await?,
                _ = tick.tick() => self.take(Input::Tick).await?,
            }
            if watchdog.is_some_and(|every| alive.elapsed() >= every) {
                alive = Instant::now();
                self.notify.say("WATCHDOG=1");
            }
        }
    }

    fn now(&self) -> Millis {
        Millis::try_from(self.begun.elapsed().as_millis()).unwrap_or(Millis::MAX)
    }

    async fn happen(&mut self, happened: Happened) -> io::Result<()> {
        match happened {
            Happened::Said(Said::Message(side, message)) => self.heard(side, *message).await,
            Happened::Said(Said::Lost(side)) => {
                if side == Side::Terminal {
                    // A page whose link ends says at once that the host is lost (S18).
                    self.head = None;
                    self.pages.clear();
                }
                self.take(Input::Down(side)).await
            }
            Happened::Validator(event) => self.take(Input::Validator(event)).await,
            Happened::Printer(event) => self.take(Input::Printer(event)).await,
            Happened::Switched(input) => self.take(input).await,
            Happened::PageSaid(page, message) => self.take(Input::Page { page, message }).await,
            Happened::PageClosed(page) => {
                self.pages.remove(&page);
                Ok(())
            }
            Happened::PageOpened(page, sender) => {
                if let Some(mut head) = self.head.clone() {
                    head.insert("type".to_owned(), "snapshot".into());
                    head.insert("events".to_owned(), json!([]));
                    head.insert("complete".to_owned(), true.into());
                    head.insert("reader".to_owned(), self.core.state.reader.clone().into());
                    head.insert("view".to_owned(), Value::Object(self.view.clone()));
                    let _ = sender.try_send(Value::Object(head).to_string());
                }
                let _ = sender.try_send(json!({ "type": "cabinet", "state": self.status() }).to_string());
                self.pages.insert(page, sender);
                Ok(())
            }
        }
    }

    async fn heard(&mut self, side: Side, message: Value) -> io::Result<()> {
        let inputs = hear(&mut self.view, side, &message);
        if side == Side::Terminal {
            let kind = message["type"].as_str().unwrap_or_default();
            if matches!(kind, "snapshot" | "update") {
                self.seen(&message);
            }
            if matches!(kind, "snapshot" | "update" | "tick" | "held") {
                self.all(&message.to_string());
            }
        }
        for input in inputs {
            self.take(input).await?;
        }
        Ok(())
    }

    /// Keeps what a page that comes later is told first.
    fn seen(&mut self, message: &Value) {
        let keep = ["sequence", "cursor", "now", "next_number"];
        let mut head = self.head.take().unwrap_or_default();
        for name in keep {
            if let Some(value) = message.get(name) {
                head.insert(name.to_owned(), value.clone());
            }
        }
        self.head = Some(head);
    }

    async fn take(&mut self, input: Input) -> io::Result<()> {
        let actions = self.core.take(input, self.now(), wall());
        self.perform(actions).await
    }

    /// Makes the state durable, and only then does anything.
    async fn perform(&mut self, actions: Vec<Action>) -> io::Result<()> {
        if self.core.state != self.saved {
            self.keep.save(&self.core.state)?;
            self.saved = self.core.state.clone();
        }
        for action in actions {
            match action {
                Action::Validator(order) => drop(self.validator.send(order).await),
                Action::Printer(order) => drop(self.printer.send(order).await),
                Action::Send(Side::Terminal, message) => drop(self.terminal.send(message).await),
                Action::Send(Side::Validator, message) => drop(self.device.send(message).await),
                Action::Page(page, message) => {
                    if let Some(sender) = self.pages.get(&page) {
                        let _ = sender.try_send(message.to_string());
                    }
                }
                Action::Tell(event) => {
                    tracing::info!(kind = ?event.kind, about = event.about, alert = event.alert, "cabinet");
                    let message = json!({ "type": "cabinet", "event": event });
                    self.all(&message.to_string());
                }
            }
        }
        self.light();
        let status = self.status();
        let changed = {
            let mut known = self.shared.status.lock().unwrap_or_else(PoisonError::into_inner);
            let changed = *known != status;
            *known = status.clone();
            changed
        };
        if changed {
            self.all(&json!({ "type": "cabinet", "state": status }).to_string());
        }
        Ok(())
    }

    /// Lights the tower. A lamp that is broken stops nothing.
    fn light(&mut self) {
        let lamps = self.core.lamps();
        if self.lamps.replace(lamps) == Some(lamps) {
            return;
        }
        for (file, lit) in [(&self.tower.attention, lamps.attention), (&self.tower.service, lamps.service)] {
            let Some(file) = file else { continue };
            if let Err(error) = std::fs::write(file, if lit { "1" } else { "0" }) {
                tracing::warn!(path = %file.display(), %error, "a lamp cannot be switched");
            }
        }
    }

    /// Sends to every page. One that takes nothing is dropped, and comes back for a snapshot.
    fn all(&mut self, text: &str) {
        self.pages.retain(|_, page| page.try_send(text.to_owned()).is_ok());
    }

    fn status(&self) -> Value {
        let state = &self.core.state;
        let cash = |cash: &super::Cash| json!({ "number": cash.number, "amount": money(cash.amount) });
        json!({
            "terminal": self.shared.terminal,
            "host": self.head.is_some(),
            "refuses": self.core.refuses(),
            "ready": self.core.is_ready(),
            "can_print": self.core.can_print(),
            "door": self.core.is_open(),
            "note": state.note.map(|note| money(note.amount)),
            "lamps": { "attention": self.core.lamps().attention, "service": self.core.lamps().service },
            "untold": state.reports.len(),
            "unreported": state.unreported.iter().map(cash).collect::<Vec<_>>(),
            "ticket_in": state.ticket_in.is_some(),
            "print": state.print,
            "notes": state.notes.iter().map(cash).collect::<Vec<_>>(),
            "events": state.events,
            "simulated": self.shared.simulated.is_some(),
        })
    }
}

/// Milliseconds since 1970.
fn wall() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
