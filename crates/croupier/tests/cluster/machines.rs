//! Machines whose links can be cut: network namespaces of this one, joined by a bridge that has a namespace of its own.
//! No real interface is in any of them, and nothing of this machine's own network is touched.

use std::fs::File;
use std::net::Ipv4Addr;
use std::os::fd::AsFd as _;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use natsd::Place;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Waits until its input ends, and then removes the namespaces: also when the test is killed.
const GUARD: &str = r#"
trap '' INT TERM HUP
while read -r _; do :; done
for name; do ip netns del "$name"; done
"#;
/// An unused network card: packets to it vanish, and the sender gets no error.
const NOBODY: &str = "02:00:00:00:00:ff";

static MADE: AtomicU32 = AtomicU32::new(0);

/// Some machines and the bridge between them. The players are at the bridge and reach all of them.
pub struct Machines {
    hub: String,
    names: Vec<String>,
    guard: Child,
}

fn ip(words: &str) -> Result<(), String> {
    let done = Command::new("ip").args(words.split_whitespace()).stdin(Stdio::null()).output();
    let done = done.map_err(|error| format!("ip: {error}"))?;
    if done.status.success() {
        return Ok(());
    }
    Err(format!("ip {words}: {}", String::from_utf8_lossy(&done.stderr).trim()))
}

/// What must work if it is allowed at all.
fn must(words: &str) {
    ip(words).expect("the network of the test");
}

impl Machines {
    /// Makes them, if this machine allows it; says why not.
    pub fn make(count: usize) -> Result<Machines, String> {
        let unique = format!("crp{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let hub = format!("{unique}-hub");
        let names: Vec<String> = (1..=count).map(|number| format!("{unique}-m{number}")).collect();
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "guard", &hub]).args(&names);
        guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let guard = guard.spawn().map_err(|error| format!("sh: {error}"))?;
        let machines = Machines { hub, names, guard };
        machines.wire()?;
        Ok(machines)
    }

    fn wire(&self) -> Result<(), String> {
        let hub = &self.hub;
        ip(&format!("netns add {hub}"))?;
        ip(&format!("-n {hub} link set lo up"))?;
        ip(&format!("-n {hub} link add bridge type bridge forward_delay 0"))?;
        ip(&format!("-n {hub} addr add 10.77.0.254/24 dev bridge"))?;
        ip(&format!("-n {hub} link set bridge up"))?;
        for (number, name) in self.names.iter().enumerate() {
            ip(&format!("netns add {name}"))?;
            ip(&format!("-n {name} link set lo up"))?;
            ip(&format!("-n {hub} link add port{number} type veth peer name wire netns {name}"))?;
            ip(&format!("-n {hub} link set port{number} master bridge up"))?;
            ip(&format!("-n {name} addr add {}/24 dev wire", self.address(number)))?;
            ip(&format!("-n {name} link set wire up"))?;
        }
        // Entering one is another right than making one, and so is starting a program in one.
        for name in &self.names {
            ip(&format!("netns exec {name} true"))?;
        }
        self.inside(|| ())
    }

    /// Does something at the bridge, from where all machines are reached. Threads and processes it starts are there too.
    pub fn inside<T: Send>(&self, what: impl FnOnce() -> T + Send) -> Result<T, String> {
        let space = File::open(format!("/run/netns/{}", self.hub)).map_err(|error| error.to_string())?;
        let enter = move || {
            let entered = move_into_link_name_space(space.as_fd(), Some(LinkNameSpaceType::Network));
            entered.map_err(|error| error.to_string())?;
            Ok(what())
        };
        std::thread::scope(|scope| scope.spawn(enter).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn address(&self, number: usize) -> Ipv4Addr {
        Ipv4Addr::new(10, 77, 0, u8::try_from(number + 1).expect("few machines"))
    }

    /// Where the machines are, and what starts a process on each.
    pub fn places(&self) -> Vec<Place> {
        let place = |(number, name): (usize, &String)| Place {
            address: self.address(number),
            by: ["ip", "netns", "exec", name].map(str::to_owned).to_vec(),
        };
        self.names.iter().enumerate().map(place).collect()
    }

    /// The others.
    fn others(&self, number: usize) -> impl Iterator<Item = usize> {
        (0..self.names.len()).filter(move |other| *other != number)
    }

    /// Packets from one machine to another are lost on the way, without an error at either.
    pub fn cut_one_way(&self, from: usize, to: usize) {
        let (name, to) = (&self.names[from], self.address(to));
        must(&format!("-n {name} neigh replace {to} lladdr {NOBODY} dev wire nud permanent"));
    }

    /// Neither of two machines hears the other.
    pub fn cut(&self, one: usize, other: usize) {
        self.cut_one_way(one, other);
        self.cut_one_way(other, one);
    }

    /// A machine hears no other and is heard by none. Clients still reach it.
    pub fn cut_off(&self, number: usize) {
        self.others(number).for_each(|other| self.cut(number, other));
    }

    /// A machine's only wire is pulled out at the far end: clients do not reach it either.
    pub fn pull(&self, number: usize) {
        must(&format!("-n {} link set port{number} nomaster", self.hub));
    }

    /// Everything is as it was.
    pub fn heal(&self) {
        for (number, name) in self.names.iter().enumerate() {
            must(&format!("-n {} link set port{number} master bridge", self.hub));
            for other in self.others(number) {
                // One that was not cut has no such entry, or the true one, which is found again.
                let _ = ip(&format!("-n {name} neigh del {} dev wire", self.address(other)));
            }
        }
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}
