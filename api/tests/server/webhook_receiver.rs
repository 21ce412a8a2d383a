//! A receiver of webhooks on a local socket, which verifies signatures by its own computation.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::hashes::{Hash as _, sha256};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::message_servers::wait_until;

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

/// The answer to a request: a status and a body.
pub type Script = Arc<dyn Fn(&Received) -> (u16, String) + Send + Sync>;

/// A running receiver; it stops on drop.
pub struct WebhookReceiver {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
    serving: JoinHandle<()>,
}

impl WebhookReceiver {
    pub async fn start(script: impl Fn(&Received) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (received, script): (Arc<Mutex<Vec<Received>>>, Script) = (Arc::default(), Arc::new(script));
        let known = Arc::clone(&received);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&script), Arc::clone(&known)));
            }
        });
        Self { url, received, serving }
    }

    /// Accepts every request.
    pub async fn accepting() -> Self {
        Self::start(|_| (204, String::new())).await
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Waits for `count` requests.
    pub async fn received_when(&self, count: usize) -> Vec<Received> {
        wait_until(|| self.received.lock().unwrap().len() >= count).await;
        self.received()
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(mut stream: TcpStream, script: Script, received: Arc<Mutex<Vec<Received>>>) {
    let mut bytes = Vec::new();
    let request = loop {
        if let Some(request) = parse(&bytes) {
            break request;
        }
        let mut chunk = [0; 4_096];
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(length) => bytes.extend_from_slice(&chunk[..length]),
        }
    };
    let (status, body) = script(&request);
    received.lock().unwrap().push(request);
    // Status 0: the connection is lost before an answer.
    if status > 0 {
        let head = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await;
    }
}

/// Parses a request, once it is complete.
fn parse(bytes: &[u8]) -> Option<Received> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    assert!(head.starts_with("POST /hook HTTP/1.1\r\n"), "{head}");
    let header = |wanted: &str| {
        let mut fields = head.lines().filter_map(|line| line.split_once(": "));
        fields.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.to_owned()).unwrap()
    };
    let length: usize = header("content-length").parse().unwrap();
    assert_eq!(header("content-type"), "application/json");
    (body.len() >= length).then(|| Received {
        id: header("webhook-id"),
        timestamp_s: header("webhook-timestamp").parse().unwrap(),
        signatures: header("webhook-signature").split(' ').map(str::to_owned).collect(),
        body: body.to_owned(),
    })
}
