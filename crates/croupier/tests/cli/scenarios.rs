//! The scenario book over HTTP and WebSocket, against the program itself.

use std::path::Path;

use scenarios::{book, on_program};

#[test]
fn every_course_of_the_book_goes_as_it_is_written_over_http() {
    let chapters = book::read(&book::folder()).unwrap_or_else(|wrong| {
        let lines: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        panic!("the book cannot be read:\n{}", lines.join("\n"))
    });
    // On the floor every course is played by every document it names; over HTTP that is for the long runs.
    let everywhere = std::env::var_os("SCENARIOS").is_some_and(|value| value == "all");
    let program = Path::new(env!("CARGO_BIN_EXE_croupier"));
    let outcome = on_program::run(&chapters, program, everywhere).expect("the program starts");
    println!("{} courses over HTTP, {} skipped:", outcome.run, outcome.skipped.len());
    outcome.skipped.iter().for_each(|skipped| println!("  {skipped}"));
    let wrong = &outcome.wrong;
    assert!(wrong.is_empty(), "{} of {} courses went wrong:\n{}", wrong.len(), outcome.run, wrong.join("\n"));
}
