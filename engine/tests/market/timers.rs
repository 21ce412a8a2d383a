//! Tests of time-driven changes.

use domain::{BookEvent, Command, Event, InterestRate, Stream, SubCollectionId, TermChange, TermChangeId, TermDays};
use engine::clock::Clock;

use crate::{
    fake_journal::events_of,
    fixture::{FROGS, Fixture, until},
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
