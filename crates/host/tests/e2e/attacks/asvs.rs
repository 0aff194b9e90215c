//! Classes of OWASP ASVS level 2 that no finding stood for; see the table in docs/operations.md.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::over_both;
use crate::harness::*;

/// V3.4.4: over TLS the cookie has the prefix that binds it to this host, and the other name counts for nothing. Without TLS,
/// which is for loopback, browsers would not take the prefix.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_over_tls_is_bound_to_this_host_by_the_name_of_its_cookie() {
    over_both(bound_cookie).await;
}

pub async fn bound_cookie(host: &Host) {
    let names = ["croupier_session", "__Host-croupier_session"];
    let [other, name] = if host.tls.is_some() { names } else { [names[1], names[0]] };
    let sign_in = json!({ "login": "administrator", "password": PASSWORD });
    let answer = host.nobody().post("/session", sign_in).await;
    let set = answer.header("set-cookie").to_owned();
    answer.ok();
    let token = set.strip_prefix(&format!("{name}=")).and_then(|rest| rest.split(';').next()).expect("a cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.to_lowercase().contains("domain"), "{set}");
    assert_eq!(set.contains("; Secure"), name.starts_with("__Host-"), "{set}");
    let with = |cookie: String| host.nobody().header("cookie", cookie).header("x-croupier", "1");
    with(format!("{name}={token}")).get("/session").await.ok();
    with(format!("{other}=x; {name}={token}")).get("/session").await.ok();
    // A page of a neighbouring name can set a cookie without the prefix, and it signs no one in.
    let planted = with(format!("{other}={token}")).get("/session").await;
    assert_eq!(planted.refusal(), (401, "sign_in"), "{other}");
    let out = with(format!("{name}={token}")).delete("/session").await;
    assert!(out.header("set-cookie").starts_with(&format!("{name}=;")), "{}", out.header("set-cookie"));
}

/// V13.2.5: what is not said to be JSON is not read. A form of another site cannot say so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_not_said_to_be_json_is_refused() {
    over_both(only_json).await;
}

pub async fn only_json(host: &Host) {
    let body = json!({ "login": "administrator", "password": PASSWORD }).to_string();
    for (kind, status) in [
        ("content-type: application/json", 200),
        ("content-type: Application/JSON; charset=utf-8", 200),
        ("content-type: text/plain", 415),
        ("content-type: application/x-www-form-urlencoded", 415),
        ("content-type: application/jsonp", 415),
        ("x-nothing: said", 415),
    ] {
        let mut line = host.nobody().connect().await.expect("a connection");
        let request = format!(
            "POST /api/v1/floors/main/session HTTP/1.1\r\nhost: localhost\r\n{kind}\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            body.len()
        );
        line.write_all(request.as_bytes()).await.expect("sent");
        let mut answer = Vec::new();
        // A host that closes without TLS's own farewell has answered all the same.
        let _ = within("an answer", line.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{kind}: {answer}");
    }
}

/// V9.1.2, V9.1.3: no version before TLS 1.2, and none of its weak ciphers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_before_1_2_and_ciphers_without_authentication_are_refused() {
    let host = Host::with_tls(|_| {}).await;
    // ECDHE with AES in CBC, RSA key exchange, RC4, export.
    let weak: [u16; 4] = [0xc013, 0x002f, 0x0005, 0x0003];
    // ECDHE with AES in GCM, which TLS 1.2 takes.
    let strong: [u16; 2] = [0xc02b, 0xc02f];
    for (version, ciphers, taken) in [
        (0x0300, &strong[..], false),
        (0x0301, &strong[..], false),
        (0x0302, &strong[..], false),
        (0x0303, &weak[..], false),
        (0x0303, &strong[..], true),
    ] {
        let mut line = tokio::net::TcpStream::connect(host.address()).await.expect("a connection");
        line.write_all(&client_hello(version, ciphers)).await.expect("sent");
        let mut kind = [0; 1];
        let read = within("an answer", line.read_exact(&mut kind)).await;
        // A handshake (22) goes on; an alert (21) or the end of the connection does not.
        assert_eq!(read.is_ok() && kind == [22], taken, "{version:x} {ciphers:x?}");
    }
}

/// The first message of a client that offers one version and these ciphers.
fn client_hello(version: u16, ciphers: &[u16]) -> Vec<u8> {
    let mut body = version.to_be_bytes().to_vec();
    body.extend([7; 32]);
    body.push(0);
    body.extend(u16::try_from(2 * ciphers.len()).expect("few").to_be_bytes());
    body.extend(ciphers.iter().flat_map(|cipher| cipher.to_be_bytes()));
    body.extend([1, 0]);
    // Groups x25519 and P-256, points uncompressed, signatures ECDSA with SHA-256 and RSA-PSS, extended master secret.
    let extensions: &[u8] =
        &[0, 10, 0, 6, 0, 4, 0, 29, 0, 23, 0, 11, 0, 2, 1, 0, 0, 13, 0, 6, 0, 4, 4, 3, 8, 4, 0, 23, 0, 0];
    body.extend(u16::try_from(extensions.len()).expect("short").to_be_bytes());
    body.extend(extensions);
    let length = u32::try_from(body.len()).expect("short").to_be_bytes();
    let mut message = vec![1, length[1], length[2], length[3]];
    message.extend(body);
    let mut record = vec![22, 3, 1];
    record.extend(u16::try_from(message.len()).expect("short").to_be_bytes());
    record.extend(message);
    record
}
