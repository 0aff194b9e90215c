//! The agent: it holds the keys of a terminal and of its validator, drives the devices, and serves the page of the
//! terminal on loopback.
//!
//! `core` decides and does nothing else: what happened goes in, what is to be done comes out. `keep` makes what it has to
//! remember durable before any of that is done.

mod button;
mod config;
mod core;
mod demonstration;
mod event;
mod forward;
mod hear;
mod keep;
mod key;
mod link;
mod notify;
mod port;
mod run;
mod serve;
mod state;
mod view;

pub use config::{
    Button, ButtonName, Config, Line, PrinterKind, PrinterSettings, Switch, TerminalSettings, Tower, ValidatorKind,
    ValidatorSettings,
};
pub use core::{Action, Core, Input, Lamps, Refusal, Side};
pub use demonstration::{Seat, take_seat};
pub use event::{Event, Kind};
pub use forward::Hosts;
pub use hear::hear;
pub use keep::{Keep, kept};
pub use key::{Key, enrol};
pub use run::{Agent, Simulated, start};
pub use state::{Cash, Note, Outcome, Print, State, TicketIn};
pub use view::Own;
