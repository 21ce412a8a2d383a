//! A push service on a local socket, and browsers that decrypt what it gets.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use web_push_native::Auth;
use web_push_native::p256::SecretKey;
use web_push_native::p256::ecdsa::signature::Verifier as _;
use web_push_native::p256::ecdsa::{Signature, VerifyingKey};
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint as _;

use super::scripted_server::{Posted, ScriptedServer};

/// A received message.
#[derive(Clone, Debug)]
pub struct Pushed(Posted);

impl From<Posted> for Pushed {
    fn from(posted: Posted) -> Self {
        Self(posted)
    }
}

impl Pushed {
    pub fn path(&self) -> &str {
        &self.0.path
    }

    pub fn body(&self) -> &[u8] {
        &self.0.body
    }

    pub fn header(&self, name: &str) -> &str {
        self.0.header(name)
    }

    /// The claims of its token, whose signature is by `public_key`, the key of the server in base64url.
    pub fn claims(&self, public_key: &str) -> Value {
        let (token, key) = self.header("authorization").strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(key, public_key);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
        let key = VerifyingKey::from_sec1_bytes(&decode(key)).unwrap();
        key.verify(signed.as_bytes(), &Signature::from_slice(&decode(signature)).unwrap()).unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&decode(header)).unwrap(), json!({"typ": "JWT", "alg": "ES256"}));
        serde_json::from_slice(&decode(claims)).unwrap()
    }
}

/// A browser with its keys.
pub struct Browser {
    pub endpoint: String,
    key: SecretKey,
    auth: [u8; 16],
}

impl Browser {
    pub fn at(endpoint: &str) -> Self {
        let key = loop {
            if let Ok(key) = SecretKey::from_slice(&rand::random::<[u8; 32]>()) {
                break key;
            }
        };
        Self { endpoint: endpoint.to_owned(), key, auth: rand::random() }
    }

    /// The body that subscribes it.
    pub fn subscription(&self, kinds: &[&str]) -> Value {
        let point = self.key.public_key().to_encoded_point(false);
        let [p256dh, auth] = [point.as_bytes(), &self.auth].map(|bytes| URL_SAFE_NO_PAD.encode(bytes));
        json!({"endpoint": self.endpoint, "p256dh": p256dh, "auth": auth, "kinds": kinds})
    }

    /// The text of a message for it; `None` if it is for another.
    pub fn read(&self, pushed: &Pushed) -> Option<Value> {
        let text = web_push_native::decrypt(pushed.body().to_vec(), &self.key, &Auth::from(self.auth)).ok()?;
        Some(serde_json::from_slice(&text).unwrap())
    }
}

/// A running push service; it stops on drop.
pub struct PushService(ScriptedServer<Pushed>);

impl PushService {
    pub async fn start(script: impl Fn(&Pushed) -> u16 + Send + Sync + 'static) -> Self {
        Self(ScriptedServer::start(move |pushed| Some((script(pushed), String::new()))).await)
    }

    pub fn browser(&self, path: &str) -> Browser {
        Browser::at(&format!("{}/{path}", self.0.origin))
    }

    /// The address, as in the audience of tokens.
    pub fn origin(&self) -> &str {
        &self.0.origin
    }

    pub fn pushed(&self) -> Vec<Pushed> {
        self.0.received()
    }

    /// Waits for `count` messages.
    pub async fn pushed_when(&self, count: usize) -> Vec<Pushed> {
        self.0.received_when(count).await
    }
}
