//! The API documents that are checked in are those that the program serves.

use std::fs;
use std::path::Path;

#[test]
fn the_documents_are_fresh() {
    for (name, served) in [("openapi.json", host::api::openapi::text()), ("asyncapi.json", host::api::asyncapi::text())]
    {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&file, served).unwrap();
        }
        let kept = fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == served, "{name} is stale: UPDATE_GOLDEN=1 cargo test -p host openapi");
    }
}

#[test]
fn every_operation_has_a_name_of_its_own_and_words() {
    let document: serde_json::Value = serde_json::from_str(host::api::openapi::text()).unwrap();
    let mut names = std::collections::BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path} has no name"));
            assert!(names.insert(name.to_owned()), "{name} is there twice");
            assert!(operation["summary"].as_str().is_some_and(|words| !words.is_empty()), "{name} has no words");
            assert!(operation["responses"].as_object().is_some_and(|answers| !answers.is_empty()), "{name}");
        }
    }
    assert!(names.len() > 60, "{}", names.len());
}
