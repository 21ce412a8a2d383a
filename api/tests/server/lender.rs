//! A user with a wallet and a session.

use std::cell::OnceCell;

use bitcoin::Network;
use domain::{Sats, UserId};
use escrow::action::{Action, InstantTerms, NewOffer, OfferProcess, SignIn};
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::envelope::Envelope;
use escrow::wallet_key::WalletKey;
use reqwest::Method;
use serde_json::{Value, json};

use super::rig::{Answer, Rig};

pub struct TestUser {
    pub wallet: WalletKey,
    pub kind: AddressKind,
    pub id: UserId,
    pub token: String,
    pub cookie: String,
    /// The vault's address, once it is open.
    vault: OnceCell<String>,
}

/// A signed message.
#[derive(Clone)]
pub struct Signed {
    pub text: String,
    pub signature: String,
    pub issued_s: u64,
    pub nonce: String,
}

impl TestUser {
    pub async fn sign_in(rig: &Rig, seed: u8) -> Self {
        Self::sign_in_with(rig, seed, AddressKind::P2wpkh).await
    }

    pub async fn sign_in_with(rig: &Rig, seed: u8, kind: AddressKind) -> Self {
        let wallet = WalletKey::from_seed([seed; 32], Network::Regtest).unwrap();
        let mut user =
            Self { wallet, kind, id: UserId(0), token: String::new(), cookie: String::new(), vault: OnceCell::new() };
        let body = user.sign_in_body(rig).await;
        let answer = rig.post("/api/v1/session", &body).await;
        assert!(answer.status.is_success(), "{}", answer.body);
        let cookie = answer.headers["set-cookie"].to_str().unwrap();
        user.cookie = cookie.split(';').next().unwrap().into();
        user.token = answer.body["jwt"].as_str().unwrap().into();
        user.id = answer.body["userId"].as_str().unwrap().parse().unwrap();
        user
    }

    pub fn address(&self) -> String {
        self.wallet.address(self.kind).to_string()
    }

    /// A valid sign-in with a fresh nonce.
    pub async fn sign_in_body(&self, rig: &Rig) -> Value {
        let data = rig.post("/api/v1/session/nonce", &json!({"address": self.address()})).await.ok()["data"].clone();
        let signed = self.sign(Action::SignIn(self.wallet_fields()), &data);
        self.sign_in_request(&signed)
    }

    pub fn sign_in_request(&self, signed: &Signed) -> Value {
        let shown = self.wallet_fields();
        json!({
            "message": signed.text, "signature": signed.signature, "wallet": "test", "hardware_wallet": false,
            "ordinal_signature": self.wallet.sign_bip322(AddressKind::P2tr, &signed.text).unwrap(),
            "payment_address": shown.payment_address, "payment_pubkey": shown.payment_public_key,
            "ordinal_address": shown.ordinals_address, "ordinal_pubkey": shown.ordinals_public_key,
        })
    }

    pub fn wallet_fields(&self) -> SignIn {
        SignIn {
            ordinals_address: self.wallet.ordinals_address().to_string(),
            ordinals_public_key: self.wallet.public_key_hex(AddressKind::P2tr),
            payment_address: self.address(),
            payment_public_key: self.wallet.public_key_hex(self.kind),
        }
    }

    /// Signs an action with the fields of a nonce response, by the payment address.
    pub fn sign(&self, action: Action, data: &Value) -> Signed {
        self.sign_by(self.kind, action, data)
    }

    /// The same by either address.
    pub fn sign_by(&self, kind: AddressKind, action: Action, data: &Value) -> Signed {
        let nonce = data["nonce"].as_str().unwrap().to_owned();
        let issued_s = data["issued"].as_u64().unwrap();
        let envelope = Envelope {
            domain: data["domain"].as_str().unwrap().to_owned(),
            network: data["network"].as_str().unwrap().parse().unwrap(),
            address: self.wallet.address(kind).to_string(),
            nonce: nonce.clone(),
            issued_s,
            expires_s: data["expires"].as_u64().unwrap(),
        };
        let text = ActionMessage::new(action, envelope).unwrap().to_text();
        let signature = self.wallet.sign_bip322(kind, &text).unwrap();
        Signed { text, signature, issued_s, nonce }
    }

    pub async fn nonce(&self, rig: &Rig) -> Value {
        self.post(rig, "/api/v1/account/nonce", &json!({"address": self.address()})).await.ok()["data"].clone()
    }

    /// Signs an action with a fresh nonce.
    pub async fn sign_fresh(&self, rig: &Rig, action: Action) -> Signed {
        let data = self.nonce(rig).await;
        self.sign(action, &data)
    }

    pub async fn send(&self, rig: &Rig, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let mut request = rig.request(method, path).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(body);
        }
        rig.send(request).await
    }

    pub async fn get(&self, rig: &Rig, path: &str) -> Answer {
        self.send(rig, Method::GET, path, None).await
    }

    pub async fn post(&self, rig: &Rig, path: &str, body: &Value) -> Answer {
        self.send(rig, Method::POST, path, Some(body)).await
    }

    /// A valid request to open the vault.
    pub async fn opening(&self, rig: &Rig) -> Value {
        let ordinals = json!({"address": self.wallet.ordinals_address().to_string()});
        let data = self.post(rig, "/api/v1/account/nonce", &ordinals).await.ok()["data"].clone();
        let vault = vault_signer(rig).await;
        let action = Action::OpenVault { payment_address: self.address(), vault: vault.clone() };
        let signed = self.sign_by(AddressKind::P2tr, action, &data);
        json!({"canister_id": vault, "signature": signed.signature, "signature_timestamp": signed.issued_s,
            "message": signed.text})
    }

    pub async fn open_vault(&self, rig: &Rig) -> Value {
        let body = self.opening(rig).await;
        let opened = self.post(rig, "/api/v1/vaults", &body).await.ok();
        let address = opened["vaultAddress"].as_str().unwrap().to_owned();
        assert_eq!(self.vault.get_or_init(|| address.clone()), &address);
        opened
    }

    /// Opens the vault, if it is not open, and credits it.
    pub async fn fund(&self, rig: &Rig, sats: u64) {
        if self.vault.get().is_none() {
            self.open_vault(rig).await;
        }
        rig.app().market.credit_vault(self.id, Sats::new(sats)).await.unwrap();
    }

    pub fn vault(&self) -> String {
        self.vault.get().cloned().unwrap_or_else(|| "not open".to_owned())
    }

    /// One item of a request for manual offers.
    pub fn item(&self, slug: &str, principal_sats: u64, quantity: u64) -> Value {
        let shown = self.wallet_fields();
        json!({
            "collection_slug": slug, "principal_amount": principal_sats, "wallet": "test", "quantity": quantity,
            "payment_address": shown.payment_address, "payment_pubkey": shown.payment_public_key,
            "ordinal_address": shown.ordinals_address, "ordinal_pubkey": shown.ordinals_public_key,
            "hardware_wallet": false,
        })
    }

    /// Creates manual offers and returns their ids.
    pub async fn quote(&self, rig: &Rig, slug: &str, principal_sats: u64, quantity: u64) -> Vec<String> {
        let body = json!({"offers": [self.item(slug, principal_sats, quantity)]});
        let created = self.post(rig, "/api/v1/offers/manual", &body).await.ok();
        created["offers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|offer| offer["offerId"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// The id of the vault signer from the public configuration.
pub async fn vault_signer(rig: &Rig) -> String {
    rig.get("/api/v1/config").await.ok()["vaultSignerId"].as_str().unwrap().to_owned()
}

/// The terms that a lender signs for an instant offer.
pub fn instant(slug: &str, principal_sats: u64, fungible_amount: Option<u128>, ltv_max: u32, vault: &str) -> NewOffer {
    let terms =
        InstantTerms { fungible_amount, accept_next_term: true, ..InstantTerms::plain(ltv_max, vault.to_owned()) };
    NewOffer { collection_slug: slug.to_owned(), principal_sats, process: OfferProcess::Instant(terms) }
}

/// The request for these signed terms.
pub fn instant_body(lender: &TestUser, offer: &NewOffer, signed: &Signed) -> Value {
    let OfferProcess::Instant(terms) = &offer.process else { panic!("not an instant offer") };
    let mut body = json!({
        "collection_slug": offer.collection_slug, "principal_amount_sats": offer.principal_sats,
        "ltv_max": terms.ltv_max, "signature": signed.signature, "signature_timestamp": signed.issued_s,
        "vault_address": lender.vault(), "accept_next_term": terms.accept_next_term, "message": signed.text,
    });
    if let Some(amount) = terms.fungible_amount {
        body["fungible_amount"] = json!(amount.to_string());
    }
    body
}
