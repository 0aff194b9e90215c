//! The drivers against the simulated devices, on a line that damages, loses and delays.

use std::time::{Duration, Instant};

use cabinet::Millis;
use cabinet::ebds::Ebds;
use cabinet::id003::Id003;
use cabinet::port::{Framing, Parity, Port};
use cabinet::printer::{Epic, Event as Printed, Order as Print, Printer as _, Slip, Words};
use cabinet::simulated::{Device, Paper, Printer, PrinterState, Protocol, Thing, Validator, ValidatorState};
use cabinet::ssp::Ssp;
use cabinet::validator::{Event, Item, Order, Place, Settings, Validator as Driver};

const DENOMINATIONS: [i64; 8] = [200, 500, 1_000, 5_000, 10_000, 100_000, 0, 0];

/// A driver and a device that speak the same, and what the driver reported.
struct Line {
    driver: Box<dyn Driver>,
    device: Validator,
    now: Millis,
    events: Vec<Event>,
}

impl Line {
    fn with(protocol: Protocol, state: ValidatorState) -> Line {
        let settings = Settings { denominations: DENOMINATIONS, tickets: true };
        let driver: Box<dyn Driver> = match protocol {
            Protocol::Id003 => Box::new(Id003::new(settings)),
            Protocol::Ebds => Box::new(Ebds::new(settings, false)),
            Protocol::Ssp => Box::new(Ssp::new(settings)),
        };
        let device = Validator::speaking(protocol, state, DENOMINATIONS, 300);
        Line { driver, device, now: 0, events: Vec::new() }
    }

    /// Goes on until an event has come, and gives everything up to it.
    fn until(&mut self, wanted: &Event) -> Vec<Event> {
        for _ in 0..5_000 {
            if let Some(at) = self.events.iter().position(|event| event == wanted) {
                return self.events.drain(..=at).collect();
            }
            self.step();
        }
        panic!("{wanted:?} did not come: {:?}", self.events);
    }

    fn step(&mut self) {
        self.now += 10;
        let (question, mut events) = self.driver.tick(self.now);
        let mut answer = if question.is_empty() { Vec::new() } else { self.device.hear(&question, self.now) };
        answer.extend(self.device.tick(self.now));
        if !answer.is_empty() {
            events.extend(self.driver.hear(&answer, self.now));
        }
        for event in events {
            match event {
                // On record at once.
                Event::Mark(mark) => self.driver.order(Order::Mark(mark)),
                event => self.events.push(event),
            }
        }
    }

    fn order(&mut self, text: &str) {
        self.device.obey(text, self.now).expect("an order of the menu");
    }

    /// A validator that is initialised and takes notes.
    fn ready(protocol: Protocol) -> Line {
        let mut line = Line::with(protocol, ValidatorState::default());
        line.until(&Event::PoweredUp(Place::Nowhere));
        line.driver.order(Order::Reset);
        line.until(&Event::Waiting(false));
        line.driver.order(Order::Accept(true));
        line.until(&Event::Waiting(true));
        line
    }
}

#[test]
fn a_note_is_stacked_and_counts_once() {
    for protocol in Protocol::ALL {
        let mut line = Line::ready(protocol);
        line.order("insert 50.00");
        line.until(&Event::Escrow(Item::Note(5_000)));
        line.driver.order(Order::Stack);
        line.until(&Event::Vended);
        // It is repeated until it is acknowledged, and reported once.
        (0..100).for_each(|_| line.step());
        assert_eq!(line.events, []);
        assert!(line.device.held().unacknowledged);
        line.driver.order(Order::Acknowledge);
        line.until(&Event::Stacked);
        assert_eq!(line.until(&Event::Waiting(true)), [Event::Waiting(true)]);
        assert_eq!(line.device.held().stacked, [Thing::Note(5_000)]);
        assert!(!line.device.held().unacknowledged);
    }
}

#[test]
fn nothing_is_stacked_without_an_order() {
    for protocol in Protocol::ALL {
        for put in ["insert 50", "ticket 004218273645546372"] {
            let mut line = Line::ready(protocol);
            line.order(put);
            (0..2_000).for_each(|_| line.step());
            assert!(line.device.held().stacked.is_empty(), "{protocol:?}: {put}");
            let stays = line.device.held().path.is_some();
            assert!(stays, "{protocol:?}: {put} is held: {:?}", line.events);
        }
    }
}

#[test]
fn notes_and_tickets_follow_one_another() {
    for protocol in Protocol::ALL {
        let mut line = Line::ready(protocol);
        for put in ["insert 2", "ticket 004218273645546372", "insert 2", "insert 1000"] {
            line.order(put);
            let events = loop {
                line.step();
                if line.events.iter().any(|event| matches!(event, Event::Escrow(_))) {
                    break std::mem::take(&mut line.events);
                }
            };
            assert!(!events.contains(&Event::Escrow(Item::Unknown(0))), "{protocol:?}: {events:?}");
            line.driver.order(Order::Stack);
            line.until(&Event::Vended);
            line.driver.order(Order::Acknowledge);
            line.until(&Event::Waiting(true));
        }
        assert_eq!(line.device.held().stacked.len(), 4, "{protocol:?}");
    }
}

/// What an agent that is killed while a note is stacked must hear when it comes up again: the same, until it is on record.
#[test]
fn a_driver_that_starts_anew_hears_what_the_one_before_it_missed() {
    for protocol in Protocol::ALL {
        for killed_after in 0..120 {
            let mut line = Line::ready(protocol);
            line.order("insert 50");
            line.until(&Event::Escrow(Item::Note(5_000)));
            line.driver.order(Order::Stack);
            let mut mark = None;
            for _ in 0..killed_after {
                line.now += 10;
                let (question, events) = line.driver.tick(line.now);
                for event in events {
                    if let Event::Mark(wanted) = event {
                        mark = Some(wanted);
                        line.driver.order(Order::Mark(wanted));
                    }
                }
                // What the device answers last is lost with the agent.
                let mut answer = line.device.hear(&question, line.now);
                answer.extend(line.device.tick(line.now));
                let vended = line.driver.hear(&answer, line.now).contains(&Event::Vended);
                if vended {
                    break;
                }
            }
            let mut again = Line::with(protocol, ValidatorState::default());
            if protocol == Protocol::Ebds {
                let settings = Settings { denominations: DENOMINATIONS, tickets: true };
                // Without a mark of its own nothing can be stacked yet.
                again.driver = Box::new(Ebds::new(settings, mark.unwrap_or(false)));
            }
            line.driver = again.driver;
            let mut counted = false;
            for _ in 0..600 {
                line.step();
                for event in std::mem::take(&mut line.events) {
                    match event {
                        Event::Escrow(_) => line.driver.order(Order::Stack),
                        Event::Vended => {
                            assert!(!std::mem::replace(&mut counted, true), "{protocol:?} {killed_after}: twice");
                            line.driver.order(Order::Acknowledge);
                        }
                        _ => {}
                    }
                }
            }
            let stacked = line.device.held().stacked.len() == 1;
            assert_eq!(counted, stacked, "{protocol:?}, killed after {killed_after} steps");
        }
    }
}

#[test]
fn damaged_frames_and_noise_cost_polls_and_nothing_else() {
    for protocol in Protocol::ALL {
        for trouble in ["wrong 3", "garbage 5", "slow 60", "slow 300"] {
            let mut line = Line::ready(protocol);
            line.order("insert 100");
            line.order(trouble);
            line.until(&Event::Escrow(Item::Note(10_000)));
            line.order(trouble);
            line.driver.order(Order::Stack);
            line.until(&Event::Vended);
            line.order(trouble);
            line.driver.order(Order::Acknowledge);
            let events = line.until(&Event::Waiting(true));
            assert!(!events.contains(&Event::Vended), "{protocol:?}, {trouble}: counted twice");
            assert_eq!(line.device.held().stacked, [Thing::Note(10_000)], "{protocol:?}, {trouble}");
        }
    }
}

#[test]
fn what_is_not_in_the_settings_and_what_comes_inhibited_goes_back() {
    for protocol in Protocol::ALL {
        let mut line = Line::ready(protocol);
        line.order("insert 20");
        let events = line.until(&Event::Waiting(true));
        assert!(events.iter().any(|event| matches!(event, Event::Rejected(_))), "{protocol:?}: {events:?}");
        line.driver.order(Order::Accept(false));
        line.until(&Event::Waiting(false));
        line.order("insert 50");
        (0..100).for_each(|_| line.step());
        assert_eq!(line.events, []);
        assert_eq!(line.device.held().returned, [Thing::Note(2_000), Thing::Note(5_000)]);
    }
}

#[test]
fn a_ticket_is_read_and_returned_when_it_is_refused() {
    for protocol in Protocol::ALL {
        let mut line = Line::ready(protocol);
        line.order("ticket 004218273645546372");
        line.until(&Event::Escrow(Item::Barcode("004218273645546372".to_owned())));
        line.driver.order(Order::Return);
        line.until(&Event::Returned);
        line.until(&Event::Waiting(true));
        assert!(line.device.held().stacked.is_empty());
    }
}

#[test]
fn every_fault_begins_and_ends() {
    for protocol in Protocol::ALL {
        let mut line = Line::ready(protocol);
        for fault in protocol.faults() {
            line.order(&format!("fault {}", fault.name()));
            line.until(&Event::Fault(*fault));
            line.order("clear");
            line.until(&Event::Cleared(*fault));
            line.until(&Event::Waiting(true));
        }
    }
}

#[test]
fn after_a_power_loss_it_says_where_the_note_was() {
    let note = Some(Thing::Note(5_000));
    for protocol in Protocol::ALL {
        for (state, place, returned) in [
            (ValidatorState::default(), Place::Nowhere, 0),
            (ValidatorState { path: note.clone(), ..ValidatorState::default() }, Place::Acceptor, 1),
            (
                ValidatorState { stacked: vec![Thing::Note(5_000)], unacknowledged: true, ..ValidatorState::default() },
                Place::Stacker,
                0,
            ),
        ] {
            let mut line = Line::with(protocol, state);
            line.until(&Event::PoweredUp(place));
            (0..100).for_each(|_| line.step());
            assert_eq!(line.events, [], "{protocol:?}, {place:?}");
            assert_eq!(
                line.device.held().unacknowledged,
                place == Place::Stacker,
                "{protocol:?}: not before it is told"
            );
            line.driver.order(Order::Reset);
            let events = line.until(&Event::Waiting(false));
            assert!(!events.contains(&Event::Vended), "{protocol:?}, {place:?}: {events:?}");
            assert_eq!(line.device.held().returned.len(), returned, "{protocol:?}, {place:?}");
            assert!(!line.device.held().unacknowledged);
        }
    }
}

#[test]
fn a_silent_device_is_lost_and_comes_back() {
    for protocol in Protocol::ALL {
        let mut line = Line::ready(protocol);
        line.order("silent");
        line.until(&Event::Lost);
        line.order("speak");
        let events = line.until(&Event::Waiting(true));
        assert_eq!((events.first(), events.last()), (Some(&Event::Back), Some(&Event::Waiting(true))), "{protocol:?}");
    }
}

/// The same over a pseudo-terminal, whose ends are opened as the programs open them.
#[test]
fn a_note_goes_over_a_pseudo_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    for protocol in Protocol::ALL {
        let path = folder.path().join(format!("{protocol:?}"));
        let far = Port::pseudo(&path).expect("a pseudo-terminal");
        let framing = Framing { speed: 9600, parity: Parity::None, seven: protocol == Protocol::Ebds, two_stops: true };
        let near = Port::open(&path, framing).expect("a serial port");
        let mut line = Line::with(protocol, ValidatorState::default());
        let (begun, mut buffer, mut events) = (Instant::now(), [0; 256], Vec::new());
        while !events.contains(&Event::Stacked) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{protocol:?}: {events:?}");
            // Time goes faster than it does: the line is quick, the device is not.
            line.now += 5;
            let (question, mut new) = line.driver.tick(line.now);
            near.write(&question).expect("written");
            let heard = far.read(&mut buffer).unwrap_or(0);
            let mut answer = line.device.hear(&buffer[..heard], line.now);
            answer.extend(line.device.tick(line.now));
            far.write(&answer).expect("written");
            let heard = near.read(&mut buffer).unwrap_or(0);
            new.extend(line.driver.hear(&buffer[..heard], line.now));
            for event in new {
                match &event {
                    Event::Mark(mark) => line.driver.order(Order::Mark(*mark)),
                    Event::PoweredUp(_) => {
                        line.driver.order(Order::Reset);
                        line.driver.order(Order::Accept(true));
                    }
                    Event::Waiting(true) => line.order("insert 50"),
                    Event::Escrow(Item::Note(5_000)) => line.driver.order(Order::Stack),
                    Event::Vended => line.driver.order(Order::Acknowledge),
                    _ => {}
                }
                events.push(event);
            }
        }
        assert_eq!(line.device.held().stacked, [Thing::Note(5_000)], "{protocol:?}");
    }
}

fn slip() -> Slip {
    Slip {
        id: 3,
        number: "004218273645546372".to_owned(),
        amount: "50.00".to_owned(),
        words: Words { en: "fifty dollars".to_owned() },
        floor: "main".to_owned(),
        terminal: None,
        issued: 0,
        expires: 0,
        reprint: false,
        demonstration: true,
    }
}

/// Prints a ticket; what the driver reported last, and the papers.
fn print(orders: &[&str]) -> (Vec<Printed>, Vec<Paper>) {
    let (mut driver, mut device) = (Epic::default(), Printer::new(PrinterState::default(), 200));
    let mut events = Vec::new();
    driver.order(Print::Clear);
    for step in 0..1_000 {
        let now = step * 10;
        let (question, more) = driver.tick(now);
        events.extend(more);
        let mut answer = device.hear(&question, now);
        answer.extend(device.tick(now));
        for event in driver.hear(&answer, now) {
            if event == Printed::Cleared {
                orders.iter().for_each(|order| device.obey(order, now).expect("an order of the menu"));
                driver.order(Print::Print(Box::new(slip())));
            }
            events.push(event);
        }
    }
    (events, device.printed().papers.clone())
}

#[test]
fn a_ticket_is_printed_and_its_barcode_is_read_back() {
    let (events, papers) = print(&["garbage 2", "slow 20"]);
    assert_eq!(events.iter().filter(|event| **event == Printed::Printed).count(), 1);
    let [paper] = papers.as_slice() else { panic!("{papers:?}") };
    assert!(paper.complete && paper.barcode.as_deref() == Some("004218273645546372"));
    assert!(paper.lines.contains(&"S$ 50.00".to_owned()) && paper.lines.contains(&"|".to_owned()));
}

#[test]
fn a_printer_that_fails_never_reports_printed() {
    for (order, reported, papers) in [
        ("jam before-barcode", Some(Printed::Failed), 0),
        ("jam after-barcode", Some(Printed::Doubtful), 1),
        ("power before-barcode", None, 0),
        ("power after-barcode", None, 1),
        ("silent", None, 1),
    ] {
        let (events, printed) = print(&[order]);
        let ends = [Printed::Printed, Printed::Failed, Printed::Doubtful];
        let ended: Vec<&Printed> = events.iter().filter(|event| ends.contains(event)).collect();
        assert_eq!(ended, reported.iter().collect::<Vec<_>>(), "{order}");
        assert_eq!(printed.len(), papers, "{order}");
    }
}
