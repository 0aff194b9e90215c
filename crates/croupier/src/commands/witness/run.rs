//! `croupier witness run`: the process.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ::witness::{Limits, Witness};
use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::commands::serve::stop_signal;
use crate::commands::verify;
use crate::output::{Answer, Form};
use crate::refusal::{Failure, Refusal};

/// Cosign what the logs of a policy send, until stopped.
#[derive(Args)]
#[command(after_help = "\
The policy has a line `log KEY` for each log, as `/log/policy` of a floor and `croupier log head --key` give it. Before a \
cosignature is given out, the state is durable. Keep key and state on one machine and never run two witnesses with one key; a \
state from a backup may be too old, and a missing one is refused.

Others ask for the latest cosigned head at /HASH/checkpoint, where HASH is the hexadecimal SHA-256 of the log's name.

Examples:
  croupier witness run --key witness.key --state witness.state --policy logs.txt --listen 127.0.0.1:8090
  croupier witness run --key witness.key --state witness.state --policy logs.txt --listen 0.0.0.0:8443 \\
    --certificate witness.pem --certificate-key witness.pem.key")]
pub struct Run {
    /// The secret key, made with `croupier witness keygen`.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    /// The file of state.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,

    /// The logs that are watched (C2SP tlog-policy).
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,

    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8090")]
    listen: SocketAddr,

    /// A certificate with those that sign it (PEM): the witness speaks TLS.
    #[arg(long, value_name = "FILE", requires = "certificate_key")]
    certificate: Option<PathBuf>,

    /// Its private key (PEM).
    #[arg(long, value_name = "FILE", requires = "certificate")]
    certificate_key: Option<PathBuf>,
}

impl Run {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let start = |error: String| Refusal::new("start", error);
        let logs = verify::policy(&self.policy)?;
        let witness = Witness::open(&self.key, &self.state, logs).map_err(|error| start(error.to_string()))?;
        let tls = match (&self.certificate, &self.certificate_key) {
            (Some(certificate), Some(key)) => {
                let tls = host::Tls { certificate: certificate.clone(), key: key.clone(), client_ca: None };
                Some(host::acceptor(&tls).map_err(|error| start(format!("the certificate: {error}")))?)
            }
            _ => None,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|error| start(format!("cannot start threads: {error}")))?;
        runtime.block_on(async {
            let listener = TcpListener::bind(self.listen).await;
            let listener = listener.map_err(|error| start(format!("cannot listen on {}: {error}", self.listen)))?;
            let address = listener.local_addr().map_err(|error| start(error.to_string()))?;
            let url = format!("{}://{address}", if tls.is_some() { "https" } else { "http" });
            let (key, watched) = (witness.public().to_text(), witness.heads().len());
            let line = match form {
                Form::Json => format!("{}\n", json!({ "address": url, "key": key, "logs": watched })),
                Form::Words => format!("The witness {key} listens on {url}. Stop with Ctrl-C.\n"),
            };
            let mut stdout = std::io::stdout().lock();
            let _ = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
            drop(stdout);
            let (stop, stopping) = watch::channel(false);
            let serving = tokio::spawn(::witness::serve(Arc::new(witness), listener, tls, Limits::default(), stopping));
            stop_signal().await;
            let _ = stop.send(true);
            let _ = serving.await;
            Ok(Answer::Done(String::new()))
        })
    }
}
