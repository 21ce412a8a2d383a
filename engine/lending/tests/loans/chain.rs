//! Tests of loans under reorgs, conflicting transactions and an untrustworthy node.

use bitcoin::{OutPoint, Transaction, Txid};
use devchain::ReorgPolicy;
use domain::{AssetRejection, Ending, LoanId, LoanStage};
use engine::Refusal;
use engine::chain::Chain as _;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::version::TRUC;
use escrow::kit::Kit;
use lending::lookups::confirmations::{EXPECTED_REORG_MAX, SETTLEMENT_CONFIRMATIONS};
use lending::records::outpoint;
use lending::records::running_record::Running;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::{Fixture, rate};
use crate::kit::faults::{FaultMode, Faults};
use crate::kit::groups::FROGS;

impl Fixture {
    pub(crate) async fn running(&self, id: LoanId) -> Running {
        Running::of(&self.loan(id).await).unwrap()
    }

    /// The transaction that originates a loan.
    pub(crate) async fn origination(&self, id: LoanId) -> Transaction {
        self.running(id).await.transactions.last().unwrap().clone()
    }

    /// Counter-signs a loan, which then waits for confirmation.
    pub(crate) async fn waiting(&self) -> LoanId {
        let id = self.accepted().await;
        self.countersign(id).await;
        id
    }

    /// Mines empty blocks, and runs the watch at each.
    pub(crate) async fn empty_blocks(&self, count: u32) {
        for _ in 0..count {
            self.world.chain.mine_transactions(Vec::new()).unwrap();
            self.run_watch().await;
        }
    }

    /// Runs the watch with faults, which must change nothing.
    async fn nothing_changes(&self, why: &str, set: impl FnOnce(&mut Faults)) {
        let before = self.world.service.market.loans_of(self.borrower.user).await;
        let (written, waiting) = (self.world.journal.batches().len(), self.world.chain.mempool_txids());
        set(&mut self.world.faults.lock());
        let _ = self.world.service.watch_loans_once(&self.watch_state).await;
        *self.world.faults.lock() = Faults::default();
        assert_eq!(self.world.service.market.loans_of(self.borrower.user).await, before, "{why}");
        assert_eq!(self.world.journal.batches().len(), written, "{why}");
        assert_eq!(self.world.chain.mempool_txids(), waiting, "{why}");
    }

    /// A repayment built from the borrower's downloaded kit alone.
    pub(crate) async fn repayment_from_the_kit(&self, id: LoanId) -> Transaction {
        let account = self.loan(id).await;
        let kit = self.running(id).await.borrower_kit(account.due_at()).unwrap();
        let Kit::Borrower(kit) = Kit::read(&Kit::Borrower(Box::new(kit)).write()).unwrap() else {
            panic!("a borrower's kit")
        };
        let holdings = self.world.service.lookup().holdings(kit.payment()).await.unwrap();
        let is_pad = |coin: &Coin| kit.pads().contains(coin);
        let coins: Vec<Coin> = holdings.plain().map(|held| held.coin.clone()).filter(|coin| !is_pad(coin)).collect();
        let template = kit.repayment(kit.pads(), &coins, TRUC, rate()).unwrap();
        let text = self.borrower.wallet.sign_psbt(&template.psbt.to_string()).unwrap();
        let own = template.check_returned(&text, &[self.borrower.ordinals(), self.borrower.payment()]).unwrap();
        let signatures = own.merge(kit.pre_signatures(&template).unwrap()).unwrap();
        template.finish(&signatures, template.final_txid()).unwrap()
    }

    /// The same for the lender's kit and the claim.
    async fn claim_from_the_kit(&self, id: LoanId) -> Transaction {
        let account = self.loan(id).await;
        let kit = self.running(id).await.lender_kit(account.due_at()).unwrap();
        let Kit::Lender(kit) = Kit::read(&Kit::Lender(Box::new(kit)).write()).unwrap() else {
            panic!("a lender's kit")
        };
        let template = kit.claim(None, rate()).unwrap();
        let text = self.lender.wallet.sign_psbt(&template.psbt.to_string()).unwrap();
        let signatures = template.check_returned(&text, &[self.lender.ordinals()]).unwrap();
        template.finish(&signatures, template.final_txid()).unwrap()
    }

    pub(crate) async fn end(&self, id: LoanId) -> Option<(Ending, Txid)> {
        let end = self.loan(id).await.end?;
        Some((end.ending, outpoint::to_bitcoin(domain::Outpoint { txid: end.txid, vout: 0 }).txid))
    }
}

#[actix::test]
async fn a_loan_whose_block_is_disconnected_waits_again_and_its_term_restarts() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    let before = fixture.loan(id).await;
    fixture.world.chain.reorg(1, ReorgPolicy::Requeue).unwrap();
    fixture.run_watch().await;
    let disconnected = fixture.loan(id).await;
    assert_eq!((disconnected.stage, disconnected.began, disconnected.due_at()), (LoanStage::Broadcast, None, None));
    fixture.world.pass(6 * 3_600);
    fixture.empty_blocks(7).await;
    assert_eq!(fixture.stage(id).await, LoanStage::Broadcast);
    fixture.block().await;
    let again = fixture.loan(id).await;
    assert_eq!(again.stage, LoanStage::Active);
    assert_eq!(again.began.unwrap().height, before.began.unwrap().height + 9);
    let later = again.due_at().unwrap().0 - before.due_at().unwrap().0;
    assert!((21_000_000..=25_200_000).contains(&later), "{later}: about six hours");
    fixture.repay(&[id]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaid);
}

#[actix::test]
async fn a_loan_that_moves_to_another_block_has_that_blocks_term() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    let before = fixture.loan(id).await.began.unwrap();
    fixture.world.chain.reorg(1, ReorgPolicy::Requeue).unwrap();
    fixture.world.chain.mine(1).unwrap();
    // No watch runs in between.
    fixture.run_watch().await;
    let after = fixture.loan(id).await;
    assert_eq!((after.stage, after.began.unwrap().height), (LoanStage::Active, before.height + 2));
}

#[actix::test]
async fn an_end_in_a_disconnected_block_waits_again_and_is_found_in_its_next_block() {
    let fixture = Fixture::new().await;
    let (repaid, claimed) = (fixture.originated().await, fixture.originated().await);
    fixture.repay(&[repaid]).await;
    fixture.block().await;
    for (id, ending) in [(repaid, LoanStage::Repaying), (claimed, LoanStage::Claiming)] {
        if ending == LoanStage::Claiming {
            fixture.pass_days(9).await;
            fixture.claim(id).await;
            fixture.block().await;
        }
        let before = fixture.loan(id).await;
        assert!(before.stage.is_over());
        for fate in [ReorgPolicy::Requeue, ReorgPolicy::Drop] {
            let txid = fixture.end(id).await.unwrap().1;
            fixture.world.chain.reorg(1, fate).unwrap();
            fixture.run_watch().await;
            assert_eq!(fixture.stage(id).await, ending, "{fate:?}");
            assert_eq!(fixture.world.chain.mempool_txids(), [txid], "{fate:?}: it is sent again where no node has it");
            fixture.block().await;
            let after = fixture.loan(id).await;
            assert_eq!(after.stage, before.stage, "{fate:?}");
            assert_eq!(after.end.as_ref().unwrap().txid, before.end.as_ref().unwrap().txid);
        }
    }
    assert!(fixture.world.service.market.book(FROGS).await.unwrap().loans.is_empty());
}

#[actix::test]
async fn an_end_is_watched_until_a_reorg_of_six_blocks_does_not_reach_it() {
    for (fate, waiting, over) in [
        (ReorgPolicy::Requeue, LoanStage::Repaying, LoanStage::Repaid),
        (ReorgPolicy::Drop, LoanStage::Repaying, LoanStage::Repaid),
        (ReorgPolicy::Drop, LoanStage::Claiming, LoanStage::Claimed),
    ] {
        let fixture = Fixture::new().await;
        let id = fixture.originated().await;
        let txid = if over == LoanStage::Repaid {
            fixture.repay(&[id]).await
        } else {
            fixture.pass_days(9).await;
            fixture.claim(id).await
        };
        for _ in 0..EXPECTED_REORG_MAX {
            fixture.block().await;
        }
        assert_eq!(fixture.stage(id).await, over);
        fixture.world.chain.reorg(EXPECTED_REORG_MAX, fate).unwrap();
        fixture.run_watch().await;
        assert_eq!(fixture.stage(id).await, waiting, "{fate:?}");
        assert_eq!(fixture.world.chain.mempool_txids(), [txid], "{fate:?}: it is sent again where no node has it");
        for _ in 0..SETTLEMENT_CONFIRMATIONS {
            fixture.block().await;
        }
        assert_eq!(fixture.stage(id).await, over, "{fate:?}");
        assert!(fixture.world.service.market.watched_loans().await.is_empty(), "{fate:?}");
    }
}

#[actix::test]
async fn a_reorg_that_disconnects_a_whole_loan_is_followed_to_its_end_again() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    let txid = fixture.repay(&[id]).await;
    fixture.block().await;
    fixture.world.chain.reorg(2, ReorgPolicy::Requeue).unwrap();
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Broadcast);
    fixture.world.chain.mine(1).unwrap();
    fixture.run_watch().await;
    assert_eq!((fixture.stage(id).await, fixture.end(id).await), (LoanStage::Repaid, Some((Ending::Repayment, txid))));
}

#[actix::test]
async fn an_origination_dropped_by_all_nodes_is_broadcast_again() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    let txid = fixture.origination(id).await.compute_txid();
    fixture.world.chain.reorg(1, ReorgPolicy::Drop).unwrap();
    assert_eq!(fixture.world.chain.mempool_txids(), []);
    fixture.run_watch().await;
    assert_eq!((fixture.stage(id).await, fixture.world.chain.mempool_txids()), (LoanStage::Broadcast, vec![txid]));
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);
}

#[actix::test]
async fn a_repayment_whose_coins_are_spent_elsewhere_is_dropped_and_can_be_rebuilt() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    let txid = fixture.repay(&[id]).await;
    let repayment = fixture.world.chain.transaction(txid).await.unwrap().unwrap().transaction;
    let escrow = fixture.running(id).await.record().loan.outpoint;
    let own: Vec<OutPoint> = repayment.input.iter().map(|input| input.previous_output).collect();
    let paying: Vec<OutPoint> = own.into_iter().filter(|spent| *spent != escrow).collect();
    let rival = fixture.borrower.spend_elsewhere(&fixture.world, &paying[paying.len() - 1..], 20_000).await;
    fixture.world.chain.mine_transactions(vec![rival]).unwrap();
    assert_eq!(fixture.world.chain.mempool_txids(), []);
    fixture.run_watch().await;
    assert_eq!((fixture.stage(id).await, fixture.end(id).await), (LoanStage::Active, None));
    let again = fixture.repay(&[id]).await;
    assert_ne!(again, txid);
    fixture.block().await;
    assert_eq!((fixture.stage(id).await, fixture.end(id).await), (LoanStage::Repaid, Some((Ending::Repayment, again))));
}

#[actix::test]
async fn a_repayment_from_the_downloaded_kit_alone_is_found_in_its_block() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    // Unrelated blocks lie in between.
    fixture.world.chain.mine(20).unwrap();
    let repayment = fixture.repayment_from_the_kit(id).await;
    let txid = repayment.compute_txid();
    fixture.world.chain.broadcast(&[repayment]).await.unwrap();
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active, "it has no block");
    fixture.world.chain.mine(8).unwrap();
    fixture.run_watch().await;
    assert_eq!((fixture.stage(id).await, fixture.end(id).await), (LoanStage::Repaid, Some((Ending::Repayment, txid))));
    let frog = fixture.loan(id).await.deal.pledged_ids.first().unwrap().parse().unwrap();
    assert!(fixture.owns(&fixture.borrower, frog).await);
}

#[actix::test]
async fn an_end_from_a_kit_in_a_disconnected_block_leaves_the_loan_running() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    let repayment = fixture.repayment_from_the_kit(id).await;
    let txid = repayment.compute_txid();
    fixture.world.chain.broadcast(&[repayment]).await.unwrap();
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaid);
    fixture.world.chain.reorg(1, ReorgPolicy::Drop).unwrap();
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active, "the server cannot send it again");
    let again = fixture.repay(&[id]).await;
    assert_ne!(again, txid);
    fixture.block().await;
    assert_eq!((fixture.stage(id).await, fixture.end(id).await), (LoanStage::Repaid, Some((Ending::Repayment, again))));
}

#[actix::test]
async fn a_claim_from_the_downloaded_kit_alone_is_found_in_its_block() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    fixture.pass_days(9).await;
    let claim = fixture.claim_from_the_kit(id).await;
    let txid = claim.compute_txid();
    fixture.world.chain.broadcast(&[claim]).await.unwrap();
    fixture.world.chain.mine(3).unwrap();
    fixture.run_watch().await;
    assert_eq!((fixture.stage(id).await, fixture.end(id).await), (LoanStage::Claimed, Some((Ending::Claim, txid))));
    let frog = fixture.loan(id).await.deal.pledged_ids.first().unwrap().parse().unwrap();
    assert!(fixture.owns(&fixture.lender, frog).await);
}

#[actix::test]
async fn a_claim_in_a_block_beats_a_repayment_that_waited() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    fixture.pass_days(9).await;
    let claim = fixture.claim_from_the_kit(id).await;
    fixture.repay(&[id]).await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaying);
    let txid = claim.compute_txid();
    fixture.world.chain.mine_transactions(vec![claim]).unwrap();
    fixture.run_watch().await;
    assert_eq!((fixture.stage(id).await, fixture.end(id).await), (LoanStage::Claimed, Some((Ending::Claim, txid))));
}

#[actix::test]
async fn a_repayment_that_was_replaced_and_is_mined_all_the_same_counts() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    let first = fixture.repay(&[id]).await;
    let mined = fixture.world.chain.transaction(first).await.unwrap().unwrap().transaction;
    let (service, higher_rate) = (&fixture.world.service, bitcoin::FeeRate::from_sat_per_vb_u32(30));
    let handout = service.prepare_repayment(fixture.borrower.user, &[id], higher_rate).await.unwrap();
    let signed = fixture.borrower.sign_one(&handout.transaction);
    service.submit_repayment(fixture.borrower.user, &[id], &signed).await.unwrap();
    fixture.world.chain.mine_transactions(vec![mined]).unwrap();
    fixture.run_watch().await;
    assert_eq!((fixture.stage(id).await, fixture.end(id).await), (LoanStage::Repaid, Some((Ending::Repayment, first))));
}

#[actix::test]
async fn an_unreachable_or_lagging_node_changes_nothing() {
    let fixture = Fixture::new().await;
    let (active, repaid) = (fixture.originated().await, fixture.originated().await);
    fixture.repay(&[repaid]).await;
    fixture.block().await;
    fixture.repay(&[active]).await;
    assert_eq!((fixture.stage(active).await, fixture.stage(repaid).await), (LoanStage::Repaying, LoanStage::Repaid));
    for behind in [1, 2, 3, 40] {
        fixture.nothing_changes("it is behind", |faults| faults.node_behind = behind).await;
    }
    fixture.nothing_changes("it is unreachable", |faults| faults.is_node_unreachable = true).await;
    let away = fixture.world.service.watch_loans_once(&fixture.watch_state).await;
    assert!(away.is_ok(), "it is there again: {away:?}");
    let escrow = fixture.running(active).await.record().loan.outpoint;
    fixture.nothing_changes("it hides the escrow", |faults| faults.hidden = vec![escrow]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(active).await, LoanStage::Repaid);
}

#[actix::test]
async fn signed_transactions_are_sent_until_the_chain_has_them() {
    for mode in [FaultMode::Unreachable, FaultMode::LosesAnswer] {
        let fixture = Fixture::new().await;
        fixture.world.faults.lock().broadcasts = mode;
        let id = fixture.waiting().await;
        assert_eq!(fixture.stage(id).await, LoanStage::Broadcast, "{mode:?}: the answer is the same");
        let is_sent = mode == FaultMode::LosesAnswer;
        assert_eq!(fixture.world.chain.mempool_txids().len(), usize::from(is_sent), "{mode:?}");
        fixture.run_watch().await;
        fixture.world.faults.lock().broadcasts = FaultMode::Healthy;
        fixture.run_watch().await;
        fixture.block().await;
        assert_eq!(fixture.stage(id).await, LoanStage::Active, "{mode:?}");
        fixture.world.faults.lock().broadcasts = mode;
        fixture.repay(&[id]).await;
        assert_eq!(fixture.world.chain.mempool_txids().len(), usize::from(is_sent), "{mode:?}");
        fixture.world.faults.lock().broadcasts = FaultMode::Healthy;
        fixture.run_watch().await;
        fixture.block().await;
        assert_eq!(fixture.stage(id).await, LoanStage::Repaid, "{mode:?}");
    }
}

#[actix::test]
async fn coins_of_a_loan_stay_reserved_while_its_transaction_is_not_sent() {
    let fixture = Fixture::new().await;
    fixture.world.faults.lock().broadcasts = FaultMode::Unreachable;
    let id = fixture.waiting().await;
    let frog = fixture.loan(id).await.deal.pledged_ids.first().unwrap().parse().unwrap();
    let spent: Vec<_> =
        fixture.origination(id).await.input.iter().map(|input| outpoint::to_domain(input.previous_output)).collect();
    let (offer, market) = (fixture.offer(FROGS, 0).await, &fixture.world.service.market);
    let again = fixture.world.service.prepare(&fixture.request(offer, Some(frog))).await.unwrap_err();
    assert!(matches!(again, LoanServiceError::Market(Refusal::Asset(AssetRejection::Pledged(_)))), "{again}");
    assert_eq!(market.locked_outputs(spent.clone()), spent, "the lender's coins too");
    fixture.world.faults.lock().broadcasts = FaultMode::Healthy;
    fixture.run_watch().await;
    fixture.block().await;
    // The block may be disconnected.
    assert_eq!(market.locked_outputs(spent.clone()), spent);
    fixture.repay(&[id]).await;
    fixture.block().await;
    assert_eq!(market.locked_outputs(spent), []);
}

#[actix::test]
async fn a_transaction_that_the_node_refuses_is_sent_again_when_its_rival_is_gone() {
    let fixture = Fixture::new().await;
    fixture.world.faults.lock().broadcasts = FaultMode::Unreachable;
    let id = fixture.waiting().await;
    let origination = fixture.origination(id).await;
    let collateral = origination.input[0].previous_output;
    // It pays a higher fee and is in the mempool: the node refuses the other one.
    let rival = fixture.borrower.spend_elsewhere(&fixture.world, &[collateral], 9_000).await;
    fixture.world.chain.broadcast(std::slice::from_ref(&rival)).await.unwrap();
    fixture.world.faults.lock().broadcasts = FaultMode::Healthy;
    fixture.empty_blocks(8).await;
    assert_eq!(fixture.stage(id).await, LoanStage::Broadcast, "no block has spent anything");
    assert_eq!(fixture.world.chain.mempool_txids(), [rival.compute_txid()]);
    fixture.world.chain.mine(1).unwrap();
    fixture.world.chain.reorg(1, ReorgPolicy::Drop).unwrap();
    fixture.run_watch().await;
    assert_eq!(fixture.world.chain.mempool_txids(), [origination.compute_txid()]);
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);
}
