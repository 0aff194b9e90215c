//! The drivers against the simulated devices, on a line that damages, loses and delays.

use cabinet::Millis;
use cabinet::id003::{Id003, Settings};
use cabinet::printer::{Epic, Event as Printed, Order as Print, Printer as _, Slip, Words};
use cabinet::simulated::{Device, Paper, Printer, PrinterState, Thing, Validator, ValidatorState};
use cabinet::validator::{Event, Fault, Item, Order, Place, Validator as _};

const DENOMINATIONS: [i64; 8] = [200, 500, 1_000, 5_000, 10_000, 100_000, 0, 0];

/// A driver and a device, and what the driver reported.
struct Line {
    driver: Id003,
    device: Validator,
    now: Millis,
    events: Vec<Event>,
}

impl Line {
    fn new() -> Line {
        Line::with(ValidatorState::default())
    }

    fn with(state: ValidatorState) -> Line {
        let driver = Id003::new(Settings { denominations: DENOMINATIONS, tickets: true });
        Line { driver, device: Validator::new(state, DENOMINATIONS, 300), now: 0, events: Vec::new() }
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
        let (question, events) = self.driver.tick(self.now);
        self.events.extend(events);
        let mut answer = if question.is_empty() { Vec::new() } else { self.device.hear(&question, self.now) };
        answer.extend(self.device.tick(self.now));
        if !answer.is_empty() {
            self.events.extend(self.driver.hear(&answer, self.now));
        }
    }

    fn order(&mut self, text: &str) {
        self.device.obey(text, self.now).expect("an order of the menu");
    }

    /// A validator that is initialised and takes notes.
    fn ready() -> Line {
        let mut line = Line::new();
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
    let mut line = Line::ready();
    line.order("insert 50.00");
    line.until(&Event::Escrow(Item::Note(5_000)));
    line.driver.order(Order::Stack);
    line.until(&Event::Vended);
    // It is repeated until it is acknowledged, and reported once.
    (0..100).for_each(|_| line.step());
    assert_eq!(line.events, []);
    line.driver.order(Order::Acknowledge);
    line.until(&Event::Stacked);
    assert_eq!(line.until(&Event::Waiting(true)), [Event::Waiting(true)]);
    assert_eq!(line.device.held().stacked, [Thing::Note(5_000)]);
}

#[test]
fn damaged_frames_and_noise_cost_polls_and_nothing_else() {
    for trouble in ["wrong 3", "garbage 5", "slow 60"] {
        let mut line = Line::ready();
        line.order("insert 100");
        line.order(trouble);
        line.until(&Event::Escrow(Item::Note(10_000)));
        line.order(trouble);
        line.driver.order(Order::Stack);
        line.until(&Event::Vended);
        line.order(trouble);
        line.driver.order(Order::Acknowledge);
        let events = line.until(&Event::Waiting(true));
        assert!(!events.contains(&Event::Vended), "{trouble}: counted twice");
        assert_eq!(line.device.held().stacked, [Thing::Note(10_000)], "{trouble}");
    }
}

#[test]
fn what_is_not_in_the_settings_and_what_comes_inhibited_goes_back() {
    let mut line = Line::ready();
    line.order("insert 20");
    line.until(&Event::Rejected(0x79));
    line.until(&Event::Waiting(true));
    line.driver.order(Order::Accept(false));
    line.until(&Event::Waiting(false));
    line.order("insert 50");
    (0..100).for_each(|_| line.step());
    assert_eq!(line.events, []);
    assert_eq!(line.device.held().returned, [Thing::Note(2_000), Thing::Note(5_000)]);
}

#[test]
fn a_ticket_is_read_and_returned_when_it_is_refused() {
    let mut line = Line::ready();
    line.order("ticket 004218273645546372");
    line.until(&Event::Escrow(Item::Barcode("004218273645546372".to_owned())));
    line.driver.order(Order::Return);
    line.until(&Event::Returned);
    line.until(&Event::Waiting(true));
    assert!(line.device.held().stacked.is_empty());
}

#[test]
fn every_fault_begins_and_ends() {
    let mut line = Line::ready();
    for fault in Fault::ALL {
        line.order(&format!("fault {}", fault.name()));
        line.until(&Event::Fault(fault));
        line.order("clear");
        line.until(&Event::Cleared(fault));
        line.until(&Event::Waiting(true));
    }
}

#[test]
fn after_a_power_loss_it_says_where_the_note_was() {
    let note = Some(Thing::Note(5_000));
    for (state, place, returned) in [
        (ValidatorState::default(), Place::Nowhere, 0),
        (ValidatorState { path: note.clone(), ..ValidatorState::default() }, Place::Acceptor, 1),
        (
            ValidatorState { stacked: vec![Thing::Note(5_000)], unacknowledged: true, ..ValidatorState::default() },
            Place::Stacker,
            0,
        ),
    ] {
        let mut line = Line::with(state);
        line.until(&Event::PoweredUp(place));
        line.driver.order(Order::Reset);
        line.until(&Event::Waiting(false));
        assert_eq!(line.device.held().returned.len(), returned);
        assert!(!line.device.held().unacknowledged);
    }
}

#[test]
fn a_silent_device_is_lost_and_comes_back() {
    let mut line = Line::ready();
    line.order("silent");
    line.until(&Event::Lost);
    line.order("speak");
    assert_eq!(line.until(&Event::Waiting(true)), [Event::Back, Event::Waiting(true)]);
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
