//! A rulebook, as an administrator installs it.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(book) = rulebook::Rulebook::parse("fuzz.toml", text) {
        // What is coherent stays so when it is written out.
        let canonical = book.canonical().to_owned();
        let again = rulebook::Rulebook::parse("fuzz.toml", &canonical).expect("what was written can be read");
        assert_eq!(again.hash(), book.hash());
    }
});
