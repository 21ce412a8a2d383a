//! Tests that spent coins of a loan that awaits its lender are noticed without the lender.

use domain::{CancelledBy, LoanId, LoanStage};
use engine::chain::Chain as _;
use lending::records::contract::Contract;
use lending::records::outpoint;

use crate::fixture::Fixture;
use crate::kit::groups::FROGS;

impl Fixture {
    /// A loan that awaits its lender, and its contract.
    async fn awaiting(&self) -> (LoanId, Contract) {
        let id = self.accepted().await;
        assert_eq!(self.stage(id).await, LoanStage::AwaitingLender);
        (id, Contract::from_record(&self.loan(id).await.contract).unwrap())
    }
}

#[actix::test]
async fn moved_collateral_cancels_the_loan_and_does_not_count_against_the_lender() {
    let fixture = Fixture::new().await;
    let (id, contract) = fixture.awaiting().await;
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::AwaitingLender, "everything is where it should be");
    let collateral = contract.pledged.coins()[0].coin.outpoint;
    let rival = fixture.borrower.spend_elsewhere(&fixture.world, &[collateral], 2_000).await;
    fixture.world.chain.broadcast(&[rival]).await.unwrap();
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Cancelled, "the lender does not wait for the block");
    assert_eq!(fixture.loan(id).await.cancelled_by, Some(CancelledBy::CollateralMoved));
    assert_eq!(fixture.world.service.market.borrower_record(fixture.borrower.user).collateral_moved, 1);
    let offer = fixture.loan(id).await.deal.offer;
    assert!(fixture.is_live(offer).await);
    assert!(
        fixture
            .world
            .service
            .market
            .locked_outputs(contract.reserved_outputs().into_iter().map(outpoint::to_domain))
            .is_empty()
    );
    fixture.world.pass(13 * 3_600);
    fixture.run_watch().await;
    let book = fixture.world.service.market.book(FROGS).await.unwrap();
    let shown = book.offers.iter().find(|shown| shown.offer_id.0 == offer).unwrap();
    assert_eq!(shown.lender_acceptance_rate, None, "the lender is as new as before");
}

#[actix::test]
async fn a_loan_with_a_spent_coin_of_the_lender_is_rebuilt_without_a_request() {
    let fixture = Fixture::new().await;
    let (id, before) = fixture.awaiting().await;
    fixture.lender.spend_all(&fixture.world).await;
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::AwaitingLender, "there are no coins to rebuild it with");
    fixture.world.fund(&fixture.lender.payment_script(), 3_000_000);
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Prepared);
    let handout = fixture.world.service.prepared(fixture.borrower.user, id).await.unwrap();
    assert_ne!(handout.txid, before.build().unwrap().txid());
    fixture.accept(&handout).await;
    fixture.countersign(id).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);
}

#[actix::test]
async fn an_unreachable_or_lagging_node_cancels_nothing() {
    let fixture = Fixture::new().await;
    let (id, contract) = fixture.awaiting().await;
    let before = fixture.loan(id).await;
    let collateral = contract.pledged.coins()[0].coin.outpoint;
    // The node lacks the block with the output, and so the output as well.
    {
        let mut faults = fixture.world.faults.lock();
        faults.hidden = contract.reserved_outputs();
        faults.node_behind = 40;
    }
    fixture.run_watch().await;
    assert_eq!(fixture.loan(id).await, before);
    {
        let mut faults = fixture.world.faults.lock();
        (faults.hidden, faults.node_behind) = (Vec::new(), 0);
    }
    assert!(fixture.world.chain.unspent(collateral).await.unwrap().is_some());
    fixture.countersign(id).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);
}
