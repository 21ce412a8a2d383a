//! Tests of reservations: nothing is reserved before a borrower has signed, nor against the owner of the collateral.

use domain::{CancelledBy, LoanCoins, LoanDeal, LoanEvent, LoanId, LoanRejection, LoanStage};
use engine::Refusal;
use lending::borrowing::Borrowing;
use lending::desk_error::DeskError;

use crate::instant::wish_of;
use crate::kit::groups::FROGS;
use crate::scene::Scene;

#[actix::test]
async fn a_manual_offer_stays_available_until_a_borrower_signs_and_the_first_signature_takes_it() {
    let scene = Scene::new().await;
    let (offer, desk) = (scene.offer(FROGS, 0).await, &scene.world.desk);
    let slow = desk.prepare(&scene.wish(offer, Some(scene.frog().await))).await.unwrap();
    assert!(scene.is_live(offer).await);
    let held = scene.loan(slow.loan).await.to_hold.unwrap();
    assert!(desk.market.promised(held.iter()).is_empty());
    let other = scene.world.person(102).await;
    let theirs =
        Borrowing { inscription: Some(scene.frog_of(&other).await), ..wish_of(&other, &scene.wish(offer, None)) };
    let fast = desk.prepare(&theirs).await.unwrap();
    let signed = other.sign(&fast.transactions);
    desk.accept(other.user, fast.loan, &signed).await.unwrap();
    assert!(!scene.is_live(offer).await);
    let late = desk.accept(scene.borrower.user, slow.loan, &scene.borrower.sign(&slow.transactions)).await.unwrap_err();
    assert!(matches!(late, DeskError::Market(Refusal::Loan(LoanRejection::Taken(id))) if id == slow.loan), "{late}");
    // The same signatures again: the answer may have been lost.
    assert_eq!(desk.accept(other.user, fast.loan, &signed).await.unwrap(), fast.txid);
}

#[actix::test]
async fn a_prepared_loan_lapses_after_five_minutes() {
    let scene = Scene::new().await;
    let offer = scene.offer(FROGS, 0).await;
    let handout = scene.world.desk.prepare(&scene.wish(offer, Some(scene.frog().await))).await.unwrap();
    scene.world.pass(5 * 60);
    let signed = scene.borrower.sign(&handout.transactions);
    let late = scene.world.desk.accept(scene.borrower.user, handout.loan, &signed).await.unwrap_err();
    let is_late = matches!(
        late,
        DeskError::NoReservation(_)
            | DeskError::Market(Refusal::Loan(LoanRejection::TooLate(_) | LoanRejection::Unknown(_)))
    );
    assert!(is_late, "{late}");
}

#[actix::test]
async fn reservations_of_other_accounts_do_not_bind_the_owner_of_collateral() {
    let scene = Scene::new().await;
    let frog = scene.frog().await;
    let (theirs, ours) = (scene.offer(FROGS, 0).await, scene.offer(FROGS, 0).await);
    let (desk, wish) = (&scene.world.desk, scene.wish(ours, Some(frog)));
    let first = desk.prepare(&wish).await.unwrap();
    let loan = scene.loan(first.loan).await;
    // A reservation by a version that required no proof of the ordinals address.
    let (id, holder) = (LoanId(7), scene.world.person(102).await);
    let coins = LoanCoins { money: Vec::new(), ..loan.to_hold.clone().unwrap() };
    let deal = Box::new(LoanDeal { offer: theirs, borrower: holder.user, ..loan.deal.clone() });
    let (contract, expires_at) = (loan.contract.clone(), loan.expires_at);
    desk.market.prepare_loan(id, LoanEvent::SoftPrepared { deal, contract, expires_at, coins }).await.unwrap();
    desk.market.await_lender(id, "answer".to_owned(), expires_at).await.unwrap();

    let again = desk.prepare(&wish).await.unwrap();
    assert_ne!(again.loan, first.loan, "the other account's reservation ended the first one");
    scene.accept(&again).await;
    assert_eq!(scene.stage(again.loan).await, LoanStage::AwaitingLender);
    assert_eq!(scene.loan(id).await.cancelled_by, Some(CancelledBy::Owner));
    assert!(scene.is_live(theirs).await, "the other lender's offer is available again");
    scene.countersign(again.loan).await;
    scene.block().await;
    assert_eq!(scene.stage(again.loan).await, LoanStage::Active);
}

#[actix::test]
async fn terms_changed_before_the_signature_are_refused() {
    use domain::{Command, InterestRate, SubCollectionId, TermChange, TermChangeId, TermDays};
    let scene = Scene::new().await;
    let offer = scene.offer(FROGS, 0).await;
    let desk = &scene.world.desk;
    let change = TermChange {
        id: TermChangeId(1),
        interest: InterestRate::from_basis_points(9_000),
        term: TermDays(14),
        change_at: desk.market.now().plus_ms(60_000),
    };
    let sub_collection = SubCollectionId(0);
    desk.market.command(FROGS, Command::ScheduleTermChange { sub_collection, change }, None).await.unwrap();
    let handout = desk.prepare(&scene.wish(offer, Some(scene.frog().await))).await.unwrap();
    scene.world.pass(61);
    for _ in 0..1_000 {
        if desk.market.group(FROGS).unwrap().sub_collections[0].term == TermDays(14) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    let signed = scene.borrower.sign(&handout.transactions);
    let refused = desk.accept(scene.borrower.user, handout.loan, &signed).await.unwrap_err();
    let is_refused = matches!(refused, DeskError::Market(Refusal::DealChanged | Refusal::Book(_)));
    assert!(is_refused, "{refused}");
}
