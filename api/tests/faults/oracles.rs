//! Tests of the harness itself: what must be found is found.

use domain::{
    AssetEvent, BookEvent, CancelReason, Event, ListingEvent, OfferId, OfferTerms, Outpoint, ProcessType, Quantity,
    ReservationId, Sats, Stream, SubCollectionId, UnixMs, UserId, VaultEvent,
};
use engine::journal::Recorded;
use serde_json::json;

use super::fault::{KINDS, Plan};
use super::market;
use super::naive_vaults::NaiveVaults;
use super::public_view::PublicView;
use super::record::Outcome;
use super::replay::{GROUP, Replay};

/// A replay of a book's events.
fn replay(events: Vec<BookEvent>) -> Replay {
    let mut replay = Replay::default();
    let mut apply = |stream, sequence, event| replay.apply(stream, &Recorded { sequence, at: UnixMs(1), event });
    apply(Stream::Listings, 1, Event::Listing(ListingEvent::GroupListed(Box::new(market::group())))).unwrap();
    for (sequence, event) in (1..).zip(events) {
        apply(Stream::Book(GROUP), sequence, Event::Book(event)).unwrap();
    }
    replay
}

fn id(number: u64) -> OfferId {
    OfferId::new(GROUP, number).unwrap()
}

fn created(number: u64, principal: u64) -> BookEvent {
    let terms = OfferTerms {
        sub_collection: SubCollectionId(0),
        process: ProcessType::Manual,
        principal: Sats::new(principal),
        quantity: Quantity::inscriptions(1),
        smallest_take: Sats::new(principal),
        max_ltv: None,
        accepts_next_term: false,
    };
    BookEvent::OfferCreated { offer: id(number), lender: UserId(1), terms }
}

fn cancelled(number: u64) -> BookEvent {
    BookEvent::OfferCancelled { offer: id(number), reason: CancelReason::ByLender }
}

#[test]
fn a_command_that_the_journal_lacks_has_twice_or_has_although_it_was_refused_is_found() {
    let replay = replay(vec![created(1, 50_000), created(2, 60_000), created(3, 60_000), cancelled(1)]);
    let is_found = |outcome: Outcome| replay.check_outcome(&outcome).is_err();
    assert!(!is_found(Outcome::Created { principal: 50_000, id: Some(id(1)) }));
    assert!(!is_found(Outcome::Created { principal: 50_000, id: None }));
    assert!(is_found(Outcome::Created { principal: 50_000, id: Some(id(2)) }), "another offer");
    assert!(is_found(Outcome::Created { principal: 70_000, id: None }), "lost");
    assert!(is_found(Outcome::Created { principal: 60_000, id: None }), "doubled");
    assert_eq!(replay.doubled(), 1);
    assert!(!is_found(Outcome::Cancelled { id: id(1) }));
    assert!(is_found(Outcome::Cancelled { id: id(2) }));
    assert!(is_found(Outcome::Edited { from: id(2), principal: 50_000, id: None }), "half an edit");
    assert!(!is_found(Outcome::Refused { principal: 70_000 }));
    assert!(is_found(Outcome::Refused { principal: 50_000 }));
}

#[test]
fn an_event_that_is_missing_in_the_book_is_found() {
    let mut replay = replay(vec![created(1, 50_000)]);
    let later = Recorded { sequence: 3, at: UnixMs(1), event: Event::Book(cancelled(1)) };
    assert!(replay.apply(Stream::Book(GROUP), &later).is_err());
}

#[test]
fn the_view_of_a_client_is_the_replays_after_each_event_and_no_other() {
    let replay = replay(vec![created(1, 50_000), created(2, 60_000), cancelled(1)]);
    let offer = |number: u64, principal: u64| {
        json!({"offerId": id(number).to_string(), "principal_amount_sats": principal, "available_sats": principal,
            "state": "live", "subCollectionId": "0", "process": "manual"})
    };
    let offers = json!([offer(1, 50_000)]);
    let mut view = PublicView::of([&offers]);
    assert_eq!(Some(view.lines().as_str()), replay.view_at(1));
    view.apply(&json!({"op": "offer", "offer": offer(2, 60_000)}));
    assert_eq!(Some(view.lines().as_str()), replay.view_at(2));
    let checksum = view.checksum();
    view.apply(&json!({"op": "offer_gone", "offerId": id(1).to_string()}));
    assert_eq!(Some(view.lines().as_str()), replay.view_at(3));
    assert_ne!(Some(view.lines().as_str()), replay.view_at(2));
    assert_ne!(view.checksum(), checksum);
    assert_eq!((replay.view_at(4), replay.check_book()), (None, Ok(())));
}

#[test]
fn a_double_pledge_and_an_overdrawn_vault_are_found() {
    let (owner, outpoint) = (UserId(1), Outpoint { txid: [1; 32], vout: 0 });
    let mut vaults = NaiveVaults::default();
    let locked = |number| AssetEvent::Locked { outpoint, reservation: ReservationId(number) };
    assert_eq!(vaults.apply_asset(&locked(1)), Ok(()));
    assert!(vaults.apply_asset(&locked(2)).is_err(), "pledged twice");
    let confirmed = VaultEvent::OutputConfirmed { outpoint, amount: Sats::new(1_000), height: 1 };
    assert_eq!(vaults.apply_vault(owner, &confirmed), Ok(()));
    let held = |number, sats| VaultEvent::Held { reservation: ReservationId(number), amount: Sats::new(sats) };
    assert_eq!(vaults.apply_vault(owner, &held(1, 1_000)), Ok(()));
    assert!(vaults.apply_vault(owner, &held(2, 1)).is_err(), "overdrawn");
}

#[test]
fn a_plan_follows_from_its_seed_and_has_every_kind() {
    let plan = |seed| format!("{:?}", Plan::endless(seed).take(30).collect::<Vec<_>>());
    assert_eq!(plan(1), plan(1));
    assert_ne!(plan(1), plan(2));
    let kinds: Vec<_> = Plan::endless(3).take(40).flatten().map(|fault| fault.kind).collect();
    assert!(KINDS.iter().all(|kind| kinds.contains(kind)));
    let once: Vec<_> = Plan::once(4, &KINDS).flatten().map(|fault| fault.kind).collect();
    assert_eq!(once.len(), KINDS.len());
}
