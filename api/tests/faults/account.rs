//! A user with a wallet and a session, who asks any node.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bitcoin::Network;
use escrow::action::{Action, SignIn};
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::envelope::Envelope;
use escrow::wallet_key::WalletKey;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use reqwest::Method;
use serde_json::{Value, json};

use super::network::{Host, NODES};
use super::record::{Record, count};

/// The header with the position that a session has seen.
const POSITION: &str = "lienbook-position";

/// The timeout of one attempt.
const ATTEMPT_MAX: Duration = Duration::from_secs(6);

/// The time within which a command must get a definite answer: longer than faults last.
const ANSWER_MAX: Duration = Duration::from_mins(4);

/// The age at which a session is replaced: tokens are valid for 15 minutes, and a command may take as long as it has.
const SESSION_MAX: Duration = Duration::from_mins(4);

/// Codes of answers that say nothing about the outcome, or that the same request can be accepted later.
const TRANSIENT: [&str; 9] = [
    "no_writer",
    "not_ready",
    "overloaded",
    "idempotency_in_flight",
    "node_unavailable",
    "indexer_unavailable",
    "indexer_lagging",
    "signer_unavailable",
    "rate_limited",
];

/// The port of every node.
pub const PORT: u16 = 8_080;

/// The URL of a node.
pub fn base(node: usize) -> String {
    format!("http://{}:{PORT}", Host::Node(node).address())
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
    /// The time at which the attempt began.
    pub began_at: Instant,
    /// Whether attempts before it had no definite answer.
    pub is_repeated: bool,
}

impl Answer {
    pub fn is_ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

/// A request.
pub struct Request<'a> {
    pub method: Method,
    pub path: &'a str,
    pub body: Option<&'a Value>,
    /// The idempotency key; none if it is empty.
    pub key: &'a str,
}

impl<'a> Request<'a> {
    pub fn get(path: &'a str) -> Self {
        Self { method: Method::GET, path, body: None, key: "" }
    }

    pub fn post(path: &'a str, body: &'a Value) -> Self {
        Self { method: Method::POST, path, body: Some(body), key: "" }
    }
}

/// Whether an error code leaves the outcome open.
pub fn is_transient(code: &str) -> bool {
    TRANSIENT.contains(&code)
}

/// A user.
pub struct Account {
    pub wallet: WalletKey,
    pub rng: StdRng,
    pub record: Arc<Record>,
    token: String,
    position: Mutex<Option<String>>,
    http: reqwest::Client,
    signed_in_at: Instant,
}

impl Account {
    /// Signs in with the wallet of a seed.
    pub async fn sign_in(seed: u8, rng: u64, record: &Arc<Record>) -> Self {
        let client = reqwest::Client::builder().no_proxy().timeout(ATTEMPT_MAX).connect_timeout(Duration::from_secs(1));
        let mut user = Self {
            wallet: WalletKey::from_seed([seed; 32], Network::Regtest).unwrap(),
            rng: StdRng::seed_from_u64(rng),
            record: Arc::clone(record),
            token: String::new(),
            position: Mutex::default(),
            http: client.build().unwrap(),
            signed_in_at: Instant::now(),
        };
        user.begin_session().await;
        user
    }

    /// Begins a session, in place of the one before.
    async fn begin_session(&mut self) {
        self.token.clear();
        self.signed_in_at = Instant::now();
        let mut answer = self.try_session().await;
        // An attempt without an answer may have used the signed message; its token is lost.
        while answer.is_repeated && answer.code() == "nonce_used" {
            answer = self.try_session().await;
        }
        assert!(answer.is_ok(), "{answer:?}");
        answer.body["jwt"].as_str().unwrap().clone_into(&mut self.token);
    }

    async fn try_session(&mut self) -> Answer {
        let user = self;
        let asked = json!({"address": user.address()});
        let data = user.settle(&Request::post("/api/v1/session/nonce", &asked)).await.body["data"].clone();
        let action = Action::SignIn(SignIn {
            ordinals_address: user.wallet.ordinals_address().to_string(),
            ordinals_public_key: user.wallet.public_key_hex(AddressKind::P2tr),
            payment_address: user.address(),
            payment_public_key: user.wallet.public_key_hex(AddressKind::P2wpkh),
        });
        let signed = user.sign(AddressKind::P2wpkh, action, &data);
        let mut body = user.wallet_fields();
        body["message"] = json!(signed.text);
        body["signature"] = json!(signed.signature);
        body["ordinal_signature"] = json!(user.wallet.sign_bip322(AddressKind::P2tr, &signed.text).unwrap());
        user.settle(&Request::post("/api/v1/session", &body)).await
    }

    /// Begins another session before the token of this one expires.
    pub async fn renew_session(&mut self) {
        if self.signed_in_at.elapsed() > SESSION_MAX {
            self.begin_session().await;
        }
    }

    pub fn address(&self) -> String {
        self.wallet.payment_address().to_string()
    }

    pub fn wallet_fields(&self) -> Value {
        json!({
            "wallet": "test", "hardware_wallet": false,
            "payment_address": self.address(), "payment_pubkey": self.wallet.public_key_hex(AddressKind::P2wpkh),
            "ordinal_address": self.wallet.ordinals_address().to_string(),
            "ordinal_pubkey": self.wallet.public_key_hex(AddressKind::P2tr),
        })
    }

    /// Sends a request once, to any node; `None` without an answer.
    pub async fn attempt(&mut self, request: &Request<'_>) -> Option<Answer> {
        let node = self.rng.random_range(0..NODES);
        self.attempt_at(node, request).await
    }

    /// The same to one node.
    pub async fn attempt_at(&self, node: usize, request: &Request<'_>) -> Option<Answer> {
        let mut sent = self.http.request(request.method.clone(), format!("{}{}", base(node), request.path));
        if !self.token.is_empty() {
            sent = sent.bearer_auth(&self.token);
        }
        if let Some(body) = request.body {
            sent = sent.json(body);
        }
        if !request.key.is_empty() {
            sent = sent.header("idempotency-key", request.key);
        }
        let seen = self.position.lock().unwrap().clone();
        if let Some(position) = seen {
            sent = sent.header(POSITION, position);
        }
        let began_at = Instant::now();
        let response = sent.send().await.ok()?;
        let status = response.status().as_u16();
        let position = response.headers().get(POSITION).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = response.json().await.ok()?;
        if let Some(position) = position {
            self.see(position, node);
        }
        Some(Answer { status, body, began_at, is_repeated: false })
    }

    /// Notes the position of an answer, which must not be before one that this session has seen.
    fn see(&self, position: String, node: usize) {
        let number = |text: &str| text.split_once('.').and_then(|(_, number)| number.parse::<u64>().ok());
        let mut seen = self.position.lock().unwrap();
        if let Some(before) = seen.as_deref().filter(|before| number(before) > number(&position)) {
            self.record.violation(&format!("node{node} answers from {position} a session that has seen {before}"));
        }
        *seen = Some(position);
    }

    /// Repeats a request at any nodes until it has a definite answer.
    pub async fn settle(&mut self, request: &Request<'_>) -> Answer {
        let began_at = Instant::now();
        let mut is_repeated = false;
        loop {
            match self.attempt(request).await {
                Some(answer) if !is_transient(answer.code()) => return Answer { is_repeated, ..answer },
                last => {
                    is_repeated = true;
                    count(&self.record.figures.repeated);
                    if began_at.elapsed() > ANSWER_MAX {
                        let what = format!("{} has no definite answer: {last:?}", request.path);
                        self.record.violation(&what);
                        // The run is over.
                        std::future::pending::<()>().await;
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits a little, for as long as clients are to pause; returns whether to go on.
    pub async fn pause(&mut self) -> bool {
        let pause = self.rng.random_range(30..180);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        while self.record.is_calm.load(Ordering::SeqCst) && !self.record.is_over.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let goes_on = !self.record.is_over.load(Ordering::SeqCst);
        if goes_on {
            self.renew_session().await;
        }
        goes_on
    }

    /// Signs an action with a fresh nonce of an address.
    pub async fn sign_fresh(&mut self, kind: AddressKind, action: Action) -> Signed {
        let asked = json!({"address": self.wallet.address(kind).to_string()});
        let answer = self.settle(&Request::post("/api/v1/account/nonce", &asked)).await;
        assert!(answer.is_ok(), "{answer:?}");
        self.sign(kind, action, &answer.body["data"])
    }

    fn sign(&self, kind: AddressKind, action: Action, data: &Value) -> Signed {
        let issued_s = data["issued"].as_u64().unwrap();
        let envelope = Envelope {
            domain: data["domain"].as_str().unwrap().to_owned(),
            network: Network::Regtest,
            address: self.wallet.address(kind).to_string(),
            nonce: data["nonce"].as_str().unwrap().to_owned(),
            issued_s,
            expires_s: data["expires"].as_u64().unwrap(),
        };
        let text = ActionMessage::new(action, envelope).unwrap().to_text();
        let signature = self.wallet.sign_bip322(kind, &text).unwrap();
        Signed { text, signature, issued_s }
    }
}

/// A signed message.
pub struct Signed {
    pub text: String,
    pub signature: String,
    pub issued_s: u64,
}
