//! Tests of a restart: views are the same before and after it.

use std::sync::Arc;

use domain::{Command, Inscription, NumberRange, OfferConditions, OfferDraft};
use engine::{clock::Clock, wire::AsString};

use crate::{
    actions::{create, frog_draft},
    fixture::{FROGS, Fixture, GOLD, MANUAL, price, shown, until},
    random_market::RandomTraders,
};

/// Of the floor, a price that random traders never report.
const LAST_PERCENT: u64 = 131;

#[actix::test]
async fn a_restarted_market_shows_what_it_showed_before() {
    for seed in 0..6 {
        println!("seed {seed}");
        let fixture = Fixture::new().await;
        let mut traders = RandomTraders::new(&fixture, seed).await;
        for _ in 0..150 {
            traders.random_step(&fixture).await;
        }
        // Rows depend on the time through their windows, so both markets are read at the same time.
        for group in [FROGS, GOLD] {
            fixture.market.move_price(group, price(group, LAST_PERCENT), fixture.clock.now()).await.unwrap();
        }
        // A row follows the answer.
        let shows_last =
            |group| fixture.market.row(group).unwrap().unit_price == Some(AsString(price(group, LAST_PERCENT)));
        until("the rows show the last prices", || [FROGS, GOLD].into_iter().all(shows_last)).await;
        let before = shown(&fixture.market, &traders.users).await;
        let fixture = fixture.restarted().await;
        let after = shown(&fixture.market, &traders.users).await;
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(before, after, "seed {seed}");
        }
        assert_eq!(before.len(), after.len());
    }
}

#[actix::test]
async fn a_market_whose_journal_holds_an_unlisted_book_does_not_start() {
    let fixture = Fixture::new().await;
    fixture.market.stop().await;
    let journal = crate::fake_journal::FakeJournal::default();
    for batch in
        fixture.journal.batches().into_iter().filter(|batch| batch.appends[0].stream != domain::Stream::Listings)
    {
        drop(engine::journal::Journal::append(&journal, batch));
    }
    let started = engine::Market::start(std::sync::Arc::new(journal), fixture.clock, crate::fixture::settings());
    assert!(matches!(started.err(), Some(engine::StartError::Replay(_))));
}

#[actix::test]
async fn offers_that_depend_on_a_connection_end_with_it_and_at_a_restart() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let dependent = |principal| OfferDraft { cancels_on_disconnect: true, ..frog_draft(MANUAL, principal) };
    let place = async |principal| {
        let created = fixture.submit(FROGS, create(lender, dependent(principal))).await.unwrap().offers;
        assert_eq!(created.len(), 1, "an offer and what it depends on are two events, and one offer");
        created[0].offer_id.0
    };
    let stays = fixture.manual(lender, 300_000).await;
    let (first, second, signing) = (place(310_000).await, place(320_000).await, place(330_000).await);
    fixture.reserve(1, signing, borrower).await.unwrap();
    let ended = Command::EndConnection { offers: vec![stays, first] };
    fixture.submit(FROGS, ended).await.unwrap();
    let shown = |offers: Vec<engine::wire::MyOffer>| {
        offers.into_iter().map(|offer| (offer.offer_id.0, offer.is_paused_by_lender)).collect::<Vec<_>>()
    };
    let before = shown(fixture.market.my_offers(lender).await.unwrap());
    assert_eq!(before, [(stays, false), (second, false), (signing, false)]);

    // An offer that a borrower is signing for is paused, and goes at the next restart.
    let fixture = fixture.restarted().await;
    let after = shown(fixture.market.my_offers(lender).await.unwrap());
    assert_eq!(after, [(stays, false), (signing, true)]);
    fixture.market.release(FROGS, domain::ReservationId(1)).await.unwrap();
    let fixture = fixture.restarted().await;
    assert_eq!(shown(fixture.market.my_offers(lender).await.unwrap()), [(stays, false)]);
}

#[test]
fn a_market_needs_an_actor_system() {
    let journal = std::sync::Arc::new(crate::fake_journal::FakeJournal::default());
    let clock = std::sync::Arc::new(engine::clock::SystemClock);
    let started = engine::Market::start(journal, clock, crate::fixture::settings());
    assert!(matches!(started.err(), Some(engine::StartError::NoSystem)));
}

#[actix::test]
async fn the_inscriptions_that_an_offer_takes_stay_over_an_edit_and_a_restart() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let by_id = Inscription { txid: [3; 32], index: 0 };
    let asked = OfferConditions {
        inscriptions: vec![by_id],
        numbers: vec![NumberRange { first: 10, last: 20 }],
        ..OfferConditions::default()
    };
    let draft = OfferDraft { conditions: Some(Arc::new(asked.clone())), ..frog_draft(MANUAL, 400_000) };
    let created = fixture.submit(FROGS, create(lender, draft)).await.unwrap().offers[0].offer_id.0;
    let conditions = fixture.market.offer_conditions(created).await.unwrap();
    assert_eq!(conditions.as_deref(), Some(&asked));
    let draft = OfferDraft { conditions, ..frog_draft(MANUAL, 410_000) };
    let edit = Command::Edit { lender, offer: created, draft, usable: None };
    let edited = fixture.submit(FROGS, edit).await.unwrap().offers[0].offer_id.0;
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.offer_conditions(edited).await.unwrap().as_deref(), Some(&asked));

    let by_number = Inscription { txid: [4; 32], index: 0 };
    fixture.market.list_inscriptions(FROGS, &[by_id, by_number]).await.unwrap();
    let takeable = async |user, held: &[(Inscription, Option<i64>)]| {
        let offers = fixture.market.conditional_offers_for(user, held).await.unwrap();
        offers.iter().map(|one| one.offer.offer_id.0).collect::<Vec<_>>()
    };
    for held in [(by_id, None), (by_number, Some(10)), (by_number, Some(20))] {
        assert_eq!(takeable(borrower, &[held]).await, [edited], "{held:?}");
    }
    for held in [(by_number, None), (by_number, Some(9)), (by_number, Some(21)), (by_number, Some(-15))] {
        assert_eq!(takeable(borrower, &[held]).await, [], "{held:?}");
    }
    assert_eq!(takeable(lender, &[(by_id, None)]).await, [], "no offer of one's own");
}
