//! Tests of reorgs.

use domain::LoanStage;

use super::fixture::MarketFixture;
use super::users::BORROWER;
use testkit::world::{Fate, World as _};

#[actix_web::test]
async fn an_origination_and_a_repayment_in_disconnected_blocks_are_mined_again() {
    let fixture = MarketFixture::new().await;
    let frog = fixture.frog().await;
    let (loan, begun) = fixture.begun(frog).await;
    // First the transaction returns to the mempool, then the node has dropped it and the server broadcasts it again.
    for fate in [Fate::Wait, Fate::Forgotten] {
        fixture.world.reorg(1, fate).await;
        fixture.until(&loan, &[LoanStage::Broadcast]).await;
        assert!(fixture.owns_inscription(BORROWER, frog).await, "{fate:?}");
        fixture.until_in_mempool(&begun).await;
        fixture.world.mine(1).await;
        fixture.until(&loan, &[LoanStage::Active]).await;
        assert!(!fixture.owns_inscription(BORROWER, frog).await, "{fate:?}");
    }
    let repaid = fixture.repay(&loan).await;
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Repaid]).await;
    for fate in [Fate::Wait, Fate::Forgotten] {
        fixture.world.reorg(1, fate).await;
        fixture.until(&loan, &[LoanStage::Repaying]).await;
        assert!(!fixture.owns_inscription(BORROWER, frog).await, "{fate:?}");
        fixture.until_in_mempool(&repaid).await;
        fixture.world.mine(1).await;
        fixture.until(&loan, &[LoanStage::Repaid]).await;
        assert!(fixture.owns_inscription(BORROWER, frog).await, "{fate:?}");
    }
    fixture.rig.server.stop().await;
}
