//! Vaults and the books where their lenders quote.

use domain::{BookEvent, Command, Event, Rejection, Sats, Stream, VaultRejection};
use engine::{Refusal, clock::ManualClock};

use crate::{
    actions::{create, frog_draft},
    fake_journal::events_of,
    stage::{FROGS, GOLD, INSTANT, Stage, a_while, settings, until},
};

#[actix::test]
async fn a_vault_is_there_once_something_was_credited() {
    let stage = Stage::new().await;
    let lender = stage.user(1).await;
    assert_eq!(stage.market.vault(lender).await, None);
    let refused = stage.give(FROGS, create(lender, frog_draft(INSTANT, 500_000))).await;
    assert_eq!(refused, Err(Refusal::Book(Rejection::NoVault)));
    stage.market.credit_vault(lender, Sats::ZERO).await.unwrap();
    let refused = stage.give(FROGS, create(lender, frog_draft(INSTANT, 500_000))).await;
    assert_eq!(refused, Err(Refusal::Book(Rejection::InsufficientVault { usable: Sats::ZERO })));
    stage.market.credit_vault(lender, Sats::new(500_000)).await.unwrap();
    stage.instant(lender, 500_000).await;
    let needed = Sats::new(500_001);
    let refused = stage.market.debit_vault(lender, needed).await;
    assert_eq!(refused, Err(Refusal::Vault(VaultRejection::Insufficient { needed, usable: Sats::new(500_000) })));
}

#[actix::test]
async fn a_move_of_a_vault_reaches_only_the_books_where_its_lender_quotes() {
    let stage = Stage::new().await;
    let (frog_lender, gold_lender) = (stage.lender(1, 900_000).await, stage.lender(2, 900_000).await);
    let frog = stage.instant(frog_lender, 600_000).await;
    stage.gold(gold_lender, 500_000).await;
    let gold_events = stage.journal.head(Stream::Book(GOLD));

    stage.market.debit_vault(frog_lender, Sats::new(400_000)).await.unwrap();
    let moved = Event::Book(BookEvent::VaultMoved { lender: frog_lender, usable: Sats::new(500_000) });
    until("the book has heard", || events_of(&stage.journal.last_batch(), Stream::Book(FROGS)) == [moved.clone()])
        .await;
    assert!(stage.market.my_offers(frog_lender).await.unwrap()[0].is_paused_from_insufficient_balance);
    assert_eq!(stage.journal.head(Stream::Book(GOLD)), gold_events);

    // Nothing is quoted any more, so nobody needs to hear.
    stage.give(FROGS, Command::Cancel { lender: frog_lender, offer: frog }).await.unwrap();
    let frog_events = stage.journal.head(Stream::Book(FROGS));
    stage.market.credit_vault(frog_lender, Sats::new(1)).await.unwrap();
    a_while().await;
    assert_eq!(stage.journal.head(Stream::Book(FROGS)), frog_events);
}

#[actix::test]
async fn a_book_that_missed_a_vaults_move_in_a_crash_hears_of_it_at_the_next_start() {
    let stage = Stage::new().await;
    let lender = stage.lender(1, 900_000).await;
    stage.instant(lender, 600_000).await;
    let before = stage.journal.batches().len();
    stage.market.debit_vault(lender, Sats::new(400_000)).await.unwrap();
    until("the book has heard", || stage.journal.batches().len() == before + 2).await;
    stage.market.stop().await;
    let crashed = stage.journal.cut_to(before + 1);
    assert_eq!(crashed.head(Stream::Book(FROGS)) + 1, stage.journal.head(Stream::Book(FROGS)));
    let clock = std::sync::Arc::new(ManualClock::new(crate::stage::NOON));
    let stage = Stage::on(crashed, clock, settings());
    until("the book has heard", || stage.market.row(FROGS).unwrap().instant.as_ref().unwrap().offer_count == 0).await;
    assert!(stage.market.my_offers(lender).await.unwrap()[0].is_paused_from_insufficient_balance);
}
