//! The endpoints of the demo under `/api/v1/devnet`, implemented on a real chain: blocks, gifts and broadcasts; and
//! outages of upstream services.

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use bitcoin::consensus::encode::deserialize_hex;
use bitcoin::{Amount, Network, OutPoint, ScriptBuf, Transaction};
use engine::chain::Chain as _;
use escrow::address::WalletAddress;
use escrow::contract::assets::inscription::Inscription;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::spend::Spend;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::listings::{Operator, RUNE_GIFT_RAW, TICKER, TICKER_DECIMALS};
use crate::{TREASURER, now_seconds};
use testkit::custom_transaction::{CustomTransaction, pay};
use testkit::etcher::RUNE_COIN_SATS;
use testkit::inscriber::inscribe_at;
use testkit::real_world::CoreAndOrd;
use testkit::test_wallet::TestWallet;
use testkit::world::{World as _, confirm};

/// The amount of a coin with an inscription.
const POSTAGE_SATS: u64 = 10_000;
/// The fee of a gift of runes.
const FEE_SATS: u64 = 1_000;

/// The running endpoints.
pub struct DevnetApi {
    pub url: String,
    handle: ServerHandle,
}

struct ApiState {
    world: CoreAndOrd,
    market: String,
    http: reqwest::Client,
    operator: Operator,
    /// Coins with runes that have not been given away yet.
    runes: Mutex<Vec<Coin>>,
    is_deployed: Mutex<bool>,
}

#[derive(Deserialize)]
struct GiftRequest {
    collection_group_slug: Option<String>,
    amount: Option<String>,
    #[serde(default)]
    as_note: bool,
}

#[derive(Deserialize)]
struct BroadcastRequest {
    transaction: String,
}

impl DevnetApi {
    /// Listens on any port, for the users of a market.
    pub fn open(world: CoreAndOrd, market: String, operator: Operator, runes: Vec<Coin>) -> Self {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let (runes, is_deployed) = (Mutex::new(runes), Mutex::new(false));
        let state = web::Data::new(ApiState { world, market, http, operator, runes, is_deployed });
        let server = HttpServer::new(move || {
            App::new()
                .app_data(state.clone())
                .route("/faucet", web::post().to(give))
                .route("/mine", web::post().to(mine))
                .route("/broadcast", web::post().to(broadcast))
                .route("/upstreams/{name}/{act}", web::post().to(control))
        });
        let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", server.addrs()[0]);
        let running = server.run();
        let handle = running.handle();
        actix_web::rt::spawn(running);
        Self { url, handle }
    }

    pub async fn close(self) {
        self.handle.stop(false).await;
    }
}

/// Sends the requested gift to the caller of the market, and mines a block.
async fn give(state: web::Data<ApiState>, request: HttpRequest, request_body: web::Json<GiftRequest>) -> HttpResponse {
    let token = request.headers().get("authorization").unwrap().to_str().unwrap();
    let session = state.http.get(format!("{}/api/v1/session", state.market)).header("authorization", token);
    let session: Value = session.send().await.unwrap().json().await.unwrap();
    let script = |side: &str| {
        let address = session["addresses"][side]["address"].as_str().unwrap();
        WalletAddress::parse(address, Network::Regtest).unwrap().script_pubkey()
    };
    let gift = match request_body.collection_group_slug.as_deref() {
        None => state.sats(script("payment"), request_body.amount.as_deref().unwrap_or("5000000")).await,
        Some("lumenfall") => {
            state.brc20(script("ordinals"), request_body.amount.as_deref().unwrap(), request_body.as_note).await
        }
        Some("windmill-keepers") => state.rune(script("ordinals")).await,
        Some(collection) => state.inscription(script("ordinals"), collection).await,
    };
    HttpResponse::Ok().json(gift)
}

async fn mine(state: web::Data<ApiState>) -> HttpResponse {
    // The node uses a mock time that does not advance by itself.
    state.world.set_time(now_seconds()).await;
    state.world.mine(1).await;
    HttpResponse::Ok().json(json!({}))
}

async fn broadcast(state: web::Data<ApiState>, body: web::Json<BroadcastRequest>) -> HttpResponse {
    let transaction: Transaction = deserialize_hex(&body.transaction).unwrap();
    state.world.node().broadcast(std::slice::from_ref(&transaction)).await.unwrap();
    HttpResponse::Ok().json(json!({ "txid": transaction.compute_txid().to_string() }))
}

async fn control(state: web::Data<ApiState>, path: web::Path<(String, String)>) -> HttpResponse {
    let world = &state.world;
    match (path.0.as_str(), path.1.as_str()) {
        ("node", "stop") => world.stop_node().await,
        ("node", "start") => world.start_node().await,
        ("node", "freeze") => world.freeze_node(true).await,
        ("node", "thaw") => world.freeze_node(false).await,
        ("ord", "stop") => world.stop_ord().await,
        ("ord", "start") => world.start_ord().await,
        ("ord", "freeze") => world.freeze_ord(true).await,
        ("ord", "thaw") => world.freeze_ord(false).await,
        _ => return HttpResponse::NotFound().finish(),
    }
    HttpResponse::Ok().json(json!({}))
}

impl ApiState {
    async fn sats(&self, script: ScriptBuf, sats: &str) -> Value {
        let coin = self.world.fund(&script, Amount::from_sat(sats.parse().unwrap())).await;
        gift(coin, sats, None)
    }

    async fn inscription(&self, script: ScriptBuf, collection: &str) -> Value {
        let (id, _) = inscribe_at(&self.world, &text(collection), script, POSTAGE_SATS).await;
        self.operator.add_inscription(collection, id);
        gift(OutPoint::new(id.txid, 0), "1", Some(&id.to_string()))
    }

    async fn brc20(&self, script: ScriptBuf, raw: &str, as_note: bool) -> Value {
        let mut is_deployed = self.is_deployed.lock().await;
        if !*is_deployed {
            self.write(TestWallet::new(TREASURER).ordinals_script(), r#""op":"deploy","max":"21000000""#).await;
            *is_deployed = true;
        }
        let amount = whole(raw);
        let mut coin = self.write(script.clone(), &format!(r#""op":"mint","amt":"{amount}""#)).await;
        if as_note {
            coin = self.write(script, &format!(r#""op":"transfer","amt":"{amount}""#)).await;
        }
        gift(coin, raw, None)
    }

    async fn write(&self, script: ScriptBuf, operation: &str) -> OutPoint {
        let body = format!(r#"{{"p":"brc-20","tick":"{TICKER}",{operation}}}"#);
        let (id, _) = inscribe_at(&self.world, &text(&body), script, 546).await;
        OutPoint::new(id.txid, 0)
    }

    async fn rune(&self, script: ScriptBuf) -> Value {
        let coin = self.runes.lock().await.pop().expect("every coin of runes is given away");
        let moved = CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(script, RUNE_COIN_SATS - FEE_SATS)]);
        let moved = moved.signed(&[&TestWallet::new(TREASURER)], None);
        confirm(&self.world, &moved).await;
        gift(OutPoint::new(moved.compute_txid(), 0), &RUNE_GIFT_RAW.to_string(), None)
    }
}

fn text(body: &str) -> Inscription {
    Inscription { content_type: "text/plain;charset=utf-8".to_owned(), body: body.as_bytes().to_vec() }
}

/// Formats a gift like the demo's faucet.
fn gift(coin: OutPoint, amount: &str, inscription: Option<&str>) -> Value {
    json!({ "txid": coin.txid.to_string(), "vout": coin.vout, "amount": amount, "inscriptionId": inscription })
}

/// Converts raw units to whole tokens.
fn whole(raw: &str) -> u128 {
    let (raw, unit): (u128, u128) = (raw.parse().unwrap(), 10_u128.pow(TICKER_DECIMALS));
    assert_eq!(raw % unit, 0, "the tests give whole tokens");
    raw / unit
}
