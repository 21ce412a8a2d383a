//! Tests that spent coins of a loan that awaits its lender are noticed without the lender.

use domain::{CancelledBy, LoanId, LoanStage};
use engine::chain::Chain as _;
use lending::contract::Contract;
use lending::outpoint;

use crate::kit::groups::FROGS;
use crate::scene::Scene;

impl Scene {
    /// A loan that awaits its lender, and its contract.
    async fn awaiting(&self) -> (LoanId, Contract) {
        let id = self.accepted().await;
        assert_eq!(self.stage(id).await, LoanStage::AwaitingLender);
        (id, Contract::from_record(&self.loan(id).await.contract).unwrap())
    }
}

#[actix::test]
async fn moved_collateral_cancels_the_loan_and_does_not_count_against_the_lender() {
    let scene = Scene::new().await;
    let (id, contract) = scene.awaiting().await;
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::AwaitingLender, "everything is where it should be");
    let collateral = contract.pledged.coins()[0].coin.outpoint;
    let rival = scene.borrower.spend_elsewhere(&scene.world, &[collateral], 2_000).await;
    scene.world.chain.broadcast(&[rival]).await.unwrap();
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::Cancelled, "the lender does not wait for the block");
    assert_eq!(scene.loan(id).await.cancelled_by, Some(CancelledBy::CollateralMoved));
    assert_eq!(scene.world.desk.market.borrower_record(scene.borrower.user).collateral_moved, 1);
    let offer = scene.loan(id).await.deal.offer;
    assert!(scene.is_live(offer).await);
    assert!(scene.world.desk.market.promised(contract.promised().into_iter().map(outpoint::to_domain)).is_empty());
    scene.world.pass(13 * 3_600);
    scene.look().await;
    let book = scene.world.desk.market.book(FROGS).await.unwrap();
    let shown = book.offers.iter().find(|shown| shown.offer_id.0 == offer).unwrap();
    assert_eq!(shown.lender_acceptance_rate, None, "the lender is as new as before");
}

#[actix::test]
async fn a_loan_with_a_spent_coin_of_the_lender_is_rebuilt_without_a_request() {
    let scene = Scene::new().await;
    let (id, before) = scene.awaiting().await;
    scene.lender.spend_all(&scene.world).await;
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::AwaitingLender, "there are no coins to rebuild it with");
    scene.world.fund(&scene.lender.payment_script(), 3_000_000);
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::Prepared);
    let handout = scene.world.desk.prepared(scene.borrower.user, id).await.unwrap();
    assert_ne!(handout.txid, before.begin().unwrap().txid());
    scene.accept(&handout).await;
    scene.countersign(id).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);
}

#[actix::test]
async fn an_unreachable_or_lagging_node_cancels_nothing() {
    let scene = Scene::new().await;
    let (id, contract) = scene.awaiting().await;
    let before = scene.loan(id).await;
    let collateral = contract.pledged.coins()[0].coin.outpoint;
    // The node lacks the block with the output, and so the output as well.
    {
        let mut mood = scene.world.moods.now();
        mood.hidden = contract.promised();
        mood.node_behind = 40;
    }
    scene.look().await;
    assert_eq!(scene.loan(id).await, before);
    {
        let mut mood = scene.world.moods.now();
        (mood.hidden, mood.node_behind) = (Vec::new(), 0);
    }
    assert!(scene.world.chain.unspent(collateral).await.unwrap().is_some());
    scene.countersign(id).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);
}
