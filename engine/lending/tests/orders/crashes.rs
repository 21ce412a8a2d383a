//! Crash tests of transfer orders: the server crashes between any two steps and continues after a restart.

use std::time::Duration;

use domain::{OrderRejection, OrderState};
use engine::Refusal;
use lending::transfer_orders::{OrderError, OrdersFollowed};

use crate::customer::Customer;
use crate::kit::ports::Doing;
use crate::kit::world::World;

const NONE: OrdersFollowed = OrdersFollowed { revealed: 0, failed: 0, waiting: 0, refused: 0, unknown: 0 };

#[actix::test]
async fn a_crash_during_the_broadcast_leads_to_one_transfer_in_the_end() {
    for doing in [Doing::Away, Doing::LosesAnswer, Doing::HangsBefore, Doing::HangsAfter] {
        let world = World::new().await;
        let customer = Customer::new(&world, &[50_000]).await;
        let prepared = customer.prepare(&world, 600).await.unwrap();
        world.moods.now().broadcasts = doing;
        let committing = customer.commit(&world, &prepared);
        let answer = tokio::time::timeout(Duration::from_millis(200), committing).await;
        match (doing, answer) {
            (Doing::Away | Doing::LosesAnswer, Ok(answer)) => assert_eq!(answer, Ok(prepared.reveal), "{doing:?}"),
            (_, answer) => assert!(answer.is_err(), "{doing:?}: it hangs"),
        }
        let was_sent = matches!(doing, Doing::LosesAnswer | Doing::HangsAfter);
        assert_eq!(world.chain.waiting().len(), if was_sent { 2 } else { 0 }, "{doing:?}");

        let world = world.restarted();
        let state = world.desk.market.order(prepared.order).await.unwrap().state;
        assert!(matches!(state, OrderState::Committed { .. }), "{doing:?}: written before it was sent");
        assert_eq!(world.desk.follow_orders().await.unwrap(), OrdersFollowed { waiting: 1, ..NONE });
        assert_eq!(world.chain.waiting().len(), 2, "{doing:?}");
        assert_eq!(customer.commit(&world, &prepared).await, Ok(prepared.reveal), "{doing:?}");
        world.chain.mine(6).unwrap();
        assert_eq!(customer.newts(&world).await, (400, 600), "{doing:?}");
        assert_eq!(world.desk.follow_orders().await.unwrap(), OrdersFollowed { revealed: 1, ..NONE });
        assert_eq!(world.restarted().desk.follow_orders().await.unwrap(), NONE);
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
    let unknown = OrderError::Market(Refusal::Order(OrderRejection::Unknown(prepared.order)));
    assert_eq!(customer.give_back(&dead, prepared.order, &text).await, Err(unknown));
    assert!(dead.chain.waiting().is_empty());

    // Before the signature is on disk: nothing was sent either, and it is accepted again.
    world.moods.now().broadcasts = Doing::Away;
    customer.give_back(&world, prepared.order, &text).await.unwrap();
    let dead = world.after_crash(before + 1);
    assert_eq!(dead.desk.market.order(prepared.order).await.unwrap().state, OrderState::Prepared);
    assert!(dead.chain.waiting().is_empty());
    assert_eq!(dead.desk.follow_orders().await.unwrap(), NONE);
    assert_eq!(customer.give_back(&dead, prepared.order, &text).await, Ok(prepared.reveal));
    dead.chain.mine(6).unwrap();
    assert_eq!(dead.desk.follow_orders().await.unwrap(), OrdersFollowed { revealed: 1, ..NONE });

    // Before the end is on disk: it is found again.
    let batches = dead.journal.batches().len();
    let dead = dead.after_crash(batches - 1);
    assert!(matches!(dead.desk.market.order(prepared.order).await.unwrap().state, OrderState::Committed { .. }));
    assert_eq!(dead.desk.follow_orders().await.unwrap(), OrdersFollowed { revealed: 1, ..NONE });
    assert_eq!(customer.newts(&dead).await, (400, 600));
}
