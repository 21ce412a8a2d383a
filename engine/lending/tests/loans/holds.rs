//! Tests of reservations: nothing is reserved before a borrower has signed, nor against the owner of the collateral.

use domain::{CancelledBy, LoanCoins, LoanDeal, LoanEvent, LoanId, LoanRejection, LoanStage};
use engine::Refusal;
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::Fixture;
use crate::instant_fixture::request_of;
use crate::kit::groups::FROGS;

#[actix::test]
async fn a_manual_offer_stays_available_until_a_borrower_signs_and_the_first_signature_takes_it() {
    let fixture = Fixture::new().await;
    let (offer, service) = (fixture.offer(FROGS, 0).await, &fixture.world.service);
    let slow = service.prepare(&fixture.request(offer, Some(fixture.frog().await))).await.unwrap();
    assert!(fixture.is_live(offer).await);
    let held = fixture.loan(slow.loan).await.coins_to_reserve.unwrap();
    assert!(service.market.locked_outputs(held.iter()).is_empty());
    let other = fixture.world.person(102).await;
    let theirs = LoanRequest {
        inscriptions: vec![fixture.frog_of(&other).await],
        ..request_of(&other, &fixture.request(offer, None))
    };
    let fast = service.prepare(&theirs).await.unwrap();
    let signed = other.sign(&fast.transactions);
    service.accept(other.user, fast.loan, &signed).await.unwrap();
    assert!(!fixture.is_live(offer).await);
    let late =
        service.accept(fixture.borrower.user, slow.loan, &fixture.borrower.sign(&slow.transactions)).await.unwrap_err();
    assert!(
        matches!(late, LoanServiceError::Market(Refusal::Loan(LoanRejection::Taken(id))) if id == slow.loan),
        "{late}"
    );
    // The same signatures again: the answer may have been lost.
    assert_eq!(service.accept(other.user, fast.loan, &signed).await.unwrap(), fast.txid);
}

#[actix::test]
async fn a_prepared_loan_lapses_after_five_minutes() {
    let fixture = Fixture::new().await;
    let offer = fixture.offer(FROGS, 0).await;
    let handout = fixture.world.service.prepare(&fixture.request(offer, Some(fixture.frog().await))).await.unwrap();
    fixture.world.pass(5 * 60);
    let signed = fixture.borrower.sign(&handout.transactions);
    let late = fixture.world.service.accept(fixture.borrower.user, handout.loan, &signed).await.unwrap_err();
    let is_late = matches!(
        late,
        LoanServiceError::NoReservation(_)
            | LoanServiceError::Market(Refusal::Loan(LoanRejection::TooLate(_) | LoanRejection::Unknown(_)))
    );
    assert!(is_late, "{late}");
}

#[actix::test]
async fn reservations_of_other_accounts_do_not_bind_the_owner_of_collateral() {
    let fixture = Fixture::new().await;
    let frog = fixture.frog().await;
    let (theirs, ours) = (fixture.offer(FROGS, 0).await, fixture.offer(FROGS, 0).await);
    let (service, request) = (&fixture.world.service, fixture.request(ours, Some(frog)));
    let first = service.prepare(&request).await.unwrap();
    let loan = fixture.loan(first.loan).await;
    // A reservation by a version that required no proof of the ordinals address.
    let (id, holder) = (LoanId(7), fixture.world.person(102).await);
    let coins = LoanCoins { money: Vec::new(), ..loan.coins_to_reserve.clone().unwrap() };
    let deal = Box::new(LoanDeal { offer: theirs, borrower: holder.user, ..loan.deal.clone() });
    let (contract, expires_at) = (loan.contract.clone(), loan.expires_at);
    service.market.prepare_loan(id, LoanEvent::SoftPrepared { deal, contract, expires_at, coins }).await.unwrap();
    service.market.await_lender(id, "answer".to_owned(), expires_at).await.unwrap();

    let again = service.prepare(&request).await.unwrap();
    assert_ne!(again.loan, first.loan, "the other account's reservation ended the first one");
    fixture.accept(&again).await;
    assert_eq!(fixture.stage(again.loan).await, LoanStage::AwaitingLender);
    assert_eq!(fixture.loan(id).await.cancelled_by, Some(CancelledBy::Owner));
    assert!(fixture.is_live(theirs).await, "the other lender's offer is available again");
    fixture.countersign(again.loan).await;
    fixture.block().await;
    assert_eq!(fixture.stage(again.loan).await, LoanStage::Active);
}

#[actix::test]
async fn terms_changed_before_the_signature_are_refused() {
    use domain::{Command, InterestRate, SubCollectionId, TermChange, TermChangeId, TermDays};
    let fixture = Fixture::new().await;
    let offer = fixture.offer(FROGS, 0).await;
    let service = &fixture.world.service;
    let change = TermChange {
        id: TermChangeId(1),
        interest: InterestRate::from_basis_points(9_000),
        term: TermDays(14),
        change_at: service.market.now().plus_ms(60_000),
    };
    let sub_collection = SubCollectionId(0);
    service.market.command(FROGS, Command::ScheduleTermChange { sub_collection, change }, None).await.unwrap();
    let handout = service.prepare(&fixture.request(offer, Some(fixture.frog().await))).await.unwrap();
    fixture.world.pass(61);
    for _ in 0..1_000 {
        if service.market.group(FROGS).unwrap().sub_collections[0].term == TermDays(14) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    let signed = fixture.borrower.sign(&handout.transactions);
    let refused = service.accept(fixture.borrower.user, handout.loan, &signed).await.unwrap_err();
    let is_refused = matches!(refused, LoanServiceError::Market(Refusal::DealChanged | Refusal::Book(_)));
    assert!(is_refused, "{refused}");
}
