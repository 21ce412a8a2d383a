//! The controls of a world: they must have the same effects in each, so that every scenario means the same.

use bitcoin::hashes::Hash as _;
use bitcoin::{BlockHash, FeeRate, OutPoint};
use engine::asset_index::{AssetIndex as _, OutputAssets};
use engine::chain::{Chain as _, ChainPosition};
use engine::coin_index::CoinIndex as _;
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::spend::Spend;

use crate::custom_transaction::{CustomTransaction, pay};
use crate::test_wallet::{TestWallet, coin_of, funded};
use crate::world::{Fate, START_BLOCKS, START_SECONDS, World, confirm, refusal, send};

pub(crate) async fn a_world_starts_with_its_blocks_and_its_clock(world: &impl World) {
    let tip = world.node().tip().await.unwrap();
    assert_eq!(tip.height, START_BLOCKS);
    assert!((START_SECONDS..START_SECONDS + 100).contains(&tip.median_time_seconds), "{tip:?}");
    assert_eq!(world.indexer().height().await, Ok(START_BLOCKS));
    assert_eq!(world.node().block_hash(START_BLOCKS).await, Ok(Some(tip.hash)));
    assert_eq!(world.node().block_hash(START_BLOCKS + 1).await, Ok(None));
    assert_eq!(world.block(START_BLOCKS).await.unwrap().block_hash(), tip.hash);
    assert_eq!(world.block(START_BLOCKS + 1).await, None);
    assert_eq!(world.waiting().await, []);
    assert_eq!(world.node().median_time(tip.hash).await, Ok(Some(tip.median_time_seconds)));
    let transactions = world.node().block_transactions(tip.hash).await.unwrap().unwrap();
    assert_eq!(transactions, world.block(START_BLOCKS).await.unwrap().txdata);
    let nowhere = BlockHash::all_zeros();
    assert_eq!(world.node().median_time(nowhere).await, Ok(None));
    assert_eq!(world.node().block_transactions(nowhere).await, Ok(None));
    let reward = OutPoint::new(world.block(START_BLOCKS).await.unwrap().txdata[0].compute_txid(), 0);
    let reward = world.node().unspent(reward).await.unwrap().unwrap();
    assert!(reward.is_coinbase && reward.confirmations == 1);
}

pub(crate) async fn the_faucet_pays_plain_confirmed_coins(world: &impl World) {
    let person = TestWallet::new(1);
    let height = world.node().tip().await.unwrap().height;
    let coin = funded(world, person.payment(), 123_456).await;
    let unspent = world.node().unspent(coin.outpoint).await.unwrap().unwrap();
    assert_eq!(
        (unspent.output.clone(), unspent.confirmations, unspent.is_coinbase),
        (pay(person.payment_script(), 123_456), 1, false)
    );
    assert_eq!(world.node().tip().await.unwrap().height, height + 1);
    assert_eq!(world.indexer().assets_in(coin.outpoint).await, Ok(Some(OutputAssets::default())));
    assert_eq!(world.node().unspent(OutPoint { vout: 9, ..coin.outpoint }).await, Ok(None));
    assert_eq!(world.indexer().assets_in(OutPoint { vout: 9, ..coin.outpoint }).await, Ok(None));
    // An unconfirmed transaction stays unconfirmed while the faucet pays.
    let waits = CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(person.ordinals_script(), 100_000)])
        .signed(&[&person], None);
    send(world, &waits).await;
    let unspent = world.node().unspent(OutPoint::new(waits.compute_txid(), 0)).await.unwrap().unwrap();
    assert_eq!((unspent.output, unspent.confirmations), (pay(person.ordinals_script(), 100_000), 0));
    assert_eq!(world.node().unspent(coin.outpoint).await, Ok(None));
    let still = world.node().confirmed_unspent(coin.outpoint).await.unwrap();
    assert_eq!(
        still.map(|unspent| unspent.output),
        Some(pay(person.payment_script(), 123_456)),
        "it is not spent in a block"
    );
    let waiting = OutPoint::new(waits.compute_txid(), 0);
    assert_eq!(world.node().confirmed_unspent(waiting).await, Ok(None), "it is not created in a block");
    assert_eq!(world.indexer().assets_in(waiting).await, Ok(None), "it is not confirmed");
    funded(world, person.payment(), 10_000).await;
    assert_eq!(world.waiting().await, [waits.compute_txid()]);
    world.mine_these(&[]).await;
    assert_eq!(world.waiting().await, [waits.compute_txid()]);
    world.mine(1).await;
    assert_eq!(world.waiting().await, []);
    assert_eq!(world.indexer().assets_in(coin.outpoint).await, Ok(None), "a block has spent it");
    assert_eq!(world.node().confirmed_unspent(coin.outpoint).await, Ok(None), "a block has spent it");
    assert_eq!(world.indexer().assets_in(waiting).await, Ok(Some(OutputAssets::default())));
}

pub(crate) async fn median_time_follows_the_clock_six_blocks_later(world: &impl World) {
    let later = START_SECONDS + 1_000_000;
    world.set_time(later).await;
    world.mine(5).await;
    assert!(world.node().tip().await.unwrap().median_time_seconds < later);
    world.mine(1).await;
    assert_eq!(world.node().tip().await.unwrap().median_time_seconds, later);
}

pub(crate) async fn a_reorg_replaces_blocks_and_returns_or_drops_their_transactions(world: &impl World) {
    let person = TestWallet::new(1);
    let coin = funded(world, person.payment(), 50_000).await;
    let other = funded(world, person.payment(), 60_000).await;
    let first = CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(person.payment_script(), 40_000)])
        .signed(&[&person], None);
    confirm(world, &first).await;
    let made = coin_of(&first, 0, person.payment());
    let second = CustomTransaction::new(vec![Spend::Coin(&made)], vec![pay(person.payment_script(), 30_000)])
        .signed(&[&person], None);
    confirm(world, &second).await;
    let bystander = CustomTransaction::new(vec![Spend::Coin(&other)], vec![pay(person.ordinals_script(), 50_000)])
        .signed(&[&person], None);
    send(world, &bystander).await;
    let before = world.node().tip().await.unwrap();
    world.reorg(2, Fate::Wait).await;
    let after = world.node().tip().await.unwrap();
    assert_eq!(after.height, before.height + 1);
    assert_eq!(world.indexer().height().await, Ok(after.height));
    assert_ne!(world.node().block_hash(before.height).await.unwrap(), Some(before.hash));
    let mut all = [&first, &second, &bystander].map(bitcoin::Transaction::compute_txid);
    all.sort_unstable();
    assert_eq!(world.waiting().await, all);
    world.mine(1).await;
    assert_eq!(world.waiting().await, []);
    world.mine(1).await;
    world.reorg(2, Fate::Forgotten).await;
    assert_eq!(world.waiting().await, []);
    for forgotten in [&first, &second, &bystander] {
        assert_eq!(world.node().transaction(forgotten.compute_txid()).await, Ok(None));
    }
    assert!(world.node().unspent(coin.outpoint).await.unwrap().is_some());
    confirm(world, &first).await;
    let seen = world.node().transaction(first.compute_txid()).await.unwrap().unwrap();
    let tip = world.node().tip().await.unwrap();
    assert_eq!(seen.position, ChainPosition::Confirmed { block: tip.hash, height: tip.height });
}

pub(crate) async fn outputs_of_a_script_are_listed_until_they_are_spent_in_a_block(world: &impl World) {
    let person = TestWallet::new(1);
    let listed = async |key: CoinKey| world.indexer().outputs_of(&key.script_pubkey()).await.unwrap();
    let keys = [person.payment(), person.nested(), person.ordinals()];
    let mut coins = Vec::new();
    for key in keys {
        assert_eq!(listed(key).await, [], "no payment yet");
        let mut paid = [funded(world, key, 20_000).await, funded(world, key, 30_000).await];
        paid.sort_by_key(|coin| coin.outpoint);
        assert_eq!(listed(key).await, [paid[0].outpoint, paid[1].outpoint], "by outpoint");
        coins.push(paid);
    }
    let [[first, second], ..] = &coins[..] else { panic!("two for each key") };
    let spends = vec![Spend::Coin(first), Spend::Coin(second)];
    let outputs = vec![pay(person.payment_script(), 24_000), pay(person.ordinals_script(), 15_000)];
    let spend = CustomTransaction::new(spends, outputs).signed(&[&person], None);
    send(world, &spend).await;
    assert_eq!(listed(person.payment()).await, [first.outpoint, second.outpoint], "they are not spent in a block");
    let at_home = listed(person.ordinals()).await;
    world.mine(1).await;
    let made = |vout| OutPoint::new(spend.compute_txid(), vout);
    assert_eq!(listed(person.payment()).await, [made(0)]);
    let mut with_new = [at_home.clone(), vec![made(1)]].concat();
    with_new.sort_unstable();
    assert_eq!(listed(person.ordinals()).await, with_new);
    world.reorg(1, Fate::Forgotten).await;
    assert_eq!(listed(person.payment()).await, [first.outpoint, second.outpoint]);
    assert_eq!(listed(person.ordinals()).await, at_home);
}

pub(crate) async fn the_minimum_fee_rate_is_a_tenth_of_a_sat(world: &impl World) {
    assert_eq!(world.node().fee_rate(6).await, Ok(FeeRate::from_sat_per_kwu(25)));
    let person = TestWallet::new(1);
    let coin = funded(world, person.payment(), 10_000).await;
    let paying = |fee: u64| {
        CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(person.payment_script(), 10_000 - fee)])
            .signed(&[&person], None)
    };
    assert!((101..=110).contains(&paying(0).vsize()), "11 sats are a tenth of a sat per virtual byte");
    assert_eq!(refusal(world, &paying(10)).await, "min relay fee not met");
    send(world, &paying(11)).await;
}
