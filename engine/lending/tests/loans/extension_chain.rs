//! Tests of extensions under reorgs and conflicting transactions.

use bitcoin::FeeRate;
use devchain::ReorgPolicy;
use domain::{Ending, LoanStage};
use engine::chain::Chain as _;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::Fixture;
use crate::kit::faults::{FaultMode, Faults};

#[actix::test]
async fn a_coin_spent_before_the_lender_signs_ends_the_extension_and_not_the_loan() {
    for which in 0..3 {
        let fixture = Fixture::new().await;
        let old = fixture.originated().await;
        let id = fixture.requested_extension(old, 7).await.unsigned.loan;
        let (service, signed) = (&fixture.world.service, fixture.countersigned(id).await);
        let spent = fixture.spent_beside_escrow(id).await;
        assert_eq!(spent.len(), 3, "two pads and a coin");
        let rival = fixture.borrower.spend_elsewhere(&fixture.world, &spent[which..=which], 200).await;
        fixture.world.chain.broadcast(&[rival]).await.unwrap();
        let error = service.countersign(fixture.lender.user, id, &signed).await.unwrap_err();
        assert!(matches!(error, LoanServiceError::ExtensionCoinSpent(gone) if gone == spent[which]), "{error}");
        assert_eq!((fixture.stage(id).await, fixture.stage(old).await), (LoanStage::Cancelled, LoanStage::Active));
        fixture.repay(&[old]).await;
        fixture.block().await;
        assert_eq!(fixture.stage(old).await, LoanStage::Repaid);
    }
}

#[actix::test]
async fn a_coin_spent_after_both_have_signed_leaves_the_old_loan_running() {
    for which in 0..3 {
        let fixture = Fixture::new().await;
        let old = fixture.originated().await;
        let id = fixture.countersigned_extension(old, 7).await;
        let spent = fixture.spent_beside_escrow(id).await;
        let rival = fixture.borrower.spend_elsewhere(&fixture.world, &spent[which..=which], 200).await;
        fixture.world.chain.mine_transactions(vec![rival]).unwrap();
        fixture.run_watch().await;
        assert_eq!((fixture.stage(id).await, fixture.stage(old).await), (LoanStage::Broadcast, LoanStage::Active));
        for _ in 0..6 {
            fixture.block().await;
        }
        assert_eq!(fixture.stage(id).await, LoanStage::Failed);
        assert_eq!((fixture.stage(old).await, fixture.book_loans().await), (LoanStage::Active, vec![old]));
        fixture.repay(&[old]).await;
        fixture.block().await;
        assert_eq!((fixture.stage(old).await, fixture.book_loans().await), (LoanStage::Repaid, vec![]));
    }
}

#[actix::test]
async fn a_repayment_mined_instead_ends_the_loan_and_fails_the_extension() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let repayment = fixture.repayment_from_the_kit(old).await;
    let id = fixture.countersigned_extension(old, 7).await;
    let txid = repayment.compute_txid();
    fixture.world.chain.mine_transactions(vec![repayment]).unwrap();
    fixture.run_watch().await;
    assert_eq!(
        (fixture.stage(old).await, fixture.end(old).await),
        (LoanStage::Repaid, Some((Ending::Repayment, txid)))
    );
    for _ in 0..6 {
        fixture.block().await;
    }
    assert_eq!((fixture.stage(id).await, fixture.book_loans().await), (LoanStage::Failed, vec![]));
    assert!(
        fixture
            .owns(&fixture.borrower, fixture.loan(old).await.deal.pledged_ids.first().unwrap().parse().unwrap())
            .await
    );
}

#[actix::test]
async fn an_extension_mined_after_a_repayment_replaced_it_counts() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let id = fixture.countersigned_extension(old, 7).await;
    let mined = fixture.origination(id).await;
    let service = &fixture.world.service;
    let dearer = FeeRate::from_sat_per_vb_u32(50);
    let handout = service.prepare_repayment(fixture.borrower.user, &[old], dearer).await.unwrap();
    let signed = fixture.borrower.sign_one(&handout.transaction);
    service.submit_repayment(fixture.borrower.user, &[old], &signed).await.unwrap();
    assert_eq!(fixture.end(old).await, Some((Ending::Repayment, handout.txid)));
    let txid = mined.compute_txid();
    fixture.world.chain.mine_transactions(vec![mined]).unwrap();
    fixture.run_watch().await;
    assert_eq!(fixture.end(old).await, Some((Ending::Extension(id), txid)));
    fixture.run_watch().await;
    assert_eq!((fixture.stage(old).await, fixture.stage(id).await), (LoanStage::Repaid, LoanStage::Active));
    assert_eq!(fixture.book_loans().await, [id]);
}

#[actix::test]
async fn an_extension_in_a_disconnected_block_waits_again_and_is_sent_again() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let id = fixture.extended(old, 7).await;
    let (due, txid) = (fixture.loan(id).await.due_at(), fixture.origination(id).await.compute_txid());
    for fate in [ReorgPolicy::Requeue, ReorgPolicy::Drop] {
        fixture.world.chain.reorg(1, fate).unwrap();
        fixture.run_watch().await;
        assert_eq!((fixture.stage(id).await, fixture.stage(old).await), (LoanStage::Broadcast, LoanStage::Repaying));
        assert_eq!(fixture.world.chain.mempool_txids(), [txid], "{fate:?}");
        fixture.world.pass(86_400);
        fixture.empty_blocks(7).await;
        fixture.block().await;
        assert_eq!((fixture.stage(id).await, fixture.stage(old).await), (LoanStage::Active, LoanStage::Repaid));
        assert_eq!(fixture.loan(id).await.due_at(), due, "{fate:?}: its day was agreed on");
    }
    // Both blocks at once, also that of the first loan, which had twenty confirmations.
    fixture.world.chain.reorg(20, ReorgPolicy::Requeue).unwrap();
    fixture.run_watch().await;
    assert_eq!((fixture.stage(id).await, fixture.stage(old).await), (LoanStage::Broadcast, LoanStage::Broadcast));
    fixture.block().await;
    assert_eq!((fixture.stage(id).await, fixture.stage(old).await), (LoanStage::Active, LoanStage::Repaid));
    fixture.repay(&[id]).await;
    fixture.block().await;
    assert_eq!((fixture.stage(id).await, fixture.book_loans().await), (LoanStage::Repaid, vec![]));
}

#[actix::test]
async fn an_extension_that_may_not_have_been_sent_is_sent_by_the_watch() {
    for mode in [FaultMode::Unreachable, FaultMode::LosesAnswer] {
        let fixture = Fixture::new().await;
        let old = fixture.originated().await;
        let id = fixture.requested_extension(old, 7).await.unsigned.loan;
        let signed = fixture.countersigned(id).await;
        fixture.world.faults.lock().broadcasts = mode;
        let txid = fixture.world.service.countersign(fixture.lender.user, id, &signed).await.unwrap();
        *fixture.world.faults.lock() = Faults::default();
        fixture.run_watch().await;
        assert_eq!(fixture.world.chain.mempool_txids(), [txid], "{mode:?}");
        fixture.block().await;
        assert_eq!(
            (fixture.stage(id).await, fixture.stage(old).await),
            (LoanStage::Active, LoanStage::Repaid),
            "{mode:?}"
        );
    }
}

#[actix::test]
async fn a_repayment_before_the_lender_signs_cancels_the_extension() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let id = fixture.requested_extension(old, 7).await.unsigned.loan;
    fixture.repay(&[old]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(old).await, LoanStage::Repaid);
    assert_eq!(
        (fixture.stage(id).await, fixture.book_loans().await),
        (LoanStage::Cancelled, vec![]),
        "no request needed"
    );
    let error = fixture.world.service.prepare_countersign(fixture.lender.user, id).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::WrongStage { stage: LoanStage::Cancelled }), "{error}");
}
