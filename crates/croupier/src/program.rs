//! The program that runs, by its hashes (S9).

use std::fs::File;
use std::io;

use floor::Release;
use rulebook::{Hash, library};

use crate::refusal::Refusal;

/// The hash of the running executable, and that of the rulebooks inside it.
pub fn release() -> Result<Release, Refusal> {
    let program = program().map_err(|error| Refusal::disk("cannot read the program itself", &error))?;
    let mut rulebooks = blake3::Hasher::new();
    for rulebook in library::all()? {
        rulebooks.update(&rulebook.hash().0);
    }
    Ok(Release { program, rulebooks: Hash(*rulebooks.finalize().as_bytes()) })
}

/// What was started, even if its file has been replaced since.
fn program() -> io::Result<Hash> {
    let file = File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file)?;
    Ok(Hash(*hasher.finalize().as_bytes()))
}

/// Memory in small pages alone. The first use of a huge one clears two megabytes, which holds up play for milliseconds, on a
/// machine whose memory is shared for twenty.
pub fn use_small_pages() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
