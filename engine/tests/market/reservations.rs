//! Tests of reservations, which lock the offer, the vault's sats and the collateral together.

use domain::{AssetRejection, LoanId, ReservationId, Sats, Stream};
use engine::{Refusal, clock::Clock, wire::OfferTag};

use crate::{
    actions::outpoint,
    fake_journal::streams_of,
    fixture::{FROGS, Fixture, GOLD, until},
};

#[actix::test]
async fn a_reservation_is_one_batch_over_three_streams_and_so_is_its_end() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.lender(1, 900_000).await, fixture.user(2).await);
    let offer = fixture.instant(lender, 600_000).await;
    let all_three = [Stream::Book(FROGS), Stream::Vault(lender), Stream::Assets];
    let vault = async || {
        let vault = fixture.market.vault(lender).await.unwrap();
        (vault.usable_balance_sats.get(), vault.balance_sats.get())
    };

    let reservation = fixture.reserve(1, offer, borrower).await.unwrap();
    assert_eq!(streams_of(&fixture.journal.last_batch()), all_three);
    assert_eq!(vault().await, (300_000, 900_000));
    fixture.market.release(FROGS, reservation).await.unwrap();
    assert_eq!(streams_of(&fixture.journal.last_batch()), all_three);
    assert_eq!(vault().await, (900_000, 900_000));

    let reservation = fixture.reserve(2, offer, borrower).await.unwrap();
    fixture.market.confirm(FROGS, reservation, LoanId(5), None).await.unwrap();
    assert_eq!(streams_of(&fixture.journal.last_batch()), all_three);
    assert_eq!(vault().await, (300_000, 300_000));
    let book = fixture.market.book(FROGS).await.unwrap();
    assert_eq!((book.offers.len(), book.loans.len()), (0, 1));
    assert_eq!(book.row.internal_volume_stats.day, Sats::new(600_000));
    fixture.market.end_loan(FROGS, LoanId(5), domain::LoanEnd::Repaid).await.unwrap();
    assert!(fixture.market.book(FROGS).await.unwrap().loans.is_empty());
}

#[actix::test]
async fn collateral_is_pledged_to_the_first_reservation_and_the_second_changes_nothing() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.lender(1, 5_000_000).await, fixture.user(2).await);
    let (frog, gold) = (fixture.instant(lender, 600_000).await, fixture.gold(lender, 500_000).await);
    let notified = fixture.journal.head(Stream::Book(GOLD)) + 1;
    let first = fixture.reserve(1, frog, borrower).await.unwrap();
    until("the other book caught up", || fixture.journal.head(Stream::Book(GOLD)) >= notified).await;
    let batches = fixture.journal.batches().len();
    let mut second = fixture.reserve_request(2, gold, borrower);
    second.outpoints = vec![outpoint(9), outpoint(1)];
    let refused = fixture.market.reserve(second.clone(), None).await;
    assert_eq!(refused.unwrap_err(), Refusal::Asset(AssetRejection::Pledged(first)));
    assert_eq!(fixture.journal.batches().len(), batches);
    assert_eq!(fixture.market.vault(lender).await.unwrap().usable_balance_sats, Sats::new(4_400_000));
    fixture.market.release(FROGS, first).await.unwrap();
    assert!(fixture.market.reserve(second, None).await.is_ok());
}

#[actix::test]
async fn over_committed_vaults_lend_only_what_they_hold() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.lender(1, 700_000).await, fixture.user(2).await);
    let (frog, gold) = (fixture.instant(lender, 600_000).await, fixture.gold(lender, 500_000).await);
    fixture.reserve(1, frog, borrower).await.unwrap();
    // The other book may not have been notified yet, but the vault's balance decides.
    assert!(fixture.reserve(2, gold, borrower).await.is_err());
    until("the other book caught up", || fixture.market.row(GOLD).unwrap().instant.as_ref().unwrap().offer_count == 0)
        .await;
    let mine = fixture.market.my_offers(lender).await.unwrap();
    assert!(mine.iter().any(|offer| offer.group_id.0 == GOLD && offer.is_paused_from_insufficient_balance));
    fixture.market.release(FROGS, ReservationId(1)).await.unwrap();
    until("the other book caught up again", || {
        fixture.market.row(GOLD).unwrap().instant.as_ref().unwrap().offer_count == 1
    })
    .await;
}

#[actix::test]
async fn a_reservation_expires_also_after_a_restart() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.lender(1, 900_000).await, fixture.user(2).await);
    let offer = fixture.instant(lender, 600_000).await;
    fixture.reserve(1, offer, borrower).await.unwrap();
    fixture.clock.advance_ms(599_999);
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.vault(lender).await.unwrap().usable_balance_sats, Sats::new(300_000));
    let batches = fixture.journal.batches().len();
    fixture.clock.advance_ms(1);
    until("it expired", || fixture.journal.batches().len() > batches).await;
    let released = fixture.journal.last_batch();
    assert_eq!(released.at, fixture.clock.now());
    assert_eq!(streams_of(&released), [Stream::Book(FROGS), Stream::Vault(lender), Stream::Assets]);
    assert_eq!(fixture.market.vault(lender).await.unwrap().usable_balance_sats, Sats::new(900_000));
    assert_eq!(fixture.market.book(FROGS).await.unwrap().offers[0].available_sats, Sats::new(600_000));
    assert!(fixture.reserve(1, offer, borrower).await.is_ok());
}

#[actix::test]
async fn a_part_of_a_rune_offer_is_reserved_and_the_rest_stays_available() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.lender(1, 900_000).await, fixture.user(2).await);
    let offer = fixture.gold(lender, 500_000).await;
    let mut request = fixture.reserve_request(1, offer, borrower);
    request.pledged_raw = Some(4_000_000);
    let reservation = fixture.market.reserve(request, None).await.unwrap();
    assert_eq!(reservation.principal, Sats::new(200_000));
    let book = fixture.market.book(GOLD).await.unwrap();
    assert_eq!(book.offers[0].available_sats, Sats::new(300_000));
    assert_eq!(book.offers[0].available_collateral.unwrap().0, 6_000_000);
    let range = book.row.instant.as_ref().unwrap().instant_best_offer_range.unwrap();
    assert_eq!((range.from.0, range.to.0), (400_000, 6_000_000));
    let mine = fixture.market.my_offers(lender).await.unwrap();
    assert!(mine[0].tags.contains(&OfferTag::UnderOffer) && mine[0].available_principal == Sats::new(300_000));
}
