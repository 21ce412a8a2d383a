//! Tests of instant loans against runes: an offer is taken in parts until it is used up.

use std::time::Duration;

use bitcoin::Txid;
use domain::{LoanId, LoanRejection, LoanStage, OfferId, Rejection, Sats};
use engine::Refusal;
use lending::borrowing::Borrowing;
use lending::desk_error::DeskError;

use crate::instant::wish_of;
use crate::kit::groups::GOLD;
use crate::kit::people::Person;
use crate::runes::{SUPPLY, golden};
use crate::scene::{PRINCIPAL, Scene, split_cost};

/// The collateral of a loan of one million sats, in raw units.
const WHOLE: u128 = 20_000_000;

/// Waits until an offer is live: the book learns of a vault's confirmed outputs asynchronously.
async fn until_live(scene: &Scene, offer: OfferId) {
    for _ in 0..100 {
        if scene.is_live(offer).await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Takes a part of an offer, confirmed.
async fn take(scene: &Scene, person: &Person, wish: &Borrowing) -> (LoanId, Txid) {
    until_live(scene, wish.offer).await;
    let handout = scene.world.desk.prepare_instant(&wish_of(person, wish)).await.unwrap();
    let txid = scene.submit(person, &handout).await.unwrap();
    scene.block_for_all().await;
    assert_eq!(scene.stage(handout.loan).await, LoanStage::Active);
    (handout.loan, txid)
}

#[actix::test]
async fn several_borrowers_take_parts_of_an_offer_until_it_is_used_up() {
    let (scene, gold, coin) = golden().await;
    let vault = scene.vault(&[3_000_000]).await;
    let offer = scene.instant_offer(GOLD, PRINCIPAL, Some(WHOLE)).await;
    let [second, third] = [scene.world.person(102).await, scene.world.person(103).await];
    let shares = [(&scene.borrower, 30_000_000), (&second, 9_000_000), (&third, 20_000_000)];
    scene.share(gold, coin, &shares).await;
    let first_had = SUPPLY - 29_000_000;
    assert_eq!(scene.runes_of(&scene.borrower, gold).await, first_had);
    let wish = scene.wish(offer, None);
    let part = |raw| Borrowing { amount_raw: Some(raw), ..wish.clone() };

    let (first, _) = take(&scene, &scene.borrower, &part(10_000_000)).await;
    let loan = scene.loan(first).await;
    assert_eq!((loan.deal.principal, loan.deal.pledged_raw), (Sats::new(500_000), 10_000_000));
    assert_eq!(scene.runes_of(&scene.borrower, gold).await, first_had - 10_000_000, "the rest was returned");
    until_live(&scene, offer).await;
    let offered = scene.world.desk.market.offer(offer).await.unwrap().unwrap();
    assert_eq!((offered.used, offered.is_live()), (Sats::new(500_000), true));

    // One sat more than what is left, more than the borrower has, and less than the smallest part.
    let error = scene.world.desk.prepare_instant(&wish_of(&third, &part(10_000_020))).await.unwrap_err();
    assert!(matches!(error, DeskError::Market(Refusal::Book(Rejection::PartOutOfRange { .. }))), "{error}");
    let error = scene.world.desk.prepare_instant(&wish_of(&second, &part(9_500_000))).await.unwrap_err();
    assert!(matches!(error, DeskError::TokensShort { wanted: 9_500_000, found: 9_000_000 }), "{error}");
    let error = scene.world.desk.prepare_instant(&wish_of(&second, &part(399_999))).await.unwrap_err();
    assert!(matches!(error, DeskError::Market(Refusal::Book(Rejection::PartOutOfRange { .. }))), "{error}");

    let (other, _) = take(&scene, &second, &part(4_000_000)).await;
    // Without an amount it is all that is left.
    let (last, _) = take(&scene, &third, &wish).await;
    assert_eq!(scene.loan(last).await.deal.pledged_raw, 6_000_000);
    assert_eq!(scene.runes_of(&third, gold).await, 14_000_000);
    let used = scene.world.desk.prepare_instant(&wish_of(&third, &part(4_000_000))).await.unwrap_err();
    let is_used =
        matches!(used, DeskError::Market(Refusal::Book(Rejection::OfferUsed(_))) | DeskError::UnknownOffer(_));
    assert!(is_used, "{used}");
    let mut paid = 0;
    for id in [first, other, last] {
        let deal = scene.loan(id).await.deal;
        paid += deal.principal.get() + deal.platform_fee.get();
    }
    // The change costs three more outputs than a single one.
    assert_eq!(scene.vault_holds(&vault).await, 3_000_000 - paid - split_cost(4));

    // One borrower repays and gets everything back; another one's collateral goes to the lender.
    scene.repay(&[first]).await;
    scene.block_for_all().await;
    assert_eq!(scene.stage(first).await, LoanStage::Repaid);
    assert_eq!(scene.runes_of(&scene.borrower, gold).await, first_had);
    scene.pass_days(16).await;
    scene.claim(other).await;
    scene.block_for_all().await;
    assert_eq!(scene.stage(other).await, LoanStage::Claimed);
    assert_eq!(scene.runes_of(&scene.lender, gold).await, 4_000_000);
    assert_eq!(scene.world.chain.rune_supply(gold).unwrap().burned, 0);
}

#[actix::test]
async fn of_parts_that_together_exceed_an_offer_the_first_to_be_signed_is_lent() {
    let (scene, gold, coin) = golden().await;
    scene.vault(&[3_000_000, 3_000_000, 3_000_000]).await;
    let offer = scene.instant_offer(GOLD, PRINCIPAL, Some(WHOLE)).await;
    let other = scene.world.person(102).await;
    scene.share(gold, coin, &[(&scene.borrower, 20_000_000), (&other, 20_000_000)]).await;
    let wish = scene.wish(offer, None);
    let part = |raw| Borrowing { amount_raw: Some(raw), ..wish.clone() };
    let first = scene.world.desk.prepare_instant(&part(15_000_000)).await.unwrap();
    let greedy = scene.world.desk.prepare_instant(&wish_of(&other, &part(5_000_020))).await.unwrap();
    let second = scene.world.desk.prepare_instant(&wish_of(&other, &part(5_000_000))).await.unwrap();
    scene.submit(&scene.borrower, &first).await.unwrap();
    let error = scene.submit(&other, &greedy).await.unwrap_err();
    assert!(matches!(error, DeskError::Market(Refusal::Loan(LoanRejection::Taken(_)))), "{error}");
    let error = scene.world.desk.prepare_instant(&wish_of(&other, &part(5_000_020))).await.unwrap_err();
    assert!(matches!(error, DeskError::Market(Refusal::Book(Rejection::PartOutOfRange { .. }))), "{error}");
    scene.submit(&other, &second).await.unwrap();
}
