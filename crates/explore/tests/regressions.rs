//! What once broke a property: every command is sent again, and everything holds.

mod common;

use common::root;
use explore::{from_lines, replay};

#[test]
fn what_broke_a_property_once_holds_now() {
    let folder = root().join("crates/explore/regressions");
    let files = std::fs::read_dir(&folder).expect("the folder of regressions");
    let mut count = 0;
    for file in files.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
    {
        let text = std::fs::read_to_string(&file).expect("read");
        let commands = from_lines(&text).unwrap_or_else(|words| panic!("{}: {words}", file.display()));
        replay(&commands).unwrap_or_else(|words| panic!("{}: {words}", file.display()));
        count += 1;
    }
    assert!(count > 0, "no regressions in {}", folder.display());
}
