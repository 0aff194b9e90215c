//! What a wheel sends over a serial port, in parts as they come.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    host::parse::serial(bytes.chunks(usize::MAX), |line| whole.push(line));
    host::parse::serial(bytes.chunks(3), |line| parts.push(line));
    assert_eq!(whole, parts, "how the bytes are cut makes no difference");
});
