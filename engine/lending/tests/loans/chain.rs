//! Tests of loans under reorgs, conflicting transactions and an untrustworthy node.

use bitcoin::{OutPoint, Transaction, Txid};
use devnet::chain::Disconnected;
use domain::{AssetRejection, Ending, LoanId, LoanStage};
use engine::Refusal;
use engine::chain::Chain as _;
use escrow::contract::coin::Coin;
use escrow::contract::running_loan::TRUC;
use escrow::kit::Kit;
use lending::desk_error::DeskError;
use lending::outpoint;
use lending::running_record::Running;

use crate::kit::groups::FROGS;
use crate::kit::ports::{Doing, Mood};
use crate::scene::{Scene, rate};

impl Scene {
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
            self.world.chain.mine_these(Vec::new()).unwrap();
            self.look().await;
        }
    }

    /// Runs the watch with faults, which must change nothing.
    async fn nothing_changes(&self, why: &str, set: impl FnOnce(&mut Mood)) {
        let before = self.world.desk.market.loans_of(self.borrower.user).await;
        let (written, waiting) = (self.world.journal.batches().len(), self.world.chain.waiting());
        set(&mut self.world.moods.now());
        let _ = self.world.desk.watch_loans_once(&self.watcher).await;
        *self.world.moods.now() = Mood::default();
        assert_eq!(self.world.desk.market.loans_of(self.borrower.user).await, before, "{why}");
        assert_eq!(self.world.journal.batches().len(), written, "{why}");
        assert_eq!(self.world.chain.waiting(), waiting, "{why}");
    }

    /// A repayment built from the borrower's downloaded kit alone.
    pub(crate) async fn repayment_from_the_kit(&self, id: LoanId) -> Transaction {
        let account = self.loan(id).await;
        let kit = self.running(id).await.borrower_kit(account.due_at()).unwrap();
        let Kit::Borrower(kit) = Kit::read(&Kit::Borrower(Box::new(kit)).write()).unwrap() else {
            panic!("a borrower's kit")
        };
        let holdings = self.world.desk.lookup().holdings(kit.payment()).await.unwrap();
        let is_pad = |coin: &Coin| kit.pads().contains(coin);
        let coins: Vec<Coin> = holdings.plain().map(|held| held.coin.clone()).filter(|coin| !is_pad(coin)).collect();
        let template = kit.repayment(kit.pads(), &coins, TRUC, rate()).unwrap();
        let text = self.borrower.wallet.sign_psbt(&template.psbt.to_string()).unwrap();
        let own = template.check_returned(&text, &[self.borrower.ordinals(), self.borrower.payment()]).unwrap();
        let signatures = own.merge(kit.signed_beforehand(&template).unwrap()).unwrap();
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
    let scene = Scene::new().await;
    let id = scene.begun().await;
    let before = scene.loan(id).await;
    scene.world.chain.reorg(1, Disconnected::Wait).unwrap();
    scene.look().await;
    let undone = scene.loan(id).await;
    assert_eq!((undone.stage, undone.began, undone.due_at()), (LoanStage::Broadcast, None, None));
    scene.world.pass(6 * 3_600);
    scene.empty_blocks(7).await;
    assert_eq!(scene.stage(id).await, LoanStage::Broadcast);
    scene.block().await;
    let again = scene.loan(id).await;
    assert_eq!(again.stage, LoanStage::Active);
    assert_eq!(again.began.unwrap().height, before.began.unwrap().height + 9);
    let later = again.due_at().unwrap().0 - before.due_at().unwrap().0;
    assert!((21_000_000..=25_200_000).contains(&later), "{later}: about six hours");
    scene.repay(&[id]).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Repaid);
}

#[actix::test]
async fn a_loan_that_moves_to_another_block_has_that_blocks_term() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    let before = scene.loan(id).await.began.unwrap();
    scene.world.chain.reorg(1, Disconnected::Wait).unwrap();
    scene.world.chain.mine(1).unwrap();
    // No watch runs in between.
    scene.look().await;
    let after = scene.loan(id).await;
    assert_eq!((after.stage, after.began.unwrap().height), (LoanStage::Active, before.height + 2));
}

#[actix::test]
async fn an_end_in_a_disconnected_block_waits_again_and_is_found_in_its_next_block() {
    let scene = Scene::new().await;
    let (repaid, claimed) = (scene.begun().await, scene.begun().await);
    scene.repay(&[repaid]).await;
    scene.block().await;
    for (id, ending) in [(repaid, LoanStage::Repaying), (claimed, LoanStage::Claiming)] {
        if ending == LoanStage::Claiming {
            scene.pass_days(9).await;
            scene.claim(id).await;
            scene.block().await;
        }
        let before = scene.loan(id).await;
        assert!(before.stage.is_over());
        for fate in [Disconnected::Wait, Disconnected::Forgotten] {
            let txid = scene.end(id).await.unwrap().1;
            scene.world.chain.reorg(1, fate).unwrap();
            scene.look().await;
            assert_eq!(scene.stage(id).await, ending, "{fate:?}");
            assert_eq!(scene.world.chain.waiting(), [txid], "{fate:?}: it is sent again where no node has it");
            scene.block().await;
            let after = scene.loan(id).await;
            assert_eq!(after.stage, before.stage, "{fate:?}");
            assert_eq!(after.end.as_ref().unwrap().txid, before.end.as_ref().unwrap().txid);
        }
    }
    assert!(scene.world.desk.market.book(FROGS).await.unwrap().loans.is_empty());
}

#[actix::test]
async fn a_reorg_that_disconnects_a_whole_loan_is_followed_to_its_end_again() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    let txid = scene.repay(&[id]).await;
    scene.block().await;
    scene.world.chain.reorg(2, Disconnected::Wait).unwrap();
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::Broadcast);
    scene.world.chain.mine(1).unwrap();
    scene.look().await;
    assert_eq!((scene.stage(id).await, scene.end(id).await), (LoanStage::Repaid, Some((Ending::Repayment, txid))));
}

#[actix::test]
async fn an_origination_that_the_nodes_forget_is_sent_again() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    let txid = scene.origination(id).await.compute_txid();
    scene.world.chain.reorg(1, Disconnected::Forgotten).unwrap();
    assert_eq!(scene.world.chain.waiting(), []);
    scene.look().await;
    assert_eq!((scene.stage(id).await, scene.world.chain.waiting()), (LoanStage::Broadcast, vec![txid]));
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);
}

#[actix::test]
async fn a_repayment_whose_coins_are_spent_elsewhere_is_dropped_and_can_be_rebuilt() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    let txid = scene.repay(&[id]).await;
    let repayment = scene.world.chain.transaction(txid).await.unwrap().unwrap().transaction;
    let escrow = scene.running(id).await.record().loan.outpoint;
    let own: Vec<OutPoint> = repayment.input.iter().map(|input| input.previous_output).collect();
    let paying: Vec<OutPoint> = own.into_iter().filter(|spent| *spent != escrow).collect();
    let rival = scene.borrower.spend_elsewhere(&scene.world, &paying[paying.len() - 1..], 20_000).await;
    scene.world.chain.mine_these(vec![rival]).unwrap();
    assert_eq!(scene.world.chain.waiting(), []);
    scene.look().await;
    assert_eq!((scene.stage(id).await, scene.end(id).await), (LoanStage::Active, None));
    let again = scene.repay(&[id]).await;
    assert_ne!(again, txid);
    scene.block().await;
    assert_eq!((scene.stage(id).await, scene.end(id).await), (LoanStage::Repaid, Some((Ending::Repayment, again))));
}

#[actix::test]
async fn a_repayment_from_the_downloaded_kit_alone_is_found_in_its_block() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    // Unrelated blocks lie in between.
    scene.world.chain.mine(20).unwrap();
    let repayment = scene.repayment_from_the_kit(id).await;
    let txid = repayment.compute_txid();
    scene.world.chain.broadcast(&[repayment]).await.unwrap();
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active, "it has no block");
    scene.world.chain.mine(8).unwrap();
    scene.look().await;
    assert_eq!((scene.stage(id).await, scene.end(id).await), (LoanStage::Repaid, Some((Ending::Repayment, txid))));
    let frog = scene.loan(id).await.deal.pledged_id.parse().unwrap();
    assert!(scene.owns(&scene.borrower, frog).await);
}

#[actix::test]
async fn an_end_from_a_kit_in_a_disconnected_block_leaves_the_loan_running() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    let repayment = scene.repayment_from_the_kit(id).await;
    let txid = repayment.compute_txid();
    scene.world.chain.broadcast(&[repayment]).await.unwrap();
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Repaid);
    scene.world.chain.reorg(1, Disconnected::Forgotten).unwrap();
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active, "the server cannot send it again");
    let again = scene.repay(&[id]).await;
    assert_ne!(again, txid);
    scene.block().await;
    assert_eq!((scene.stage(id).await, scene.end(id).await), (LoanStage::Repaid, Some((Ending::Repayment, again))));
}

#[actix::test]
async fn a_claim_from_the_downloaded_kit_alone_is_found_in_its_block() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    scene.pass_days(9).await;
    let claim = scene.claim_from_the_kit(id).await;
    let txid = claim.compute_txid();
    scene.world.chain.broadcast(&[claim]).await.unwrap();
    scene.world.chain.mine(3).unwrap();
    scene.look().await;
    assert_eq!((scene.stage(id).await, scene.end(id).await), (LoanStage::Claimed, Some((Ending::Claim, txid))));
    let frog = scene.loan(id).await.deal.pledged_id.parse().unwrap();
    assert!(scene.owns(&scene.lender, frog).await);
}

#[actix::test]
async fn a_claim_in_a_block_beats_a_repayment_that_waited() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    scene.pass_days(9).await;
    let claim = scene.claim_from_the_kit(id).await;
    scene.repay(&[id]).await;
    assert_eq!(scene.stage(id).await, LoanStage::Repaying);
    let txid = claim.compute_txid();
    scene.world.chain.mine_these(vec![claim]).unwrap();
    scene.look().await;
    assert_eq!((scene.stage(id).await, scene.end(id).await), (LoanStage::Claimed, Some((Ending::Claim, txid))));
}

#[actix::test]
async fn a_repayment_that_was_replaced_and_is_mined_all_the_same_counts() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    let first = scene.repay(&[id]).await;
    let mined = scene.world.chain.transaction(first).await.unwrap().unwrap().transaction;
    let (desk, dearer) = (&scene.world.desk, bitcoin::FeeRate::from_sat_per_vb_u32(30));
    let handout = desk.prepare_repayment(scene.borrower.user, &[id], dearer).await.unwrap();
    let signed = scene.borrower.sign_one(&handout.transaction);
    desk.submit_repayment(scene.borrower.user, &[id], &signed).await.unwrap();
    scene.world.chain.mine_these(vec![mined]).unwrap();
    scene.look().await;
    assert_eq!((scene.stage(id).await, scene.end(id).await), (LoanStage::Repaid, Some((Ending::Repayment, first))));
}

#[actix::test]
async fn an_unreachable_or_lagging_node_changes_nothing() {
    let scene = Scene::new().await;
    let (active, repaid) = (scene.begun().await, scene.begun().await);
    scene.repay(&[repaid]).await;
    scene.block().await;
    scene.repay(&[active]).await;
    assert_eq!((scene.stage(active).await, scene.stage(repaid).await), (LoanStage::Repaying, LoanStage::Repaid));
    for behind in [1, 2, 3, 40] {
        scene.nothing_changes("it is behind", |mood| mood.node_behind = behind).await;
    }
    scene.nothing_changes("it is away", |mood| mood.is_node_away = true).await;
    let away = scene.world.desk.watch_loans_once(&scene.watcher).await;
    assert!(away.is_ok(), "it is there again: {away:?}");
    let escrow = scene.running(active).await.record().loan.outpoint;
    scene.nothing_changes("it hides the escrow", |mood| mood.hidden = vec![escrow]).await;
    scene.block().await;
    assert_eq!(scene.stage(active).await, LoanStage::Repaid);
}

#[actix::test]
async fn signed_transactions_are_sent_until_the_chain_has_them() {
    for doing in [Doing::Away, Doing::LosesAnswer] {
        let scene = Scene::new().await;
        scene.world.moods.now().broadcasts = doing;
        let id = scene.waiting().await;
        assert_eq!(scene.stage(id).await, LoanStage::Broadcast, "{doing:?}: the answer is the same");
        let is_sent = doing == Doing::LosesAnswer;
        assert_eq!(scene.world.chain.waiting().len(), usize::from(is_sent), "{doing:?}");
        scene.look().await;
        scene.world.moods.now().broadcasts = Doing::Well;
        scene.look().await;
        scene.block().await;
        assert_eq!(scene.stage(id).await, LoanStage::Active, "{doing:?}");
        scene.world.moods.now().broadcasts = doing;
        scene.repay(&[id]).await;
        assert_eq!(scene.world.chain.waiting().len(), usize::from(is_sent), "{doing:?}");
        scene.world.moods.now().broadcasts = Doing::Well;
        scene.look().await;
        scene.block().await;
        assert_eq!(scene.stage(id).await, LoanStage::Repaid, "{doing:?}");
    }
}

#[actix::test]
async fn coins_of_a_loan_stay_reserved_while_its_transaction_is_not_sent() {
    let scene = Scene::new().await;
    scene.world.moods.now().broadcasts = Doing::Away;
    let id = scene.waiting().await;
    let frog = scene.loan(id).await.deal.pledged_id.parse().unwrap();
    let spent: Vec<_> =
        scene.origination(id).await.input.iter().map(|input| outpoint::to_domain(input.previous_output)).collect();
    let (offer, market) = (scene.offer(FROGS, 0).await, &scene.world.desk.market);
    let again = scene.world.desk.prepare(&scene.wish(offer, Some(frog))).await.unwrap_err();
    assert!(matches!(again, DeskError::Market(Refusal::Asset(AssetRejection::Pledged(_)))), "{again}");
    assert_eq!(market.promised(spent.clone()), spent, "the lender's coins too");
    scene.world.moods.now().broadcasts = Doing::Well;
    scene.look().await;
    scene.block().await;
    // The block may be disconnected.
    assert_eq!(market.promised(spent.clone()), spent);
    scene.repay(&[id]).await;
    scene.block().await;
    assert_eq!(market.promised(spent), []);
}

#[actix::test]
async fn a_transaction_that_the_node_refuses_is_sent_again_when_its_rival_is_gone() {
    let scene = Scene::new().await;
    scene.world.moods.now().broadcasts = Doing::Away;
    let id = scene.waiting().await;
    let origination = scene.origination(id).await;
    let collateral = origination.input[0].previous_output;
    // It pays a higher fee and is in the mempool: the node refuses the other one.
    let rival = scene.borrower.spend_elsewhere(&scene.world, &[collateral], 9_000).await;
    scene.world.chain.broadcast(std::slice::from_ref(&rival)).await.unwrap();
    scene.world.moods.now().broadcasts = Doing::Well;
    scene.empty_blocks(8).await;
    assert_eq!(scene.stage(id).await, LoanStage::Broadcast, "no block has spent anything");
    assert_eq!(scene.world.chain.waiting(), [rival.compute_txid()]);
    scene.world.chain.mine(1).unwrap();
    scene.world.chain.reorg(1, Disconnected::Forgotten).unwrap();
    scene.look().await;
    assert_eq!(scene.world.chain.waiting(), [origination.compute_txid()]);
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);
}
