//! A ticket's number is cash: neither it nor its hash comes near the database (S13).

use crate::support::*;
use records::Records;

fn contains(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}

#[test]
fn s13_no_ticket_number_and_no_hash_of_one_is_in_the_files() {
    let story = story("rws-sicbo");
    assert!(story.numbers.len() >= 5);
    let (folder, path) = file();
    // The writer is still open, so that what it has not yet moved to the main file is looked at too.
    let records = one_by_one(Records::open(&path).unwrap(), &story.house.log);
    assert_eq!(records.query().tickets(None, None, None).unwrap().rows.len(), story.numbers.len());
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 2, "{files:?}");
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        for (number, hash) in &story.numbers {
            let digits = number.to_string();
            let value: u64 = digits.parse().unwrap();
            let hex: String = hash.0.iter().map(|byte| format!("{byte:02x}")).collect();
            let forms: [&[u8]; 7] = [
                digits.as_bytes(),
                digits.trim_start_matches('0').as_bytes(),
                &value.to_le_bytes(),
                &value.to_be_bytes(),
                &hash.0,
                hex.as_bytes(),
                &hash.0[..8],
            ];
            for form in forms {
                assert!(!contains(&bytes, form), "{file:?} has {form:?}");
            }
        }
    }
}
