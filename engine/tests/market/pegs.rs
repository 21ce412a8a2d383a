//! Tests of offers whose principal follows the floor, in a market: while a borrower takes one, and over a restart.

use domain::{OfferDraft, OfferId, Sats, UserId};
use engine::clock::Clock as _;

use crate::{
    actions::{create, frog_draft},
    fixture::{FROGS, Fixture, MANUAL, percent, price},
};

impl Fixture {
    /// A manual offer of half of the floor.
    pub(crate) async fn peg(&self, lender: UserId) -> OfferId {
        let draft = OfferDraft {
            principal_min: Some(Sats::new(100_000)),
            max_ltv: Some(percent(50)),
            ..frog_draft(MANUAL, 900_000)
        };
        self.submit(FROGS, create(lender, draft)).await.unwrap().offers[0].offer_id.0
    }

    pub(crate) async fn principal(&self, offer: OfferId) -> Option<Sats> {
        self.market.offer(offer).await.unwrap().map(|offer| offer.principal)
    }

    pub(crate) async fn move_floor(&self, percent: u64) {
        self.market.move_price(FROGS, price(FROGS, percent), self.clock.now()).await.unwrap();
    }
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
