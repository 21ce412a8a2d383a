//! Tests of a restart: views are the same before and after it.

use engine::clock::Clock;

use crate::{
    fixture::{FROGS, Fixture, GOLD, price, shown},
    random_market::RandomTraders,
};

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
            fixture.market.move_price(group, price(group, 101), fixture.clock.now()).await.unwrap();
        }
        crate::fixture::short_delay().await;
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

#[test]
fn a_market_needs_an_actor_system() {
    let journal = std::sync::Arc::new(crate::fake_journal::FakeJournal::default());
    let clock = std::sync::Arc::new(engine::clock::SystemClock);
    let started = engine::Market::start(journal, clock, crate::fixture::settings());
    assert!(matches!(started.err(), Some(engine::StartError::NoSystem)));
}
