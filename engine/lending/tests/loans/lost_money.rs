//! Tests of loans whose coins are spent elsewhere, or lost in a reorg.

use bitcoin::{Amount, TxOut};
use devnet::chain::Disconnected;
use domain::LoanStage;
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex as _;
use lending::outpoint;

use crate::kit::groups::FROGS;
use crate::scene::Scene;

#[actix::test]
async fn a_lender_who_spends_the_coins_elsewhere_fails_the_loan_once_that_is_buried() {
    let scene = Scene::new().await;
    let id = scene.waiting().await;
    let loan = scene.loan(id).await;
    let collateral = scene.running(id).await.transactions[0].input[0].previous_output;
    let origination = scene.origination(id).await;
    let mut theirs = Vec::new();
    for input in &origination.input {
        let output = scene.world.chain.unspent_in_blocks(input.previous_output).await.unwrap().unwrap().output;
        if output.script_pubkey == scene.lender.payment_script() {
            theirs.push(input.previous_output);
        }
    }
    let rival = scene.lender.spend_elsewhere(&scene.world, &theirs, 20_000).await;
    scene.world.chain.mine_these(vec![rival]).unwrap();
    for blocks in 1..=6 {
        scene.look().await;
        assert_eq!(scene.stage(id).await, LoanStage::Broadcast, "{blocks} on it: a reorg may come");
        scene.world.chain.mine(1).unwrap();
    }
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::Failed);
    assert!(scene.world.desk.market.promised([outpoint::to_domain(collateral)]).is_empty(), "it can be pledged again");
    assert!(scene.world.desk.market.watched_loans().await.is_empty());
    assert!(!scene.is_live(loan.deal.offer).await, "an offer is used once");
    let frog = loan.deal.pledged_id.parse().unwrap();
    let offer = scene.offer(FROGS, 0).await;
    scene.world.fund(&scene.lender.payment_script(), 1_500_000);
    scene.world.desk.prepare(&scene.wish(offer, Some(frog))).await.unwrap();
}

#[actix::test]
async fn a_double_spend_disconnected_in_time_does_not_fail_the_loan() {
    let scene = Scene::new().await;
    let id = scene.waiting().await;
    let origination = scene.origination(id).await;
    let collateral = origination.input[0].previous_output;
    let rival = scene.borrower.spend_elsewhere(&scene.world, &[collateral], 2_000).await;
    scene.world.chain.mine_these(vec![rival]).unwrap();
    scene.look().await;
    scene.world.chain.mine(4).unwrap();
    scene.look().await;
    scene.world.chain.reorg(5, Disconnected::Forgotten).unwrap();
    scene.look().await;
    assert_eq!(
        (scene.stage(id).await, scene.world.chain.waiting()),
        (LoanStage::Broadcast, vec![origination.compute_txid()])
    );
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);
}

#[actix::test]
async fn a_loan_whose_coins_are_lost_in_a_reorg_is_kept_while_they_may_come_back() {
    let scene = Scene::new().await;
    let chain = &scene.world.chain;
    let (offer, frog) = (scene.offer(FROGS, 0).await, scene.frog().await);
    let home = scene.lender.payment_script();
    let mut money = Vec::new();
    for coin in chain.outputs_of(&home).await.unwrap() {
        money.push((coin, chain.unspent(coin).await.unwrap().unwrap().output));
    }
    let all: Amount = money.iter().map(|(_, output)| output.value).sum();
    let moved = TxOut { value: all - Amount::from_sat(5_000), script_pubkey: home };
    let parent = scene.lender.spend(&money, vec![moved]);
    chain.mine_these(vec![parent.clone()]).unwrap();
    let handout = scene.world.desk.prepare(&scene.wish(offer, Some(frog))).await.unwrap();
    scene.accept(&handout).await;
    let id = handout.loan;
    let txid = scene.countersign(id).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);

    chain.reorg(2, Disconnected::Forgotten).unwrap();
    for _ in 0..20 {
        scene.look().await;
        chain.mine(1).unwrap();
    }
    assert_eq!((scene.stage(id).await, chain.waiting()), (LoanStage::Broadcast, vec![]));
    chain.broadcast(std::slice::from_ref(&parent)).await.unwrap();
    scene.look().await;
    assert_eq!(chain.waiting(), [parent.compute_txid(), txid]);
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);
}
