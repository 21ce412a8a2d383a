//! Tests of instant loans against runes: an offer is taken in parts until it is used up.

use bitcoin::Txid;
use domain::{LoanId, LoanRejection, LoanStage, Rejection, Sats};
use engine::Refusal;
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::{Fixture, PRINCIPAL, split_cost};
use crate::instant_fixture::request_of;
use crate::kit::groups::GOLD;
use crate::kit::people::Person;
use crate::runes::{SUPPLY, gold_rune};

/// The collateral of a loan of one million sats, in raw units.
const WHOLE: u128 = 20_000_000;

/// Takes a part of an offer, confirmed.
async fn take(fixture: &Fixture, person: &Person, request: &LoanRequest) -> (LoanId, Txid) {
    fixture.until_live(request.offer).await;
    let handout = fixture.world.service.prepare_instant(&request_of(person, request)).await.unwrap();
    let txid = fixture.submit(person, &handout).await.unwrap();
    fixture.block_for_all().await;
    assert_eq!(fixture.stage(handout.loan).await, LoanStage::Active);
    (handout.loan, txid)
}

#[actix::test]
async fn several_borrowers_take_parts_of_an_offer_until_it_is_used_up() {
    let (fixture, gold, coin) = gold_rune().await;
    let vault = fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(GOLD, PRINCIPAL, Some(WHOLE)).await;
    let [second, third] = [fixture.world.person(102).await, fixture.world.person(103).await];
    let shares = [(&fixture.borrower, 30_000_000), (&second, 9_000_000), (&third, 20_000_000)];
    fixture.share(gold, coin, &shares).await;
    let first_had = SUPPLY - 29_000_000;
    assert_eq!(fixture.runes_of(&fixture.borrower, gold).await, first_had);
    let request = fixture.request(offer, None);
    let part = |raw| LoanRequest { amount_raw: Some(raw), ..request.clone() };

    let (first, _) = take(&fixture, &fixture.borrower, &part(10_000_000)).await;
    let loan = fixture.loan(first).await;
    assert_eq!((loan.deal.principal, loan.deal.pledged_raw), (Sats::new(500_000), 10_000_000));
    assert_eq!(fixture.runes_of(&fixture.borrower, gold).await, first_had - 10_000_000, "the rest was returned");
    fixture.until_live(offer).await;
    let offered = fixture.world.service.market.offer(offer).await.unwrap().unwrap();
    assert_eq!((offered.used, offered.is_live()), (Sats::new(500_000), true));

    // One sat more than what is left, more than the borrower has, and less than the smallest part.
    let error = fixture.world.service.prepare_instant(&request_of(&third, &part(10_000_020))).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Market(Refusal::Book(Rejection::PartOutOfRange { .. }))), "{error}");
    let error = fixture.world.service.prepare_instant(&request_of(&second, &part(9_500_000))).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::InsufficientTokens { wanted: 9_500_000, found: 9_000_000 }), "{error}");
    let error = fixture.world.service.prepare_instant(&request_of(&second, &part(399_999))).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Market(Refusal::Book(Rejection::PartOutOfRange { .. }))), "{error}");

    let (other, _) = take(&fixture, &second, &part(4_000_000)).await;
    // Without an amount it is all that is left.
    let (last, _) = take(&fixture, &third, &request).await;
    assert_eq!(fixture.loan(last).await.deal.pledged_raw, 6_000_000);
    assert_eq!(fixture.runes_of(&third, gold).await, 14_000_000);
    let used = fixture.world.service.prepare_instant(&request_of(&third, &part(4_000_000))).await.unwrap_err();
    let is_used = matches!(
        used,
        LoanServiceError::Market(Refusal::Book(Rejection::OfferUsed(_))) | LoanServiceError::UnknownOffer(_)
    );
    assert!(is_used, "{used}");
    let mut paid = 0;
    for id in [first, other, last] {
        let deal = fixture.loan(id).await.deal;
        paid += deal.principal.get() + deal.platform_fee.get();
    }
    // The change costs three more outputs than a single one.
    assert_eq!(fixture.vault_holds(&vault).await, 3_000_000 - paid - split_cost(4));

    // One borrower repays and gets everything back; another one's collateral goes to the lender.
    fixture.repay(&[first]).await;
    fixture.block_for_all().await;
    assert_eq!(fixture.stage(first).await, LoanStage::Repaid);
    assert_eq!(fixture.runes_of(&fixture.borrower, gold).await, first_had);
    fixture.pass_days(16).await;
    fixture.claim(other).await;
    fixture.block_for_all().await;
    assert_eq!(fixture.stage(other).await, LoanStage::Claimed);
    assert_eq!(fixture.runes_of(&fixture.lender, gold).await, 4_000_000);
    assert_eq!(fixture.world.chain.rune_supply(gold).unwrap().burned, 0);
}

#[actix::test]
async fn of_parts_that_together_exceed_an_offer_the_first_to_be_signed_is_lent() {
    let (fixture, gold, coin) = gold_rune().await;
    fixture.vault(&[3_000_000, 3_000_000, 3_000_000]).await;
    let offer = fixture.instant_offer(GOLD, PRINCIPAL, Some(WHOLE)).await;
    let other = fixture.world.person(102).await;
    fixture.share(gold, coin, &[(&fixture.borrower, 20_000_000), (&other, 20_000_000)]).await;
    let request = fixture.request(offer, None);
    let part = |raw| LoanRequest { amount_raw: Some(raw), ..request.clone() };
    let first = fixture.world.service.prepare_instant(&part(15_000_000)).await.unwrap();
    let greedy = fixture.world.service.prepare_instant(&request_of(&other, &part(5_000_020))).await.unwrap();
    let second = fixture.world.service.prepare_instant(&request_of(&other, &part(5_000_000))).await.unwrap();
    fixture.submit(&fixture.borrower, &first).await.unwrap();
    let error = fixture.submit(&other, &greedy).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Market(Refusal::Loan(LoanRejection::Taken(_)))), "{error}");
    let error = fixture.world.service.prepare_instant(&request_of(&other, &part(5_000_020))).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Market(Refusal::Book(Rejection::PartOutOfRange { .. }))), "{error}");
    fixture.submit(&other, &second).await.unwrap();
}
