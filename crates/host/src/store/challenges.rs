//! Challenges that a host does not store: asking for many displaces the challenges of no other client.
//!
//! A challenge has 16 bytes, the length of a WebAuthn challenge in `webauthn_rp`: the low bits of the second in which
//! it was made, random bits, and a code over the random bits, the whole second and the purpose of the challenge. A host
//! with the key of the code recognises it. The host that accepts the answer remembers it for as long as the challenge
//! can be answered, so that it is answered once. Only a correct answer is remembered, so only holders of a key can fill
//! that memory.

use floor::Moment;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::Error;
use super::secret;

/// Seconds modulo 65,536: enough to find the whole second again within nine hours.
const TIME: usize = 2;
const CHANCE: usize = 4;
/// 80 bits of the code. A guess is useless without the signature of a key, and each guess takes a request.
const CODE: usize = 10;
/// The bytes of a challenge.
pub(super) const LENGTH: usize = TIME + CHANCE + CODE;

/// A challenge that can still be answered.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Challenge(pub(super) [u8; LENGTH]);

/// Makes challenges and recognises them.
pub(super) struct Challenges {
    key: [u8; 32],
}

impl Challenges {
    /// Challenges of this host alone, for as long as it runs.
    pub(super) fn of_this_host() -> Result<Challenges, Error> {
        Ok(Challenges { key: secret::random()? })
    }

    /// Challenges that every host with the same secret recognises.
    pub(super) fn shared(secret: &[u8; 32]) -> Challenges {
        Challenges { key: blake3::derive_key("croupier challenges of passkeys", secret) }
    }

    fn mac(&self, chance: &[u8], second: i64, about: &[u8]) -> Result<Hmac<Sha256>, Error> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.key).map_err(|_| Error::Damaged("the key of challenges"))?;
        Ok(mac.chain_update(chance).chain_update(second.to_be_bytes()).chain_update(about))
    }

    pub(super) fn make(&self, about: &[u8], now: Moment) -> Result<String, Error> {
        let (chance, second) = (secret::random::<CHANCE>()?, now.0.div_euclid(1_000));
        let code = self.mac(&chance, second, about)?.finalize().into_bytes();
        let bytes = low(second).to_be_bytes().into_iter().chain(chance).chain(code.into_iter().take(CODE));
        Ok(secret::to_base64url(&bytes.collect::<Vec<u8>>()))
    }

    /// The challenge in base64, if it was made with this key, for this, and is not too old.
    pub(super) fn read(&self, life: i64, text: &str, about: &[u8], now: Moment) -> Option<Challenge> {
        let bytes = secret::from_base64url(text, LENGTH)?;
        self.recognise(life, bytes.try_into().ok()?, about, now)
    }

    /// The same of its bytes.
    pub(super) fn recognise(&self, life: i64, bytes: [u8; LENGTH], about: &[u8], now: Moment) -> Option<Challenge> {
        let (time, rest) = bytes.split_first_chunk::<TIME>()?;
        let (chance, code) = rest.split_first_chunk::<CHANCE>()?;
        let this_second = now.0.div_euclid(1_000);
        // The nearest second that ends in these bits.
        let ago = low(this_second).wrapping_sub(u16::from_be_bytes(*time)).cast_signed();
        let second = this_second.checked_sub(i64::from(ago))?;
        // Compared in constant time.
        self.mac(chance, second, about).ok()?.verify_truncated_left(code).ok()?;
        let soon = now.since(Moment(second.checked_mul(1_000)?)).abs() <= life;
        soon.then_some(Challenge(bytes))
    }
}

/// The low bits of a second.
fn low(second: i64) -> u16 {
    let [.., high, low] = second.to_be_bytes();
    u16::from_be_bytes([high, low])
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFE: i64 = 120_000;

    #[test]
    fn a_challenge_is_recognised_for_its_purpose_and_its_life_only() {
        let challenges = Challenges::shared(&[7; 32]);
        for made in [0, 1_700_000_000_999, 65_535_999, -1] {
            let text = challenges.make(b"sign in", Moment(made)).unwrap();
            let read = |about: &[u8], later: i64| challenges.read(LIFE, &text, about, Moment(made + later)).is_some();
            assert!(read(b"sign in", 0) && read(b"sign in", LIFE - 1_000) && read(b"sign in", -1_000), "{made}");
            assert!(!read(b"add", 0), "for something else");
            // After 65,536 seconds the low bits are the same again.
            for later in [LIFE + 1, 65_536_000, 2 * 65_536_000, -65_536_000, 33_000_000] {
                assert!(!read(b"sign in", later), "{made} after {later}");
            }
        }
        assert_eq!(challenges.read(LIFE, "", b"", Moment(i64::MIN)), None);
        assert_eq!(challenges.recognise(LIFE, [0; LENGTH], b"", Moment(i64::MAX)), None);
    }

    #[test]
    fn every_byte_of_a_challenge_counts() {
        let challenges = Challenges::shared(&[7; 32]);
        let text = challenges.make(b"sign in", Moment(0)).unwrap();
        let bytes: [u8; LENGTH] = secret::from_base64url(&text, LENGTH).unwrap().try_into().unwrap();
        assert!(challenges.recognise(LIFE, bytes, b"sign in", Moment(0)).is_some());
        for place in 0..LENGTH {
            let mut forged = bytes;
            forged[place] ^= 1;
            assert_eq!(challenges.recognise(LIFE, forged, b"sign in", Moment(0)), None, "{place}");
        }
        let other = Challenges::shared(&[8; 32]);
        assert_eq!(other.recognise(LIFE, bytes, b"sign in", Moment(0)), None, "of another floor");
    }
}
