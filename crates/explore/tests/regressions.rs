//! What once broke a property: every command is sent again, and every property holds in every state on the way.
//! `UPDATE_GOLDEN=1` writes the files with the set-up of their floors as it is now.

use crate::common::root;
use explore::{from_lines, refreshed, replay, to_lines};

#[test]
fn what_broke_a_property_once_holds_now() {
    let folder = root().join("crates/explore/regressions");
    let files = std::fs::read_dir(&folder).expect("the folder of regressions");
    let mut count = 0;
    for file in files.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
    {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let text = std::fs::read_to_string(&file).expect("read");
        let commands = from_lines(&text).unwrap_or_else(|words| panic!("{name}: {words}"));
        let now = refreshed(&name, &commands).and_then(|commands| to_lines(&commands));
        let now = now.unwrap_or_else(|words| panic!("{words}"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, &now).expect("written");
        } else {
            assert!(now == text, "{name}: its floor is set up in another way: UPDATE_GOLDEN=1 writes the file anew");
        }
        replay(&name, &commands).unwrap_or_else(|words| panic!("{name}: {words}"));
        count += 1;
    }
    assert!(count > 0, "no regressions in {}", folder.display());
}
