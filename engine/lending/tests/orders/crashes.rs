//! Crash tests of transfer orders: the server crashes between any two steps and continues after a restart.

use domain::{TransferOrderRejection, TransferOrderState};
use engine::Refusal;
use lending::brc20::transfer_orders::{TransferOrderError, TransferOrdersTracked};
use lending::lookups::confirmations::SETTLEMENT_CONFIRMATIONS;

use crate::customer::Customer;
use crate::kit::faults::FaultMode;
use crate::kit::world::World;

const NONE: TransferOrdersTracked =
    TransferOrdersTracked { revealed: 0, failed: 0, unconfirmed: 0, refused: 0, unknown: 0 };

#[actix::test]
async fn a_crash_during_the_broadcast_leads_to_one_transfer_in_the_end() {
    for mode in [FaultMode::Unreachable, FaultMode::LosesAnswer, FaultMode::HangsBefore, FaultMode::HangsAfter] {
        let world = World::new().await;
        let customer = Customer::new(&world, &[50_000]).await;
        let prepared = customer.prepare(&world, 600).await.unwrap();
        world.faults.lock().broadcasts = mode;
        let answer = world.faults.until_hung(customer.commit(&world, &prepared)).await;
        match (mode, answer) {
            (FaultMode::Unreachable | FaultMode::LosesAnswer, Some(answer)) => {
                assert_eq!(answer, Ok(prepared.reveal), "{mode:?}");
            }
            (_, answer) => assert!(answer.is_none(), "{mode:?}: it hangs"),
        }
        let was_sent = matches!(mode, FaultMode::LosesAnswer | FaultMode::HangsAfter);
        assert_eq!(world.chain.mempool_txids().len(), if was_sent { 2 } else { 0 }, "{mode:?}");

        let world = world.restarted();
        let state = world.service.market.order(prepared.order).await.unwrap().state;
        assert!(matches!(state, TransferOrderState::Committed { .. }), "{mode:?}: written before it was sent");
        assert_eq!(world.service.track_orders().await.unwrap(), TransferOrdersTracked { unconfirmed: 1, ..NONE });
        assert_eq!(world.chain.mempool_txids().len(), 2, "{mode:?}");
        assert_eq!(customer.commit(&world, &prepared).await, Ok(prepared.reveal), "{mode:?}");
        world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
        assert_eq!(customer.newts(&world).await, (400, 600), "{mode:?}");
        assert_eq!(world.service.track_orders().await.unwrap(), TransferOrdersTracked { revealed: 1, ..NONE });
        assert_eq!(world.restarted().service.track_orders().await.unwrap(), NONE);
    }
}

#[actix::test]
async fn unwritten_steps_did_not_happen_and_written_ones_are_continued() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000]).await;
    let before = world.journal.batches().len();
    let prepared = customer.prepare(&world, 600).await.unwrap();
    let text = customer.sign(&prepared);

    // Before the order is on disk: it is unknown, and nothing was sent.
    let dead = world.after_crash(before);
    let unknown = TransferOrderError::Market(Refusal::Order(TransferOrderRejection::Unknown(prepared.order)));
    assert_eq!(customer.give_back(&dead, prepared.order, &text).await, Err(unknown));
    assert!(dead.chain.mempool_txids().is_empty());

    // Before the signature is on disk: nothing was sent either, and it is accepted again.
    world.faults.lock().broadcasts = FaultMode::Unreachable;
    customer.give_back(&world, prepared.order, &text).await.unwrap();
    let dead = world.after_crash(before + 1);
    assert_eq!(dead.service.market.order(prepared.order).await.unwrap().state, TransferOrderState::Prepared);
    assert!(dead.chain.mempool_txids().is_empty());
    assert_eq!(dead.service.track_orders().await.unwrap(), NONE);
    assert_eq!(customer.give_back(&dead, prepared.order, &text).await, Ok(prepared.reveal));
    dead.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
    assert_eq!(dead.service.track_orders().await.unwrap(), TransferOrdersTracked { revealed: 1, ..NONE });

    // Before the end is on disk: it is found again.
    let batches = dead.journal.batches().len();
    let dead = dead.after_crash(batches - 1);
    assert!(matches!(
        dead.service.market.order(prepared.order).await.unwrap().state,
        TransferOrderState::Committed { .. }
    ));
    assert_eq!(dead.service.track_orders().await.unwrap(), TransferOrdersTracked { revealed: 1, ..NONE });
    assert_eq!(customer.newts(&dead).await, (400, 600));
}
