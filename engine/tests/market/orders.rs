//! Tests of orders for transfer inscriptions: a stream of their own, reserved coins, and durability before any answer.

use domain::{
    AssetRejection, Outpoint, ReservationId, Stream, TransferOrder, TransferOrderEvent, TransferOrderId,
    TransferOrderRejection, TransferOrderState, UserId,
};
use engine::{Refusal, ReserveRequest, clock::Clock as _};

use crate::{
    actions::outpoint,
    fake_journal::{events_of, streams_of},
    fixture::{FROGS, Fixture, NOON, short_delay, spawn},
};

const REVEAL: [u8; 32] = [3; 32];

fn order(id: u128, user: UserId, amount_raw: u128, coins: Vec<Outpoint>) -> TransferOrder {
    let (ticker, record) = ("ordi".to_owned(), "{}".to_owned());
    TransferOrder {
        id: TransferOrderId(id),
        user,
        ticker,
        amount_raw,
        coins,
        expires_at: NOON.plus_ms(900_000),
        record,
    }
}

fn transactions() -> [String; 2] {
    ["aa".to_owned(), "bb".to_owned()]
}

#[actix::test]
async fn orders_have_their_own_stream_and_are_replayed() {
    let fixture = Fixture::new().await;
    let user = fixture.user(1).await;
    fixture.market.prepare_order(order(1, user, 5, vec![outpoint(1)])).await.unwrap();
    assert_eq!(streams_of(&fixture.journal.last_batch()), [Stream::Orders]);
    fixture.market.commit_order(user, TransferOrderId(1), REVEAL, transactions()).await.unwrap();
    fixture.market.prepare_order(order(2, user, 6, vec![outpoint(2)])).await.unwrap();
    let (batches, open) = (fixture.journal.batches().len(), fixture.market.open_orders(user).await);
    fixture.market.commit_order(user, TransferOrderId(1), REVEAL, transactions()).await.unwrap();
    assert_eq!(fixture.journal.batches().len(), batches, "again changes nothing");
    assert_eq!((open.len(), fixture.market.committed_orders().await.len()), (2, 1));
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.open_orders(user).await, open);
    fixture.market.order_revealed(TransferOrderId(1)).await.unwrap();
    assert_eq!(
        fixture.market.order(TransferOrderId(1)).await.unwrap().state,
        TransferOrderState::Revealed { reveal: REVEAL }
    );
    let refused = fixture.market.order_failed(TransferOrderId(2)).await;
    assert_eq!(refused, Err(Refusal::Order(TransferOrderRejection::NotCommitted(TransferOrderId(2)))));
    fixture.clock.advance_ms(900_000);
    fixture.market.lapse_orders().await.unwrap();
    let lapsed = TransferOrderEvent::Lapsed { order: TransferOrderId(2) };
    assert_eq!(events_of(&fixture.journal.last_batch(), Stream::Orders), [domain::Event::Order(lapsed)]);
    assert!(fixture.market.open_orders(user).await.is_empty() && fixture.market.now() == fixture.clock.now());
}

#[actix::test]
async fn a_coin_pays_for_one_order_and_for_none_while_it_is_pledged() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, 600_000).await;
    let reservation = fixture.reserve(1, offer, borrower).await.unwrap();
    let pledged = fixture.reserve_request(1, offer, borrower).outpoints;
    assert_eq!(fixture.market.locked_outputs(pledged.clone()), pledged);
    let refused = fixture.market.prepare_order(order(1, borrower, 5, pledged)).await;
    assert!(matches!(refused, Err(Refusal::Asset(AssetRejection::Pledged(ReservationId(_))))), "{refused:?}");
    let [coin, free] = [outpoint(200), outpoint(201)];
    fixture.market.prepare_order(order(1, borrower, 5, vec![coin])).await.unwrap();
    assert_eq!(fixture.market.locked_outputs([coin, free]), [coin]);
    let refused = fixture.market.prepare_order(order(2, lender, 5, vec![coin])).await;
    let promised = TransferOrderRejection::CoinReserved { coin, order: TransferOrderId(1) };
    assert_eq!(refused, Err(Refusal::Order(promised.clone())));
    fixture.market.release(FROGS, reservation).await.unwrap();
    let request = ReserveRequest { outpoints: vec![free, coin], ..fixture.reserve_request(2, offer, borrower) };
    assert_eq!(fixture.market.reserve(request, None).await, Err(Refusal::Order(promised)));
}

#[actix::test]
async fn no_order_is_returned_before_it_is_durable() {
    let fixture = Fixture::new().await;
    let user = fixture.user(1).await;
    fixture.market.prepare_order(order(1, user, 5, vec![outpoint(1)])).await.unwrap();
    fixture.journal.hold();
    let commit = |market: engine::Market| async move {
        market.commit_order(user, TransferOrderId(1), REVEAL, transactions()).await
    };
    let first = spawn(commit(fixture.market.clone()));
    short_delay().await;
    let (market, again) = (fixture.market.clone(), spawn(commit(fixture.market.clone())));
    let read = spawn(async move { market.committed_orders().await });
    short_delay().await;
    assert!(!first.is_finished() && !again.is_finished() && !read.is_finished());
    fixture.journal.let_all_go();
    assert_eq!((first.await.unwrap(), again.await.unwrap()), (Ok(()), Ok(())));
    assert_eq!(read.await.unwrap().len(), 1);
}
