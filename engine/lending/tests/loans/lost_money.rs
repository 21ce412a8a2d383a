//! Tests of loans whose coins are spent elsewhere, or lost in a reorg.

use bitcoin::{Amount, TxOut};
use devchain::ReorgPolicy;
use domain::LoanStage;
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex as _;
use lending::records::outpoint;

use crate::fixture::Fixture;
use crate::kit::groups::FROGS;

#[actix::test]
async fn a_lender_who_spends_the_coins_elsewhere_fails_the_loan_once_that_is_buried() {
    let fixture = Fixture::new().await;
    let id = fixture.waiting().await;
    let loan = fixture.loan(id).await;
    let collateral = fixture.running(id).await.transactions[0].input[0].previous_output;
    let origination = fixture.origination(id).await;
    let mut theirs = Vec::new();
    for input in &origination.input {
        let output = fixture.world.chain.confirmed_unspent(input.previous_output).await.unwrap().unwrap().output;
        if output.script_pubkey == fixture.lender.payment_script() {
            theirs.push(input.previous_output);
        }
    }
    let rival = fixture.lender.spend_elsewhere(&fixture.world, &theirs, 20_000).await;
    fixture.world.chain.mine_transactions(vec![rival]).unwrap();
    for blocks in 1..=6 {
        fixture.run_watch().await;
        assert_eq!(fixture.stage(id).await, LoanStage::Broadcast, "{blocks} on it: a reorg may come");
        fixture.world.chain.mine(1).unwrap();
    }
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Failed);
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
async fn a_double_spend_disconnected_in_time_does_not_fail_the_loan() {
    let fixture = Fixture::new().await;
    let id = fixture.waiting().await;
    let origination = fixture.origination(id).await;
    let collateral = origination.input[0].previous_output;
    let rival = fixture.borrower.spend_elsewhere(&fixture.world, &[collateral], 2_000).await;
    fixture.world.chain.mine_transactions(vec![rival]).unwrap();
    fixture.run_watch().await;
    fixture.world.chain.mine(4).unwrap();
    fixture.run_watch().await;
    fixture.world.chain.reorg(5, ReorgPolicy::Drop).unwrap();
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
