//! What somebody can lend from their own wallet, as they see it.

use devnet::{DemoMarket, Pace};
use reqwest::Method;
use serde_json::json;

use super::lender::Lender;
use super::rig::Rig;

const FUNDS: &str = "/api/v1/me/funds";

#[actix_web::test]
async fn somebody_sees_what_they_can_lend_once_it_has_a_block() {
    let market = DemoMarket::new(7).with_lenders(0, Pace::LIVELY);
    let rig = Rig::start_demo(market, |settings| settings.demo_block_seconds = 3_600).await;
    let lender = Lender::sign_in(&rig, 1).await;
    assert_eq!(lender.get(&rig, FUNDS).await.ok(), json!({"freeSats": 0}));
    for amount in ["2000000", "500000"] {
        lender.post(&rig, "/api/v1/devnet/faucet", &json!({"amount": amount})).await.ok();
    }
    // Whatever stands on an inscription pays for nothing.
    lender.post(&rig, "/api/v1/devnet/faucet", &json!({"collection_group_slug": "hollow-kings"})).await.ok();
    assert_eq!(lender.get(&rig, FUNDS).await.ok(), json!({"freeSats": 0}), "what waits for a block is not there yet");
    rig.send(rig.request(Method::POST, "/api/v1/devnet/mine")).await.ok();
    assert_eq!(lender.get(&rig, FUNDS).await.ok(), json!({"freeSats": 2_500_000}));
    let stranger = Lender::sign_in(&rig, 2).await;
    assert_eq!(stranger.get(&rig, FUNDS).await.ok(), json!({"freeSats": 0}));
    rig.get(FUNDS).await.refused(401, "unauthenticated");
    rig.server.stop().await;
}
