//! Checkpoints are signed in time and pushed to the places in the settings.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use host::AnchorPlace;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use journal::Checkpoint;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::harness::*;

/// A token and a line, each time one was pushed.
type Taken = Arc<Mutex<Vec<(Option<String>, String)>>>;

/// A place that takes anchors, with the status it answers and what it was sent.
#[derive(Clone, Default)]
struct Place {
    status: Arc<AtomicU16>,
    taken: Taken,
}

impl Place {
    fn router(&self) -> Router {
        let place = self.clone();
        let answer = move |headers: HeaderMap, body: String| async move {
            let token = headers.get("authorization").and_then(|value| value.to_str().ok()).map(str::to_owned);
            assert_eq!(headers["croupier-floor"], "main");
            place.taken.lock().unwrap().push((token, body));
            StatusCode::from_u16(place.status.load(Ordering::SeqCst)).unwrap()
        };
        Router::new().route("/anchors", post(answer))
    }

    async fn serve(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/anchors", listener.local_addr().expect("an address"));
        let router = self.router();
        tokio::spawn(async move { axum::serve(listener, router).await });
        url
    }

    /// The same over TLS, with a certificate.
    async fn serve_tls(&self, with: &host::Tls) -> String {
        let certificate = CertificateDer::from_pem_file(&with.certificate).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(&with.key).expect("its key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("they fit");
        let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("https://localhost:{}/anchors", listener.local_addr().expect("an address").port());
        let router = self.router();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, service) = (acceptor.clone(), TowerToHyperService::new(router.clone()));
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let builder = hyper::server::conn::http1::Builder::new();
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        url
    }

    fn last(&self) -> Option<(Option<String>, String)> {
        self.taken.lock().unwrap().last().cloned()
    }
}

/// Looks until something holds.
pub async fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    within(what, async {
        loop {
            if let Some(found) = look() {
                return found;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_is_pushed_to_every_place() {
    let elsewhere = tempfile::tempdir().expect("another machine");
    let (file, token) = (elsewhere.path().join("anchors.txt"), elsewhere.path().join("token"));
    journal::private::create_file(&token).expect("made");
    std::fs::write(&token, "a token\n").expect("written");
    let place = Place::default();
    place.status.store(204, Ordering::SeqCst);
    let url = place.serve().await;
    let host = Host::with(|config| {
        config.anchors = vec![
            AnchorPlace { file: Some(file.clone()), ..AnchorPlace::default() },
            AnchorPlace { url: Some(url), token: Some(token), ..AnchorPlace::default() },
        ];
    })
    .await;
    let app = &host.running.app;
    app.engine.sign();
    let read = || std::fs::read_to_string(&file).ok().filter(|text| text.ends_with('\n'));
    let line = until("a line in the file", read).await;
    let anchor = Checkpoint::from_line(line.trim()).expect("an anchor");
    assert_eq!(anchor.sequence, app.read(floor::Floor::sequence));
    let (sent, body) = until("a line at the address", || place.last()).await;
    assert_eq!((sent.as_deref(), body), (Some("Bearer a token"), line.clone()));
    // What has been signed is not signed again.
    app.engine.sign();
    host.administrator().await;
    app.engine.sign();
    let lines = until("another line", || read().filter(|text| text.lines().count() == 2)).await;
    let next = Checkpoint::from_line(lines.lines().last().expect("a line")).expect("an anchor");
    assert!(next.sequence > anchor.sequence);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_place_that_refuses_is_an_alert_and_is_tried_again() {
    let place = Place::default();
    place.status.store(403, Ordering::SeqCst);
    let url = place.serve().await;
    let known = url.clone();
    let host =
        Host::with(|config| config.anchors = vec![AnchorPlace { url: Some(url), ..AnchorPlace::default() }]).await;
    let manager = host.employ("pit_manager", "manager").await;
    let mut pit = Feed::open(&manager.client, "/feed/pit", None).await;
    host.running.app.engine.sign();
    let words = format!("Anchors of the journal are refused by {known}: 403 Forbidden");
    pit.until(&words, |feed| feed.view["pit"]["alerts"].to_string().contains(&words)).await;
    place.status.store(200, Ordering::SeqCst);
    let refused = place.taken.lock().unwrap().len();
    until("the next try", || (place.taken.lock().unwrap().len() > refused).then_some(())).await;
}

/// ASVS V9.2: over TLS an anchor goes to a place for which the authority in the settings vouches, and to no other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_tls_anchors_go_to_the_place_that_its_authority_vouches_for_and_to_no_other() {
    let folders = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
    let [(own, _), (other, _)] = [0, 1].map(|of| line::certificate(folders[of].path()));
    let (right, wrong) = (Place::default(), Place::default());
    for place in [&right, &wrong] {
        place.status.store(204, Ordering::SeqCst);
    }
    let (to_right, to_wrong) = (right.serve_tls(&own).await, wrong.serve_tls(&own).await);
    let place = |url: &str, ca: &host::Tls| AnchorPlace {
        url: Some(url.to_owned()),
        ca: Some(ca.certificate.clone()),
        ..AnchorPlace::default()
    };
    let places = vec![place(&to_right, &own), place(&to_wrong, &other)];
    let host = Host::with(|config| config.anchors = places).await;
    let manager = host.employ("pit_manager", "manager").await;
    let mut pit = Feed::open(&manager.client, "/feed/pit", None).await;
    host.running.app.engine.sign();
    let (_, body) = until("a line over TLS", || right.last()).await;
    let anchor = Checkpoint::from_line(body.trim()).expect("an anchor");
    assert!(anchor.sequence <= host.running.app.read(floor::Floor::sequence));
    // The certificate of the other one is of no authority that is trusted: it gets nothing, and the pit is alerted.
    let words = format!("Anchors of the journal do not reach {to_wrong}");
    pit.until(&words, |feed| feed.view["pit"]["alerts"].to_string().contains(&words)).await;
    let alerts = pit.view["pit"]["alerts"].to_string();
    assert!(alerts.contains("certificate"), "and why: {alerts}");
    assert!(!alerts.contains(&to_right), "{alerts}");
    assert_eq!(wrong.last(), None);
}
