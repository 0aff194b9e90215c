//! Files are their owner's alone, whatever the umask; a key that others can read is refused; a floor is brought back.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::{Server, mode, program, until};

/// A process that ends with the test.
struct Ends(std::process::Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn look(folder: &Path, seen: &mut usize) {
    assert_eq!(mode(folder), 0o700, "{}", folder.display());
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            look(&path, seen);
        } else {
            assert_eq!(mode(&path), 0o600, "{}", path.display());
            *seen += 1;
        }
    }
}

#[test]
fn with_a_umask_of_000_every_file_of_a_floor_is_its_owners_alone() {
    // A shell sets the umask for the program only.
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let script = r#"umask 000; exec "$0" serve --demo --json --listen 127.0.0.1:0 --data "$1""#;
    let child = Command::new("sh")
        .args(["-c", script])
        .arg(program())
        .arg(&data)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    let _ends = Ends(child);
    let ready = || data.join("clock").exists() || data.join("alive").exists() || data.join("records.sqlite").exists();
    until("a floor that plays", || ready() && data.join("credentials.sqlite").exists());
    until("it plays", || data.join("alive").exists());
    let mut seen = 0;
    look(&data, &mut seen);
    assert!(seen >= 5, "{seen} files");
}

#[test]
fn a_tls_key_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (certificate, key) = (folder.path().join("host.pem"), folder.path().join("host.key"));
    std::fs::write(&certificate, "none").expect("written");
    std::fs::write(&key, "none").expect("written");
    let starts = |mode: u32| {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).expect("a mode");
        let output = Command::new(program())
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .env("CROUPIER_TLS_CERTIFICATE", &certificate)
            .env("CROUPIER_TLS_KEY", &key)
            .output()
            .expect("the program runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for open in [0o644, 0o604, 0o666] {
        let (started, said) = starts(open);
        assert!(!started && said.contains("host.key") && said.contains("read"), "{open:o}: {said}");
    }
    // Its owner's alone, it is read, and found to be none.
    let (started, said) = starts(0o600);
    assert!(!started && !said.contains("others"), "{said}");
}

#[test]
fn a_backup_and_a_restore_by_the_program_bring_back_every_key() {
    let server = Server::start(true, &[]);
    let elsewhere = tempfile::tempdir().expect("another machine");
    let (copy, back) = (elsewhere.path().join("copy"), elsewhere.path().join("back"));
    let display = |server: &Server| {
        let mut feed = server.client().feed("/feed/display/0").expect("a display");
        feed.send(&serde_json::json!({ "type": "hello" }));
        feed.until("a snapshot", |message| message["sequence"].as_u64() > Some(0))
    };
    display(&server);
    let run = |words: &[&str], from: &Path, into: &Path| {
        let output = Command::new(program())
            .args([words[0], words[1]])
            .arg(from)
            .arg(words[2])
            .arg(into)
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["backup", "--data", "--to"], &server.data(), &copy);
    run(&["restore", "--from", "--data"], &copy, &back);
    let same = |name: &str| {
        let read = |folder: &Path| std::fs::read(folder.join(name)).expect("a file");
        assert_eq!(read(&server.data()), read(&back), "{name}");
    };
    same("journal.key");
    same("journal.pub");
    let secrets = |folder: &Path| {
        let file = rusqlite::Connection::open(folder.join("credentials.sqlite")).expect("credentials");
        let mut rows = file.prepare("SELECT name, bytes FROM secret ORDER BY name").expect("a question");
        let rows = rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))).expect("rows");
        rows.map(|row| row.expect("a row")).collect::<Vec<_>>()
    };
    let (here, mut there) = (secrets(&server.data()), secrets(&back));
    // A copy is known as one, so that its cursors are foreign to the floor that it was made of.
    let copies = there.extract_if(.., |(name, _)| name == "copies").count();
    assert_eq!(copies, 1, "the name of the copy");
    assert_eq!(here, there, "the ticket secret, the pepper of codes and the key of cursors");
    assert!(here.iter().any(|(name, _)| name == "cursor key"), "{here:?}");
    assert_eq!(mode(&back.join("credentials.sqlite")), 0o600);
    drop(server.stop());
}
