//! Tests of repayment against claim: until one of them is confirmed, either can replace the other.

use bitcoin::{FeeRate, Transaction, Txid};
use domain::{Ending, LoanId, LoanStage};
use engine::chain::{Chain as _, ChainError};
use lending::records::outpoint;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::{Fixture, rate};

impl Fixture {
    /// A loan with an unconfirmed claim.
    async fn claiming(&self) -> (LoanId, Transaction) {
        let id = self.originated().await;
        self.pass_days(9).await;
        let claim = self.claim(id).await;
        assert_eq!((self.stage(id).await, self.world.chain.mempool_txids()), (LoanStage::Claiming, vec![claim]));
        (id, self.world.chain.transaction(claim).await.unwrap().unwrap().transaction)
    }

    async fn repay_at(&self, id: LoanId, rate: FeeRate) -> Result<Txid, LoanServiceError> {
        let (service, borrower) = (&self.world.service, self.borrower.user);
        let handout = service.prepare_repayment(borrower, &[id], rate).await?;
        let signed = self.borrower.sign_one(&handout.transaction);
        service.submit_repayment(borrower, &[id], &signed).await
    }

    async fn ends_by(&self, id: LoanId) -> Option<(Ending, Txid)> {
        let end = self.loan(id).await.end?;
        Some((end.ending, outpoint::to_bitcoin(domain::Outpoint { txid: end.txid, vout: 0 }).txid))
    }
}

fn high_rate() -> FeeRate {
    FeeRate::from_sat_per_vb_u32(30)
}

#[actix::test]
async fn a_repayment_with_a_higher_fee_replaces_an_unconfirmed_claim() {
    let fixture = Fixture::new().await;
    let (id, _) = fixture.claiming().await;
    let txid = fixture.repay_at(id, high_rate()).await.unwrap();
    assert_eq!((fixture.stage(id).await, fixture.world.chain.mempool_txids()), (LoanStage::Repaying, vec![txid]));
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaying, "the watch_state has nothing to change");
    fixture.block().await;
    assert_eq!(
        (fixture.stage(id).await, fixture.ends_by(id).await),
        (LoanStage::Repaid, Some((Ending::Repayment, txid)))
    );
    let frog = fixture.loan(id).await.deal.pledged_ids.first().unwrap().parse().unwrap();
    assert!(fixture.owns(&fixture.borrower, frog).await);
}

#[actix::test]
async fn a_repayment_with_a_lower_fee_than_the_claim_changes_nothing() {
    let fixture = Fixture::new().await;
    let (id, claim) = fixture.claiming().await;
    let before = fixture.loan(id).await;
    let error = fixture.repay_at(id, FeeRate::from_sat_per_vb_u32(1)).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Chain(ChainError::Rejected(_))), "{error}");
    assert_eq!((fixture.loan(id).await, fixture.world.chain.mempool_txids()), (before, vec![claim.compute_txid()]));
}

#[actix::test]
async fn the_confirmed_one_of_repayment_and_claim_counts() {
    let fixture = Fixture::new().await;
    let (id, claim) = fixture.claiming().await;
    fixture.repay_at(id, high_rate()).await.unwrap();
    fixture.world.chain.mine_transactions(vec![claim.clone()]).unwrap();
    fixture.run_watch().await;
    let ended = Some((Ending::Claim, claim.compute_txid()));
    assert_eq!((fixture.stage(id).await, fixture.ends_by(id).await), (LoanStage::Claimed, ended));
    let frog = fixture.loan(id).await.deal.pledged_ids.first().unwrap().parse().unwrap();
    assert!(fixture.owns(&fixture.lender, frog).await);
}

#[actix::test]
async fn a_claim_replaces_an_unconfirmed_repayment_only_after_the_claim_time() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    fixture.pass_days(7).await;
    fixture.repay(&[id]).await;
    let (service, lender) = (&fixture.world.service, fixture.lender.user);
    assert_eq!(fixture.stage(id).await, LoanStage::Repaying);
    let early = service.prepare_claim(lender, id, high_rate()).await;
    assert!(matches!(early, Err(LoanServiceError::NotClaimable(_))), "{early:?}");
    fixture.world.pass(2 * 86_400);
    for _ in 0..7 {
        fixture.world.chain.mine_transactions(Vec::new()).unwrap();
        fixture.run_watch().await;
    }
    assert_eq!(fixture.stage(id).await, LoanStage::Repaying, "its fee was too low for a block");
    let claim = service.prepare_claim(lender, id, FeeRate::from_sat_per_vb_u32(60)).await.unwrap();
    let signed = fixture.lender.sign_one(&claim.transaction);
    let txid = service.submit_claim(lender, id, &signed).await.unwrap();
    assert_eq!((fixture.stage(id).await, fixture.world.chain.mempool_txids()), (LoanStage::Claiming, vec![txid]));
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Claimed);
    assert!(matches!(
        fixture.repay_at(id, rate()).await,
        Err(LoanServiceError::WrongStage { stage: LoanStage::Claimed })
    ));
}
