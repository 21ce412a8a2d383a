//! The wallet of a simulated user and its session.

mod loan_requests;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use bitcoin::{Network, ScriptBuf};
use escrow::action::{Action, SignIn};
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::envelope::Envelope;
use escrow::wallet_key::WalletKey;
use reqwest::Method;
use serde_json::{Value, json};

use crate::action_counters::{ActionCounters, CountedAction};
use crate::api_client::{ApiClient, ApiResponse, Call, CallError};
use crate::wire::{NonceData, NonceResponse, OwnVaultResponse, ServerConfig, SessionResponse};

/// The error code that demands the token of a bot check.
const TOKEN_REQUIRED: &str = "turnstile_required";

/// The token that Cloudflare's published test keys issue.
const DUMMY_TOKEN: &str = "XXXX.DUMMY.TOKEN.XXXX";

/// The cookie that renews a session.
const REFRESH_COOKIE: &str = "lienbook_refresh";
/// The kind of the payment address.
const PAYMENT: AddressKind = AddressKind::P2wpkh;
/// The kind of the ordinals address.
const ORDINALS: AddressKind = AddressKind::P2tr;

/// A message that the wallet signed.
pub(crate) struct Signed {
    /// The text.
    pub(crate) message: String,
    /// The signature (BIP-322 simple).
    pub(crate) signature: String,
    /// The nonce in it.
    pub(crate) nonce: String,
    /// The time of signing, in Unix seconds.
    pub(crate) issued_s: u64,
}

/// A wallet that stays signed in.
pub(crate) struct WalletSession {
    client: Arc<ApiClient>,
    counters: Arc<ActionCounters>,
    config: Arc<ServerConfig>,
    /// The signer of the account's vault, or that of new ones.
    vault_signer: Option<String>,
    wallet: WalletKey,
    bearer: Option<String>,
    cookie: Option<String>,
    /// The prefix of the idempotency keys of all writes. It differs from run to run, since a server may remember keys.
    run: String,
    writes: u64,
}

impl WalletSession {
    /// Returns the wallet of `seed`. `run` distinguishes this run of the market from earlier ones.
    pub(crate) fn new(
        client: Arc<ApiClient>,
        counters: Arc<ActionCounters>,
        config: Arc<ServerConfig>,
        seed: [u8; 32],
        run: String,
    ) -> Result<Self, CallError> {
        let wallet = WalletKey::from_seed(seed, config.network).map_err(unsigned)?;
        let vault_signer = config.vault_signer_id.clone();
        Ok(Self { client, counters, config, vault_signer, wallet, bearer: None, cookie: None, run, writes: 0 })
    }

    /// The payment address, which signs and identifies the account.
    pub(crate) fn payment_address(&self) -> String {
        self.wallet.payment_address().to_string()
    }

    /// The script of the payment address.
    pub(crate) fn payment_script(&self) -> ScriptBuf {
        self.wallet.payment_address().script_pubkey()
    }

    /// The script of the ordinals address.
    pub(crate) fn ordinals_script(&self) -> ScriptBuf {
        self.wallet.ordinals_address().script_pubkey()
    }

    /// The network of all addresses.
    pub(crate) fn network(&self) -> Network {
        self.config.network
    }

    fn ordinals_address(&self) -> String {
        self.wallet.ordinals_address().to_string()
    }

    fn ordinals_public_key(&self) -> String {
        self.wallet.public_key_hex(ORDINALS)
    }

    /// The public key of the payment address.
    pub(crate) fn payment_public_key(&self) -> String {
        self.wallet.public_key_hex(PAYMENT)
    }

    /// The id of the vault signer, which messages about instant offers name.
    pub(crate) fn vault_signer(&self) -> &str {
        self.vault_signer.as_deref().unwrap_or_default()
    }

    /// Reads the id of the signer that holds the account's vault, which may be an earlier one than that of new vaults.
    pub(crate) async fn read_vault_signer(&mut self) -> Result<(), CallError> {
        let own: OwnVaultResponse = self.read("/api/v1/vaults/me").await?.read()?;
        self.vault_signer = own.canister_id;
        Ok(())
    }

    /// The fields that identify the wallet in requests.
    pub(crate) fn wallet_fields(&self) -> Value {
        json!({
            "wallet": "simulated",
            "hardware_wallet": false,
            "payment_address": self.payment_address(),
            "payment_pubkey": self.payment_public_key(),
            "ordinal_address": self.ordinals_address(),
            "ordinal_pubkey": self.ordinals_public_key(),
        })
    }

    /// Opens a session with a signature.
    pub(crate) async fn sign_in(&mut self) -> Result<(), CallError> {
        let body = json!({ "address": self.payment_address() });
        let answer = self.client.send(&Call::public(Method::POST, "/api/v1/session/nonce", Some(&body))).await?;
        let action = Action::SignIn(SignIn {
            ordinals_address: self.ordinals_address(),
            ordinals_public_key: self.ordinals_public_key(),
            payment_address: self.payment_address(),
            payment_public_key: self.payment_public_key(),
        });
        let signed = self.sign(PAYMENT, action, nonce_of(&answer)?)?;
        let mut body = self.wallet_fields();
        body["ordinal_signature"] = self.wallet.sign_bip322(ORDINALS, &signed.message).map_err(unsigned)?.into();
        body["message"] = signed.message.into();
        body["signature"] = signed.signature.into();
        let answer = self.client.send(&Call::public(Method::POST, "/api/v1/session", Some(&body))).await?;
        self.keep(&answer)?;
        self.counters.count(CountedAction::SignIn);
        Ok(())
    }

    /// Reads a resource of the account.
    pub(crate) async fn read(&mut self, path: &str) -> Result<ApiResponse, CallError> {
        self.send(Method::GET, path, None, None).await
    }

    /// Sends a write that takes effect once however often it is sent; adds the token of a bot check when the server
    /// demands one.
    pub(crate) async fn write(&mut self, method: Method, path: &str, body: &Value) -> Result<ApiResponse, CallError> {
        self.writes += 1;
        let key = format!("{}-{}", self.run, self.writes);
        match self.send(method.clone(), path, Some(body), Some(&key)).await {
            Err(CallError::Refused { code, .. }) if code == TOKEN_REQUIRED => {
                let mut body = body.clone();
                body["cf_turnstile_response"] = DUMMY_TOKEN.into();
                self.send(method, path, Some(&body), Some(&key)).await
            }
            answered => answered,
        }
    }

    /// Signs an action with a fresh nonce, by the payment address.
    pub(crate) async fn signed(&mut self, action: Action) -> Result<Signed, CallError> {
        self.signed_by(PAYMENT, action).await
    }

    /// Opens the account's vault, signed by the ordinals address; returns `false` if the market has no vault signer.
    pub(crate) async fn open_vault(&mut self) -> Result<bool, CallError> {
        let Some(vault) = self.config.vault_signer_id.clone() else { return Ok(false) };
        let action = Action::OpenVault { payment_address: self.payment_address(), vault: vault.clone() };
        let signed = self.signed_by(ORDINALS, action).await?;
        let body = json!({
            "canister_id": vault,
            "signature": signed.signature,
            "signature_timestamp": signed.issued_s,
            "message": signed.message,
        });
        self.write(Method::POST, "/api/v1/vaults", &body).await?;
        Ok(true)
    }

    async fn signed_by(&mut self, kind: AddressKind, action: Action) -> Result<Signed, CallError> {
        let body = json!({ "address": self.wallet.address(kind).to_string() });
        let answer = self.send(Method::POST, "/api/v1/account/nonce", Some(&body), None).await?;
        self.sign(kind, action, nonce_of(&answer)?)
    }

    /// Sends a request with the session's token; when the session has ended, renews it and sends the request once more.
    async fn send(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        idempotency_key: Option<&str>,
    ) -> Result<ApiResponse, CallError> {
        if self.bearer.is_none() {
            self.renew().await?;
        }
        match self.send_once(method.clone(), path, body, idempotency_key).await {
            Err(CallError::SignedOut(_)) => {
                self.renew().await?;
                self.send_once(method, path, body, idempotency_key).await
            }
            other => other,
        }
    }

    async fn send_once(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        idempotency_key: Option<&str>,
    ) -> Result<ApiResponse, CallError> {
        let call = Call { method, path, body, bearer: self.bearer.as_deref(), cookie: None, idempotency_key };
        self.client.send(&call).await
    }

    /// Renews the session with the cookie, or opens a new one when the cookie is refused.
    async fn renew(&mut self) -> Result<(), CallError> {
        self.bearer = None;
        if let Some(cookie) = self.cookie.take() {
            let mut call = Call::public(Method::POST, "/api/v1/session/refresh", None);
            call.cookie = Some(&cookie);
            match self.client.send(&call).await {
                Ok(answer) => {
                    self.counters.count(CountedAction::RefreshOutcome);
                    return self.keep(&answer);
                }
                Err(CallError::SignedOut(_) | CallError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.sign_in().await
    }

    fn keep(&mut self, answer: &ApiResponse) -> Result<(), CallError> {
        self.bearer = Some(answer.read::<SessionResponse>()?.jwt);
        self.cookie = answer.cookie(REFRESH_COOKIE);
        Ok(())
    }

    fn sign(&self, kind: AddressKind, action: Action, nonce: NonceData) -> Result<Signed, CallError> {
        let envelope = Envelope {
            domain: nonce.domain,
            network: self.config.network,
            address: self.wallet.address(kind).to_string(),
            nonce: nonce.nonce.clone(),
            issued_s: nonce.issued,
            expires_s: nonce.expires,
        };
        let message = ActionMessage::new(action, envelope).map_err(unsigned)?.to_text();
        let signature = self.wallet.sign_bip322(kind, &message).map_err(unsigned)?;
        Ok(Signed { message, signature, nonce: nonce.nonce, issued_s: nonce.issued })
    }
}

fn nonce_of(answer: &ApiResponse) -> Result<NonceData, CallError> {
    answer.read::<NonceResponse>()?.data.ok_or_else(|| CallError::Unsigned("the server gave no nonce".to_owned()))
}

fn unsigned(error: impl std::fmt::Display) -> CallError {
    CallError::Unsigned(error.to_string())
}
