//! The keys of the terminal and of its validator: Ed25519, each in a file of its own that only the agent can read.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::json;

use super::forward::Hosts;

/// A key.
pub struct Key(Ed25519KeyPair);

impl Key {
    /// Reads the key in a file.
    ///
    /// # Errors
    /// When there is none, others may read it, or it is no key.
    pub fn read(path: &Path) -> io::Result<Key> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mode = fs::metadata(path).map_err(named)?.permissions().mode();
        if mode & 0o077 != 0 {
            let words = format!("{}: others may read this key; its mode must be 0600", path.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, words));
        }
        let text = fs::read_to_string(path).map_err(named)?;
        let seed = STANDARD.decode(text.trim()).unwrap_or_default();
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed);
        pair.map(Key).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{}: this is no key of a cabinet", path.display()))
        })
    }

    /// Makes a key and keeps it in a file, before anyone hears of it.
    ///
    /// # Errors
    /// When there is a file already, or it cannot be written.
    pub fn make(path: &Path) -> io::Result<Key> {
        let mut seed = [0; 32];
        SystemRandom::new().fill(&mut seed).map_err(|_| io::Error::other("no random numbers"))?;
        let mut file = File::options().create_new(true).write(true).mode(0o600).open(path)?;
        file.write_all(STANDARD.encode(seed).as_bytes())?;
        file.sync_all()?;
        Key::read(path)
    }

    /// The public half in base64.
    #[must_use]
    pub fn public(&self) -> String {
        STANDARD.encode(self.0.public_key().as_ref())
    }

    /// The signature of words in base64.
    #[must_use]
    pub fn sign(&self, words: &str) -> String {
        STANDARD.encode(self.0.sign(words.as_bytes()).as_ref())
    }
}

/// Enrols a key with a one-time code: the one in the file, or a new one.
///
/// # Errors
/// When the file cannot be used, no host answers, or the code is refused.
pub async fn enrol(hosts: &Hosts, floor: &str, path: &Path, code: &str) -> io::Result<()> {
    let key = if path.exists() { Key::read(path)? } else { Key::make(path)? };
    let body = json!({ "code": code, "scheme": "ed25519", "public_key": key.public() });
    let (status, answer) = hosts.post(&format!("/api/v1/floors/{floor}/enrol"), &body).await?;
    if status == 200 {
        return Ok(());
    }
    let words = answer["error"]["message"]["en"].as_str().unwrap_or("the host refused the code");
    Err(io::Error::other(words.to_owned()))
}
