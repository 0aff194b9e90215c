//! A record of the journal: read, written again, and applied to a floor that knows nothing.
#![no_main]

use floor::Floor;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(record) = engine::decode(1, bytes) else { return };
    let mut again = Vec::new();
    engine::encode(&record, &mut again);
    assert_eq!(engine::decode(1, &again).ok().as_ref(), Some(&record));
    let _ = Floor::default().apply(&record);
});
