//! A bill of materials as CycloneDX 1.5: the crates in the program, and the packages its pages are built from.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::metadata::{Metadata, Package};
use crate::root;

const PROGRAM: &str = "croupier";

/// Writes it to a file, or to standard output.
pub fn write(file: Option<&Path>) -> Result<String, String> {
    let metadata = Metadata::read(&root())?;
    let lock = root().join("web/package-lock.json");
    let pages = std::fs::read_to_string(&lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    let pages: Value = serde_json::from_str(&pages).map_err(|error| format!("{}: {error}", lock.display()))?;
    let document = document(&metadata, &pages)?;
    let count = document["components"].as_array().map_or(0, Vec::len);
    let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
    match file {
        None => println!("{text}"),
        Some(file) => std::fs::write(file, text + "\n").map_err(|error| format!("{}: {error}", file.display()))?,
    }
    Ok(format!("{count} components"))
}

fn document(metadata: &Metadata, pages: &Value) -> Result<Value, String> {
    let shipped = metadata.shipped(PROGRAM);
    let program = shipped.iter().find(|(package, _)| package.name == PROGRAM).ok_or("there is no program")?.0;
    let crates = shipped.iter().filter(|(package, _)| package.name != PROGRAM).map(|(package, _)| component(package));
    let reference = |id: &str| shipped.iter().find(|(package, _)| package.id == id).map(|(package, _)| purl(package));
    let needs = shipped.iter().map(|(package, needs)| {
        let needs: Vec<String> = needs.iter().filter_map(|id| reference(id)).collect();
        json!({ "ref": purl(package), "dependsOn": needs })
    });
    let mut head = component(program);
    head["type"] = json!("application");
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": head },
        "components": crates.chain(packages(pages)).collect::<Vec<_>>(),
        "dependencies": needs.collect::<Vec<_>>(),
    }))
}

fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

fn component(package: &Package) -> Value {
    let mut component = Map::new();
    component.insert("type".to_owned(), json!("library"));
    component.insert("bom-ref".to_owned(), json!(purl(package)));
    component.insert("name".to_owned(), json!(package.name));
    component.insert("version".to_owned(), json!(package.version.to_string()));
    if let Some(words) = &package.description {
        component.insert("description".to_owned(), json!(words.trim()));
    }
    if let Some(license) = &package.license {
        component.insert("licenses".to_owned(), json!([{ "expression": license.replace('/', " OR ") }]));
    }
    component.insert("purl".to_owned(), json!(purl(package)));
    Value::Object(component)
}

/// What the pages are built with. Which of it is still in them after the build is for the bundler to know: all is named.
fn packages(lock: &Value) -> impl Iterator<Item = Value> {
    let packages = lock["packages"].as_object().into_iter().flatten();
    packages.filter_map(|(path, package)| {
        let name = path.rsplit_once("node_modules/")?.1;
        let version = package["version"].as_str()?;
        let purl = format!("pkg:npm/{}@{version}", name.replace('@', "%40"));
        let mut component = json!({
            "type": "library",
            "bom-ref": format!("{purl}#{path}"),
            "name": name,
            "version": version,
            "scope": "optional",
            "purl": purl,
        });
        if let Some(license) = package["license"].as_str() {
            component["licenses"] = json!([{ "expression": license }]);
        }
        Some(component)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_names_the_program_its_crates_and_the_packages_of_the_pages() {
        let metadata = Metadata::read(&root()).unwrap();
        let lock = json!({ "packages": { "": {}, "node_modules/@a/b": { "version": "1.2.3", "license": "MIT" } } });
        let document = document(&metadata, &lock).unwrap();
        assert_eq!(document["metadata"]["component"]["name"], "croupier");
        let components = document["components"].as_array().unwrap();
        let named = |name: &str| components.iter().find(|component| component["name"] == name);
        assert!(named("rustls").is_some() && named("floor").is_some());
        assert!(named("proptest").is_none(), "tests are not shipped");
        assert_eq!(named("@a/b").unwrap()["purl"], "pkg:npm/%40a/b@1.2.3");
        // Every reference is to something that is there, and to one thing alone.
        let mut references: Vec<&str> =
            components.iter().filter_map(|component| component["bom-ref"].as_str()).collect();
        references.push(document["metadata"]["component"]["bom-ref"].as_str().unwrap());
        let count = references.len();
        references.sort_unstable();
        references.dedup();
        assert_eq!(references.len(), count);
        for link in document["dependencies"].as_array().unwrap() {
            for need in link["dependsOn"].as_array().unwrap() {
                assert!(references.binary_search(&need.as_str().unwrap()).is_ok(), "{need}");
            }
        }
    }
}
