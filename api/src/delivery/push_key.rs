//! The key by which push services know this server (VAPID, RFC 8292).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::UnixMs;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde::Serialize;
use web_push_native::p256::SecretKey;
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint as _;
use web_push_native::p256::pkcs8::EncodePrivateKey as _;

use crate::failure::Failure;

/// The lifetime of a token, in seconds; push services refuse more than a day.
const TOKEN_S: u64 = 12 * 3_600;

/// The length of the private key, in bytes.
const KEY_BYTES: usize = 32;

/// A key of P-256 that signs the tokens in requests to push services.
pub struct PushKey {
    signing: EncodingKey,
    public: String,
}

#[derive(Serialize)]
struct Claims<'a> {
    aud: &'a str,
    exp: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sub: Option<&'a str>,
}

impl PushKey {
    /// Derives the key from a secret: the first number in its hash that is a private key of the curve, which all but one
    /// of 2^32 are.
    ///
    /// # Errors
    /// Fails if the key cannot be encoded, which a key of the curve always can.
    pub fn derive(secret: &[u8; 32]) -> Result<Self, Failure> {
        let mut numbers = blake3::Hasher::new_keyed(secret).finalize_xof();
        let mut bytes = [0; KEY_BYTES];
        loop {
            numbers.fill(&mut bytes);
            if let Ok(key) = SecretKey::from_slice(&bytes) {
                return Self::of(&key);
            }
        }
    }

    /// Parses a private key: 32 bytes in base64url without padding.
    ///
    /// # Errors
    /// One line, without the text.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok().filter(|bytes| bytes.len() == KEY_BYTES);
        let key = bytes.and_then(|bytes| SecretKey::from_slice(&bytes).ok());
        key.ok_or_else(|| Failure::new("not a private key of P-256: 32 bytes in base64url"))
            .and_then(|key| Self::of(&key))
    }

    fn of(key: &SecretKey) -> Result<Self, Failure> {
        let signing = EncodingKey::from_ec_der(key.to_pkcs8_der().map_err(Failure::new)?.as_bytes());
        let public = URL_SAFE_NO_PAD.encode(key.public_key().to_encoded_point(false).as_bytes());
        Ok(Self { signing, public })
    }

    /// Returns the public key, an uncompressed point in base64url. Browsers bind their subscriptions to it.
    #[must_use]
    pub fn public(&self) -> &str {
        &self.public
    }

    /// Returns the `Authorization` of a request to the push service with the origin `audience`; `None` if it cannot be
    /// signed. `contact` is the URL by which the service reaches the operator.
    #[must_use]
    pub fn authorization(&self, audience: &str, contact: Option<&str>, now: UnixMs) -> Option<String> {
        let claims = Claims { aud: audience, exp: now.seconds().saturating_add(TOKEN_S), sub: contact };
        let token = encode(&Header::new(Algorithm::ES256), &claims, &self.signing).ok()?;
        Some(format!("vapid t={token}, k={}", self.public))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_follows_from_its_secret_and_one_that_is_given_is_kept() {
        let public = |secret: u8| PushKey::derive(&[secret; 32]).unwrap().public().to_owned();
        assert_eq!(public(1), public(1), "the same after a restart");
        assert_ne!(public(1), public(2));
        assert_eq!(URL_SAFE_NO_PAD.decode(public(1)).unwrap().len(), 65);
        // The key of the application server in RFC 8291, appendix A.
        let given = PushKey::parse("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw").unwrap();
        let expected = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
        assert_eq!(given.public(), expected);
        for wrong in ["", "yfWPiYE", &"A".repeat(43), &"_".repeat(43), "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw="] {
            let refused = PushKey::parse(wrong).err().unwrap().to_string();
            assert!(wrong.is_empty() || !refused.contains(wrong), "{refused}");
        }
    }
}
