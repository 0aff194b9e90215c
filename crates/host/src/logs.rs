//! Logs.

use std::io;
use tracing_subscriber::EnvFilter;

/// Starts logging, as text or as JSON lines, and the figures. Only the first call does anything.
pub fn start_logs(filter: &str, json: bool) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let writer = || Bounded(std::io::stderr());
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_target(false).with_writer(writer);
    let _ = if json { logs.json().try_init() } else { logs.try_init() };
    crate::figures::figures();
}

/// The most bytes of a log line, so that a line stays readable whatever a stranger sends.
const LONGEST: usize = 4_096;

/// Cuts lines that are too long. A line comes as one write.
struct Bounded<W>(W);

impl<W: io::Write> io::Write for Bounded<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if line.len() <= LONGEST {
            self.0.write_all(line)?;
        } else {
            let end =
                (0..=LONGEST).rev().find(|end| line.get(*end).is_none_or(|byte| byte & 0xc0 != 0x80)).unwrap_or(0);
            self.0.write_all(line.get(..end).unwrap_or_default())?;
            self.0.write_all("…\n".as_bytes())?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_line_is_never_longer_than_it_may_be() {
        for (line, kept) in [("short\n".to_owned(), 6), (format!("{}\n", "x".repeat(99_999)), LONGEST + 4)] {
            let mut out = Bounded(Vec::new());
            out.write_all(line.as_bytes()).unwrap();
            assert_eq!(out.0.len(), kept);
            assert!(out.0.ends_with(b"\n"));
        }
        let mut out = Bounded(Vec::new());
        out.write_all("龘".repeat(9_999).as_bytes()).unwrap();
        assert!(String::from_utf8(out.0).is_ok(), "not in the middle of a letter");
    }
}
