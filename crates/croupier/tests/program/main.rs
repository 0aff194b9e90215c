//! The program itself under attack: what `croupier serve` does, as a stranger on the network meets it.
//!
//! `CROUPIER_PROGRAM` names another program to attack, such as an older one: then `the_findings` fails.

mod files;
mod findings;
mod frozen;
mod kills;
mod logs;
mod stops;

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Message, WebSocket};

/// No wait is longer than this.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The program that is attacked.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("CROUPIER_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_croupier").into(), PathBuf::from)
}

/// A running program; it ends with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) folder: TempDir,
    pub(crate) address: SocketAddr,
    pub(crate) floor: &'static str,
    /// What its clients trust, where it speaks TLS.
    tls: Option<Arc<ClientConfig>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// A demonstration or an empty floor, with settings in the environment.
    pub(crate) fn start(demonstration: bool, settings: &[(&str, &str)]) -> Server {
        Server::start_in(tempfile::tempdir().expect("a folder"), demonstration, settings)
    }

    /// The same over TLS.
    pub(crate) fn start_with_tls(demonstration: bool, settings: &[(&str, &str)]) -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        let (certificate, key, trusts) = certificate(folder.path());
        let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let (certificate, key) = (text(&certificate), text(&key));
        let tls = [("CROUPIER_TLS_CERTIFICATE", certificate.as_str()), ("CROUPIER_TLS_KEY", key.as_str())];
        let settings = [settings, &tls[..]].concat();
        let mut server = Server::start_in(folder, demonstration, &settings);
        server.tls = Some(trusts);
        server
    }

    /// The same with the data that is in a folder.
    pub(crate) fn start_in(folder: TempDir, demonstration: bool, settings: &[(&str, &str)]) -> Server {
        let log = std::fs::File::create(folder.path().join("log")).expect("a log");
        let mut command = Command::new(program());
        command.args(["serve", "--json", "--listen", "127.0.0.1:0", "--data"]).arg(folder.path().join("data"));
        let floor = if demonstration { "demo" } else { "main" };
        if demonstration {
            command.arg("--demo");
        }
        command.envs(settings.iter().copied()).env_remove("CROUPIER_DATA").env_remove("CROUPIER_ADMIN_PASSWORD");
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("the program said {line:?}"));
        let address = said["address"].as_str().and_then(|address| address.split_once("://"));
        let address = address.expect("an address").1.parse().expect("an address");
        Server { child, folder, address, floor, tls: None }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// What it logged so far.
    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.folder.path().join("log")).expect("a log")).into_owned()
    }

    /// Stops it as systemd does.
    pub(crate) fn stop(mut self) -> TempDir {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("told");
        self.child.wait().expect("ended");
        std::mem::replace(&mut self.folder, tempfile::tempdir().expect("a folder"))
    }

    /// Ends it at once, as `kill -9` does.
    pub(crate) fn kill(mut self) -> TempDir {
        self.child.kill().expect("told");
        self.child.wait().expect("ended");
        std::mem::replace(&mut self.folder, tempfile::tempdir().expect("a folder"))
    }

    /// Stops the process for a while, and lets it go on.
    pub(crate) fn freeze(&self, time: Duration) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("stopped");
        std::thread::sleep(time);
        rustix::process::kill_process(pid, rustix::process::Signal::CONT).expect("goes on");
    }

    pub(crate) fn client(&self) -> Client<'_> {
        Client { server: self, from: Ipv4Addr::LOCALHOST, headers: Vec::new() }
    }
}

/// A certificate for this machine with its key, and what a client needs to trust it.
fn certificate(folder: &Path) -> (PathBuf, PathBuf, Arc<ClientConfig>) {
    use std::os::unix::fs::PermissionsExt as _;
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let (certificate, key) = (folder.join("host.pem"), folder.join("host.key"));
    std::fs::write(&certificate, made.cert.pem()).expect("written");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("closed to others");
    let mut roots = rustls::RootCertStore::empty();
    roots.add(made.cert.der().clone()).expect("a root");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let trusts = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    (certificate, key, Arc::new(trusts))
}

/// A connection of either kind.
pub(crate) enum Line {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Line {
    pub(crate) fn set_read_timeout(&self, wait: Duration) {
        let stream = match self {
            Line::Plain(stream) => stream,
            Line::Tls(stream) => stream.get_ref(),
        };
        stream.set_read_timeout(Some(wait)).expect("a wait");
    }
}

impl Read for Line {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Line::Plain(stream) => stream.read(bytes),
            Line::Tls(stream) => stream.read(bytes),
        }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Line::Plain(stream) => stream.write(bytes),
            Line::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Line::Plain(stream) => stream.flush(),
            Line::Tls(stream) => stream.flush(),
        }
    }
}

/// A client at an address of this machine.
#[derive(Clone)]
pub(crate) struct Client<'a> {
    pub(crate) server: &'a Server,
    pub(crate) from: Ipv4Addr,
    pub(crate) headers: Vec<(String, String)>,
}

/// What was answered: status, the first cookie, the body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) cookie: String,
    pub(crate) body: Value,
}

impl Client<'_> {
    pub(crate) fn from(mut self, last: u8) -> Self {
        self.from = Ipv4Addr::new(127, 0, 0, last);
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn path(&self, below: &str) -> String {
        format!("/api/v1/floors/{}{below}", self.server.floor)
    }

    /// A connection from this client's address.
    pub(crate) fn connect(&self) -> Line {
        use socket2::{Domain, Socket, Type};
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        socket.bind(&SocketAddr::from((self.from, 0)).into()).expect("an address of this machine");
        socket.connect(&self.server.address.into()).expect("it listens");
        let stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(PATIENCE)).expect("a wait");
        let Some(tls) = &self.server.tls else { return Line::Plain(stream) };
        let name = ServerName::try_from("localhost").expect("a name");
        let session = ClientConnection::new(Arc::clone(tls), name).expect("a session");
        Line::Tls(Box::new(StreamOwned::new(session, stream)))
    }

    pub(crate) fn send(&self, method: &str, below: &str, body: Option<&Value>) -> Answer {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut head = format!("{method} {} HTTP/1.1\r\nhost: {}\r\n", self.path(below), self.server.address);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += "content-type: application/json\r\nconnection: close\r\n";
        head += &format!("content-length: {}\r\n\r\n{body}", body.len());
        let mut stream = self.connect();
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.flush();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let cookie = head.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie:"));
        let cookie = cookie.and_then(|line| line.split_once(':')?.1.split(';').next()).unwrap_or_default();
        let start = body.find(['{', '[']).unwrap_or(body.len());
        let end = body.rfind(['}', ']']).map_or(start, |end| end + 1).max(start);
        Answer {
            status,
            cookie: cookie.trim().to_owned(),
            body: serde_json::from_str(&body[start..end]).unwrap_or(Value::Null),
        }
    }

    pub(crate) fn get(&self, below: &str) -> Answer {
        self.send("GET", below, None)
    }

    pub(crate) fn post(&self, below: &str, body: Value) -> Answer {
        self.send("POST", below, Some(&body))
    }

    /// Tries a login and a password.
    pub(crate) fn sign_in(&self, login: &str, password: &str) -> Answer {
        self.post("/session", json!({ "login": login, "password": password }))
    }

    /// The same client, signed in as a person of the demonstration with a post.
    pub(crate) fn signed_in(&self, post: &str) -> Self {
        let doors = self.get("/demonstration").body;
        let staff = doors["staff"].as_array().expect("people");
        let one = staff.iter().find(|one| one["post"] == post).unwrap_or_else(|| panic!("no {post}"));
        let text = |name: &str| one[name].as_str().expect("text").to_owned();
        let answer = self.sign_in(&text("login"), &text("password"));
        assert_eq!(answer.status, 200, "{answer:?}");
        self.clone().header("cookie", &answer.cookie).header("x-croupier", "1")
    }

    /// A feed, if it is opened.
    pub(crate) fn feed(&self, below: &str) -> Option<Feed> {
        let uri = format!("ws://{}{}", self.server.address, self.path(below));
        let mut request = uri.into_client_request().expect("a request");
        for (name, value) in &self.headers {
            let name: tokio_tungstenite::tungstenite::http::HeaderName = name.parse().expect("a name");
            request.headers_mut().insert(name, value.parse().expect("a value"));
        }
        let (socket, _) = tokio_tungstenite::tungstenite::client(request, self.connect()).ok()?;
        Some(Feed(socket))
    }
}

/// A feed that is open.
pub(crate) struct Feed(pub(crate) WebSocket<Line>);

impl Feed {
    pub(crate) fn send(&mut self, message: &Value) {
        let _ = self.0.send(Message::text(message.to_string()));
    }

    /// The next message; none when the feed has ended or says nothing for too long.
    pub(crate) fn next(&mut self) -> Option<Value> {
        loop {
            match self.0.read().ok()? {
                Message::Text(text) => return serde_json::from_str(&text).ok(),
                Message::Close(_) => return None,
                _ => {}
            }
        }
    }

    /// The first message that fits.
    pub(crate) fn until(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let Some(message) = self.next() else { panic!("the feed ended before: {what}") };
            if fits(&message) {
                return message;
            }
        }
        panic!("waited too long: {what}");
    }
}

/// Looks until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The mode of a file or folder.
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o777
}
