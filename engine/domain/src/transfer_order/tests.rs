use proptest::prelude::*;

use super::*;

const USER: UserId = UserId(7);
const OTHER_USER: UserId = UserId(8);
const REVEAL: [u8; 32] = [3; 32];

fn order(id: u128, amount_raw: u128) -> TransferOrder {
    let record = "{}".to_owned();
    TransferOrder {
        id: TransferOrderId(id),
        user: USER,
        ticker: "ordi".to_owned(),
        amount_raw,
        coins: vec![coin(id)],
        expires_at: UnixMs(100),
        record,
    }
}

fn coin(number: u128) -> Outpoint {
    Outpoint { txid: [1; 32], vout: u32::try_from(number).unwrap() }
}

fn transactions() -> [String; 2] {
    ["aa".to_owned(), "bb".to_owned()]
}

fn prepared(orders: &mut TransferOrders, order: TransferOrder) {
    for event in orders.prepare(order, UnixMs(1)).unwrap() {
        orders.apply(&event, UnixMs(1));
    }
}

fn committed(orders: &mut TransferOrders, id: u128) {
    let event = orders.commit(USER, TransferOrderId(id), REVEAL, transactions(), UnixMs(2)).unwrap().unwrap();
    orders.apply(&event, UnixMs(2));
}

#[test]
fn an_order_is_signed_once_and_tracked_until_its_reveal() {
    let mut orders = TransferOrders::default();
    prepared(&mut orders, order(1, 5));
    assert_eq!(orders.reveal(TransferOrderId(1)), Err(TransferOrderRejection::NotCommitted(TransferOrderId(1))));
    assert_eq!(orders.fail(TransferOrderId(1)), Err(TransferOrderRejection::NotCommitted(TransferOrderId(1))));
    committed(&mut orders, 1);
    assert_eq!(orders.committed().count(), 1);
    assert_eq!(orders.lapse(UnixMs(1_000), 9), [], "what is signed does not lapse");
    let again =
        |orders: &TransferOrders, reveal| orders.commit(USER, TransferOrderId(1), reveal, transactions(), UnixMs(999));
    assert_eq!(again(&orders, REVEAL), Ok(None));
    assert_eq!(again(&orders, [4; 32]), Err(TransferOrderRejection::Committed(TransferOrderId(1))));
    let event = orders.reveal(TransferOrderId(1)).unwrap().unwrap();
    orders.apply(&event, UnixMs(3));
    assert_eq!(orders.get(TransferOrderId(1)).unwrap().state, TransferOrderState::Revealed { reveal: REVEAL });
    assert_eq!(again(&orders, REVEAL), Ok(None), "the same answer after the end");
    assert_eq!(orders.reveal(TransferOrderId(1)), Ok(None));
    assert_eq!(orders.fail(TransferOrderId(1)), Err(TransferOrderRejection::Ended(TransferOrderId(1))));
    assert_eq!((orders.open_of(USER).count(), orders.committed().count()), (0, 0));
}

#[test]
fn an_order_whose_coins_were_spent_otherwise_fails() {
    let mut orders = TransferOrders::default();
    prepared(&mut orders, order(1, 5));
    committed(&mut orders, 1);
    let event = orders.fail(TransferOrderId(1)).unwrap().unwrap();
    orders.apply(&event, UnixMs(3));
    assert_eq!(orders.fail(TransferOrderId(1)), Ok(None));
    assert_eq!(orders.reveal(TransferOrderId(1)), Err(TransferOrderRejection::Ended(TransferOrderId(1))));
    let again = orders.commit(USER, TransferOrderId(1), REVEAL, transactions(), UnixMs(4));
    assert_eq!(again, Err(TransferOrderRejection::Ended(TransferOrderId(1))));
}

#[test]
fn an_invalid_order_is_refused_with_its_reason() {
    let mut orders = TransferOrders::default();
    prepared(&mut orders, order(1, 5));
    let refusal = |orders: &TransferOrders, order| orders.prepare(order, UnixMs(1)).err();
    assert_eq!(refusal(&orders, order(1, 6)), Some(TransferOrderRejection::IdTaken(TransferOrderId(1))));
    let late = TransferOrder { expires_at: UnixMs(1), ..order(2, 6) };
    assert_eq!(refusal(&orders, late), Some(TransferOrderRejection::Expired));
    let found = RECORD_BYTES_MAX + 1;
    let long = TransferOrder { record: "x".repeat(found), ..order(2, 6) };
    assert_eq!(refusal(&orders, long), Some(TransferOrderRejection::RecordTooLong { found }));
    let found = COINS_MAX + 1;
    let many = TransferOrder { coins: vec![coin(9); found], ..order(2, 6) };
    assert_eq!(refusal(&orders, many), Some(TransferOrderRejection::TooManyCoins { found }));
    committed(&mut orders, 1);
    assert_eq!(refusal(&orders, order(2, 5)), Some(TransferOrderRejection::DuplicateTransfer(TransferOrderId(1))));
    assert_eq!(refusal(&orders, TransferOrder { user: OTHER_USER, ..order(2, 5) }), None);
    assert_eq!(refusal(&orders, TransferOrder { ticker: "sats".to_owned(), ..order(2, 5) }), None);
    for id in 2..=10 {
        prepared(&mut orders, order(id, 100 + id));
    }
    assert_eq!(refusal(&orders, order(11, 6)), Some(TransferOrderRejection::TooManyOpen { found: OPEN_PER_USER_MAX }));
    assert_eq!(refusal(&orders, order(11, 105)), None, "it replaces the unsigned one");
}

#[test]
fn a_coin_pays_for_one_open_order_of_any_user() {
    let mut orders = TransferOrders::default();
    prepared(&mut orders, order(1, 5));
    let with_that_coin = |id, amount| TransferOrder { coins: vec![coin(77), coin(1)], ..order(id, amount) };
    let refused = Err(TransferOrderRejection::CoinReserved { coin: coin(1), order: TransferOrderId(1) });
    assert_eq!(orders.prepare(with_that_coin(2, 6), UnixMs(1)), refused);
    let of_other_user = TransferOrder { user: OTHER_USER, ..with_that_coin(2, 5) };
    assert_eq!(orders.prepare(of_other_user, UnixMs(1)), refused);
    prepared(&mut orders, with_that_coin(2, 5));
    assert_eq!(orders.reserved_for(&coin(1)), Some(TransferOrderId(2)), "the replaced order releases it");
    committed(&mut orders, 2);
    assert_eq!(orders.reserved_for(&coin(77)), Some(TransferOrderId(2)));
    orders.apply(&TransferOrderEvent::Failed { order: TransferOrderId(2) }, UnixMs(3));
    assert_eq!([coin(1), coin(77)].map(|coin| orders.reserved_for(&coin)), [None, None]);
}

#[test]
fn only_the_ordering_user_commits_and_only_in_time() {
    let mut orders = TransferOrders::default();
    prepared(&mut orders, order(1, 5));
    let commit = |user, id, now| orders.commit(user, TransferOrderId(id), REVEAL, transactions(), UnixMs(now)).err();
    assert_eq!(commit(USER, 1, 99), None);
    assert_eq!(commit(USER, 1, 100), Some(TransferOrderRejection::Ended(TransferOrderId(1))));
    assert_eq!(commit(OTHER_USER, 1, 2), Some(TransferOrderRejection::Unknown(TransferOrderId(1))));
    assert_eq!(commit(USER, 2, 2), Some(TransferOrderRejection::Unknown(TransferOrderId(2))));
    assert_eq!(orders.reveal(TransferOrderId(2)), Err(TransferOrderRejection::Unknown(TransferOrderId(2))));
    assert_eq!(orders.fail(TransferOrderId(2)), Err(TransferOrderRejection::Unknown(TransferOrderId(2))));
}

#[test]
fn an_unsigned_order_lapses_or_is_replaced_by_the_next_one() {
    let mut orders = TransferOrders::default();
    prepared(&mut orders, order(1, 5));
    prepared(&mut orders, order(2, 5));
    assert_eq!(orders.get(TransferOrderId(1)).unwrap().state, TransferOrderState::Lapsed);
    prepared(&mut orders, order(3, 6));
    assert_eq!(orders.lapse(UnixMs(99), 9), []);
    assert_eq!(orders.lapse(UnixMs(100), 1).len(), 1);
    for event in orders.lapse(UnixMs(100), 9) {
        orders.apply(&event, UnixMs(100));
    }
    assert_eq!((orders.lapse(UnixMs(500), 9), orders.open_of(USER).count()), (vec![], 0));
    // They are remembered for a day.
    let next = TransferOrderEvent::Prepared(Box::new(TransferOrder { user: OTHER_USER, ..order(4, 1) }));
    orders.apply(&next, UnixMs(99 + ENDED_KEPT_MS));
    assert!(orders.get(TransferOrderId(3)).is_some() && orders.get(TransferOrderId(1)).is_none());
    orders.apply(&TransferOrderEvent::Lapsed { order: TransferOrderId(4) }, UnixMs(100 + ENDED_KEPT_MS));
    assert!(orders.get(TransferOrderId(3)).is_none());
}

proptest! {
    #[test]
    fn replay_yields_the_same_state_and_limits_hold_for_random_commands(
        steps in prop::collection::vec((0_u8..5, 1_u128..20, 1_u128..6, 0_u64..30), 1..120),
    ) {
        let (mut orders, mut journal, mut now) = (TransferOrders::default(), Vec::new(), UnixMs(1));
        for (kind, id, amount, later) in steps {
            now = now.plus_ms(later);
            let order_id = TransferOrderId(id);
            let events = match kind {
                0 => {
                    let order = TransferOrder {
                        expires_at: now.plus_ms(20),
                        coins: vec![coin(id % 7), coin(100 + id)],
                        ..order(id, amount)
                    };
                    orders.prepare(order, now).unwrap_or_default()
                }
                1 => orders.commit(USER, order_id, REVEAL, transactions(), now).ok().flatten().into_iter().collect(),
                2 => orders.reveal(order_id).ok().flatten().into_iter().collect(),
                3 => orders.fail(order_id).ok().flatten().into_iter().collect(),
                _ => orders.lapse(now, 3),
            };
            for event in events {
                orders.apply(&event, now);
                journal.push((event, now));
            }
            prop_assert!(orders.open_of(USER).count() <= OPEN_PER_USER_MAX);
            let open = orders.orders.values().filter(|order| order.is_open()).count();
            prop_assert_eq!(orders.open_of(USER).count(), open);
            prop_assert_eq!(orders.expiries.len() + orders.committed.len(), open);
            let coins = orders.orders.values().filter(|order| order.is_open()).map(|order| order.order.coins.len());
            prop_assert_eq!(orders.reserved.len(), coins.sum::<usize>(), "no coin pays twice");
            prop_assert_eq!(orders.ended.len() + open, orders.orders.len());
        }
        let mut replayed = TransferOrders::default();
        for (event, at) in &journal {
            replayed.apply(event, *at);
        }
        prop_assert_eq!(replayed, orders);
    }
}
