//! Bodies of requests: the first byte says of which.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((which, body)) = bytes.split_first() else { return };
    host::parse::body(usize::from(*which), body);
});
