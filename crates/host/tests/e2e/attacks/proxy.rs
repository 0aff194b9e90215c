//! Behind a proxy: nginx from Debian's packages (`make nginx`), which speaks TLS to clients and plain text to the host.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::harness::*;

/// A running nginx that ends with the test.
struct Nginx {
    child: Child,
    address: SocketAddr,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `$NGINX`, or what `make nginx` has unpacked, or the one that is installed.
fn program() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository");
    let chosen = std::env::var_os("NGINX").map(PathBuf::from);
    let all = chosen.into_iter().chain([root.join("target/nginx/usr/sbin/nginx"), PathBuf::from("/usr/sbin/nginx")]);
    all.into_iter()
        .find(|file| file.is_file())
        .expect("nginx: `make nginx` unpacks it, or NGINX=/path/to/nginx names it")
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}

/// The settings of nginx in docs/operations.md: what is documented is what is tested.
fn documented() -> String {
    let text = include_str!("../../../../../docs/operations.md");
    let block = text.split_once("```nginx\n").and_then(|(_, rest)| rest.split_once("```"));
    block.expect("docs/operations.md has a block for nginx").0.to_owned()
}

async fn nginx(folder: &Path, host: SocketAddr) -> (Nginx, std::sync::Arc<rustls::ClientConfig>) {
    let (tls, trusts) = line::certificate(folder);
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let at = |name: &str| folder.join(name).display().to_string();
    let mut server = documented();
    for (own, here) in [
        ("listen 443 ssl;", format!("listen {address} ssl;")),
        ("/etc/nginx/tables.pem", tls.certificate.display().to_string()),
        ("/etc/nginx/tables.key", tls.key.display().to_string()),
        ("http://127.0.0.1:8080", format!("http://{host}")),
    ] {
        assert!(server.contains(own), "docs/operations.md: {own}");
        server = server.replace(own, &here);
    }
    let settings = format!(
        "daemon off; master_process off; pid {pid}; error_log stderr;\n\
         events {{ worker_connections 256; }}\n\
         http {{\n\
           access_log off; client_body_temp_path {body}; proxy_temp_path {proxy}; fastcgi_temp_path {fastcgi};\n\
           uwsgi_temp_path {uwsgi}; scgi_temp_path {scgi};\n\
           {server}\n\
         }}\n",
        pid = at("nginx.pid"),
        body = at("body"),
        proxy = at("proxy"),
        fastcgi = at("fastcgi"),
        uwsgi = at("uwsgi"),
        scgi = at("scgi"),
    );
    let file = folder.join("nginx.conf");
    std::fs::write(&file, settings).expect("written");
    let child = Command::new(program())
        .arg("-p")
        .arg(folder)
        .arg("-c")
        .arg(&file)
        .args(["-e", "stderr"])
        .stdin(Stdio::null())
        .spawn()
        .expect("nginx starts");
    let nginx = Nginx { child, address };
    let up = async || tokio::net::TcpStream::connect(address).await.is_ok();
    within("nginx", async {
        while !up().await {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
    (nginx, trusts)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_nginx_clients_have_their_own_address_and_secure_cookies() {
    let port = free_port();
    let host = Host::with(|config| {
        config.listen = SocketAddr::from(([127, 0, 0, 1], port));
        config.trusted_proxies = vec!["127.0.0.1".parse().expect("an address")];
        config.unproved_per_address = 6;
    })
    .await;
    let table = host.table("rws-sicbo").await;
    let folder = tempfile::tempdir().expect("a folder");
    let (nginx, trusts) = nginx(folder.path(), host.address()).await;
    let at = |last: u8| Client {
        tls: Some(std::sync::Arc::clone(&trusts)),
        from: Some(IpAddr::from([127, 0, 0, last])),
        ..Client::new(nginx.address, "main")
    };
    // What a client writes itself is not believed, whatever it claims.
    let sign_in = json!({ "login": "administrator", "password": PASSWORD });
    let answer = at(5).header("x-forwarded-for", "203.0.113.77").post("/session", sign_in.clone()).await;
    assert!(answer.header("set-cookie").contains("; Secure"), "{}", answer.header("set-cookie"));
    assert!(answer.header("strict-transport-security").contains("max-age"));
    answer.ok();
    let direct = host.anonymous().header("x-forwarded-for", "203.0.113.78").post("/session", sign_in).await;
    direct.ok();
    let auditor = host.employ("auditor", "auditor-1").await;
    let recorded = async |words: &str| {
        let events = auditor.client.get("/records/events?limit=200").await.ok();
        events.to_string().contains(words)
    };
    within("the record", async { while !recorded("signed in from 127.0.0.5").await {} }).await;
    assert!(!recorded("203.0.113.77").await, "what a client claims is not recorded as its address");
    // Limits are of each client's own address, and not of the proxy's.
    let below = format!("/feed/display/{}", table.id);
    let mut open = Vec::new();
    for _ in 0..20 {
        if let Ok(mut feed) = Feed::connect(&at(6), &below).await {
            feed.send(json!({ "type": "hello" })).await;
            feed.until("a snapshot", |feed| feed.sequence > 0).await;
            open.push(feed);
        }
    }
    assert_eq!(open.len(), 6, "displays of one address");
    let other = Feed::connect(&at(7), &below).await;
    assert!(other.is_ok(), "another address has room");
    drop(open);
    let again = async || Feed::connect(&at(6), &below).await.is_ok();
    within("places of feeds that ended", async { while !again().await {} }).await;
}
