//! Tests of reorgs.

use domain::LoanStage;

use super::people::BORROWER;
use super::stage::Stage;
use super::worlds::world::{Fate, World as _};

#[actix_web::test]
async fn an_origination_and_a_repayment_in_disconnected_blocks_are_mined_again() {
    let stage = Stage::new().await;
    let frog = stage.frog().await;
    let (loan, begun) = stage.begun(frog).await;
    // First the transaction returns to the mempool, then the node has dropped it and the server broadcasts it again.
    for fate in [Fate::Wait, Fate::Forgotten] {
        stage.world.reorg(1, fate).await;
        stage.until(&loan, &[LoanStage::Broadcast]).await;
        assert!(stage.is_home(BORROWER, frog).await, "{fate:?}");
        stage.until_waiting(&begun).await;
        stage.world.mine(1).await;
        stage.until(&loan, &[LoanStage::Active]).await;
        assert!(!stage.is_home(BORROWER, frog).await, "{fate:?}");
    }
    let repaid = stage.repay(&loan).await;
    stage.world.mine(1).await;
    stage.until(&loan, &[LoanStage::Repaid]).await;
    for fate in [Fate::Wait, Fate::Forgotten] {
        stage.world.reorg(1, fate).await;
        stage.until(&loan, &[LoanStage::Repaying]).await;
        assert!(!stage.is_home(BORROWER, frog).await, "{fate:?}");
        stage.until_waiting(&repaid).await;
        stage.world.mine(1).await;
        stage.until(&loan, &[LoanStage::Repaid]).await;
        assert!(stage.is_home(BORROWER, frog).await, "{fate:?}");
    }
    stage.rig.server.stop().await;
}
