//! Tests of loans that are repaid out of another lender's loan.

use domain::{Ending, LoanStage, Sats};
use lending::borrowing::Borrowing;
use lending::desk_error::DeskError;

use crate::kit::groups::FROGS;
use crate::scene::Scene;

#[actix::test]
async fn another_lender_repays_the_first_and_takes_over_the_collateral_in_one_transaction() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let first = scene.loan(old).await.deal.lender;
    let scene = scene.with_lender(2).await;
    let offer = scene.offer(FROGS, 1).await;
    let (desk, wish) = (&scene.world.desk, Borrowing { follows: Some(old), ..scene.wish(offer, None) });
    let handout = desk.prepare(&wish).await.unwrap();
    assert_eq!(desk.prepare(&wish).await.unwrap(), handout, "the same request gives the same answer");
    let new = handout.loan;
    scene.accept(&handout).await;
    assert_eq!(scene.stage(old).await, LoanStage::Active, "nothing has happened to the old loan yet");
    let txid = scene.countersign(new).await;
    assert_eq!((scene.stage(new).await, scene.stage(old).await), (LoanStage::Broadcast, LoanStage::Repaying));
    assert_eq!(scene.world.chain.waiting(), [txid]);
    scene.block().await;
    assert_eq!((scene.stage(new).await, scene.stage(old).await), (LoanStage::Active, LoanStage::Repaid));
    let ended = scene.loan(old).await;
    assert_eq!(ended.end.unwrap().ending, Ending::Refinance(new));
    assert_ne!(scene.loan(new).await.deal.lender, first);
    assert_eq!(scene.loan(new).await.deal.follows, Some(old));
    scene.repay(&[new]).await;
    scene.block().await;
    assert_eq!(scene.stage(new).await, LoanStage::Repaid);
}

#[actix::test]
async fn a_loan_repaid_meanwhile_is_not_refinanced_and_the_new_lenders_offer_is_released() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let scene = scene.with_lender(2).await;
    let offer = scene.offer(FROGS, 1).await;
    let desk = &scene.world.desk;
    let handout = desk.prepare(&Borrowing { follows: Some(old), ..scene.wish(offer, None) }).await.unwrap();
    scene.accept(&handout).await;
    // The borrower repays the first lender after all.
    scene.repay(&[old]).await;
    scene.block().await;
    assert_eq!(scene.stage(old).await, LoanStage::Repaid);
    // Either the watcher has seen it, or the new lender's request does.
    let error = desk.prepare_countersign(scene.lender.user, handout.loan).await.unwrap_err();
    assert!(matches!(error, DeskError::CollateralGone(_) | DeskError::WrongStage { .. }), "{error}");
    assert_eq!(scene.stage(handout.loan).await, LoanStage::Cancelled);
    assert!(scene.is_live(offer).await);
    let frog = scene.loan(old).await.deal.pledged_id.parse().unwrap();
    desk.prepare(&scene.wish(offer, Some(frog))).await.unwrap();
}

#[actix::test]
async fn a_repayment_mined_in_place_of_a_refinance_is_recorded_as_a_repayment() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let scene = scene.with_lender(2).await;
    let offer = scene.offer(FROGS, 1).await;
    let desk = &scene.world.desk;
    let handout = desk.prepare(&Borrowing { follows: Some(old), ..scene.wish(offer, None) }).await.unwrap();
    scene.accept(&handout).await;
    let plain = scene.repayment_from_the_kit(old).await;
    scene.countersign(handout.loan).await;
    let known = scene.loan(old).await.end.unwrap().ending;
    assert_eq!((scene.stage(old).await, known), (LoanStage::Repaying, Ending::Refinance(handout.loan)));
    let txid = plain.compute_txid();
    scene.world.chain.mine_these(vec![plain]).unwrap();
    scene.look().await;
    let ended = scene.loan(old).await.end.unwrap();
    assert_eq!((scene.stage(old).await, ended.ending), (LoanStage::Repaid, Ending::Repayment));
    assert_eq!(lending::outpoint::to_bitcoin(domain::Outpoint { txid: ended.txid, vout: 0 }).txid, txid);
    for _ in 0..6 {
        scene.block().await;
    }
    assert_eq!(scene.stage(handout.loan).await, LoanStage::Failed, "its collateral was returned");
}

#[actix::test]
async fn spending_the_coins_of_a_refinance_cancels_it() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let scene = scene.with_lender(2).await;
    // Less than the payout of the old loan: the borrower adds coins.
    let offer = scene.offer_of(FROGS, 1, Sats::new(800_000)).await;
    let desk = &scene.world.desk;
    let handout = desk.prepare(&Borrowing { follows: Some(old), ..scene.wish(offer, None) }).await.unwrap();
    scene.accept(&handout).await;
    scene.borrower.spend_all(&scene.world).await;
    let error = desk.prepare_countersign(scene.lender.user, handout.loan).await.unwrap_err();
    assert!(matches!(error, DeskError::CollateralGone(_)), "{error}");
    assert_eq!((scene.stage(handout.loan).await, scene.stage(old).await), (LoanStage::Cancelled, LoanStage::Active));
    assert!(scene.is_live(offer).await);
}

#[actix::test]
async fn a_loan_is_refinanced_once_and_only_by_its_borrower() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let scene = scene.with_lender(2).await;
    let (one, other) = (scene.offer(FROGS, 1).await, scene.offer(FROGS, 1).await);
    let desk = &scene.world.desk;
    let wish = |offer| Borrowing { follows: Some(old), ..scene.wish(offer, None) };
    let stranger = Borrowing { borrower: scene.world.person(103).await.user, ..wish(one) };
    let error = desk.prepare(&stranger).await.unwrap_err();
    assert!(matches!(error, DeskError::UnknownLoan(_)), "{error}");
    let hardware = Borrowing { is_hardware_wallet: true, ..wish(one) };
    assert!(
        matches!(desk.prepare(&hardware).await, Err(DeskError::HardwareWallet)),
        "it could not sign the old escrow"
    );
    let frog = scene.frog().await;
    let error = desk.prepare(&Borrowing { inscription: Some(frog), ..wish(one) }).await.unwrap_err();
    assert!(matches!(error, DeskError::NotReplaceable(id) if id == old), "what the loan has is pledged: {error}");
    let first = desk.prepare(&wish(one)).await.unwrap();
    let second = desk.prepare(&wish(other)).await.unwrap();
    scene.accept(&first).await;
    let signed = scene.borrower.sign(&second.transactions);
    let error = desk.accept(scene.borrower.user, second.loan, &signed).await.unwrap_err();
    assert!(matches!(error, DeskError::NoReservation(_)), "{error}");
    let error = desk.prepare(&wish(other)).await.unwrap_err();
    assert!(matches!(error, DeskError::Market(engine::Refusal::Asset(_))), "{error}");
}
