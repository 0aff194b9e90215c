//! Simulated devices: they answer as the tables say, and misbehave when they are told to. What they hold is kept by the
//! caller, so that a device can lose its power at any step and come up again with the same notes and papers.

mod ebds;
mod id003;
mod image;
mod printer;
mod run;
mod ssp;
mod validator;

pub use image::svg;
pub use printer::{Paper, Printer, PrinterState};
pub use run::{Running, run};
pub use validator::{Protocol, Thing, Validator, ValidatorState};

use crate::Millis;

/// A simulated device at the other end of a line.
pub trait Device: Send {
    /// Bytes from the agent.
    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<u8>;

    /// Time passes: bytes for the agent.
    fn tick(&mut self, now: Millis) -> Vec<u8>;

    /// An order from its menu.
    ///
    /// # Errors
    /// When there is no such order, or it makes no sense now.
    fn obey(&mut self, order: &str, now: Millis) -> Result<(), String>;

    /// What it holds, as JSON: to be kept, and shown.
    fn state(&self) -> serde_json::Value;

    /// Its orders, one a line.
    fn menu(&self) -> &'static str;
}

/// How a simulated device speaks.
#[derive(Clone, Debug, Default)]
struct Speech {
    silent: bool,
    garbage: u32,
    wrong: u32,
    slow: Millis,
    waiting: Vec<(Millis, Vec<u8>)>,
}

impl Speech {
    /// Obeys an order about speech; `None` if it is about something else.
    fn obey(&mut self, words: &[&str]) -> Option<Result<(), String>> {
        let number = |text: &str| text.parse::<u32>().map_err(|_| format!("'{text}' is no number"));
        match words {
            ["silent"] => self.silent = true,
            ["speak"] => self.silent = false,
            ["garbage", count] => match number(count) {
                Ok(count) => self.garbage = count,
                Err(error) => return Some(Err(error)),
            },
            ["wrong", count] => match number(count) {
                Ok(count) => self.wrong = count,
                Err(error) => return Some(Err(error)),
            },
            ["slow", by] => match number(by) {
                Ok(by) => self.slow = Millis::from(by),
                Err(error) => return Some(Err(error)),
            },
            _ => return None,
        }
        Some(Ok(()))
    }

    fn say(&mut self, mut answer: Vec<u8>, now: Millis) {
        if self.silent {
            return;
        }
        if self.wrong > 0 {
            self.wrong -= 1;
            if let Some(last) = answer.last_mut() {
                *last ^= 0x28;
            }
        }
        if self.garbage > 0 {
            self.garbage -= 1;
            answer = [&[0x00, 0xFC, 0x07, 0x55, 0xA5][..], &answer].concat();
        }
        self.waiting.push((now + self.slow, answer));
    }

    fn due(&mut self, now: Millis) -> Vec<u8> {
        let (ready, later) = std::mem::take(&mut self.waiting).into_iter().partition(|(at, _)| *at <= now);
        self.waiting = later;
        let ready: Vec<(Millis, Vec<u8>)> = ready;
        ready.into_iter().flat_map(|(_, bytes)| bytes).collect()
    }
}
