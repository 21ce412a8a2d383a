//! Tests of the acceptance rate, which every offer of a lender shows in every book.

use domain::{CancelledBy, LoanId, ProcessType, Sats, UserId};
use engine::{
    clock::Clock,
    feed::{Channel, SocketQueue},
    wire::{OfferState, Percent},
};

use crate::{
    actions::outpoint,
    feed::roomy,
    feed_client::{Mirror, drain},
    fixture::{FROGS, Fixture, GOLD, until},
    loans::{prepared, signed},
};

const PRINCIPAL: Sats = Sats::new(600_000);

/// Makes a loan of a new manual offer wait for its lender.
async fn awaiting(fixture: &Fixture, number: u8, lender: UserId, borrower: UserId) -> LoanId {
    let (id, offer) = (LoanId(u128::from(number)), fixture.manual(lender, PRINCIPAL.get()).await);
    let now = fixture.clock.now();
    let event = prepared(outpoint(number), offer, ProcessType::Manual, lender, borrower, PRINCIPAL);
    fixture.market.prepare_loan(id, event).await.unwrap();
    fixture.market.await_lender(id, "answer".to_owned(), now.plus_ms(43_200_000)).await.unwrap();
    id
}

/// The acceptance rates on a lender's live offers, by book and id.
async fn shown(fixture: &Fixture, lender: UserId) -> Vec<Option<Percent>> {
    let mut rates = Vec::new();
    for group in [FROGS, GOLD] {
        let mut offers = fixture.market.book(group).await.unwrap().offers.clone();
        offers.retain(|offer| offer.lender_id.0 == lender && offer.state == OfferState::Live);
        offers.sort_by_key(|offer| offer.offer_id.0);
        rates.extend(offers.iter().map(|offer| offer.lender_acceptance_rate));
    }
    rates
}

const fn percent(percent: i64) -> Percent {
    Percent::from_hundredths(percent * 100)
}

#[actix::test]
async fn every_offer_of_a_lender_shows_their_acceptance_rate() {
    let fixture = Fixture::new().await;
    let (lender, other) = (fixture.lender(1, 9_000_000).await, fixture.lender(3, 9_000_000).await);
    let borrower = fixture.user(2).await;
    fixture.manual(lender, 500_000).await;
    fixture.manual(other, 500_000).await;
    fixture.gold(lender, 500_000).await;
    let (socket_queue, mut mirror) = (SocketQueue::new(roomy()), Mirror::default());
    let subscription = fixture.market.subscribe(Channel::Book(GOLD), &socket_queue).await.unwrap();
    let mut live_rate = move || {
        for frame in &drain(&socket_queue) {
            mirror.apply(frame);
        }
        let offer = mirror.items.iter().find(|((kind, _), _)| *kind == "offer");
        offer.map(|(_, offer)| offer["lenderAcceptanceRate"].clone()).unwrap_or_default()
    };
    assert_eq!(shown(&fixture, lender).await, [None, None], "new in both books");
    assert!(live_rate().is_null());

    let signing = awaiting(&fixture, 1, lender, borrower).await;
    assert_eq!(shown(&fixture, lender).await, [None, None], "a pending request does not count");
    fixture.market.begin_loan(signing, signed(), None).await.unwrap();
    until("the other book shows it on its channel", || live_rate() == 100).await;
    assert_eq!(shown(&fixture, lender).await, [Some(percent(100)); 2]);

    let declined = awaiting(&fixture, 2, lender, borrower).await;
    fixture.market.cancel_loan(declined, CancelledBy::Lender).await.unwrap();
    until("the other book shows it on its channel", || live_rate() == 50).await;
    // The offer of the declined loan is live again.
    assert_eq!(shown(&fixture, lender).await, [Some(percent(50)); 3]);

    let withdrawn = awaiting(&fixture, 3, lender, borrower).await;
    fixture.market.cancel_loan(withdrawn, CancelledBy::Borrower).await.unwrap();
    assert_eq!(shown(&fixture, lender).await, [Some(percent(50)); 4], "an end by the borrower does not count");

    awaiting(&fixture, 4, lender, borrower).await;
    fixture.clock.advance_ms(43_200_001);
    until("it lapses", || live_rate() == 33).await;
    fixture.manual(lender, 510_000).await;
    assert_eq!(shown(&fixture, lender).await, [Some(percent(33)); 6], "a new offer shows it at once");
    assert_eq!(shown(&fixture, other).await, [None], "other lenders are still new");

    drop(subscription);
    let fixture = fixture.restarted().await;
    assert_eq!(shown(&fixture, lender).await, [Some(percent(33)); 6], "it follows from the journal");
    assert_eq!(shown(&fixture, other).await, [None]);
}
