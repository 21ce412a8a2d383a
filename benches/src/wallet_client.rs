//! A client with a wallet and a session.

use bitcoin::Network;
use escrow::{
    action::{Action, SignIn},
    action_message::ActionMessage,
    address::AddressKind,
    envelope::Envelope,
    wallet_key::WalletKey,
};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

/// The kind of the payment address.
pub const PAYMENT: AddressKind = AddressKind::P2wpkh;
/// The kind of the ordinals address.
pub const ORDINALS: AddressKind = AddressKind::P2tr;

/// A signed-in user.
#[derive(Debug)]
pub struct WalletClient {
    http: Client,
    url: String,
    /// The wallet's keys.
    pub key: WalletKey,
    /// The wallet fields of requests.
    pub wallet: Value,
    bearer: String,
}

/// A signed message.
#[derive(Debug)]
pub struct Signed {
    /// The whole text.
    pub text: String,
    /// The signature.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    pub issued_s: u64,
}

/// Returns a string field of an answer.
///
/// # Errors
/// If it is missing.
pub fn text(value: &Value, field: &str) -> Result<String, String> {
    value[field].as_str().map(str::to_owned).ok_or_else(|| format!("the answer has no {field}: {value}"))
}

impl WalletClient {
    /// Derives a wallet from this seed and signs in with it.
    ///
    /// # Errors
    /// The server's error.
    pub async fn sign_in(http: Client, url: String, seed: [u8; 32]) -> Result<Self, String> {
        let key = WalletKey::from_seed(seed, Network::Regtest).map_err(|error| error.to_string())?;
        let wallet = json!({
            "wallet": "simulated",
            "hardware_wallet": false,
            "payment_address": key.payment_address().to_string(),
            "payment_pubkey": key.public_key_hex(PAYMENT),
            "ordinal_address": key.ordinals_address().to_string(),
            "ordinal_pubkey": key.public_key_hex(ORDINALS),
        });
        let mut client = Self { http, url, key, wallet, bearer: String::new() };
        let address = json!({ "address": text(&client.wallet, "payment_address")? });
        let nonce = client.post("/api/v1/session/nonce", &address).await?;
        let action = Action::SignIn(SignIn {
            ordinals_address: text(&client.wallet, "ordinal_address")?,
            ordinals_public_key: text(&client.wallet, "ordinal_pubkey")?,
            payment_address: text(&client.wallet, "payment_address")?,
            payment_public_key: text(&client.wallet, "payment_pubkey")?,
        });
        let signed = client.sign(PAYMENT, action, &nonce["data"])?;
        let mut body = client.wallet.clone();
        body["ordinal_signature"] =
            client.key.sign_bip322(ORDINALS, &signed.text).map_err(|error| error.to_string())?.into();
        body["message"] = signed.text.into();
        body["signature"] = signed.signature.into();
        let session = client.post("/api/v1/session", &body).await?;
        client.bearer = text(&session, "jwt")?;
        Ok(client)
    }

    /// Signs an action with the nonce from an answer, by one of the addresses.
    ///
    /// # Errors
    /// If the answer is not a nonce.
    pub fn sign(&self, kind: AddressKind, action: Action, nonce: &Value) -> Result<Signed, String> {
        let seconds = |field: &str| nonce[field].as_u64().ok_or_else(|| format!("the nonce has no {field}: {nonce}"));
        let envelope = Envelope {
            domain: text(nonce, "domain")?,
            network: Network::Regtest,
            address: self.key.address(kind).to_string(),
            nonce: text(nonce, "nonce")?,
            issued_s: seconds("issued")?,
            expires_s: seconds("expires")?,
        };
        let issued_s = envelope.issued_s;
        let text = ActionMessage::new(action, envelope).map_err(|error| error.to_string())?.to_text();
        let signature = self.key.sign_bip322(kind, &text).map_err(|error| error.to_string())?;
        Ok(Signed { text, signature, issued_s })
    }

    /// Signs an action with a new nonce.
    ///
    /// # Errors
    /// The server's error.
    pub async fn sign_fresh(&self, kind: AddressKind, action: Action) -> Result<Signed, String> {
        let address = json!({ "address": self.key.address(kind).to_string() });
        let nonce = self.post("/api/v1/account/nonce", &address).await?;
        self.sign(kind, action, &nonce["data"])
    }

    /// Requests a one-time ticket for the private channel.
    ///
    /// # Errors
    /// The server's error.
    pub async fn ticket(&self) -> Result<String, String> {
        text(&self.post("/api/v1/feed/ticket", &Value::Null).await?, "ticket")
    }

    /// Sends a POST request that must succeed.
    ///
    /// # Errors
    /// The server's error.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        let (status, answer) = self.send(Method::POST, path, body).await?;
        if status.is_success() { Ok(answer) } else { Err(format!("{path} answers {status}: {answer}")) }
    }

    /// Sends a GET request that must succeed.
    ///
    /// # Errors
    /// The server's error.
    pub async fn get(&self, path: &str) -> Result<Value, String> {
        let (status, answer) = self.send(Method::GET, path, &Value::Null).await?;
        if status.is_success() { Ok(answer) } else { Err(format!("{path} answers {status}: {answer}")) }
    }

    /// Sends a POST request with serialized JSON, and returns any answer.
    ///
    /// # Errors
    /// If there is no answer.
    pub async fn post_json(&self, path: &str, body: Vec<u8>) -> Result<(StatusCode, String), String> {
        let request = self.http.post(format!("{}{path}", self.url)).bearer_auth(&self.bearer);
        let response = request.header("content-type", "application/json").body(body).send().await;
        let response = response.map_err(|error| error.to_string())?;
        let status = response.status();
        Ok((status, response.text().await.map_err(|error| error.to_string())?))
    }

    /// Sends a request and returns any answer.
    ///
    /// # Errors
    /// If there is no answer.
    pub async fn send(&self, method: Method, path: &str, body: &Value) -> Result<(StatusCode, Value), String> {
        let mut request = self.http.request(method, format!("{}{path}", self.url));
        if !body.is_null() {
            request = request.json(body);
        }
        if !self.bearer.is_empty() {
            request = request.bearer_auth(&self.bearer);
        }
        let response = request.send().await.map_err(|error| error.to_string())?;
        let status = response.status();
        let answer = response.json().await.unwrap_or(Value::Null);
        Ok((status, answer))
    }
}
