//! Tests of time-driven changes.

use domain::{
    BookEvent, Command, Event, InterestRate, Rejection, Stream, SubCollectionId, TermChange, TermChangeId, TermDays,
};
use engine::clock::Clock;

use crate::{
    actions::{create, frog_draft},
    fake_journal::events_of,
    fixture::{FROGS, Fixture, MANUAL, until},
};

#[actix::test]
async fn an_announced_change_of_terms_takes_effect_by_itself() {
    let fixture = Fixture::new().await;
    let lender = fixture.lender(1, 900_000).await;
    fixture.instant(lender, 600_000).await;
    let change = TermChange {
        id: TermChangeId(1),
        interest: InterestRate::from_basis_points(450),
        term: TermDays(10),
        change_at: fixture.clock.now().plus_ms(86_400_000),
    };
    let sub_collection = SubCollectionId(0);
    fixture.submit(FROGS, Command::ScheduleTermChange { sub_collection, change }).await.unwrap();
    let announced = fixture.market.my_offers(lender).await.unwrap()[0].new_term_change_request.clone().unwrap();
    assert!(!announced.has_term_change_passed && announced.new_days == 10);

    fixture.clock.advance_ms(86_400_000);
    until("it is in effect", || fixture.market.group(FROGS).unwrap().sub_collections[0].term == TermDays(10)).await;
    let activated = Event::Book(BookEvent::TermChangeActivated { sub_collection, change: TermChangeId(1) });
    assert_eq!(events_of(&fixture.journal.last_batch(), Stream::Book(FROGS)), [activated]);
    let mine = &fixture.market.my_offers(lender).await.unwrap()[0];
    assert!(mine.is_paused_from_terms && mine.term == 7, "the lender agreed to 7 days, not to {}", mine.term);
    let row = fixture.market.row(FROGS).unwrap();
    assert!(row.sub_collections[0].new_term_change_request.as_ref().unwrap().has_term_change_passed);

    let accept = Command::AcceptTerm { lender, offer: mine.offer_id.0, change: TermChangeId(1) };
    let accepted = &fixture.submit(FROGS, accept).await.unwrap().offers[0];
    assert!(!accepted.is_paused_from_terms && accepted.term == 10 && accepted.new_term_change_request.is_none());
}

#[actix::test]
async fn an_offer_expires_by_itself_also_after_a_restart_and_is_renewed_by_its_lender() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let day_ms = 86_400_000;
    let tomorrow = fixture.clock.now().plus_ms(day_ms);
    let draft = domain::OfferDraft { good_until: Some(tomorrow), ..frog_draft(MANUAL, 500_000) };
    let created = fixture.submit(FROGS, create(lender, draft)).await.unwrap().offers;
    assert_eq!(created.len(), 1, "an offer and its time are two events, and one offer");
    assert!(created[0].good_until == Some(tomorrow) && !created[0].is_expired && created[0].is_best_offer);
    let offer = created[0].offer_id.0;

    let fixture = fixture.restarted().await;
    fixture.clock.advance_ms(day_ms);
    until("it left the ranking", || is_unranked(&fixture)).await;
    let expired = Event::Book(BookEvent::OffersExpired { offers: vec![offer] });
    assert_eq!(events_of(&fixture.journal.last_batch(), Stream::Book(FROGS)), [expired]);
    let refused = fixture.reserve(1, offer, borrower).await.unwrap_err();
    assert_eq!(refused, engine::Refusal::Book(Rejection::OfferExpired(offer)));
    let fixture = fixture.restarted().await;
    assert!(fixture.market.my_offers(lender).await.unwrap()[0].is_expired, "the journal keeps it");

    let renewal = |good_until| Command::SetGoodUntil { lender, offer, good_until };
    let too_soon = fixture.clock.now().plus_ms(599_999);
    let refused = fixture.submit(FROGS, renewal(Some(too_soon))).await.unwrap_err();
    assert!(matches!(refused, engine::Refusal::Book(Rejection::GoodUntilOutOfRange { .. })), "{refused}");
    let renewed = fixture.submit(FROGS, renewal(None)).await.unwrap().offers.remove(0);
    assert!(renewed.is_best_offer && !renewed.is_expired && renewed.good_until.is_none());
    fixture.reserve(2, offer, borrower).await.unwrap();
}

fn is_unranked(fixture: &Fixture) -> bool {
    fixture.market.row(FROGS).unwrap().manual.as_ref().is_none_or(|manual| manual.best_offer.is_none())
}
