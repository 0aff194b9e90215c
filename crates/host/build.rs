//! The pages are inside the program: it is built again when they are.

use std::path::Path;

fn main() {
    // A path that is not there would have the program built anew every time.
    let pages = if Path::new("../../web/dist").exists() { "../../web/dist" } else { "../../web" };
    println!("cargo:rerun-if-changed={pages}");
    println!("cargo:rerun-if-changed=build.rs");
}
