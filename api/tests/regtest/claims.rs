//! Tests of loans that are not repaid.

use domain::LoanStage;
use serde_json::json;

use super::fixture::{DAY, MarketFixture, POSTAGE_SATS, now_seconds};
use super::users::{BORROWER, LENDER, sign};
use testkit::real_world::CoreAndOrd;
use testkit::test_wallet::TestWallet;
use testkit::world::World as _;

impl MarketFixture {
    /// A chain whose clock is eight days late: a term of seven days that begins there is over by the server's clock.
    pub async fn late() -> Self {
        Self::starting_at(now_seconds() - 8 * DAY).await
    }
}

/// Advances the chain's clock past the claim time of a loan that was prepared today.
pub async fn pass_claim_time(world: &CoreAndOrd) {
    world.set_time(now_seconds() + 9 * DAY).await;
    world.mine(11).await;
}

#[actix_web::test]
async fn the_lender_claims_the_collateral_only_after_the_chain_has_passed_the_claim_time() {
    let fixture = MarketFixture::late().await;
    let frog = fixture.frog().await;
    let (loan, _) = fixture.begun(frog).await;
    fixture.until(&loan, &[LoanStage::Expired]).await;
    assert_eq!(fixture.state(&fixture.lender, &loan).await, "DEFAULTED");
    let before = [fixture.balance(LENDER).await, fixture.balance(BORROWER).await];
    let path = format!("/api/v1/loans/{loan}/claim");
    let asked = json!({"feeRate": 3});
    let prepare = async || fixture.lender.post(&fixture.rig, &format!("{path}/prepare"), &asked).await;
    prepare().await.refused(409, "not_claimable");
    pass_claim_time(&fixture.world).await;
    let prepared = prepare().await.ok();
    let body = json!({"walletName": "test", "base64": sign(&fixture.lender, &prepared)});
    let sent = fixture.lender.post(&fixture.rig, &path, &body).await.ok();
    assert_eq!(fixture.lender.post(&fixture.rig, &path, &body).await.ok(), sent, "the same again");
    assert_eq!(fixture.state(&fixture.borrower, &loan).await, "CLAIMING");
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Claimed]).await;
    let claim = fixture.confirmed_transaction(&sent["transactionId"]).await;
    assert!(fixture.owns_inscription(LENDER, frog).await);
    let kept = fixture.sats_at(&TestWallet::new(LENDER).ordinals_script()).await;
    assert_eq!(fixture.balance(LENDER).await + kept, before[0] + POSTAGE_SATS - fixture.fee(&claim).await);
    assert_eq!(fixture.balance(BORROWER).await, before[1], "the borrower keeps the money");
    fixture.rig.server.stop().await;
}
