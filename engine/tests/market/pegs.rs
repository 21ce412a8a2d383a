//! Tests of offers whose principal follows the floor, in a market: while a borrower takes one, and over a restart.

use domain::{Command, LoanId, OfferDraft, OfferId, Outpoint, Sats, UserId};
use engine::{Refusal, clock::Clock as _};

use crate::{
    actions::{create, frog_draft},
    fixture::{FROGS, Fixture, MANUAL, percent, price},
    loans::prepared,
};

impl Fixture {
    /// A manual offer of half of the floor.
    async fn peg(&self, lender: UserId) -> OfferId {
        let draft = OfferDraft {
            principal_min: Some(Sats::new(100_000)),
            max_ltv: Some(percent(50)),
            ..frog_draft(MANUAL, 900_000)
        };
        self.submit(FROGS, create(lender, draft)).await.unwrap().offers[0].offer_id.0
    }

    async fn principal(&self, offer: OfferId) -> Option<Sats> {
        self.market.offer(offer).await.unwrap().map(|offer| offer.principal)
    }

    async fn move_floor(&self, percent: u64) {
        self.market.move_price(FROGS, price(FROGS, percent), self.clock.now()).await.unwrap();
    }
}

/// A borrower signs for the principal that was shown while the floor moves: either exactly that principal is reserved, or
/// nothing is.
#[actix::test]
async fn a_pegged_offer_that_is_repriced_while_it_is_taken_lends_what_was_signed_or_nothing() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let (mut taken, mut refused) = (0, 0);
    for round in 0..200_u64 {
        fixture.move_floor(100).await;
        let offer = fixture.peg(lender).await;
        let shown = fixture.principal(offer).await.unwrap();
        let id = LoanId(u128::from(round) + 1);
        let coin = Outpoint { txid: [u8::try_from(round % 250).unwrap(); 32], vout: u32::try_from(round).unwrap() };
        let mut event = prepared(coin, offer, MANUAL, lender, borrower, shown);
        if let domain::LoanEvent::SoftPrepared { expires_at, .. } = &mut event {
            *expires_at = fixture.clock.now().plus_ms(900_000);
        }
        fixture.market.prepare_loan(id, event).await.unwrap();
        let until = fixture.clock.now().plus_ms(43_200_000);
        let sign = fixture.market.await_lender(id, "{}".to_owned(), until);
        let floor = 80 + round % 41;
        let signed = if round % 2 == 0 {
            tokio::join!(sign, fixture.move_floor(floor)).0
        } else {
            tokio::join!(fixture.move_floor(floor), sign).1
        };
        let held = fixture.market.offer(offer).await.unwrap().unwrap();
        match signed {
            Ok(()) => {
                taken += 1;
                assert_eq!((held.held, held.principal), (shown, shown), "round {round}");
                fixture.market.cancel_loan(id, domain::CancelledBy::Lender).await.unwrap();
            }
            Err(refusal) => {
                refused += 1;
                assert!(matches!(refusal, Refusal::DealChanged | Refusal::Book(_)), "round {round}: {refusal}");
                assert_eq!(held.held, Sats::ZERO, "round {round}");
            }
        }
        fixture.submit(FROGS, Command::Cancel { lender, offer }).await.unwrap();
    }
    println!("{taken} taken, {refused} refused");
    assert!(taken > 0 && refused > 0, "both outcomes must occur: {taken}, {refused}");
}

#[actix::test]
async fn a_restarted_market_has_the_same_principal_and_follows_on() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    let offer = fixture.peg(lender).await;
    fixture.move_floor(120).await;
    let before = fixture.principal(offer).await;
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.principal(offer).await, before);
    fixture.move_floor(100).await;
    let lower = fixture.principal(offer).await;
    assert!(lower < before, "{lower:?} {before:?}");
    fixture.move_floor(120).await;
    assert_eq!(fixture.principal(offer).await, before);
}
