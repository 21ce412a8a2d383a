//! A push service on a local socket, and browsers that decrypt what it gets.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use web_push_native::Auth;
use web_push_native::p256::SecretKey;
use web_push_native::p256::ecdsa::signature::Verifier as _;
use web_push_native::p256::ecdsa::{Signature, VerifyingKey};
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint as _;

use super::message_servers::wait_until;

/// A received message.
#[derive(Clone, Debug)]
pub struct Pushed {
    pub path: String,
    headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Pushed {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name} in {self:?}"))
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
        let text = web_push_native::decrypt(pushed.body.clone(), &self.key, &Auth::from(self.auth)).ok()?;
        Some(serde_json::from_slice(&text).unwrap())
    }
}

type Script = Arc<dyn Fn(&Pushed) -> u16 + Send + Sync>;

/// A running push service; it stops on drop.
pub struct PushService {
    pub origin: String,
    pushed: Arc<Mutex<Vec<Pushed>>>,
    serving: JoinHandle<()>,
}

impl PushService {
    pub async fn start(script: impl Fn(&Pushed) -> u16 + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let (pushed, script): (Arc<Mutex<Vec<Pushed>>>, Script) = (Arc::default(), Arc::new(script));
        let known = Arc::clone(&pushed);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&script), Arc::clone(&known)));
            }
        });
        Self { origin, pushed, serving }
    }

    pub fn browser(&self, path: &str) -> Browser {
        Browser::at(&format!("{}/{path}", self.origin))
    }

    pub fn pushed(&self) -> Vec<Pushed> {
        self.pushed.lock().unwrap().clone()
    }

    /// Waits for `count` messages.
    pub async fn pushed_when(&self, count: usize) -> Vec<Pushed> {
        wait_until(|| self.pushed.lock().unwrap().len() >= count).await;
        self.pushed()
    }
}

impl Drop for PushService {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(mut stream: TcpStream, script: Script, pushed: Arc<Mutex<Vec<Pushed>>>) {
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
    let status = script(&request);
    pushed.lock().unwrap().push(request);
    let answer = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    let _ = stream.write_all(answer.as_bytes()).await;
}

/// Parses a request, once it is complete.
fn parse(bytes: &[u8]) -> Option<Pushed> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, body) = (std::str::from_utf8(&bytes[..end]).unwrap(), &bytes[end + 4..]);
    let (line, fields) = head.split_once("\r\n").unwrap();
    let path = line.strip_prefix("POST ").unwrap().strip_suffix(" HTTP/1.1").unwrap();
    let fields = fields.lines().filter_map(|line| line.split_once(": "));
    let headers: HashMap<_, _> = fields.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let length: usize = headers["content-length"].parse().unwrap();
    (body.len() >= length).then(|| Pushed { path: path.to_owned(), headers, body: body.to_vec() })
}
