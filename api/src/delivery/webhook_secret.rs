//! The secrets of webhooks, and the signatures by them (Standard Webhooks 1.0).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::hashes::{Hash as _, HashEngine as _, Hmac, HmacEngine, sha256};
use domain::{UserId, Webhook};
use secrecy::{ExposeSecret as _, SecretBox};

/// The prefix by which secrets are recognized, in configurations and by scanners.
const PREFIX: &str = "whsec_";

/// A secret, which signs requests to one webhook. It is stored nowhere: it follows from the session key and the webhook.
pub struct WebhookSecret(SecretBox<[u8; 32]>);

impl WebhookSecret {
    /// Derives a version of a webhook's secret. The time of its creation distinguishes webhooks of journals that number
    /// them alike.
    #[must_use]
    pub(super) fn derive(key: &[u8; 32], user: UserId, webhook: &Webhook, version: u32) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(key);
        for number in [user.0, webhook.id.0, webhook.created_at.0, u64::from(version)] {
            hasher.update(&number.to_be_bytes());
        }
        Self(SecretBox::new(Box::new(*hasher.finalize().as_bytes())))
    }

    /// Returns the text that is shown to the user once.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0.expose_secret()))
    }

    /// Returns the signature of a request: `v1,` and a base64 text.
    #[must_use]
    pub fn sign(&self, id: &str, timestamp_s: u64, body: &[u8]) -> String {
        signature(self.0.expose_secret(), id, timestamp_s, body)
    }
}

fn signature(key: &[u8], id: &str, timestamp_s: u64, body: &[u8]) -> String {
    let mut engine = HmacEngine::<sha256::Hash>::new(key);
    engine.input(format!("{id}.{timestamp_s}.").as_bytes());
    engine.input(body);
    format!("v1,{}", STANDARD.encode(Hmac::<sha256::Hash>::from_engine(engine).to_byte_array()))
}

#[cfg(test)]
mod tests {
    use domain::{NoticeKinds, UnixMs, WebhookId};

    use super::*;

    fn webhook(id: u64, at: u64) -> Webhook {
        Webhook {
            id: WebhookId(id),
            url: "https://example.org/".to_owned(),
            kinds: NoticeKinds::default(),
            created_at: UnixMs(at),
            secret_version: 1,
            previous_until: None,
            active_since: UnixMs(at),
            pause: None,
        }
    }

    #[test]
    fn the_signature_equals_the_published_example() {
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signed = signature(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn every_webhook_and_version_has_a_secret_of_its_own() {
        let secret = |key: u8, user, id, at, version| {
            WebhookSecret::derive(&[key; 32], UserId(user), &webhook(id, at), version).shown()
        };
        let first = secret(1, 2, 3, 4, 5);
        assert_eq!(first, secret(1, 2, 3, 4, 5), "the same after a restart");
        assert!(first.starts_with("whsec_") && first.len() == 50, "{first}");
        for other in [
            secret(9, 2, 3, 4, 5),
            secret(1, 9, 3, 4, 5),
            secret(1, 2, 9, 4, 5),
            secret(1, 2, 3, 9, 5),
            secret(1, 2, 3, 4, 9),
        ] {
            assert_ne!(first, other);
        }
    }
}
