//! Crash tests: the server is killed at random under load, again and again; acknowledged writes survive, and no write
//! is applied twice.

use std::collections::BTreeMap;
use std::time::Duration;

use bitcoin::Network;
use escrow::action::{Action, SignIn};
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::envelope::Envelope;
use escrow::wallet_key::WalletKey;
use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use super::process::{Served, prepare, run};

const KILLS: u32 = 25;
const LENDERS: u8 = 6;

/// Offers by id, with their principals.
pub type Offers = BTreeMap<String, u64>;

/// A lender with a wallet and a session.
pub struct TestUser {
    wallet: WalletKey,
    token: String,
    http: reqwest::Client,
}

/// The request that was in flight when the server died, with an unknown outcome.
enum InFlight {
    Create { key: String, principal: u64 },
    Cancel { id: String },
    Edit { id: String, principal: u64 },
}

impl TestUser {
    /// The timeout of each request.
    pub const TIMEOUT: Duration = Duration::from_mins(1);

    pub async fn sign_in(base: &str, wallet: WalletKey) -> Self {
        let client = reqwest::Client::builder().no_proxy().cookie_store(true).timeout(Self::TIMEOUT);
        let http = client.build().unwrap();
        let mut user = Self { wallet, token: String::new(), http };
        let address = user.address();
        let data = user.post(base, "/api/v1/session/nonce", &json!({"address": address}), "").await.unwrap().1;
        let data = &data["data"];
        let sign_in = SignIn {
            ordinals_address: user.wallet.ordinals_address().to_string(),
            ordinals_public_key: user.wallet.public_key_hex(AddressKind::P2tr),
            payment_address: address.clone(),
            payment_public_key: user.wallet.public_key_hex(AddressKind::P2wpkh),
        };
        let envelope = Envelope {
            domain: data["domain"].as_str().unwrap().to_owned(),
            network: Network::Regtest,
            address,
            nonce: data["nonce"].as_str().unwrap().to_owned(),
            issued_s: data["issued"].as_u64().unwrap(),
            expires_s: data["expires"].as_u64().unwrap(),
        };
        let text = ActionMessage::new(Action::SignIn(sign_in), envelope).unwrap().to_text();
        let signature = user.wallet.sign_bip322(AddressKind::P2wpkh, &text).unwrap();
        let mut body = user.wallet_fields();
        body["message"] = json!(text);
        body["signature"] = json!(signature);
        body["ordinal_signature"] = json!(user.wallet.sign_bip322(AddressKind::P2tr, &text).unwrap());
        let (status, answer) = user.post(base, "/api/v1/session", &body, "").await.unwrap();
        assert_eq!(status, 200, "{answer}");
        user.token = answer["jwt"].as_str().unwrap().into();
        user
    }

    pub fn address(&self) -> String {
        self.wallet.payment_address().to_string()
    }

    fn wallet_fields(&self) -> Value {
        json!({
            "wallet": "test", "hardware_wallet": false,
            "payment_address": self.address(), "payment_pubkey": self.wallet.public_key_hex(AddressKind::P2wpkh),
            "ordinal_address": self.wallet.ordinals_address().to_string(),
            "ordinal_pubkey": self.wallet.public_key_hex(AddressKind::P2tr),
        })
    }

    /// `None` when the server hung up before it had answered.
    async fn post(&self, base: &str, path: &str, body: &Value, key: &str) -> Option<(u16, Value)> {
        let mut request = self.http.post(format!("{base}{path}")).bearer_auth(&self.token).json(body);
        if !key.is_empty() {
            request = request.header("idempotency-key", key);
        }
        Self::answer(request).await
    }

    async fn answer(request: reqwest::RequestBuilder) -> Option<(u16, Value)> {
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        Some((status, response.json().await.ok()?))
    }

    /// The id of the new offer; otherwise the error code, or `None` when the server died.
    pub async fn create(&self, base: &str, principal: u64, key: &str) -> Result<String, Option<String>> {
        let mut item = self.wallet_fields();
        item["collection_slug"] = json!("paper-frogs-7d");
        item["principal_amount"] = json!(principal);
        item["quantity"] = json!(1);
        match self.post(base, "/api/v1/offers/manual", &json!({"offers": [item]}), key).await {
            None => Err(None),
            Some((201, answer)) => Ok(answer["offers"][0]["offerId"].as_str().unwrap().to_owned()),
            Some((_, answer)) => Err(Some(answer["code"].as_str().unwrap_or_default().to_owned())),
        }
    }

    async fn cancel(&self, base: &str, id: &str) -> Option<()> {
        let (_, answer) = self.request_cancel(base, id).await?;
        assert_eq!(answer["results"][0]["ok"], true, "{answer}");
        Some(())
    }

    /// The status and the answer to a cancellation; `None` when the server hung up before it had answered.
    pub async fn request_cancel(&self, base: &str, id: &str) -> Option<(u16, Value)> {
        self.post(base, "/api/v1/offers/manual/cancel", &json!({"offerIds": [id]}), "").await
    }

    async fn edit(&self, base: &str, id: &str, principal: u64) -> Option<String> {
        let url = format!("{base}/api/v1/offers/manual/{id}");
        let request = self.http.patch(url).bearer_auth(&self.token).json(&json!({"principal_amount": principal}));
        let (status, answer) = Self::answer(request).await?;
        assert_eq!(status, 200, "{answer}");
        Some(answer["offer"]["offerId"].as_str().unwrap().to_owned())
    }

    /// A ticket for the socket of the feed.
    pub async fn feed_ticket(&self, base: &str) -> String {
        let (status, answer) = self.post(base, "/api/v1/feed/ticket", &json!({}), "").await.unwrap();
        assert_eq!(status, 200, "{answer}");
        answer["ticket"].as_str().unwrap().to_owned()
    }

    /// The offers of this lender, as the server reports them.
    pub async fn offers(&self, base: &str) -> Offers {
        self.try_offers(base).await.unwrap()
    }

    /// The same; `None` when the server hung up before it had answered.
    pub async fn try_offers(&self, base: &str) -> Option<Offers> {
        let (mut offers, mut cursor) = (Offers::new(), String::new());
        loop {
            let url = format!("{base}/api/v1/offers?limit=100{cursor}");
            let (status, page) = Self::answer(self.http.get(url).bearer_auth(&self.token)).await?;
            assert_eq!(status, 200, "{page}");
            for offer in page["data"].as_array().unwrap() {
                let id = offer["offerId"].as_str().unwrap().to_owned();
                offers.insert(id, offer["principal"].as_u64().unwrap());
            }
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return Some(offers),
            }
        }
    }

    pub async fn vault_sats(&self, base: &str) -> u64 {
        let request = self.http.get(format!("{base}/api/v1/vault")).bearer_auth(&self.token);
        Self::answer(request).await.unwrap().1["balanceSats"].as_u64().unwrap()
    }

    /// Writes until the server dies; returns the request with the unknown outcome.
    async fn write_until_killed(
        &self,
        base: &str,
        expected: &mut Offers,
        rng: &mut StdRng,
        done: &mut u64,
    ) -> InFlight {
        loop {
            let principal = rng.random_range(30_000..900_000);
            let chosen = expected.keys().nth(rng.random_range(0..expected.len().max(1))).cloned();
            // Above 150 offers, lenders only cancel, so that the book stays far from its limits.
            let act = if expected.len() > 150 { 0 } else { rng.random_range(0..10) };
            match (act, chosen) {
                (0..3, Some(id)) => match self.cancel(base, &id).await {
                    Some(()) => assert!(expected.remove(&id).is_some()),
                    None => return InFlight::Cancel { id },
                },
                (3..5, Some(id)) => match self.edit(base, &id, principal).await {
                    Some(new_id) => {
                        expected.remove(&id);
                        expected.insert(new_id, principal);
                    }
                    None => return InFlight::Edit { id, principal },
                },
                _ => {
                    let key = format!("{:016x}", rng.next_u64());
                    match self.create(base, principal, &key).await {
                        Ok(id) => assert_eq!(expected.insert(id, principal), None),
                        Err(None) => return InFlight::Create { key, principal },
                        Err(Some(code)) => panic!("refused: {code}"),
                    }
                }
            }
            *done += 1;
        }
    }

    /// Compares the server's state after its restart with the writes that it acknowledged before its death.
    async fn reconcile(&self, base: &str, expected: &mut Offers, in_flight: InFlight) {
        let actual = self.offers(base).await;
        let extra: Vec<_> = actual.iter().filter(|(id, _)| !expected.contains_key(*id)).collect();
        let missing: Vec<_> = expected.keys().filter(|id| !actual.contains_key(*id)).collect();
        for (id, principal) in expected.iter() {
            assert!(actual.get(id).is_none_or(|kept| kept == principal), "{id} has another principal");
        }
        match &in_flight {
            InFlight::Create { principal, key } => {
                assert!(missing.is_empty(), "acknowledged and lost: {missing:?}");
                match extra.as_slice() {
                    [] => {
                        let id = self.create(base, *principal, key).await.expect("it was not applied before");
                        expected.insert(id, *principal);
                    }
                    [(id, kept)] => {
                        assert_eq!(*kept, principal);
                        expected.insert((*id).clone(), *principal);
                        let again = self.create(base, *principal, key).await;
                        assert_eq!(again, Err(Some("idempotency_spent".to_owned())), "it was applied before");
                    }
                    _ => panic!("never requested: {extra:?}"),
                }
            }
            InFlight::Cancel { id } => {
                assert!(extra.is_empty(), "never requested: {extra:?}");
                assert!(missing.is_empty() || missing == [id], "acknowledged and lost: {missing:?}");
                if !missing.is_empty() {
                    expected.remove(id);
                }
            }
            InFlight::Edit { id, principal } => match (missing.as_slice(), extra.as_slice()) {
                ([], []) => {}
                ([gone], [(new_id, kept)]) => {
                    assert_eq!((*gone, *kept), (id, principal), "an edit is applied as a whole or not at all");
                    expected.insert((*new_id).clone(), *principal);
                    expected.remove(id);
                }
                _ => panic!("half an edit of {id}: missing {missing:?}, extra {extra:?}"),
            },
        }
        assert_eq!(self.offers(base).await, *expected);
    }
}

#[actix_web::test]
async fn every_acknowledged_write_survives_kills_at_random_moments() {
    let seed: u64 =
        std::env::var("LIENBOOK_CRASH_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(rand::random());
    println!("seed: LIENBOOK_CRASH_SEED={seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path()).await;
    // The default quotas, except that six lenders write as fast as they can.
    let settings = ["--set", "quotas.writes_per_minute=1000000"];

    let served = Served::start(folder.path(), &settings);
    let mut users = Vec::new();
    for number in 0..LENDERS {
        let wallet = WalletKey::from_seed([number + 1; 32], Network::Regtest).unwrap();
        users.push((TestUser::sign_in(&served.base, wallet).await, Offers::new(), StdRng::from_rng(&mut rng), 0_u64));
    }
    served.terminate();

    for kill in 0..KILLS {
        let served = Served::start(folder.path(), &settings);
        let base = served.base.clone();
        let lifetime = Duration::from_millis(rng.random_range(5..400));
        let writers =
            users.iter_mut().map(|(user, expected, rng, done)| user.write_until_killed(&base, expected, rng, done));
        let killer = async {
            tokio::time::sleep(lifetime).await;
            served.kill();
        };
        let (in_flight, ()) = tokio::join!(join_all(writers), killer);

        let served = Served::start(folder.path(), &settings);
        for ((user, expected, ..), in_flight) in users.iter_mut().zip(in_flight) {
            user.reconcile(&served.base, expected, in_flight).await;
        }
        println!("kill {kill} after {lifetime:?}: {} offers remain", users.iter().map(|it| it.1.len()).sum::<usize>());
        // Every other time the server, just verified, is killed while idle.
        if kill % 2 == 0 { served.kill() } else { served.terminate() }
    }
    let writes: u64 = users.iter().map(|it| it.3).sum();
    println!("{writes} writes were acknowledged before {KILLS} kills");
    assert!(writes > u64::from(KILLS), "too few writes were made");
    let checked = run(&["check", "--data", folder.path().to_str().unwrap()]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
