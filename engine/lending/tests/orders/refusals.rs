//! Tests of every reason for which an order is not prepared or not committed, by name.

use bitcoin::{Amount, FeeRate, OutPoint};
use domain::{TransferOrderId, TransferOrderRejection, TransferOrderState};
use engine::Refusal;
use engine::chain::Chain as _;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::spent_output::SpentOutputError;
use escrow::contract::transaction::coin_selection::SelectionError;
use lending::brc20::transfer_orders::{TransferOrderError, TransferOrderRequest};
use lending::lookups::lookup::LookupError;
use lending::records::outpoint::to_bitcoin;

use crate::customer::{Customer, WHOLE, inscribe};
use crate::kit::world::World;

fn market(rejection: TransferOrderRejection) -> TransferOrderError {
    TransferOrderError::Market(Refusal::Order(rejection))
}

#[actix::test]
async fn an_order_that_cannot_be_paid_or_covered_is_not_prepared() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[6_000]).await;
    let batches = world.journal.batches().len();
    let prepare = async |request: TransferOrderRequest| world.service.prepare_order(&request).await.unwrap_err();
    let (min, max) = (FeeRate::from_sat_per_kwu(25), FeeRate::from_sat_per_vb_u32(500));
    for found in [FeeRate::from_sat_per_kwu(24), FeeRate::ZERO, FeeRate::from_sat_per_vb_u32(501), FeeRate::MAX] {
        let refused = prepare(TransferOrderRequest { fee_rate: found, ..customer.request(600, 30) }).await;
        assert_eq!(refused, TransferOrderError::FeeRate { found, min, max });
    }
    let short = TransferOrderError::Balance { available: 1_000 * WHOLE, promised: 0, wanted: 1_001 * WHOLE };
    assert_eq!(prepare(customer.request(1_001, 30)).await, short);
    let none = TransferOrderRequest { transfer: Brc20Transfer::new("ordi", 1).unwrap(), ..customer.request(1, 30) };
    assert_eq!(prepare(none).await, TransferOrderError::Balance { available: 0, promised: 0, wanted: 1 });
    // Coins with assets are not spent.
    let carrier = customer.person.payment_script();
    world.chain.inscribe(&carrier, Amount::from_sat(90_000), "text/plain", b"a frog").unwrap();
    let refused = prepare(customer.request(600, 30)).await;
    let TransferOrderError::Funds(SelectionError::InsufficientFunds { excluded, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(excluded.with_assets, Amount::from_sat(90_000));
    assert_eq!(world.journal.batches().len(), batches, "nothing was written");
}

#[actix::test]
async fn tokens_and_coins_of_other_orders_are_not_used_twice() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000]).await;
    customer.prepare(&world, 600).await.unwrap();
    let refused = customer.prepare(&world, 401).await.unwrap_err();
    let promised = 600 * WHOLE;
    assert_eq!(refused, TransferOrderError::Balance { available: 1_000 * WHOLE, promised, wanted: 401 * WHOLE });
    let refused = customer.prepare(&world, 400).await.unwrap_err();
    assert!(matches!(refused, TransferOrderError::Funds(SelectionError::InsufficientFunds { .. })), "{refused:?}");
}

#[actix::test]
async fn lagging_or_unreachable_indexers_give_no_order() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000]).await;
    world.faults.lock().brc20_behind = 1;
    let refused = customer.prepare(&world, 600).await.unwrap_err();
    assert!(matches!(refused, TransferOrderError::Lookup(LookupError::Lagging { .. })), "{refused:?}");
    world.faults.lock().brc20_behind = 0;
    world.faults.lock().index_behind = 1;
    let refused = customer.prepare(&world, 600).await.unwrap_err();
    assert!(matches!(refused, TransferOrderError::Lookup(LookupError::Lagging { .. })), "{refused:?}");
    world.faults.lock().index_behind = 0;
    world.faults.lock().is_node_unreachable = true;
    let refused = customer.prepare(&world, 600).await.unwrap_err();
    assert!(matches!(refused, TransferOrderError::Lookup(LookupError::Chain(_))), "{refused:?}");
}

#[actix::test]
async fn only_the_owner_commits_an_order_and_only_in_time() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000]).await;
    let prepared = customer.prepare(&world, 600).await.unwrap();
    let (text, other_user) = (customer.sign(&prepared), world.lender().await);
    let by_other_user =
        world.service.commit_order(other_user.user, &other_user.ordinals(), prepared.order, &text).await;
    assert_eq!(by_other_user, Err(market(TransferOrderRejection::Unknown(prepared.order))));
    let unknown = TransferOrderId(prepared.order.0 ^ 1);
    assert_eq!(customer.give_back(&world, unknown, &text).await, Err(market(TransferOrderRejection::Unknown(unknown))));
    world.pass(900);
    let ended = Err(market(TransferOrderRejection::Ended(prepared.order)));
    assert_eq!(customer.give_back(&world, prepared.order, &text).await, ended);
    world.service.track_orders().await.unwrap();
    assert_eq!(world.service.market.order(prepared.order).await.unwrap().state, TransferOrderState::Lapsed);
    assert_eq!(customer.give_back(&world, prepared.order, &text).await, ended);
    assert!(world.chain.mempool_txids().is_empty());
}

#[actix::test]
async fn a_tampered_or_outdated_order_is_not_committed() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000]).await;
    let prepared = customer.prepare(&world, 600).await.unwrap();
    let batches = world.journal.batches().len();
    let unsigned = customer.give_back(&world, prepared.order, &prepared.transaction).await;
    assert_eq!(unsigned, Err(TransferOrderError::Returned(ReturnedPsbtError::MissingSignature { index: 0 })));
    let by_another = world.lender().await.wallet.sign_psbt(&prepared.transaction).unwrap();
    let refused = customer.give_back(&world, prepared.order, &by_another).await;
    assert_eq!(refused, Err(TransferOrderError::Returned(ReturnedPsbtError::MissingSignature { index: 0 })));
    let text = customer.sign(&prepared);
    // The balance went into another transfer inscription.
    let rival = inscribe(&world, &customer.person, r#"{"p":"brc-20","op":"transfer","tick":"newt","amt":"500"}"#);
    let short = TransferOrderError::Balance { available: 500 * WHOLE, promised: 0, wanted: 600 * WHOLE };
    assert_eq!(customer.give_back(&world, prepared.order, &text).await, Err(short));
    // It comes back, and the coin is spent.
    let fee = world.fund(&customer.person.payment_script(), 9_000);
    let carrier = OutPoint::new(rival.txid, 0);
    let back = customer.spend(&world, &[carrier, fee], 7_000, &customer.person.ordinals()).await;
    world.chain.broadcast(&[back]).await.unwrap();
    world.chain.mine(1).unwrap();
    assert_eq!(customer.newts(&world).await, (1_000, 0));
    let coin = world.service.market.order(prepared.order).await.unwrap().order.coins[0];
    let coin = to_bitcoin(coin);
    let elsewhere = customer.spend(&world, &[coin], 49_000, &customer.person.ordinals()).await;
    world.chain.broadcast(&[elsewhere]).await.unwrap();
    let refused = customer.give_back(&world, prepared.order, &text).await;
    assert_eq!(refused, Err(TransferOrderError::Spent(SpentOutputError::MissingOrSpent(coin))));
    let last = world.journal.batches().into_iter().skip(batches);
    assert!(
        last.flat_map(|batch| batch.appends).all(|append| append.stream != domain::Stream::Orders),
        "nothing was written of the order"
    );
    assert_eq!(world.chain.mempool_txids().len(), 1);
}
