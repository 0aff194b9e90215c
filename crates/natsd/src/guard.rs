//! Ends a process when the one that started it is killed and can no longer do it.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Waits until its input ends. Then it kills the process, if it is still the one it was, and removes the data.
const SCRIPT: &str = r#"
trap '' INT TERM HUP
while read -r _; do :; done
case "$(tr '\0' ' ' < "/proc/$1/cmdline")" in *"$2"*) kill -9 "$1" ;; esac
rm -rf "$3"
"#;

/// A shell that watches over a process that was started here. Its input ends with this one, whatever happens to it.
#[derive(Debug)]
pub struct Guard(Child);

impl Guard {
    /// Watches over a process that has a path among its arguments. The folder goes with it.
    ///
    /// # Errors
    /// When no shell can be started.
    pub fn over(pid: u32, path: &Path, folder: &Path) -> std::io::Result<Guard> {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(SCRIPT).arg("guard").arg(pid.to_string()).arg(path).arg(folder);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        shell.spawn().map(Guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Killed before its input ends: nothing is left to guard.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
