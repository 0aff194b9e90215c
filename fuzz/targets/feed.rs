//! Messages that clients send over a feed.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    host::parse::feed_message(text);
});
