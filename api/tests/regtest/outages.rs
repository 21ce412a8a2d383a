//! Tests of the server while the node or the indexer is unavailable.

use std::time::{Duration, Instant};

use domain::LoanStage;
use serde_json::json;

use super::people::{BORROWER, addresses};
use super::stage::{PATIENCE, PRINCIPAL_SATS, Stage};
use super::worlds::world::World as _;

#[actix_web::test]
async fn while_the_node_is_down_no_outcome_is_recorded_and_afterwards_the_server_catches_up() {
    let stage = Stage::new().await;
    let frog = stage.frog().await;
    let (loan, txid) = stage.sent(frog).await;
    stage.world.stop_node().await;
    stage.until_chain(503).await;
    let again = stage.lender.get(&stage.rig, &format!("/api/v1/loans/{loan}/countersignature")).await;
    again.refused(409, "loan_stage");
    let other = stage.lender.quote(&stage.rig, "paper-frogs-7d", PRINCIPAL_SATS, 1).await;
    let wish = json!({"offerId": other[0], "inscriptionId": frog.to_string(), "feeRate": 3});
    let wish = addresses(&stage.borrower, wish);
    let prepare = async || stage.borrower.post(&stage.rig, "/api/v1/loans/manual/prepare", &wish).await;
    let answer = prepare().await;
    answer.refused(503, "node_unavailable");
    assert!(answer.headers.contains_key("retry-after"));
    // The watcher polls every second.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(stage.state(&stage.borrower, &loan).await, "ACTIVATING");
    stage.rig.get("/health/live").await.ok();
    // Its mempool is empty, and the server broadcasts the transaction again.
    stage.world.start_node().await;
    stage.until_waiting(&txid).await;
    stage.until_chain(200).await;
    stage.world.mine(1).await;
    stage.until(&loan, &[LoanStage::Active]).await;

    let repaid = stage.repay(&loan).await;
    stage.world.stop_node().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(stage.state(&stage.lender, &loan).await, "REPAYING");
    let asked = json!({"loanIds": [loan], "feeRate": 3});
    let answer = stage.borrower.post(&stage.rig, "/api/v1/loans/repayment/prepare", &asked).await;
    answer.refused(503, "node_unavailable");
    stage.world.start_node().await;
    stage.until_waiting(&repaid).await;
    stage.world.mine(1).await;
    stage.until(&loan, &[LoanStage::Repaid]).await;
    assert!(stage.is_home(BORROWER, frog).await);
    stage.rig.server.stop().await;
}

#[actix_web::test]
async fn while_the_indexer_is_down_nothing_is_signed_and_signed_loans_proceed() {
    let stage = Stage::new().await;
    let (first, second) = (stage.frog().await, stage.frog().await);
    let (loan, _) = stage.sent(first).await;
    stage.world.stop_ord().await;
    let offers = stage.lender.quote(&stage.rig, "paper-frogs-7d", PRINCIPAL_SATS, 1).await;
    let wish = json!({"offerId": offers[0], "inscriptionId": second.to_string(), "feeRate": 3});
    let wish = addresses(&stage.borrower, wish);
    let prepare = async || stage.borrower.post(&stage.rig, "/api/v1/loans/manual/prepare", &wish).await;
    prepare().await.refused(503, "indexer_unavailable");
    stage.world.mine_unread(3).await;
    stage.until(&loan, &[LoanStage::Active]).await;
    let asked = json!({"loanIds": [loan], "feeRate": 3});
    let answer = stage.borrower.post(&stage.rig, "/api/v1/loans/repayment/prepare", &asked).await;
    answer.refused(503, "indexer_unavailable");
    stage.world.start_ord().await;
    prepare().await.ok();
    stage.repay(&loan).await;
    stage.world.mine(1).await;
    stage.until(&loan, &[LoanStage::Repaid]).await;
    stage.rig.server.stop().await;
}

impl Stage {
    /// Waits until the chain's endpoint answers with this status.
    async fn until_chain(&self, status: u16) {
        let begun = Instant::now();
        loop {
            let answer = self.rig.get("/api/v1/chain").await;
            if answer.status.as_u16() == status {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{} {}", answer.status, answer.body);
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}
