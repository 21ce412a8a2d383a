//! Tests of loans that are not repaid.

use domain::LoanStage;
use serde_json::json;

use super::people::{BORROWER, LENDER, sign};
use super::stage::{DAY, POSTAGE_SATS, Stage, now_seconds};
use super::worlds::person::Person;
use super::worlds::real_world::CoreAndOrd;
use super::worlds::world::World as _;

impl Stage {
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
    let fixture = Stage::late().await;
    let frog = fixture.frog().await;
    let (loan, _) = fixture.begun(frog).await;
    fixture.until(&loan, &[LoanStage::Expired]).await;
    assert_eq!(fixture.state(&fixture.lender, &loan).await, "DEFAULTED");
    let before = [fixture.purse(LENDER).await, fixture.purse(BORROWER).await];
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
    let claim = fixture.mined(&sent["transactionId"]).await;
    assert!(fixture.is_home(LENDER, frog).await);
    let kept = fixture.held_by(&Person::new(LENDER).home()).await;
    assert_eq!(fixture.purse(LENDER).await + kept, before[0] + POSTAGE_SATS - fixture.fee(&claim).await);
    assert_eq!(fixture.purse(BORROWER).await, before[1], "the borrower keeps the money");
    fixture.rig.server.stop().await;
}
