//! Tests of repayment against claim: until one of them is confirmed, either can replace the other.

use bitcoin::{FeeRate, Transaction, Txid};
use domain::{Ending, LoanId, LoanStage};
use engine::chain::{Chain as _, ChainError};
use lending::desk_error::DeskError;
use lending::outpoint;

use crate::scene::{Scene, rate};

impl Scene {
    /// A loan with an unconfirmed claim.
    async fn claiming(&self) -> (LoanId, Transaction) {
        let id = self.begun().await;
        self.pass_days(9).await;
        let claim = self.claim(id).await;
        assert_eq!((self.stage(id).await, self.world.chain.waiting()), (LoanStage::Claiming, vec![claim]));
        (id, self.world.chain.transaction(claim).await.unwrap().unwrap().transaction)
    }

    async fn repay_at(&self, id: LoanId, rate: FeeRate) -> Result<Txid, DeskError> {
        let (desk, borrower) = (&self.world.desk, self.borrower.user);
        let handout = desk.prepare_repayment(borrower, &[id], rate).await?;
        let signed = self.borrower.sign_one(&handout.transaction);
        desk.submit_repayment(borrower, &[id], &signed).await
    }

    async fn ends_by(&self, id: LoanId) -> Option<(Ending, Txid)> {
        let end = self.loan(id).await.end?;
        Some((end.ending, outpoint::to_bitcoin(domain::Outpoint { txid: end.txid, vout: 0 }).txid))
    }
}

fn dear() -> FeeRate {
    FeeRate::from_sat_per_vb_u32(30)
}

#[actix::test]
async fn a_repayment_with_a_higher_fee_replaces_an_unconfirmed_claim() {
    let scene = Scene::new().await;
    let (id, _) = scene.claiming().await;
    let txid = scene.repay_at(id, dear()).await.unwrap();
    assert_eq!((scene.stage(id).await, scene.world.chain.waiting()), (LoanStage::Repaying, vec![txid]));
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::Repaying, "the watcher has nothing to change");
    scene.block().await;
    assert_eq!((scene.stage(id).await, scene.ends_by(id).await), (LoanStage::Repaid, Some((Ending::Repayment, txid))));
    let frog = scene.loan(id).await.deal.pledged_id.parse().unwrap();
    assert!(scene.owns(&scene.borrower, frog).await);
}

#[actix::test]
async fn a_repayment_with_a_lower_fee_than_the_claim_changes_nothing() {
    let scene = Scene::new().await;
    let (id, claim) = scene.claiming().await;
    let before = scene.loan(id).await;
    let error = scene.repay_at(id, FeeRate::from_sat_per_vb_u32(1)).await.unwrap_err();
    assert!(matches!(error, DeskError::Chain(ChainError::Refused(_))), "{error}");
    assert_eq!((scene.loan(id).await, scene.world.chain.waiting()), (before, vec![claim.compute_txid()]));
}

#[actix::test]
async fn the_confirmed_one_of_repayment_and_claim_counts() {
    let scene = Scene::new().await;
    let (id, claim) = scene.claiming().await;
    scene.repay_at(id, dear()).await.unwrap();
    scene.world.chain.mine_these(vec![claim.clone()]).unwrap();
    scene.look().await;
    let ended = Some((Ending::Claim, claim.compute_txid()));
    assert_eq!((scene.stage(id).await, scene.ends_by(id).await), (LoanStage::Claimed, ended));
    let frog = scene.loan(id).await.deal.pledged_id.parse().unwrap();
    assert!(scene.owns(&scene.lender, frog).await);
}

#[actix::test]
async fn a_claim_replaces_an_unconfirmed_repayment_only_after_the_claim_time() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    scene.pass_days(7).await;
    scene.repay(&[id]).await;
    let (desk, lender) = (&scene.world.desk, scene.lender.user);
    assert_eq!(scene.stage(id).await, LoanStage::Repaying);
    let early = desk.prepare_claim(lender, id, dear()).await;
    assert!(matches!(early, Err(DeskError::NotClaimable(_))), "{early:?}");
    scene.world.pass(2 * 86_400);
    for _ in 0..7 {
        scene.world.chain.mine_these(Vec::new()).unwrap();
        scene.look().await;
    }
    assert_eq!(scene.stage(id).await, LoanStage::Repaying, "its fee was too low for a block");
    let claim = desk.prepare_claim(lender, id, FeeRate::from_sat_per_vb_u32(60)).await.unwrap();
    let signed = scene.lender.sign_one(&claim.transaction);
    let txid = desk.submit_claim(lender, id, &signed).await.unwrap();
    assert_eq!((scene.stage(id).await, scene.world.chain.waiting()), (LoanStage::Claiming, vec![txid]));
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Claimed);
    assert!(matches!(scene.repay_at(id, rate()).await, Err(DeskError::WrongStage { stage: LoanStage::Claimed })));
}
