//! Tests of the demo's chain: the faucet's gifts, and the restart of the chain.

use std::fs;
use std::time::Duration;

use bitcoin::{OutPoint, ScriptBuf};
use domain::{GroupId, Inscription, Sats};
use engine::asset_index::{AssetIndex as _, Brc20Index as _, InscriptionId};
use engine::chain::Chain as _;
use escrow::address::AddressKind;
use lienbook::config::settings::Settings;
use lienbook::demo::devnet::Devnet;
use lienbook::server::Server;
use reqwest::Method;
use serde_json::{Value, json};
use simulator::{DemoGift, DemoMarket, GiveError, Pace};

use super::lender::TestUser;
use super::rig::{Answer, Rig};

const FAUCET: &str = "/api/v1/devnet/faucet";
const MINE: &str = "/api/v1/devnet/mine";
/// A block interval so long that a test mines every block itself.
const NEVER_S: u64 = 3_600;

fn demo() -> DemoMarket {
    DemoMarket::new(7).with_lenders(0, Pace::LIVELY)
}

async fn rig() -> Rig {
    Rig::start_demo(demo(), |settings| settings.demo_block_seconds = NEVER_S).await
}

fn chain(rig: &Rig) -> &Devnet {
    rig.server.demo().unwrap().devnet().unwrap()
}

async fn height(rig: &Rig) -> u32 {
    chain(rig).chain.tip().await.unwrap().height
}

async fn mine(rig: &Rig) -> Answer {
    rig.send(rig.request(Method::POST, MINE)).await
}

/// The outpoint of a gift.
fn outpoint(given: &Value) -> OutPoint {
    let vout = given["vout"].as_u64().unwrap().try_into().unwrap();
    OutPoint { txid: given["txid"].as_str().unwrap().parse().unwrap(), vout }
}

fn ordinals_script(visitor: &TestUser) -> ScriptBuf {
    visitor.wallet.coin_key(AddressKind::P2tr).script_pubkey()
}

#[actix_web::test]
async fn gifts_of_the_faucet_are_confirmed_by_the_next_block() {
    let rig = rig().await;
    let visitor = TestUser::sign_in(&rig, 1).await;
    let before = height(&rig).await;
    let ask = async |body: Value| visitor.post(&rig, FAUCET, &body).await.ok();
    let sats = ask(json!({})).await;
    assert_eq!(
        (sats["amount"].as_str(), sats["address"].as_str()),
        (Some("5000000"), Some(visitor.address().as_str()))
    );
    let more = ask(json!({"amount": "100000000"})).await;
    let picture = ask(json!({"collection_group_slug": "hollow-kings"})).await;
    let runes = ask(json!({"collection_group_slug": "midnight-grocery"})).await;
    assert_eq!(runes["amount"], "10000", "the smallest bundle");
    let balance = ask(json!({"collection_group_slug": "lumenfall", "amount": "1500000000000000000"})).await;
    let note = ask(json!({"collection_group_slug": "lumenfall", "as_note": true})).await;
    assert_eq!(height(&rig).await, before, "nothing is mined for a gift");
    let mined = mine(&rig).await.ok();
    assert_eq!(mined["height"].as_u64(), Some(u64::from(before) + 1));

    let chain = &chain(&rig).chain;
    assert_eq!(chain.tip().await.unwrap().hash.to_string(), mined["blockHash"].as_str().unwrap());
    let payment_script = visitor.wallet.coin_key(visitor.kind).script_pubkey();
    for (given, value) in [(&sats, 5_000_000), (&more, 100_000_000)] {
        let unspent = chain.unspent(outpoint(given)).await.unwrap().unwrap();
        assert_eq!((unspent.output.value.to_sat(), &unspent.output.script_pubkey), (value, &payment_script));
        assert!(chain.assets_in(outpoint(given)).await.unwrap().unwrap().is_plain());
    }
    for given in [&picture, &runes, &balance, &note] {
        assert_eq!(given["address"], visitor.wallet_fields().ordinals_address);
        assert_eq!(
            chain.unspent(outpoint(given)).await.unwrap().unwrap().output.script_pubkey,
            ordinals_script(&visitor)
        );
    }
    let id: InscriptionId = picture["inscriptionId"].as_str().unwrap().parse().unwrap();
    assert_eq!(chain.sat_point(id).await.unwrap(), Some((outpoint(&picture), bitcoin::Amount::ZERO)));
    let listed = Inscription { txid: bitcoin::hashes::Hash::to_byte_array(id.txid), index: id.index };
    let kings = rig.app().market.group_named("hollow-kings").unwrap().id;
    assert_eq!(rig.app().market.group_of_inscription(listed), Some(kings));
    let rune = chain.rune("MIDNIGHT•GROCERY".parse().unwrap()).await.unwrap().unwrap().id;
    assert_eq!(chain.assets_in(outpoint(&runes)).await.unwrap().unwrap().runes, [(rune, 10_000)]);
    let owned = chain.balance(&ordinals_script(&visitor), "lumn").await.unwrap();
    let whole = 1_000_000_000_000_000_000;
    assert_eq!((owned.available, owned.transferable), (3 * whole / 2, 200 * whole));
    let id = note["inscriptionId"].as_str().unwrap().parse().unwrap();
    assert!(
        chain.transfer_inscription(id).await.unwrap().is_some_and(|note| !note.is_used && note.amount == 200 * whole)
    );
    rig.server.stop().await;
}

#[actix_web::test]
async fn invalid_requests_are_refused_and_nothing_is_sent() {
    let rig = rig().await;
    let visitor = TestUser::sign_in(&rig, 1).await;
    for (request_body, status, code) in [
        (json!({"collection_group_slug": "nowhere"}), 404, "unknown_collection"),
        (json!({"amount": "999"}), 422, "invalid_field"),
        (json!({"amount": "100000001"}), 422, "invalid_field"),
        (json!({"amount": "1e6"}), 422, "invalid_field"),
        (json!({"amount": 5_000_000}), 422, "invalid_body"),
        (json!({"as_note": true}), 422, "invalid_field"),
        (json!({"collection_group_slug": "hollow-kings", "amount": "2"}), 422, "invalid_field"),
        (json!({"collection_group_slug": "hollow-kings", "as_note": true}), 422, "invalid_field"),
        (json!({"collection_group_slug": "midnight-grocery", "as_note": true}), 422, "invalid_field"),
        (json!({"collection_group_slug": "midnight-grocery", "amount": "0"}), 422, "invalid_field"),
        (json!({"collection_group_slug": "midnight-grocery", "amount": "1000001"}), 422, "invalid_field"),
        (json!({"collection_group_slug": "lumenfall", "amount": "-1"}), 422, "invalid_field"),
        (json!({"unknown": 1}), 422, "invalid_body"),
    ] {
        // A single visitor may not make that many requests in a minute.
        visitor.post(&rig, FAUCET, &request_body).await.refused(status, code);
    }
    rig.post(FAUCET, &json!({})).await.refused(401, "unauthenticated");
    assert!(chain(&rig).chain.mempool_txids().is_empty());
    let faucet = &chain(&rig).faucet;
    let (unknown, kings) = (GroupId(9_999), rig.app().market.group_named("hollow-kings").unwrap().id);
    for gift in [DemoGift::Runes(kings, 1), DemoGift::Balance(kings, 1), DemoGift::TransferInscription(kings, 1)] {
        assert_eq!(faucet.give(&ordinals_script(&visitor), gift).await, Err(GiveError::OtherKind(kings)));
    }
    let nothing = faucet.give(&ordinals_script(&visitor), DemoGift::Inscription(unknown)).await;
    assert_eq!(nothing, Err(GiveError::UnknownGroup(unknown)));
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_gifts_of_one_visitor_are_limited() {
    let rig = rig().await;
    let (visitor, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    for _ in 0..12 {
        visitor.post(&rig, FAUCET, &json!({"amount": "1000"})).await.ok();
    }
    let answer = visitor.post(&rig, FAUCET, &json!({"amount": "1000"})).await;
    answer.refused(429, "rate_limited");
    assert!(answer.headers.contains_key("retry-after"));
    other.post(&rig, FAUCET, &json!({"amount": "1000"})).await.ok();
    let devnet = chain(&rig);
    let mut now = rig.app().now();
    for _ in 12..200 {
        now = now.plus_ms(60_000);
        devnet.count_gift(visitor.id, now).unwrap();
    }
    let refused = devnet.count_gift(visitor.id, now.plus_ms(60_000)).unwrap_err();
    assert_eq!(refused.code().code(), "faucet_limit");
    devnet.count_gift(other.id, now).unwrap();
    for _ in 0..30 {
        mine(&rig).await.ok();
    }
    mine(&rig).await.refused(429, "rate_limited");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_gift_requested_twice_with_one_key_is_given_once() {
    let rig = rig().await;
    let visitor = TestUser::sign_in(&rig, 1).await;
    let mut given = Vec::new();
    for _ in 0..2 {
        let request = rig.request(Method::POST, FAUCET).bearer_auth(&visitor.token).header("idempotency-key", "a-gift");
        given.push(rig.send(request.json(&json!({}))).await.ok());
    }
    assert_eq!(given[0], given[1]);
    assert_eq!(chain(&rig).chain.mempool_txids().len(), 1);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_server_with_a_real_market_has_no_faucet() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.post(&rig, FAUCET, &json!({})).await.refused(404, "not_found");
    rig.post(FAUCET, &json!({})).await.refused(404, "not_found");
    mine(&rig).await.refused(404, "not_found");
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_demos_chain_and_its_gifts_survive_a_restart() {
    let rig = Rig::start_demo(demo(), |settings| settings.demo_block_seconds = NEVER_S).await;
    let visitor = TestUser::sign_in(&rig, 1).await;
    let confirmed = visitor.post(&rig, FAUCET, &json!({"collection_group_slug": "quiet-moons"})).await.ok();
    mine(&rig).await.ok();
    let waits = visitor.post(&rig, FAUCET, &json!({})).await.ok();
    let tip = chain(&rig).chain.tip().await.unwrap();
    let rig = rig.restart_demo(demo(), |settings| settings.demo_block_seconds = 1).await;
    let again = chain(&rig).chain.clone();
    let kept = again.block_hash(tip.height).await.unwrap();
    assert_eq!(kept, Some(tip.hash));
    assert_eq!(
        again.unspent(outpoint(&confirmed)).await.unwrap().unwrap().output.script_pubkey,
        ordinals_script(&visitor)
    );
    assert!(again.unspent(outpoint(&waits)).await.unwrap().is_some());
    // The server's clock advances, and median time past with it.
    let started = rig.app().now().seconds();
    for _ in 0..600 {
        let now = again.tip().await.unwrap();
        if now.height >= tip.height + 8 && u64::from(now.median_time_seconds) >= started {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let now = again.tip().await.unwrap();
    assert!(now.height >= tip.height + 8 && u64::from(now.median_time_seconds) >= started, "{now:?}");
    assert!(again.unspent(outpoint(&waits)).await.unwrap().unwrap().confirmations > 0);
    let Rig { server, folder, .. } = rig;
    let settings = server.app().settings.clone();
    server.stop().await;
    let stopped = again.tip().await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(again.tip().await.unwrap(), stopped, "mining has stopped");

    fs::remove_file(folder.path().join("demo.chain")).unwrap();
    let line = refusal(settings).await;
    assert!(line.contains("the chain of the market in") && line.contains("is not there"), "{line}");
    assert!(!folder.path().join("demo.chain").exists(), "no other chain replaces it");
}

async fn refusal(settings: Settings) -> String {
    let failure = Server::builder(settings).demo(Some(demo())).start().await.err().unwrap();
    assert_eq!(failure.lines().count(), 1, "{failure}");
    failure.to_string()
}

#[actix_web::test]
async fn a_demo_takes_no_other_chain_than_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let settings = super::rig::settings(&folder);
    let line = refusal(Settings { network: bitcoin::Network::Signet, ..settings.clone() }).await;
    assert!(line.contains("the demo's chain is regtest, and the setting network is signet"), "{line}");
    let line = refusal(Settings { node_url: Some("http://127.0.0.1:9".to_owned()), ..settings }).await;
    assert!(line.contains("leave the setting node_url out"), "{line}");
}

#[actix_web::test]
async fn sixty_users_are_funded_before_the_next_block() {
    let rig = rig().await;
    let faucet = &chain(&rig).faucet;
    let group = |slug: &str| rig.app().market.group_named(slug).unwrap().id;
    let (kings, grocery, lumen) = (group("hollow-kings"), group("midnight-grocery"), group("lumenfall"));
    let mut given = Vec::new();
    for seed in 1..=60 {
        let wallet = escrow::wallet_key::WalletKey::from_seed([seed; 32], bitcoin::Network::Regtest).unwrap();
        let script = wallet.coin_key(AddressKind::P2tr).script_pubkey();
        let mut gifts = vec![DemoGift::Coins(Sats::new(500_000_000)), DemoGift::Inscription(kings)];
        // The mempool takes as many gifts of one rune as the faucet has outputs of it.
        gifts.extend((seed <= 24).then_some(DemoGift::Runes(grocery, 50_000)));
        gifts.extend((seed <= 10).then_some(DemoGift::TransferInscription(lumen, 7)));
        for gift in gifts {
            given.push((script.clone(), faucet.give(&script, gift).await.unwrap().outpoint));
        }
    }
    mine(&rig).await.ok();
    for (script, outpoint) in given {
        assert_eq!(chain(&rig).chain.unspent(outpoint).await.unwrap().unwrap().output.script_pubkey, script);
    }
    rig.server.stop().await;
}
