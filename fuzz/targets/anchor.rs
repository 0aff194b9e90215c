//! Anchors and public keys, as an auditor hands them in.
#![no_main]

use journal::{Checkpoint, PublicKey};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = PublicKey::from_text(text);
    for line in text.lines() {
        if let Some(anchor) = Checkpoint::from_line(line) {
            assert_eq!(Checkpoint::from_line(&anchor.to_line()), Some(anchor));
            let _ = anchor.is_genuine([0; 16]);
        }
    }
});
