//! A receiver of webhooks on a local socket, which verifies signatures by its own computation.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::hashes::{Hash as _, sha256};
use serde_json::Value;

use super::scripted_server::{Posted, ScriptedServer};

/// A received request.
#[derive(Clone, Debug)]
pub struct Received {
    pub id: String,
    pub timestamp_s: u64,
    pub signatures: Vec<String>,
    pub body: String,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub fn kind(&self) -> String {
        self.json()["type"].as_str().unwrap().to_owned()
    }

    /// Whether one of its signatures is by this secret.
    pub fn is_signed_by(&self, secret: &str) -> bool {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        let content = format!("{}.{}.{}", self.id, self.timestamp_s, self.body);
        let expected = format!("v1,{}", STANDARD.encode(hmac_sha256(&key, content.as_bytes())));
        self.signatures.contains(&expected)
    }
}

/// HMAC as in RFC 2104, from the hash alone.
fn hmac_sha256(key: &[u8], content: &[u8]) -> [u8; 32] {
    assert!(key.len() <= 64);
    let padded = |with: u8| -> Vec<u8> { (0..64).map(|at| key.get(at).copied().unwrap_or(0) ^ with).collect() };
    let hash = |parts: [&[u8]; 2]| sha256::Hash::hash(&parts.concat()).to_byte_array();
    let inner = hash([&padded(0x36), content]);
    hash([&padded(0x5c), &inner])
}

/// A running receiver; it stops on drop.
pub struct WebhookReceiver {
    pub url: String,
    server: ScriptedServer<Received>,
}

impl WebhookReceiver {
    /// Answers by a script; with status 0 the connection is lost before an answer.
    pub async fn start(script: impl Fn(&Received) -> (u16, String) + Send + Sync + 'static) -> Self {
        let server =
            ScriptedServer::start(move |request| Some(script(request)).filter(|(status, _)| *status > 0)).await;
        Self { url: format!("{}/hook", server.origin), server }
    }

    /// Accepts every request.
    pub async fn accepting() -> Self {
        Self::start(|_| (204, String::new())).await
    }

    pub fn received(&self) -> Vec<Received> {
        self.server.received()
    }

    /// Waits for `count` requests.
    pub async fn received_when(&self, count: usize) -> Vec<Received> {
        self.server.received_when(count).await
    }
}

impl From<Posted> for Received {
    fn from(posted: Posted) -> Self {
        assert_eq!((posted.path.as_str(), posted.header("content-type")), ("/hook", "application/json"));
        Self {
            id: posted.header("webhook-id").to_owned(),
            timestamp_s: posted.header("webhook-timestamp").parse().unwrap(),
            signatures: posted.header("webhook-signature").split(' ').map(str::to_owned).collect(),
            body: String::from_utf8(posted.body).unwrap(),
        }
    }
}
