//! The host of a floor: HTTP and WebSocket, sign-in, devices, timers, metrics, and the demonstration.
//!
//! [`start()`] opens the floor of a folder and begins to listen. Everything that changes the floor is a command to the
//! engine; everything that is shown comes from the durable floor, filtered by who looks: `tell` says who hears of an
//! event, `hub` and `feed` carry it there, [`api`] takes commands in.

mod access;
mod alive;
mod anchors;
pub mod api;
mod app;
mod bias;
pub mod clock;
mod config;
mod demo;
pub mod devices;
pub mod door;
mod error;
mod feed;
mod figures;
mod hub;
pub mod links;
mod logs;
pub mod lost_links;
mod members;
mod outgoing;
mod pages;
pub mod parse;
mod pulse;
mod retention;
mod serial;
mod server;
mod start;
pub mod store;
mod tell;
mod tries;
mod uptime;
mod view;
mod watch;
pub mod witnesses;
mod words_of_money;

pub use app::App;
pub use config::{AnchorPlace, Config, ConfigError, LogAccess, NatsTls, SerialWheel, Tls, WitnessPlace};
pub use demo::{DoorStaff, DoorTerminal, Doors, PASSWORD};
pub use error::{ApiError, Error};
pub use logs::start_logs;
pub use server::acceptor;
pub use start::{NewCredentials, Running, Start, StartError, start};
