//! One simulated lender.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use bitcoin::Network;
use escrow::{
    action::{Action, SignIn},
    action_message::ActionMessage,
    address::AddressKind,
    envelope::Envelope,
    wallet_key::WalletKey,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use super::places::Places;
use crate::latency::Latencies;

/// A lender cancels when there are more offers than this.
const OFFERS_MAX: usize = 20;
/// How long a lender waits who is told that there are too many requests.
const WAIT: Duration = Duration::from_secs(1);
const PAYMENT: AddressKind = AddressKind::P2wpkh;
const ORDINALS: AddressKind = AddressKind::P2tr;

/// What a lender asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    SignIn,
    Create,
    Edit,
    Cancel,
}

impl Deed {
    pub(super) const ALL: [Self; 4] = [Self::SignIn, Self::Create, Self::Edit, Self::Cancel];
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SignIn => "sign in",
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Cancel => "cancel",
        })
    }
}

/// What became of the requests of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    pub(super) latencies: Latencies,
    pub(super) refused: u64,
    pub(super) too_many: u64,
}

/// What became of all requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Diary([Page; 4]);

impl Diary {
    pub(super) fn page(&self, deed: Deed) -> &Page {
        &self.0[Self::place(deed)]
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (page, other) in self.0.iter_mut().zip(&other.0) {
            page.latencies.add(&other.latencies);
            page.refused += other.refused;
            page.too_many += other.too_many;
        }
    }

    fn page_mut(&mut self, deed: Deed) -> &mut Page {
        &mut self.0[Self::place(deed)]
    }

    fn place(deed: Deed) -> usize {
        Deed::ALL.iter().position(|other| *other == deed).expect("every deed is listed")
    }
}

/// A signed-in lender.
pub(super) struct Lender {
    http: Client,
    url: String,
    places: Arc<Places>,
    rng: ChaCha8Rng,
    wallet: Value,
    bearer: String,
    /// Own offers with the place where each stands.
    offers: Vec<(String, usize)>,
    diary: Diary,
}

fn text(value: &Value, field: &str) -> Result<String, String> {
    value[field].as_str().map(str::to_owned).ok_or_else(|| format!("the answer has no {field}: {value}"))
}

fn wallet_of(key: &WalletKey) -> Value {
    json!({
        "wallet": "simulated",
        "hardware_wallet": false,
        "payment_address": key.payment_address().to_string(),
        "payment_pubkey": key.public_key_hex(PAYMENT),
        "ordinal_address": key.ordinals_address().to_string(),
        "ordinal_pubkey": key.public_key_hex(ORDINALS),
    })
}

/// The signed sign-in message, as the server wants it.
fn signed(key: &WalletKey, wallet: &Value, nonce: &Value) -> Result<Value, String> {
    let action = Action::SignIn(SignIn {
        ordinals_address: text(wallet, "ordinal_address")?,
        ordinals_public_key: text(wallet, "ordinal_pubkey")?,
        payment_address: text(wallet, "payment_address")?,
        payment_public_key: text(wallet, "payment_pubkey")?,
    });
    let seconds = |field: &str| nonce[field].as_u64().ok_or_else(|| format!("the nonce has no {field}"));
    let envelope = Envelope {
        domain: text(nonce, "domain")?,
        network: Network::Regtest,
        address: text(wallet, "payment_address")?,
        nonce: text(nonce, "nonce")?,
        issued_s: seconds("issued")?,
        expires_s: seconds("expires")?,
    };
    let message = ActionMessage::new(action, envelope).map_err(|error| error.to_string())?.to_text();
    let signature = key.sign_bip322(PAYMENT, &message).map_err(|error| error.to_string())?;
    let mut body = wallet.clone();
    body["message"] = message.into();
    body["signature"] = signature.into();
    Ok(body)
}

impl Lender {
    /// Makes a wallet and signs in with it.
    pub(super) async fn sign_in(
        http: Client,
        url: String,
        places: Arc<Places>,
        seed: u64,
        number: usize,
        diary: &mut Diary,
    ) -> Result<Self, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(u64::try_from(number).map_err(|error| error.to_string())?);
        let key = WalletKey::from_seed(rng.random(), Network::Regtest).map_err(|error| error.to_string())?;
        let wallet = wallet_of(&key);
        let mut lender =
            Self { http, url, places, rng, wallet, bearer: String::new(), offers: Vec::new(), diary: Diary::default() };
        let start = Instant::now();
        let address = json!({ "address": text(&lender.wallet, "payment_address")? });
        let nonce = lender.must(Method::POST, "/api/v1/session/nonce", &address).await?;
        let body = signed(&key, &lender.wallet, &nonce["data"])?;
        let session = lender.must(Method::POST, "/api/v1/session", &body).await?;
        diary.page_mut(Deed::SignIn).latencies.record(start.elapsed());
        lender.bearer = text(&session, "jwt")?;
        Ok(lender)
    }

    /// Creates, edits and cancels, one request after the other.
    pub(super) async fn live(mut self, until: Instant) -> Diary {
        while Instant::now() < until {
            let deed = match (self.offers.len(), self.rng.random_range(0..10)) {
                (0, _) => Deed::Create,
                (OFFERS_MAX.., _) => Deed::Cancel,
                (_, 0..5) => Deed::Create,
                (_, 5..8) => Deed::Edit,
                _ => Deed::Cancel,
            };
            self.act(deed).await;
        }
        self.diary
    }

    async fn act(&mut self, deed: Deed) {
        let (method, path, body, place) = self.request(deed);
        let start = Instant::now();
        let answer = self.send(method, &path, &body).await;
        let elapsed = start.elapsed();
        match answer {
            Ok((status, answer)) if status.is_success() => {
                self.diary.page_mut(deed).latencies.record(elapsed);
                self.learn(deed, place, &answer);
            }
            Ok((StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE, _)) => {
                self.diary.page_mut(deed).too_many += 1;
                tokio::time::sleep(WAIT).await;
            }
            Ok(_) | Err(_) => {
                self.diary.page_mut(deed).refused += 1;
                // What the server refuses, somebody else may have taken; it is forgotten.
                if deed != Deed::Create && place < self.offers.len() {
                    self.offers.swap_remove(place);
                }
            }
        }
    }

    /// A request, and the offer or the place that it is about.
    fn request(&mut self, deed: Deed) -> (Method, String, Value, usize) {
        let count = if deed == Deed::Create { self.places.0.len() } else { self.offers.len() };
        let chosen = self.rng.random_range(0..count);
        match deed {
            Deed::SignIn | Deed::Create => {
                let mut item = self.wallet.clone();
                item["collection_slug"] = self.places.0[chosen].slug.clone().into();
                item["principal_amount"] = self.rng.random_range(self.places.0[chosen].principals.clone()).into();
                item["quantity"] = 1.into();
                (Method::POST, "/api/v1/offers/manual".to_owned(), json!({ "offers": [item] }), chosen)
            }
            Deed::Edit => {
                let (offer, place) = &self.offers[chosen];
                let principal = self.rng.random_range(self.places.0[*place].principals.clone());
                (
                    Method::PATCH,
                    format!("/api/v1/offers/manual/{offer}"),
                    json!({ "principal_amount": principal }),
                    chosen,
                )
            }
            Deed::Cancel => {
                let body = json!({ "offerIds": [self.offers[chosen].0] });
                (Method::POST, "/api/v1/offers/manual/cancel".to_owned(), body, chosen)
            }
        }
    }

    fn learn(&mut self, deed: Deed, place: usize, answer: &Value) {
        match deed {
            Deed::SignIn | Deed::Create => {
                let offers = answer["offers"].as_array().into_iter().flatten();
                self.offers.extend(offers.filter_map(|offer| Some((offer["offerId"].as_str()?.to_owned(), place))));
            }
            Deed::Edit => {
                if let Some(id) = answer["offer"]["offerId"].as_str() {
                    id.clone_into(&mut self.offers[place].0);
                }
            }
            Deed::Cancel => {
                self.offers.swap_remove(place);
            }
        }
    }

    async fn must(&self, method: Method, path: &str, body: &Value) -> Result<Value, String> {
        let (status, answer) = self.send(method, path, body).await?;
        if status.is_success() { Ok(answer) } else { Err(format!("{path} answers {status}: {answer}")) }
    }

    async fn send(&self, method: Method, path: &str, body: &Value) -> Result<(StatusCode, Value), String> {
        let mut request = self.http.request(method, format!("{}{path}", self.url)).json(body);
        if !self.bearer.is_empty() {
            request = request.bearer_auth(&self.bearer);
        }
        let response = request.send().await.map_err(|error| error.to_string())?;
        let status = response.status();
        let answer = response.json().await.unwrap_or(Value::Null);
        Ok((status, answer))
    }
}
