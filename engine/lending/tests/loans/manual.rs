//! Tests of manual loans against an inscription.

use domain::{LoanStage, Rejection};
use engine::Refusal;
use engine::asset_index::InscriptionId;
use escrow::contract::claim::ClaimError;
use futures_util::future::join_all;
use lending::borrowing::Borrowing;
use lending::desk_error::DeskError;
use lending::holdings::InscriptionError;

use crate::kit::groups::FROGS;
use crate::scene::{PRINCIPAL, Scene, rate};

async fn refused(scene: &Scene, wish: &Borrowing) -> DeskError {
    let before = scene.world.journal.batches().len();
    let error = scene.world.desk.prepare(wish).await.unwrap_err();
    assert_eq!(scene.world.journal.batches().len(), before, "a refusal leaves nothing behind");
    error
}

#[actix::test]
async fn a_loan_is_taken_counter_signed_confirmed_and_repaid() {
    let scene = Scene::new().await;
    let (offer, frog) = (scene.offer(FROGS, 0).await, scene.frog().await);
    let handout = scene.world.desk.prepare(&scene.wish(offer, Some(frog))).await.unwrap();
    let id = handout.loan;
    assert_eq!(scene.stage(id).await, LoanStage::Prepared);
    let txid = scene.accept(&handout).await;
    assert_eq!((scene.stage(id).await, txid), (LoanStage::AwaitingLender, handout.txid));
    assert_eq!(scene.countersign(id).await, txid);
    assert_eq!((scene.stage(id).await, scene.world.chain.waiting()), (LoanStage::Broadcast, vec![txid]));
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);
    assert!(!scene.owns(&scene.borrower, frog).await);
    let end = scene.repay(&[id]).await;
    assert_eq!((scene.stage(id).await, scene.world.chain.waiting()), (LoanStage::Repaying, vec![end]));
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Repaid);
    assert!(scene.owns(&scene.borrower, frog).await);
    for _ in 0..6 {
        scene.block().await;
    }
    assert_eq!(scene.world.desk.market.watched_loans().await, [], "it is buried");
}

#[actix::test]
async fn concurrent_duplicates_of_a_signed_request_get_the_same_answer() {
    let scene = Scene::new().await;
    let (desk, handout) = (&scene.world.desk, scene.prepared().await);
    let (borrower, lender, id) = (scene.borrower.user, scene.lender.user, handout.loan);
    let signed = scene.borrower.sign(&handout.transactions);
    let accept = || Box::pin(desk.accept(borrower, id, &signed));
    for answer in join_all([accept(), accept()]).await {
        assert_eq!(answer.unwrap(), handout.txid);
    }
    let signed = scene.countersigned(id).await;
    let countersign = || Box::pin(desk.countersign(lender, id, &signed));
    for answer in join_all([countersign(), countersign()]).await {
        assert_eq!(answer.unwrap(), handout.txid);
    }

    scene.vault(&[3_000_000]).await;
    let offer = scene.instant_offer(FROGS, PRINCIPAL, None).await;
    let wish = scene.wish(offer, Some(scene.frog().await));
    let handout = desk.prepare_instant(&wish).await.unwrap();
    let submit = || Box::pin(scene.submit(&scene.borrower, &handout));
    for answer in join_all([submit(), submit()]).await {
        assert_eq!(answer.unwrap(), handout.txid);
    }
    scene.block_for_all().await;
    assert_eq!((scene.stage(id).await, scene.stage(handout.loan).await), (LoanStage::Active, LoanStage::Active));
}

#[actix::test]
async fn a_loan_accepted_while_another_rate_is_requested_stays_accepted() {
    let mut outcomes = [0, 0];
    for turns in 0..40 {
        let scene = Scene::new().await;
        let (desk, offer, frog) = (&scene.world.desk, scene.offer(FROGS, 0).await, scene.frog().await);
        let wish = scene.wish(offer, Some(frog));
        let handout = desk.prepare(&wish).await.unwrap();
        let signed = scene.borrower.sign(&handout.transactions);
        let dearer = Borrowing { fee_rate: wish.fee_rate.checked_mul(2).unwrap(), ..wish };
        let accept = desk.accept(scene.borrower.user, handout.loan, &signed);
        let prepare_anew = async {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            desk.prepare(&dearer).await
        };
        let (accepted, anew) = tokio::join!(Box::pin(accept), Box::pin(prepare_anew));
        outcomes[usize::from(accepted.is_ok())] += 1;
        if let Ok(txid) = accepted {
            assert_eq!((txid, scene.stage(handout.loan).await), (handout.txid, LoanStage::AwaitingLender), "{turns}");
            assert!(anew.is_err(), "{turns}: the offer is taken");
        } else {
            assert_ne!(anew.unwrap().loan, handout.loan, "{turns}: one of them is prepared");
            assert!(scene.is_gone(handout.loan).await, "{turns}");
        }
    }
    assert!(outcomes.iter().all(|count| *count > 0), "each comes first sometimes: {outcomes:?}");
}

#[actix::test]
async fn an_unrepaid_loan_expires_and_is_claimed_after_the_grace_period() {
    let scene = Scene::new().await;
    let (offer, frog) = (scene.offer(FROGS, 0).await, scene.frog().await);
    let handout = scene.world.desk.prepare(&scene.wish(offer, Some(frog))).await.unwrap();
    scene.accept(&handout).await;
    let id = handout.loan;
    scene.countersign(id).await;
    scene.block().await;
    let (desk, lender) = (&scene.world.desk, scene.lender.user);
    assert!(matches!(desk.prepare_claim(lender, id, rate()).await, Err(DeskError::WrongStage { .. })));
    scene.world.pass(7 * 86_400 + 3_600);
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Expired);
    assert!(matches!(desk.prepare_claim(lender, id, rate()).await, Err(DeskError::NotClaimable(_))));
    scene.world.pass(2 * 86_400);
    for _ in 0..7 {
        scene.block().await;
    }
    let claim = desk.prepare_claim(lender, id, rate()).await.unwrap();
    let signed = scene.lender.sign_one(&claim.transaction);
    let txid = desk.submit_claim(lender, id, &signed).await.unwrap();
    assert_eq!((txid, scene.stage(id).await), (claim.txid, LoanStage::Claiming));
    assert_eq!(desk.submit_claim(lender, id, &signed).await.unwrap(), txid, "the same again is the same");
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Claimed);
    assert_eq!(desk.submit_claim(lender, id, &signed).await.unwrap(), txid, "also when it is confirmed");
    assert!(scene.owns(&scene.lender, frog).await);
}

#[actix::test]
async fn a_late_repayment_is_valid_until_the_claim() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    scene.world.pass(30 * 86_400);
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Expired);
    scene.repay(&[id]).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Repaid);
}

#[actix::test]
async fn the_same_request_gives_the_same_transaction_and_another_rate_another_one() {
    let scene = Scene::new().await;
    let (offer, frog) = (scene.offer(FROGS, 0).await, scene.frog().await);
    let (desk, wish) = (&scene.world.desk, scene.wish(offer, Some(frog)));
    let first = desk.prepare(&wish).await.unwrap();
    assert_eq!(desk.prepare(&wish).await.unwrap(), first);
    assert_eq!(desk.prepared(scene.borrower.user, first.loan).await.unwrap(), first);
    let dearer = Borrowing { fee_rate: bitcoin::FeeRate::from_sat_per_vb_u32(9), ..wish };
    let second = desk.prepare(&dearer).await.unwrap();
    assert_ne!(second.txid, first.txid);
    assert!(scene.is_gone(first.loan).await);
    let signed = scene.borrower.sign(&second.transactions);
    for _ in 0..2 {
        assert_eq!(desk.accept(scene.borrower.user, second.loan, &signed).await.unwrap(), second.txid);
    }
    let countersigned = scene.countersigned(second.loan).await;
    for _ in 0..2 {
        assert_eq!(desk.countersign(scene.lender.user, second.loan, &countersigned).await.unwrap(), second.txid);
    }
}

#[actix::test]
async fn a_lost_answer_is_repeated_also_after_confirmation() {
    let scene = Scene::new().await;
    let handout = scene.prepared().await;
    let (desk, user, id) = (&scene.world.desk, scene.borrower.user, handout.loan);
    let signed = scene.borrower.sign(&handout.transactions);
    desk.accept(user, id, &signed).await.unwrap();
    let countersigned = scene.countersigned(id).await;
    desk.countersign(scene.lender.user, id, &countersigned).await.unwrap();
    scene.block().await;
    assert_eq!(desk.accept(user, id, &signed).await.unwrap(), handout.txid);
    assert_eq!(desk.countersign(scene.lender.user, id, &countersigned).await.unwrap(), handout.txid);
    let repayment = desk.prepare_repayment(user, &[id], rate()).await.unwrap();
    let signed = scene.borrower.sign_one(&repayment.transaction);
    desk.submit_repayment(user, &[id], &signed).await.unwrap();
    scene.block().await;
    assert_eq!(desk.submit_repayment(user, &[id], &signed).await.unwrap(), repayment.txid);
    let unrelated = scene.begun().await;
    let other = desk.prepare_repayment(user, &[unrelated], rate()).await.unwrap();
    let other = scene.borrower.sign_one(&other.transaction);
    let error = desk.submit_repayment(user, &[id], &other).await.unwrap_err();
    assert!(matches!(error, DeskError::WrongStage { stage: LoanStage::Repaid }), "{error}");
}

#[actix::test]
async fn the_lender_never_receives_the_borrowers_signature() {
    let scene = Scene::new().await;
    let id = scene.accepted().await;
    let handout = scene.world.desk.prepare_countersign(scene.lender.user, id).await.unwrap();
    let texts = [&handout.beginning.transactions[0], &handout.payouts[0], &handout.payouts[1]];
    for text in texts {
        let psbt: bitcoin::Psbt = text.base64.parse().unwrap();
        for input in &psbt.inputs {
            assert!(input.partial_sigs.is_empty() && input.tap_key_sig.is_none() && input.tap_script_sigs.is_empty());
            assert!(input.final_script_witness.is_none() && input.final_script_sig.is_none());
        }
    }
}

#[actix::test]
async fn invalid_collateral_is_refused_by_name_and_changes_nothing() {
    let scene = Scene::new().await;
    let (offer, frog) = (scene.offer(FROGS, 0).await, scene.frog().await);
    let wish = scene.wish(offer, Some(frog));
    assert!(matches!(
        refused(&scene, &Borrowing { inscription: None, ..wish.clone() }).await,
        DeskError::NoInscription
    ));
    let hardware = Borrowing { is_hardware_wallet: true, ..wish.clone() };
    assert!(matches!(refused(&scene, &hardware).await, DeskError::HardwareWallet));
    let stranger = InscriptionId { index: 7, ..frog };
    let of_nobody = Borrowing { inscription: Some(stranger), ..wish.clone() };
    assert!(matches!(refused(&scene, &of_nobody).await, DeskError::NotOfCollection(id) if id == stranger));
    let own = Borrowing { borrower: scene.lender.user, ..wish.clone() };
    let error = refused(&scene, &own).await;
    assert!(matches!(error, DeskError::Market(Refusal::Book(Rejection::OwnOffer(_)))), "{error}");
    let other = scene.world.person(102).await;
    let foreign = Borrowing { borrower: other.user, ..wish.clone() };
    let error = refused(&scene, &foreign).await;
    assert!(matches!(error, DeskError::Inscription(InscriptionError::NotYours(_))), "{error}");
    let dear = Borrowing { fee_rate: bitcoin::FeeRate::from_sat_per_vb_u32(501), ..wish };
    assert!(matches!(refused(&scene, &dear).await, DeskError::FeeRate { .. }));
}

#[actix::test]
async fn a_lenders_coin_that_was_spent_is_replaced_and_the_borrower_signs_again() {
    let scene = Scene::new().await;
    let id = scene.accepted().await;
    let before = scene.loan(id).await.contract;
    // The lender's wallet spends all its coins, and is funded again.
    scene.lender.spend_all(&scene.world).await;
    scene.world.fund(&scene.lender.payment_script(), 3_000_000);
    let desk = &scene.world.desk;
    let error = desk.prepare_countersign(scene.lender.user, id).await.unwrap_err();
    assert!(matches!(error, DeskError::Rebuilt), "{error}");
    assert_eq!(scene.stage(id).await, LoanStage::Prepared);
    assert_ne!(scene.loan(id).await.contract, before);
    let handout = desk.prepared(scene.borrower.user, id).await.unwrap();
    scene.accept(&handout).await;
    scene.countersign(id).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);
}

#[actix::test]
async fn collateral_that_was_moved_cancels_the_loan_and_frees_the_offer() {
    let scene = Scene::new().await;
    let id = scene.accepted().await;
    scene.borrower.spend_all(&scene.world).await;
    let error = scene.world.desk.prepare_countersign(scene.lender.user, id).await.unwrap_err();
    assert!(matches!(error, DeskError::CollateralGone(_)), "{error}");
    assert_eq!(scene.stage(id).await, LoanStage::Cancelled);
    let offer = scene.loan(id).await.deal.offer;
    assert!(scene.world.desk.market.offer(offer).await.unwrap().unwrap().is_live());
}

#[actix::test]
async fn a_lender_who_signs_too_late_finds_the_loan_lapsed() {
    let scene = Scene::new().await;
    let id = scene.accepted().await;
    let signed = scene.countersigned(id).await;
    scene.world.pass(12 * 3_600 + 1);
    let error = scene.world.desk.countersign(scene.lender.user, id, &signed).await.unwrap_err();
    assert!(matches!(error, DeskError::Market(_) | DeskError::WrongStage { .. }), "{error}");
    assert_eq!(scene.world.chain.waiting(), []);
}

#[actix::test]
async fn requests_repeated_after_the_end_of_a_loan_get_their_first_answer() {
    let scene = Scene::new().await;
    let handout = scene.prepared().await;
    let (desk, id) = (&scene.world.desk, handout.loan);
    let borrowers = scene.borrower.sign(&handout.transactions);
    let txid = desk.accept(scene.borrower.user, id, &borrowers).await.unwrap();
    let lenders = scene.countersigned(id).await;
    desk.countersign(scene.lender.user, id, &lenders).await.unwrap();
    scene.block().await;
    scene.repay(&[id]).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Repaid);
    let written = scene.world.journal.batches().len();
    assert_eq!(desk.accept(scene.borrower.user, id, &borrowers).await.unwrap(), txid);
    assert_eq!(desk.countersign(scene.lender.user, id, &lenders).await.unwrap(), txid);
    assert_eq!((scene.world.journal.batches().len(), scene.world.chain.waiting()), (written, vec![]));
}

#[actix::test]
async fn a_claim_is_not_paid_with_a_coin_reserved_for_another_loan() {
    let scene = Scene::new().await;
    // Collateral with too few sats to pay for its own move.
    let home = scene.borrower.ordinals().script_pubkey();
    let thin = scene.world.chain.inscribe(&home, bitcoin::Amount::from_sat(546), "text/plain", b"a thin frog").unwrap();
    let desk = &scene.world.desk;
    desk.market.list_inscriptions(FROGS, &[lending::outpoint::inscription(thin)]).await.unwrap();
    let handout = desk.prepare(&scene.wish(scene.offer(FROGS, 0).await, Some(thin))).await.unwrap();
    scene.accept(&handout).await;
    scene.countersign(handout.loan).await;
    scene.block().await;
    scene.pass_days(9).await;
    // All coins that the lender has left are reserved for a loan that the borrower has signed.
    scene.lender.spend_all(&scene.world).await;
    for sats in [900_000, 300_000] {
        scene.world.fund(&scene.lender.payment_script(), sats);
    }
    let offer = scene.offer(FROGS, 1).await;
    let next = desk.prepare(&scene.wish(offer, Some(scene.frog().await))).await.unwrap();
    scene.accept(&next).await;
    let error = desk.prepare_claim(scene.lender.user, handout.loan, rate()).await.unwrap_err();
    assert!(matches!(error, DeskError::Claim(ClaimError::NeedsFeeCoin { .. })), "{error}");
    let free = scene.world.fund(&scene.lender.payment_script(), 60_000);
    let claim = desk.prepare_claim(scene.lender.user, handout.loan, rate()).await.unwrap();
    let claim: bitcoin::Psbt = claim.transaction.base64.parse().unwrap();
    assert_eq!(claim.unsigned_tx.input.len(), 2, "the escrow, and a coin that pays");
    assert!(claim.unsigned_tx.input.iter().any(|input| input.previous_output == free));
}

#[actix::test]
async fn either_party_can_cancel_before_the_counter_signature() {
    let scene = Scene::new().await;
    let desk = &scene.world.desk;
    let first = scene.accepted().await;
    desk.refuse(scene.lender.user, first).await.unwrap();
    let second = scene.accepted().await;
    desk.withdraw(scene.borrower.user, second).await.unwrap();
    for id in [first, second] {
        assert_eq!(scene.stage(id).await, LoanStage::Cancelled);
        assert!(matches!(desk.refuse(scene.lender.user, id).await, Err(DeskError::WrongStage { .. })));
    }
    let third = scene.accepted().await;
    assert!(matches!(desk.refuse(scene.borrower.user, third).await, Err(DeskError::UnknownLoan(_))), "not the lender");
    assert!(
        matches!(desk.withdraw(scene.lender.user, third).await, Err(DeskError::UnknownLoan(_))),
        "not the borrower"
    );
}

#[actix::test]
async fn several_loans_are_repaid_in_one_transaction() {
    let scene = Scene::new().await;
    let ids = [scene.begun().await, scene.begun().await, scene.begun().await];
    scene.repay(&ids).await;
    scene.block().await;
    for id in ids {
        assert_eq!(scene.stage(id).await, LoanStage::Repaid);
    }
}

#[actix::test]
async fn a_repayment_with_a_higher_fee_replaces_an_unconfirmed_one() {
    let scene = Scene::new().await;
    let id = scene.begun().await;
    let first = scene.repay(&[id]).await;
    let desk = &scene.world.desk;
    let dearer = bitcoin::FeeRate::from_sat_per_vb_u32(25);
    let handout = desk.prepare_repayment(scene.borrower.user, &[id], dearer).await.unwrap();
    let signed = scene.borrower.sign_one(&handout.transaction);
    let second = desk.submit_repayment(scene.borrower.user, &[id], &signed).await.unwrap();
    assert_ne!(first, second);
    assert_eq!(scene.world.chain.waiting(), [second]);
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Repaid);
}
