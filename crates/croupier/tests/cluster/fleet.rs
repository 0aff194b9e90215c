//! Three nats-servers and some hosts of one floor, as real processes.

use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use load::{Dealer, House, Login};
use natsd::{Cluster, Guard, Place};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

pub const PASSWORD: &str = "a password for a test";
const COME_UP: Duration = Duration::from_secs(60);

/// A host of the floor.
struct Host {
    place: Place,
    address: SocketAddr,
    folder: PathBuf,
    // Dropped first: a host that is killed on purpose needs no guard, and its number may soon be another's.
    guard: Option<Guard>,
    child: Option<Child>,
}

/// Servers and hosts.
pub struct Fleet {
    pub nats: Cluster,
    hosts: Vec<Host>,
    floors: Vec<String>,
    // Dropped last: the hosts still write to it.
    folder: TempDir,
}

/// Addresses where each has the next ports free too, for further floors.
fn free_ports(count: usize, floors: usize) -> Vec<SocketAddr> {
    let mut listeners = Vec::new();
    let mut found = Vec::new();
    while found.len() < count {
        let first = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = first.local_addr().expect("its address");
        let next = |place: usize| {
            let port = address.port().checked_add(u16::try_from(place).ok()?)?;
            TcpListener::bind(("127.0.0.1", port)).ok()
        };
        let more: Vec<TcpListener> = (1..floors).map_while(next).collect();
        if more.len() + 1 == floors {
            found.push(address);
        }
        listeners.push(first);
        listeners.extend(more);
    }
    found
}

impl Fleet {
    /// Starts three servers and so many hosts.
    pub fn start(hosts: usize, floors: &[&str]) -> Fleet {
        let addresses = free_ports(hosts, floors.len()).into_iter().map(|address| (Place::here(), address));
        Fleet::of(Cluster::start(3).expect("three servers"), addresses.collect(), floors)
    }

    /// Starts a server and a host on each of some machines.
    pub fn start_at(places: &[Place], floors: &[&str]) -> Fleet {
        let address = |place: &Place| (place.clone(), SocketAddr::from((place.address, 8443)));
        Fleet::of(Cluster::start_at(places).expect("servers"), places.iter().map(address).collect(), floors)
    }

    fn of(nats: Cluster, hosts: Vec<(Place, SocketAddr)>, floors: &[&str]) -> Fleet {
        let folder = tempfile::Builder::new().prefix("croupier-fleet-").tempdir().expect("a folder");
        let host = |(number, (place, address))| {
            let folder = folder.path().join(format!("host-{number}"));
            Host { place, address, folder, guard: None, child: None }
        };
        let hosts: Vec<Host> = (0..).zip(hosts).map(host).collect();
        let floors = floors.iter().map(|&floor| floor.to_owned()).collect();
        let mut fleet = Fleet { nats, hosts, floors, folder };
        for host in 0..fleet.hosts.len() {
            fleet.spawn(host);
            // The first has enrolled itself; the others are enrolled by the administrator there.
            if host > 0 {
                fleet.enrol(host);
            }
        }
        fleet
    }

    /// Enrols a host in every floor, with the key it has in its folder, and waits until it serves.
    fn enrol(&self, number: usize) {
        let login = Login { name: "administrator".to_owned(), password: PASSWORD.to_owned() };
        for (place, floor) in (0..).zip(&self.floors) {
            let at = |host: usize| {
                let mut address = self.hosts[host].address;
                address.set_port(address.port() + place);
                address
            };
            let mut folder = self.hosts[number].folder.clone();
            if place > 0 {
                folder.push(floor);
            }
            let key = cluster::HostKey::of(&folder).expect("a key").public().to_string();
            let mut administrator = Dealer::sign_in(at(0), floor, &login).expect("an administrator");
            let second = serde_json::json!({ "login": "administrator2", "password": PASSWORD });
            let body = serde_json::json!({ "key": key, "new": true, "witness": second });
            administrator.does(&format!("/hosts/host-{number}/key"), &body).expect("enrolled");
            let until = Instant::now() + COME_UP;
            while Dealer::sign_in(at(number), floor, &login).is_err() {
                assert!(Instant::now() < until, "host {number} was enrolled and does not serve");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    /// Starts a host and waits until it serves.
    pub fn spawn(&mut self, number: usize) {
        let heard = self.begin(number);
        self.wait_until_up(number, &heard);
    }

    /// Starts a host; what it says comes by the line.
    pub fn begin(&mut self, number: usize) -> mpsc::Receiver<String> {
        let host = &mut self.hosts[number];
        let mut command = host.place.command(env!("CARGO_BIN_EXE_croupier"));
        command.args(["--json", "serve", "--journal", &self.nats.urls().join(",")]);
        command.args(["--host", &format!("host-{number}"), "--listen", &host.address.to_string()]);
        command.args(["--advertise", &format!("http://{}", host.address)]);
        for floor in &self.floors {
            command.args(["--floor", floor]);
        }
        command.arg("--data").arg(&host.folder);
        command.env("CROUPIER_LOG", "warn");
        command.env("CROUPIER_MESSAGES_PER_SECOND", "1000000").env("CROUPIER_ALLOW_PLAIN", "true");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program");
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        let guard = Guard::over(child.id(), &host.folder, self.folder.path());
        host.guard = Some(guard.expect("a guard"));
        host.child = Some(child);
        let (said, heard) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = said.send(line);
            }
        });
        heard
    }

    /// Waits until a host has said where it serves.
    pub fn wait_until_up(&self, number: usize, heard: &mpsc::Receiver<String>) {
        for _ in &self.floors {
            let line = heard.recv_timeout(COME_UP).unwrap_or_else(|_| panic!("host {number} did not come up"));
            let line: Value = serde_json::from_str(&line).expect("JSON");
            assert!(line["address"].is_string(), "host {number} did not come up: {line}");
            own_passwords(&line);
        }
    }

    fn signal(&self, number: usize, signal: Signal) {
        if let Some(child) = &self.hosts[number].child {
            let pid = Pid::from_child(child);
            kill_process(pid, signal).expect("the process is there");
        }
    }

    /// Kills a host as a power cut would.
    pub fn kill(&mut self, number: usize) {
        self.hosts[number].guard = None;
        if let Some(mut child) = self.hosts[number].child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Holds a host where it is.
    pub fn pause(&self, number: usize) {
        self.signal(number, Signal::STOP);
    }

    /// Lets it go on.
    pub fn resume(&self, number: usize) {
        self.signal(number, Signal::CONT);
    }

    /// Stops every host in order.
    pub fn stop(&mut self) {
        for number in 0..self.hosts.len() {
            self.signal(number, Signal::TERM);
        }
        let until = Instant::now() + Duration::from_secs(60);
        for host in &mut self.hosts {
            let Some(child) = &mut host.child else { continue };
            while child.try_wait().expect("its state").is_none() {
                assert!(Instant::now() < until, "a host does not stop");
                std::thread::sleep(Duration::from_millis(20));
            }
            (host.guard, host.child) = (None, None);
        }
    }

    /// Where the hosts listen.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.hosts.iter().map(|host| host.address).collect()
    }

    /// The folder of a host.
    pub fn folder(&self, number: usize) -> PathBuf {
        self.hosts[number].folder.clone()
    }

    /// How many hosts there are.
    pub fn len(&self) -> usize {
        self.hosts.len()
    }

    /// Whether a host that was started has ended by itself.
    pub fn has_ended(&mut self, number: usize) -> bool {
        let child = self.hosts[number].child.as_mut();
        child.is_some_and(|child| child.try_wait().expect("its state").is_some())
    }

    /// Whether a host runs.
    pub fn runs(&self, number: usize) -> bool {
        self.hosts[number].child.is_some()
    }

    /// Which host leads a floor, as those that run say; the place of the floor is that of its port.
    pub fn leader(&self, place: u16) -> Option<usize> {
        let said =
            (0..self.hosts.len()).filter(|host| self.runs(*host)).filter_map(|host| self.leader_seen(host, place));
        said.into_iter().find(|leader| self.runs(*leader))
    }

    /// Which host leads a floor, as one of them says.
    pub fn leader_seen(&self, by: usize, place: u16) -> Option<usize> {
        let floor = &self.floors[usize::from(place)];
        let mut address = self.hosts[by].address;
        address.set_port(address.port() + place);
        let answer: Value = serde_json::from_str(&get(address, &format!("/api/v1/floors/{floor}/hosts"))?).ok()?;
        let leads = |row: &&Value| row["leads"] == Value::Bool(true);
        let name = answer["hosts"].as_array().and_then(|hosts| hosts.iter().find(leads)?["host"].as_str());
        name.and_then(|name| name.strip_prefix("host-")?.parse().ok())
    }

    /// Whether a host says that it is up to date and knows who leads.
    pub fn is_ready(&self, host: usize) -> bool {
        get(self.hosts[host].address, "/readyz").as_deref() == Some("ready\n")
    }

    /// Waits until every host is there, is up to date and knows who leads; how long it took.
    pub fn wait_until_ready(&self, at_most: Duration) -> Duration {
        let since = Instant::now();
        for host in 0..self.hosts.len() {
            loop {
                let state = get(self.hosts[host].address, "/readyz");
                if state.as_deref() == Some("ready\n") && self.leader_seen(host, 0).is_some() {
                    break;
                }
                assert!(
                    since.elapsed() < at_most,
                    "host {host} is not back within {at_most:?}: {state:?}; {}",
                    self.looks(host)
                );
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        since.elapsed()
    }

    /// What the system says of a host: whether it is there, and what its threads wait for.
    fn looks(&self, host: usize) -> String {
        let Some(child) = &self.hosts[host].child else { return "nobody has started it".to_owned() };
        let Ok(threads) = std::fs::read_dir(format!("/proc/{}/task", child.id())) else {
            return "its process is gone".to_owned();
        };
        let thread = |folder: PathBuf| {
            let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default().trim().to_owned();
            let state = read("status").lines().find_map(|line| line.strip_prefix("State:\t").map(str::to_owned));
            format!("{} {} in {}", read("comm"), state.unwrap_or_default(), read("wchan"))
        };
        threads.flatten().map(|entry| thread(entry.path())).collect::<Vec<_>>().join(", ")
    }

    /// The host that leads, once one does.
    pub fn wait_for_leader(&self) -> usize {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(leader) = self.leader(0) {
                return leader;
            }
            assert!(Instant::now() < until, "nobody leads");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The server that leads the stream of the first floor, if it can be asked.
    pub fn stream_leader(&self) -> Option<usize> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        runtime.block_on(async {
            let urls = self.nats.urls().join(",");
            let connection = cluster::Connection::open(&urls, cluster::Options::default()).await.ok()?;
            let state = cluster::Stream::open(&connection, &self.floors[0]).await.ok()??.state().await.ok()?;
            let leader = state.replicas.into_iter().find(|replica| replica.leads)?;
            self.nats.index_of(&leader.server)
        })
    }

    /// A table with terminals, made over the API of one host.
    pub fn furnish(&self, host: usize, terminals: usize) -> House {
        let named = |name: &str| Login { name: name.to_owned(), password: PASSWORD.to_owned() };
        let (administrator, other) = (named("administrator"), named("administrator2"));
        let address = self.hosts[host].address;
        House::at(address, &self.floors[0], [&administrator, &other], None, terminals).expect("a table")
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.nats.logs());
        }
        for number in 0..self.hosts.len() {
            self.resume_quietly(number);
            self.kill(number);
        }
    }
}

impl Fleet {
    fn resume_quietly(&self, number: usize) {
        if let Some(child) = &self.hosts[number].child {
            let _ = kill_process(Pid::from_child(child), Signal::CONT);
        }
    }
}

/// The administrators that a first start made change the passwords it printed for one of their own.
fn own_passwords(line: &Value) {
    let address = line["address"].as_str().and_then(|address| address.strip_prefix("http://")?.parse().ok());
    let floor = line["floor"].as_str().unwrap_or_default();
    for made in line["administrators"].as_array().into_iter().flatten() {
        let text = |name: &str| made[name].as_str().expect("words").to_owned();
        let first = Login { name: text("login"), password: text("password") };
        let change = serde_json::json!({ "old": first.password, "new": PASSWORD });
        let mut administrator = Dealer::sign_in(address.expect("an address"), floor, &first).expect("an administrator");
        administrator.does("/session/password", &change).expect("changed");
    }
}

/// A body from a host, or nothing within a second.
fn get(address: SocketAddr, path: &str) -> Option<String> {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect_timeout(&address, Duration::from_millis(500)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(1))).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned())
}
