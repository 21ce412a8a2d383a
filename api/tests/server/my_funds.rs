//! Tests of the funds that a user can lend from their own wallet.

use bitcoin::{Amount, Psbt, TxOut};
use devchain::EmbeddedChain;
use engine::chain::Chain as _;
use reqwest::Method;
use serde_json::json;
use simulator::{DemoMarket, Pace};

use super::lender::TestUser;
use super::rig::Rig;

const FUNDS: &str = "/api/v1/me/funds";

#[actix_web::test]
async fn a_user_sees_the_confirmed_funds_that_they_can_lend() {
    let market = DemoMarket::new(7).with_lenders(0, Pace::LIVELY);
    let rig = Rig::start_demo(market, |settings| settings.demo_block_seconds = 3_600).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    assert_eq!(lender.get(&rig, FUNDS).await.ok(), json!({"freeSats": 0}));
    for amount in ["2000000", "500000"] {
        lender.post(&rig, "/api/v1/devnet/faucet", &json!({"amount": amount})).await.ok();
    }
    // The output of an inscription is never spent as money.
    lender.post(&rig, "/api/v1/devnet/faucet", &json!({"collection_group_slug": "hollow-kings"})).await.ok();
    assert_eq!(lender.get(&rig, FUNDS).await.ok(), json!({"freeSats": 0}), "unconfirmed coins do not count");
    rig.send(rig.request(Method::POST, "/api/v1/devnet/mine")).await.ok();
    assert_eq!(lender.get(&rig, FUNDS).await.ok(), json!({"freeSats": 2_500_000}));
    let other_user = TestUser::sign_in(&rig, 2).await;
    assert_eq!(other_user.get(&rig, FUNDS).await.ok(), json!({"freeSats": 0}));
    rig.get(FUNDS).await.refused(401, "unauthenticated");
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_exact_coin_is_split_off_and_paid_to_the_lender() {
    let chain = EmbeddedChain::new(1_800_000_000).unwrap();
    let rig = Rig::start_on(chain.clone()).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let payment_script = lender.wallet.payment_address().script_pubkey();
    chain.fund(&payment_script, Amount::from_sat(1_000_000)).unwrap();
    let prepare = async |sats: u64| {
        lender.post(&rig, &format!("{FUNDS}/exact/prepare"), &json!({"sats": sats, "fee_rate": 1.5})).await
    };
    prepare(2_000_000).await.refused(422, "insufficient_funds");
    prepare(100).await.refused(422, "invalid_field");
    let prepared = prepare(100_650).await.ok();
    assert_eq!((&prepared["sats"], &prepared["address"]), (&json!(100_650), &json!(lender.address())));
    let unsigned = prepared["transactionBase64"].as_str().unwrap();
    let submit = async |psbt: String| lender.post(&rig, &format!("{FUNDS}/exact"), &json!({"signed_psbt": psbt})).await;
    let mut other: Psbt = unsigned.parse().unwrap();
    other.unsigned_tx.output[0].script_pubkey = lender.wallet.ordinals_address().script_pubkey();
    submit(lender.wallet.sign_psbt(&other.to_string()).unwrap()).await.refused(422, "psbt_other_transaction");
    let signed = lender.wallet.sign_psbt(unsigned).unwrap();
    let sent = submit(signed.clone()).await;
    assert_eq!(sent.status, 201, "{}", sent.body);
    assert_eq!(submit(signed).await.ok(), sent.body, "the same again");
    chain.mine(1).unwrap();
    let made = chain.transaction(sent.body["transactionId"].as_str().unwrap().parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(made.transaction.output[0], TxOut { value: Amount::from_sat(100_650), script_pubkey: payment_script });
    let fee = prepared["feeSats"].as_u64().unwrap();
    assert_eq!(lender.get(&rig, FUNDS).await.ok(), json!({"freeSats": 1_000_000 - fee}));
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_lender_sees_which_coin_an_offer_against_brc20_needs_and_whether_it_exists() {
    let market = DemoMarket::new(7).with_lenders(0, Pace::LIVELY);
    let rig = Rig::start_demo(market, |settings| settings.demo_block_seconds = 3_600).await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let fund = async |amount: &str| {
        lender.post(&rig, "/api/v1/devnet/faucet", &json!({"amount": amount})).await.ok();
        rig.send(rig.request(Method::POST, "/api/v1/devnet/mine")).await.ok();
    };
    fund("2000000").await;
    let [token] = &lender.quote(&rig, "lumenfall-200", 100_000, 1).await[..] else { panic!("one offer") };
    let [picture] = &lender.quote(&rig, "quiet-moons-7d", 40_000, 1).await[..] else { panic!("one offer") };
    let path = |offer: &str| format!("{FUNDS}/exact/{offer}");
    let coin = async |offer: &str| lender.get(&rig, &path(offer)).await.ok();
    assert_eq!(coin(token).await, json!({"fundingSats": 100_650, "isThere": false}));
    assert_eq!(coin(picture).await, json!({"fundingSats": null, "isThere": true}));
    fund("100649").await;
    assert_eq!(coin(token).await["isThere"], json!(false), "one sat less is another coin");
    fund("100650").await;
    assert_eq!(coin(token).await["isThere"], json!(true));
    other.get(&rig, &path(token)).await.refused(403, "not_owner");
    lender.get(&rig, &path("of_e0000000999")).await.refused(404, "unknown_offer");
    lender.get(&rig, &path("nothing")).await.refused(404, "unknown_offer");
    rig.get(&path(token)).await.refused(401, "unauthenticated");
    rig.server.stop().await;
}
