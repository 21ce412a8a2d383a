//! Tests of extensions under reorgs and conflicting transactions.

use bitcoin::FeeRate;
use devnet::chain::Disconnected;
use domain::{Ending, LoanStage};
use engine::chain::Chain as _;
use lending::desk_error::DeskError;

use crate::kit::ports::{Doing, Mood};
use crate::scene::Scene;

#[actix::test]
async fn a_coin_spent_before_the_lender_signs_ends_the_extension_and_not_the_loan() {
    for which in 0..3 {
        let scene = Scene::new().await;
        let old = scene.begun().await;
        let id = scene.asked(old, 7).await.handout.loan;
        let (desk, signed) = (&scene.world.desk, scene.countersigned(id).await);
        let spent = scene.spent_beside_escrow(id).await;
        assert_eq!(spent.len(), 3, "two pads and a coin");
        let rival = scene.borrower.spend_elsewhere(&scene.world, &spent[which..=which], 200).await;
        scene.world.chain.broadcast(&[rival]).await.unwrap();
        let error = desk.countersign(scene.lender.user, id, &signed).await.unwrap_err();
        assert!(matches!(error, DeskError::ExtensionGone(gone) if gone == spent[which]), "{error}");
        assert_eq!((scene.stage(id).await, scene.stage(old).await), (LoanStage::Cancelled, LoanStage::Active));
        scene.repay(&[old]).await;
        scene.block().await;
        assert_eq!(scene.stage(old).await, LoanStage::Repaid);
    }
}

#[actix::test]
async fn a_coin_spent_after_both_have_signed_leaves_the_old_loan_running() {
    for which in 0..3 {
        let scene = Scene::new().await;
        let old = scene.begun().await;
        let id = scene.agreed(old, 7).await;
        let spent = scene.spent_beside_escrow(id).await;
        let rival = scene.borrower.spend_elsewhere(&scene.world, &spent[which..=which], 200).await;
        scene.world.chain.mine_these(vec![rival]).unwrap();
        scene.look().await;
        assert_eq!((scene.stage(id).await, scene.stage(old).await), (LoanStage::Broadcast, LoanStage::Active));
        for _ in 0..6 {
            scene.block().await;
        }
        assert_eq!(scene.stage(id).await, LoanStage::Failed);
        assert_eq!((scene.stage(old).await, scene.book_loans().await), (LoanStage::Active, vec![old]));
        scene.repay(&[old]).await;
        scene.block().await;
        assert_eq!((scene.stage(old).await, scene.book_loans().await), (LoanStage::Repaid, vec![]));
    }
}

#[actix::test]
async fn a_repayment_mined_instead_ends_the_loan_and_fails_the_extension() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let repayment = scene.repayment_from_the_kit(old).await;
    let id = scene.agreed(old, 7).await;
    let txid = repayment.compute_txid();
    scene.world.chain.mine_these(vec![repayment]).unwrap();
    scene.look().await;
    assert_eq!((scene.stage(old).await, scene.end(old).await), (LoanStage::Repaid, Some((Ending::Repayment, txid))));
    for _ in 0..6 {
        scene.block().await;
    }
    assert_eq!((scene.stage(id).await, scene.book_loans().await), (LoanStage::Failed, vec![]));
    assert!(scene.owns(&scene.borrower, scene.loan(old).await.deal.pledged_id.parse().unwrap()).await);
}

#[actix::test]
async fn an_extension_mined_after_a_repayment_replaced_it_counts() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let id = scene.agreed(old, 7).await;
    let mined = scene.origination(id).await;
    let desk = &scene.world.desk;
    let dearer = FeeRate::from_sat_per_vb_u32(50);
    let handout = desk.prepare_repayment(scene.borrower.user, &[old], dearer).await.unwrap();
    let signed = scene.borrower.sign_one(&handout.transaction);
    desk.submit_repayment(scene.borrower.user, &[old], &signed).await.unwrap();
    assert_eq!(scene.end(old).await, Some((Ending::Repayment, handout.txid)));
    let txid = mined.compute_txid();
    scene.world.chain.mine_these(vec![mined]).unwrap();
    scene.look().await;
    assert_eq!(scene.end(old).await, Some((Ending::Extension(id), txid)));
    scene.look().await;
    assert_eq!((scene.stage(old).await, scene.stage(id).await), (LoanStage::Repaid, LoanStage::Active));
    assert_eq!(scene.book_loans().await, [id]);
}

#[actix::test]
async fn an_extension_in_a_disconnected_block_waits_again_and_is_sent_again() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let id = scene.extended(old, 7).await;
    let (due, txid) = (scene.loan(id).await.due_at(), scene.origination(id).await.compute_txid());
    for fate in [Disconnected::Wait, Disconnected::Forgotten] {
        scene.world.chain.reorg(1, fate).unwrap();
        scene.look().await;
        assert_eq!((scene.stage(id).await, scene.stage(old).await), (LoanStage::Broadcast, LoanStage::Repaying));
        assert_eq!(scene.world.chain.waiting(), [txid], "{fate:?}");
        scene.world.pass(86_400);
        scene.empty_blocks(7).await;
        scene.block().await;
        assert_eq!((scene.stage(id).await, scene.stage(old).await), (LoanStage::Active, LoanStage::Repaid));
        assert_eq!(scene.loan(id).await.due_at(), due, "{fate:?}: its day was agreed on");
    }
    // Both blocks at once, also that of the first loan, which had twenty confirmations.
    scene.world.chain.reorg(20, Disconnected::Wait).unwrap();
    scene.look().await;
    assert_eq!((scene.stage(id).await, scene.stage(old).await), (LoanStage::Broadcast, LoanStage::Broadcast));
    scene.block().await;
    assert_eq!((scene.stage(id).await, scene.stage(old).await), (LoanStage::Active, LoanStage::Repaid));
    scene.repay(&[id]).await;
    scene.block().await;
    assert_eq!((scene.stage(id).await, scene.book_loans().await), (LoanStage::Repaid, vec![]));
}

#[actix::test]
async fn an_extension_that_may_not_have_been_sent_is_sent_by_the_watch() {
    for doing in [Doing::Away, Doing::LosesAnswer] {
        let scene = Scene::new().await;
        let old = scene.begun().await;
        let id = scene.asked(old, 7).await.handout.loan;
        let signed = scene.countersigned(id).await;
        scene.world.moods.now().broadcasts = doing;
        let txid = scene.world.desk.countersign(scene.lender.user, id, &signed).await.unwrap();
        *scene.world.moods.now() = Mood::default();
        scene.look().await;
        assert_eq!(scene.world.chain.waiting(), [txid], "{doing:?}");
        scene.block().await;
        assert_eq!(
            (scene.stage(id).await, scene.stage(old).await),
            (LoanStage::Active, LoanStage::Repaid),
            "{doing:?}"
        );
    }
}

#[actix::test]
async fn a_repayment_before_the_lender_signs_cancels_the_extension() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let id = scene.asked(old, 7).await.handout.loan;
    scene.repay(&[old]).await;
    scene.block().await;
    assert_eq!(scene.stage(old).await, LoanStage::Repaid);
    assert_eq!((scene.stage(id).await, scene.book_loans().await), (LoanStage::Cancelled, vec![]), "no request needed");
    let error = scene.world.desk.prepare_countersign(scene.lender.user, id).await.unwrap_err();
    assert!(matches!(error, DeskError::WrongStage { stage: LoanStage::Cancelled }), "{error}");
}
