//! Tests of loans whose coins are spent elsewhere, or lost in a reorg.

use bitcoin::{Amount, Transaction, TxOut};
use devchain::ReorgPolicy;
use domain::{LoanId, LoanStage};
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex as _;
use lending::lookups::confirmations::{EXPECTED_REORG_MAX, SETTLEMENT_CONFIRMATIONS};
use lending::records::outpoint;

use crate::fixture::Fixture;
use crate::kit::faults::Faults;
use crate::kit::groups::FROGS;

/// Returns a transaction of the lender's that spends the same coins as the origination, at a higher fee.
async fn lenders_rival(fixture: &Fixture, id: LoanId) -> Transaction {
    let mut theirs = Vec::new();
    for input in &fixture.origination(id).await.input {
        let output = fixture.world.chain.confirmed_unspent(input.previous_output).await.unwrap().unwrap().output;
        if output.script_pubkey == fixture.lender.payment_script() {
            theirs.push(input.previous_output);
        }
    }
    fixture.lender.spend_elsewhere(&fixture.world, &theirs, 20_000).await
}

/// Asserts that a loan fails six blocks from now and not before: the block that spends its coins is the best one, or was not seen
/// before.
async fn assert_fails_when_settled(fixture: &Fixture, id: LoanId) {
    for confirmations in 1..SETTLEMENT_CONFIRMATIONS {
        fixture.run_watch().await;
        assert_eq!(fixture.stage(id).await, LoanStage::Broadcast, "a reorg can disconnect {confirmations} blocks");
        fixture.world.chain.mine(1).unwrap();
    }
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Failed);
}

#[actix::test]
async fn a_lender_who_spends_the_coins_elsewhere_fails_the_loan_once_that_is_buried() {
    let fixture = Fixture::new().await;
    let id = fixture.waiting().await;
    let loan = fixture.loan(id).await;
    let collateral = fixture.running(id).await.transactions[0].input[0].previous_output;
    let rival = lenders_rival(&fixture, id).await;
    fixture.world.chain.mine_transactions(vec![rival]).unwrap();
    assert_fails_when_settled(&fixture, id).await;
    assert!(
        fixture.world.service.market.locked_outputs([outpoint::to_domain(collateral)]).is_empty(),
        "it can be pledged again"
    );
    assert!(fixture.world.service.market.watched_loans().await.is_empty());
    assert!(!fixture.is_live(loan.deal.offer).await, "an offer is used once");
    let frog = loan.deal.pledged_ids.first().unwrap().parse().unwrap();
    let offer = fixture.offer(FROGS, 0).await;
    fixture.world.fund(&fixture.lender.payment_script(), 1_500_000);
    fixture.world.service.prepare(&fixture.request(offer, Some(frog))).await.unwrap();
}

#[actix::test]
async fn the_confirmations_of_a_double_spend_are_counted_again_after_a_reorg() {
    let fixture = Fixture::new().await;
    let id = fixture.waiting().await;
    let collateral = fixture.origination(id).await.input[0].previous_output;
    let rival = fixture.borrower.spend_elsewhere(&fixture.world, &[collateral], 2_000).await;
    fixture.world.chain.mine_transactions(vec![rival]).unwrap();
    fixture.run_watch().await;
    fixture.world.chain.mine(EXPECTED_REORG_MAX - 1).unwrap();
    // It is in a block again before the next round, which therefore never finds the coin unspent.
    fixture.world.chain.reorg(EXPECTED_REORG_MAX, ReorgPolicy::Requeue).unwrap();
    fixture.world.chain.mine(1).unwrap();
    assert_fails_when_settled(&fixture, id).await;
}

#[actix::test]
async fn a_double_spend_that_is_mined_during_a_round_is_not_counted_from_an_earlier_block() {
    let fixture = Fixture::new().await;
    let id = fixture.waiting().await;
    let rival = lenders_rival(&fixture, id).await;
    fixture.world.chain.broadcast(std::slice::from_ref(&rival)).await.unwrap();
    assert_eq!(fixture.world.chain.mempool_txids(), [rival.compute_txid()]);
    let before = fixture.world.chain.tip().await.unwrap().height;
    fixture.world.faults.lock().mines_during_lookup = true;
    fixture.run_watch().await;
    *fixture.world.faults.lock() = Faults::default();
    assert!(fixture.world.chain.tip().await.unwrap().height > before);
    assert!(fixture.world.chain.mempool_txids().is_empty(), "it is mined");
    assert_fails_when_settled(&fixture, id).await;
}

#[actix::test]
async fn a_double_spend_disconnected_in_time_does_not_fail_the_loan() {
    let fixture = Fixture::new().await;
    let id = fixture.waiting().await;
    let origination = fixture.origination(id).await;
    let collateral = origination.input[0].previous_output;
    let rival = fixture.borrower.spend_elsewhere(&fixture.world, &[collateral], 2_000).await;
    fixture.world.chain.mine_transactions(vec![rival]).unwrap();
    fixture.run_watch().await;
    fixture.world.chain.mine(EXPECTED_REORG_MAX - 1).unwrap();
    fixture.run_watch().await;
    fixture.world.chain.reorg(EXPECTED_REORG_MAX, ReorgPolicy::Drop).unwrap();
    fixture.run_watch().await;
    assert_eq!(
        (fixture.stage(id).await, fixture.world.chain.mempool_txids()),
        (LoanStage::Broadcast, vec![origination.compute_txid()])
    );
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);
}

#[actix::test]
async fn a_loan_whose_coins_are_lost_in_a_reorg_is_kept_while_they_may_be_broadcast_again() {
    let fixture = Fixture::new().await;
    let chain = &fixture.world.chain;
    let (offer, frog) = (fixture.offer(FROGS, 0).await, fixture.frog().await);
    let home = fixture.lender.payment_script();
    let mut money = Vec::new();
    for coin in chain.outputs_of(&home).await.unwrap() {
        money.push((coin, chain.unspent(coin).await.unwrap().unwrap().output));
    }
    let all: Amount = money.iter().map(|(_, output)| output.value).sum();
    let moved = TxOut { value: all - Amount::from_sat(5_000), script_pubkey: home };
    let parent = fixture.lender.spend(&money, vec![moved]);
    chain.mine_transactions(vec![parent.clone()]).unwrap();
    let handout = fixture.world.service.prepare(&fixture.request(offer, Some(frog))).await.unwrap();
    fixture.accept(&handout).await;
    let id = handout.loan;
    let txid = fixture.countersign(id).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);

    chain.reorg(2, ReorgPolicy::Drop).unwrap();
    for _ in 0..20 {
        fixture.run_watch().await;
        chain.mine(1).unwrap();
    }
    assert_eq!((fixture.stage(id).await, chain.mempool_txids()), (LoanStage::Broadcast, vec![]));
    chain.broadcast(std::slice::from_ref(&parent)).await.unwrap();
    fixture.run_watch().await;
    assert_eq!(chain.mempool_txids(), [parent.compute_txid(), txid]);
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);
}
