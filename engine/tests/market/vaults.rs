//! Tests of vaults and the books where their lenders quote.

use domain::{
    BookEvent, Command, Event, Nonce, ObservedOutput, Outpoint, Rejection, Sats, SpendId, Stream, VaultKeys,
    VaultRejection,
};
use engine::{NonceUse, Refusal, clock::ManualClock};

use crate::{
    actions::{create, frog_draft},
    fake_journal::events_of,
    fixture::{FROGS, Fixture, GOLD, INSTANT, NOON, settings, short_delay, until},
};

#[actix::test]
async fn a_vault_exists_once_it_was_credited() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    assert_eq!(fixture.market.vault(lender).await, None);
    let refused = fixture.submit(FROGS, create(lender, frog_draft(INSTANT, 500_000))).await;
    assert_eq!(refused, Err(Refusal::Book(Rejection::NoVault)));
    fixture.market.credit_vault(lender, Sats::ZERO).await.unwrap();
    let refused = fixture.submit(FROGS, create(lender, frog_draft(INSTANT, 500_000))).await;
    assert_eq!(refused, Err(Refusal::Book(Rejection::InsufficientVault { usable: Sats::ZERO })));
    fixture.market.credit_vault(lender, Sats::new(500_000)).await.unwrap();
    fixture.instant(lender, 500_000).await;
    let needed = Sats::new(500_001);
    let refused = fixture.market.debit_vault(lender, needed).await;
    assert_eq!(refused, Err(Refusal::Vault(VaultRejection::Insufficient { needed, usable: Sats::new(500_000) })));
}

#[actix::test]
async fn a_vault_change_reaches_only_the_books_where_its_lender_quotes() {
    let fixture = Fixture::new().await;
    let (frog_lender, gold_lender) = (fixture.lender(1, 900_000).await, fixture.lender(2, 900_000).await);
    let frog = fixture.instant(frog_lender, 600_000).await;
    fixture.gold(gold_lender, 500_000).await;
    let gold_events = fixture.journal.head(Stream::Book(GOLD));

    fixture.market.debit_vault(frog_lender, Sats::new(400_000)).await.unwrap();
    let moved = Event::Book(BookEvent::VaultBalanceChanged { lender: frog_lender, usable: Sats::new(500_000) });
    until("the book caught up", || events_of(&fixture.journal.last_batch(), Stream::Book(FROGS)) == [moved.clone()])
        .await;
    assert!(fixture.market.my_offers(frog_lender).await.unwrap()[0].is_paused_from_insufficient_balance);
    assert_eq!(fixture.journal.head(Stream::Book(GOLD)), gold_events);

    // The lender has no offers any more, so no book is notified.
    fixture.submit(FROGS, Command::Cancel { lender: frog_lender, offer: frog }).await.unwrap();
    let frog_events = fixture.journal.head(Stream::Book(FROGS));
    fixture.market.credit_vault(frog_lender, Sats::new(1)).await.unwrap();
    short_delay().await;
    assert_eq!(fixture.journal.head(Stream::Book(FROGS)), frog_events);
}

#[actix::test]
async fn a_book_that_missed_a_vault_change_in_a_crash_catches_up_at_the_next_start() {
    let fixture = Fixture::new().await;
    let lender = fixture.lender(1, 900_000).await;
    fixture.instant(lender, 600_000).await;
    let before = fixture.journal.batches().len();
    fixture.market.debit_vault(lender, Sats::new(400_000)).await.unwrap();
    until("the book caught up", || fixture.journal.batches().len() == before + 2).await;
    fixture.market.stop().await;
    let crashed = fixture.journal.cut_to(before + 1);
    assert_eq!(crashed.head(Stream::Book(FROGS)) + 1, fixture.journal.head(Stream::Book(FROGS)));
    let clock = std::sync::Arc::new(ManualClock::new(crate::fixture::NOON));
    let fixture = Fixture::on(crashed, clock, settings());
    until("the book caught up", || fixture.market.row(FROGS).unwrap().instant.as_ref().unwrap().offer_count == 0).await;
    assert!(fixture.market.my_offers(lender).await.unwrap()[0].is_paused_from_insufficient_balance);
}

/// The keys of the vaults in these tests.
pub(crate) fn keys() -> VaultKeys {
    VaultKeys { signers: [1; 32].into(), lender_key: [2; 32], payment_address: "bcrt1qlender1".to_owned() }
}

fn outpoint(number: u8) -> Outpoint {
    Outpoint { txid: [number; 32], vout: 0 }
}

pub(crate) fn mined(number: u8, sats: u64) -> ObservedOutput {
    ObservedOutput::Confirmed { outpoint: outpoint(number), amount: Sats::new(sats), height: 7 }
}

#[actix::test]
async fn outputs_that_come_and_go_pause_and_resume_the_offers_that_they_back() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    assert!(fixture.market.vaults().is_empty());
    fixture.market.open_vault(lender, keys(), fixture.nonce()).await.unwrap();
    assert_eq!(fixture.market.vaults(), [lender]);
    let view = fixture.market.sync_vault(lender, &[mined(1, 600_000)]).await.unwrap();
    assert_eq!((view.usable_balance_sats, view.balance_sats), (Sats::new(600_000), Sats::new(600_000)));
    fixture.instant(lender, 500_000).await;
    let written = fixture.journal.batches().len();
    fixture.market.sync_vault(lender, &[mined(1, 600_000)]).await.unwrap();
    assert_eq!(fixture.journal.batches().len(), written, "seen again, nothing is written");

    let count = |fixture: &Fixture| fixture.market.row(FROGS).unwrap().instant.as_ref().unwrap().offer_count;
    fixture.market.sync_vault(lender, &[ObservedOutput::Unconfirmed { outpoint: outpoint(1) }]).await.unwrap();
    until("the offer is paused", || count(&fixture) == 0).await;
    fixture.market.sync_vault(lender, &[mined(1, 600_000)]).await.unwrap();
    until("the offer is back", || count(&fixture) == 1).await;

    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.vaults(), [lender]);
    let ledger = fixture.market.vault_ledger(lender).await.unwrap();
    assert_eq!((ledger.keys(), ledger.usable()), (Some(&keys()), Sats::new(600_000)));
}

#[actix::test]
async fn a_withdrawal_uses_its_nonce_and_is_replayed_after_a_restart() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    fixture.market.open_vault(lender, keys(), fixture.nonce()).await.unwrap();
    fixture.market.sync_vault(lender, &[mined(1, 600_000)]).await.unwrap();
    let nonce_use = fixture.nonce();
    let (id, change) = (SpendId::Withdrawal(nonce_use.nonce), Some((outpoint(9), Sats::new(100_000))));
    let begin = || fixture.market.begin_withdrawal(lender, [9; 32], vec![outpoint(1)], change, nonce_use);
    assert_eq!(begin().await.unwrap().usable_balance_sats, Sats::ZERO);
    assert_eq!(begin().await, Err(Refusal::Vault(VaultRejection::DuplicateSpend(id))));
    let other = fixture.nonce().nonce;
    let unknown = Err(Refusal::Vault(VaultRejection::UnknownSpend(SpendId::Withdrawal(other))));
    assert_eq!(fixture.market.abandon_withdrawal(lender, other).await, unknown);
    fixture.market.withdrawal_signed(lender, nonce_use.nonce, vec![2, 0]).await.unwrap();
    let signed = Err(Refusal::Vault(VaultRejection::AlreadySigned(nonce_use.nonce)));
    assert_eq!(fixture.market.abandon_withdrawal(lender, nonce_use.nonce).await, signed);
    assert!(matches!(fixture.market.use_nonce(nonce_use).await, Err(Refusal::Account(_))));

    let fixture = fixture.restarted().await;
    let ledger = fixture.market.vault_ledger(lender).await.unwrap();
    let leaving = ledger.pending_spend(id).unwrap();
    assert_eq!((leaving.transaction.clone(), leaving.amount), (Some(vec![2, 0]), Sats::new(500_000)));
    fixture.market.sync_vault(lender, &[ObservedOutput::Unconfirmed { outpoint: outpoint(9) }]).await.unwrap();
    fixture.market.fail_vault_transaction(lender, id).await.unwrap();
    let back = fixture.market.sync_vault(lender, &[mined(1, 600_000)]).await.unwrap();
    assert_eq!(back.usable_balance_sats, Sats::new(600_000));
    assert_eq!(
        fixture.market.settle_vault_transaction(lender, id).await,
        Err(Refusal::Vault(VaultRejection::UnknownSpend(id)))
    );
}

#[actix::test]
async fn an_admission_is_known_until_its_offer_is_cancelled_by_a_signed_message() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    fixture.market.open_vault(lender, keys(), fixture.nonce()).await.unwrap();
    fixture.market.sync_vault(lender, &[mined(1, 600_000)]).await.unwrap();
    let offer = fixture.instant(lender, 500_000).await;
    assert_eq!(fixture.market.offer_admission(offer).await, None);
    fixture.market.admit_offer(lender, offer, [7; 32]).await.unwrap();
    assert_eq!(fixture.market.offer_admission(offer).await, Some([7; 32]));
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.offer_admission(offer).await, Some([7; 32]));
    let cancel = Command::Cancel { lender, offer };
    fixture.market.command(FROGS, cancel, Some(nonce_after_restart())).await.unwrap();
    assert_eq!(fixture.market.offer_admission(offer).await, None);
}

/// A nonce that was not used before the restart.
fn nonce_after_restart() -> NonceUse {
    NonceUse { nonce: Nonce(u128::MAX), expires_at: NOON.plus_ms(600_000) }
}
