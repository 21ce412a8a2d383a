//! Tests of orders under reorgs, conflicting transactions and an unreachable node.

use devchain::ReorgPolicy;
use domain::{TransferOrderRejection, TransferOrderState};
use engine::Refusal;
use engine::chain::Chain as _;
use lending::brc20::transfer_orders::{PreparedOrder, TransferOrderError, TransferOrdersTracked};
use lending::lookups::confirmations::{EXPECTED_REORG_MAX, SETTLEMENT_CONFIRMATIONS};
use lending::records::outpoint::to_bitcoin;

use crate::customer::Customer;
use crate::kit::faults::FaultMode;
use crate::kit::world::World;

const NONE: TransferOrdersTracked =
    TransferOrdersTracked { revealed: 0, failed: 0, unconfirmed: 0, refused: 0, unknown: 0 };

async fn committed(world: &World) -> (Customer, PreparedOrder) {
    let customer = Customer::new(world, &[50_000]).await;
    let prepared = customer.prepare(world, 600).await.unwrap();
    customer.commit(world, &prepared).await.unwrap();
    (customer, prepared)
}

async fn follow(world: &World) -> TransferOrdersTracked {
    world.service.track_orders().await.unwrap()
}

#[actix::test]
async fn an_order_in_a_disconnected_block_is_sent_again() {
    for fate in [ReorgPolicy::Requeue, ReorgPolicy::Drop] {
        let world = World::new().await;
        let (customer, _) = committed(&world).await;
        world.chain.mine(EXPECTED_REORG_MAX).unwrap();
        assert_eq!(customer.newts(&world).await, (400, 600));
        assert_eq!(
            follow(&world).await,
            TransferOrdersTracked { unconfirmed: 1, ..NONE },
            "a reorg can still disconnect it"
        );
        world.chain.reorg(EXPECTED_REORG_MAX, fate).unwrap();
        assert_eq!(customer.newts(&world).await, (1_000, 0));
        assert_eq!(world.service.pending_orders(customer.person.user).await.unwrap().len(), 1, "it is pending again");
        assert_eq!(follow(&world).await, TransferOrdersTracked { unconfirmed: 1, ..NONE });
        world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
        assert_eq!(customer.newts(&world).await, (400, 600));
        assert_eq!(follow(&world).await, TransferOrdersTracked { revealed: 1, ..NONE });
    }
}

#[actix::test]
async fn an_order_whose_coins_were_spent_elsewhere_fails_once_that_is_buried() {
    let world = World::new().await;
    let (customer, prepared) = committed(&world).await;
    let coin = world.service.market.order(prepared.order).await.unwrap().order.coins[0];
    let coin = to_bitcoin(coin);
    let elsewhere = customer.spend(&world, &[coin], 5_000, &customer.person.ordinals()).await;
    world.chain.broadcast(&[elsewhere]).await.unwrap();
    assert_eq!(follow(&world).await, TransferOrdersTracked { refused: 1, ..NONE }, "another one is in the mempool");
    let again = customer.commit(&world, &prepared).await;
    assert!(matches!(again, Err(TransferOrderError::NodeRefused(_))), "{again:?}");
    // The block that spends them comes after the tip was read.
    world.faults.lock().mines_during_lookup = true;
    assert_eq!(follow(&world).await, TransferOrdersTracked { refused: 1, ..NONE }, "its first confirmation");
    world.faults.lock().mines_during_lookup = false;
    for _ in 1..EXPECTED_REORG_MAX {
        world.chain.mine(1).unwrap();
        assert_eq!(
            follow(&world).await,
            TransferOrdersTracked { refused: 1, ..NONE },
            "a reorg can still disconnect it"
        );
    }
    world.chain.mine(1).unwrap();
    assert_eq!(follow(&world).await, TransferOrdersTracked { failed: 1, ..NONE });
    assert_eq!(world.service.market.order(prepared.order).await.unwrap().state, TransferOrderState::Failed);
    let ended = TransferOrderError::Market(Refusal::Order(TransferOrderRejection::Ended(prepared.order)));
    assert_eq!(customer.commit(&world, &prepared).await, Err(ended));
    // Nothing is reserved for it any more.
    world.fund(&customer.person.payment_script(), 50_000);
    let next = customer.prepare(&world, 600).await.unwrap();
    assert_eq!(customer.commit(&world, &next).await, Ok(next.reveal));
}

#[actix::test]
async fn a_conflicting_spend_in_a_disconnected_block_does_not_fail_the_order() {
    let world = World::new().await;
    let (customer, prepared) = committed(&world).await;
    let coin = world.service.market.order(prepared.order).await.unwrap().order.coins[0];
    let coin = to_bitcoin(coin);
    let elsewhere = customer.spend(&world, &[coin], 5_000, &customer.person.ordinals()).await;
    world.chain.broadcast(&[elsewhere]).await.unwrap();
    world.chain.mine(EXPECTED_REORG_MAX).unwrap();
    assert_eq!(follow(&world).await, TransferOrdersTracked { refused: 1, ..NONE });
    world.chain.reorg(EXPECTED_REORG_MAX, ReorgPolicy::Drop).unwrap();
    assert_eq!(follow(&world).await, TransferOrdersTracked { unconfirmed: 1, ..NONE });
    world.chain.mine(1).unwrap();
    assert_eq!(customer.newts(&world).await, (400, 600));
}

#[actix::test]
async fn an_unreachable_node_decides_nothing() {
    let world = World::new().await;
    let (_, prepared) = committed(&world).await;
    world.faults.lock().is_node_unreachable = true;
    assert_eq!(follow(&world).await, TransferOrdersTracked { unknown: 1, ..NONE });
    world.faults.lock().is_node_unreachable = false;
    world.faults.lock().broadcasts = FaultMode::Unreachable;
    world.chain.mine(1).unwrap();
    world.chain.reorg(1, ReorgPolicy::Drop).unwrap();
    assert_eq!(follow(&world).await, TransferOrdersTracked { unknown: 1, ..NONE });
    let state = world.service.market.order(prepared.order).await.unwrap().state;
    assert!(matches!(state, TransferOrderState::Committed { .. }));
    world.faults.lock().broadcasts = FaultMode::Healthy;
    assert_eq!(follow(&world).await, TransferOrdersTracked { unconfirmed: 1, ..NONE });
}
