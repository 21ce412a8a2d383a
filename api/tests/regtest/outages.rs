//! Tests of the server while the node or the indexer is unavailable.

use std::time::{Duration, Instant};

use domain::LoanStage;
use serde_json::json;

use super::fixture::{MarketFixture, PRINCIPAL_SATS, TIMEOUT};
use super::users::{BORROWER, addresses};
use testkit::world::World as _;

#[actix_web::test]
async fn while_the_node_is_down_no_outcome_is_recorded_and_afterwards_the_server_catches_up() {
    let fixture = MarketFixture::new().await;
    let frog = fixture.frog().await;
    let (loan, txid) = fixture.sent(frog).await;
    fixture.world.stop_node().await;
    fixture.until_chain(503).await;
    let again = fixture.lender.get(&fixture.rig, &format!("/api/v1/loans/{loan}/countersignature")).await;
    again.refused(409, "loan_stage");
    let other = fixture.lender.quote(&fixture.rig, "paper-frogs-7d", PRINCIPAL_SATS, 1).await;
    let request_body = json!({"offerId": other[0], "inscriptionId": frog.to_string(), "feeRate": 3});
    let request_body = addresses(&fixture.borrower, request_body);
    let prepare = async || fixture.borrower.post(&fixture.rig, "/api/v1/loans/manual/prepare", &request_body).await;
    let answer = prepare().await;
    answer.refused(503, "node_unavailable");
    assert!(answer.headers.contains_key("retry-after"));
    // The watcher polls every second.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(fixture.state(&fixture.borrower, &loan).await, "ACTIVATING");
    fixture.rig.get("/health/live").await.ok();
    // Its mempool is empty, and the server broadcasts the transaction again.
    fixture.world.start_node().await;
    fixture.until_in_mempool(&txid).await;
    fixture.until_chain(200).await;
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Active]).await;

    let repaid = fixture.repay(&loan).await;
    fixture.world.stop_node().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(fixture.state(&fixture.lender, &loan).await, "REPAYING");
    let asked = json!({"loanIds": [loan], "feeRate": 3});
    let answer = fixture.borrower.post(&fixture.rig, "/api/v1/loans/repayment/prepare", &asked).await;
    answer.refused(503, "node_unavailable");
    fixture.world.start_node().await;
    fixture.until_in_mempool(&repaid).await;
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Repaid]).await;
    assert!(fixture.owns_inscription(BORROWER, frog).await);
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn while_the_indexer_is_down_nothing_is_signed_and_signed_loans_proceed() {
    let fixture = MarketFixture::new().await;
    let (first, second) = (fixture.frog().await, fixture.frog().await);
    let (loan, _) = fixture.sent(first).await;
    fixture.world.stop_ord().await;
    let offers = fixture.lender.quote(&fixture.rig, "paper-frogs-7d", PRINCIPAL_SATS, 1).await;
    let request_body = json!({"offerId": offers[0], "inscriptionId": second.to_string(), "feeRate": 3});
    let request_body = addresses(&fixture.borrower, request_body);
    let prepare = async || fixture.borrower.post(&fixture.rig, "/api/v1/loans/manual/prepare", &request_body).await;
    prepare().await.refused(503, "indexer_unavailable");
    fixture.world.mine_without_indexing(3).await;
    fixture.until(&loan, &[LoanStage::Active]).await;
    let asked = json!({"loanIds": [loan], "feeRate": 3});
    let answer = fixture.borrower.post(&fixture.rig, "/api/v1/loans/repayment/prepare", &asked).await;
    answer.refused(503, "indexer_unavailable");
    fixture.world.start_ord().await;
    let begun = Instant::now();
    // The indexer may still be behind the node, or not have answered the server yet.
    while prepare().await.status == 503 {
        assert!(begun.elapsed() < TIMEOUT, "the indexer is back, and nothing is prepared");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    prepare().await.ok();
    fixture.repay(&loan).await;
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Repaid]).await;
    fixture.rig.server.stop().await;
}

impl MarketFixture {
    /// Waits until the chain's endpoint answers with this status.
    async fn until_chain(&self, status: u16) {
        let begun = Instant::now();
        loop {
            let answer = self.rig.get("/api/v1/chain").await;
            if answer.status.as_u16() == status {
                return;
            }
            assert!(begun.elapsed() < TIMEOUT, "{} {}", answer.status, answer.body);
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}
