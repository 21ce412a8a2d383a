//! Tests of fees, replacement and cluster limits in the mempool.

use bitcoin::{OutPoint, Transaction};

use super::node::{coin, node, output_of, padding, pays, presence, refusal, send, spend, test};

#[test]
fn a_fee_below_the_minimum_is_not_relayed() {
    let node = node();
    let coin = coin(&node, 10_000);
    let size = u64::try_from(spend(&[coin], &[pays(1)]).vsize()).unwrap();
    let least = size.div_ceil(10);
    assert_eq!(refusal(&node, &spend(&[coin], &[pays(10_000 - least + 1)])), "min relay fee not met");
    assert_eq!(send(&node, &[spend(&[coin], &[pays(10_000 - least)])]), Ok(()));
}

#[test]
fn a_transaction_in_the_mempool_or_a_block_is_known() {
    let node = node();
    let coin = node.fund(&node_drop_script().to_p2wsh(), bitcoin::Amount::from_sat(10_000)).unwrap();
    let mut transaction = spend(&[coin], &[pays(9_000)]);
    let with = |item: u8| bitcoin::Witness::from_slice(&[vec![item], node_drop_script().to_bytes()]);
    transaction.input[0].witness = with(1);
    send(&node, std::slice::from_ref(&transaction)).unwrap();
    // Broadcasting it again is not an error; a test reports that it is known.
    assert_eq!(send(&node, std::slice::from_ref(&transaction)), Ok(()));
    assert_eq!(test(&node, std::slice::from_ref(&transaction)), Err("txn-already-in-mempool".into()));
    let mut other = transaction.clone();
    other.input[0].witness = with(2);
    assert_eq!(test(&node, &[other]), Err("txn-same-nonwitness-data-in-mempool".into()));
    node.mine(1).unwrap();
    assert_eq!(send(&node, std::slice::from_ref(&transaction)), Ok(()));
    assert_eq!(test(&node, &[transaction]), Err("txn-already-known".into()));
}

/// Drops one stack item of any value.
fn node_drop_script() -> bitcoin::ScriptBuf {
    use bitcoin::opcodes::all::{OP_DROP, OP_PUSHNUM_1};
    bitcoin::script::Builder::new().push_opcode(OP_DROP).push_opcode(OP_PUSHNUM_1).into_script()
}

#[test]
fn a_replacement_pays_for_what_it_replaces_and_for_itself() {
    let node = node();
    let coin = coin(&node, 100_000);
    let first = spend(&[coin], &[pays(99_000)]);
    send(&node, std::slice::from_ref(&first)).unwrap();
    let child = spend(&[output_of(&first, 0)], &[pays(98_000)]);
    send(&node, std::slice::from_ref(&child)).unwrap();
    let size = u64::try_from(first.vsize()).unwrap();
    // Both are evicted, and both fees count.
    let enough = 2_000 + size.div_ceil(10);
    let replacement = |fee: u64| spend(&[coin], &[pays(100_000 - fee)]);
    for fee in [999, 1_999, enough - 1] {
        assert_eq!(refusal(&node, &replacement(fee)), "insufficient fee");
    }
    assert!(presence(&node, child.compute_txid()).is_some());
    send(&node, &[replacement(enough)]).unwrap();
    assert_eq!(presence(&node, first.compute_txid()), None);
    assert_eq!(presence(&node, child.compute_txid()), None);
}

#[test]
fn a_replacement_is_no_worse_for_miners_at_any_size() {
    let node = node();
    let coin = coin(&node, 100_000);
    send(&node, &[spend(&[coin], &[pays(90_000)])]).unwrap();
    // A higher fee in total, but a far lower fee rate.
    let heavy = spend(&[coin], &[pays(70_000), padding(20_000)]);
    assert_eq!(refusal(&node, &heavy), "replacement-failed");
    assert_eq!(send(&node, &[spend(&[coin], &[pays(70_000), padding(20)])]), Ok(()));
}

#[test]
fn a_replacement_does_not_spend_what_it_replaces() {
    let node = node();
    let (one, other) = (coin(&node, 100_000), coin(&node, 100_000));
    let parent = spend(&[one], &[pays(99_000)]);
    send(&node, std::slice::from_ref(&parent)).unwrap();
    let wrong = spend(&[one, other, output_of(&parent, 0)], &[pays(1_000)]);
    assert_eq!(refusal(&node, &wrong), "bad-txns-spends-conflicting-tx");
}

#[test]
fn a_replacement_touches_a_hundred_clusters_at_most() {
    let node = node();
    let source = coin(&node, 10_000_000);
    let outputs = vec![pays(20_000); 101];
    let fan = spend(&[source], &outputs);
    send(&node, std::slice::from_ref(&fan)).unwrap();
    node.mine(1).unwrap();
    let coins: Vec<OutPoint> = (0..101).map(|vout| output_of(&fan, vout)).collect();
    for coin in &coins {
        send(&node, &[spend(&[*coin], &[pays(19_900)])]).unwrap();
    }
    assert_eq!(refusal(&node, &spend(&coins, &[pays(1_000)])), "too many potential replacements");
    assert_eq!(send(&node, &[spend(&coins[..100], &[pays(1_000)])]), Ok(()));
}

/// A chain of unconfirmed transactions, each spending the one before.
fn chain_of(length: usize, from: OutPoint, sats: u64) -> Vec<Transaction> {
    let (mut chain, mut coin, mut sats): (Vec<Transaction>, _, _) = (Vec::new(), from, sats);
    for _ in 0..length {
        sats -= 100;
        let next = spend(&[coin], &[pays(sats)]);
        coin = output_of(&next, 0);
        chain.push(next);
    }
    chain
}

#[test]
fn a_cluster_has_at_most_sixty_four_transactions() {
    let node = node();
    let chain = chain_of(65, coin(&node, 100_000), 100_000);
    for transaction in &chain[..64] {
        assert_eq!(send(&node, std::slice::from_ref(transaction)), Ok(()));
    }
    assert_eq!(refusal(&node, &chain[64]), "too-large-cluster");
    // All of them fit in one block, and then the next one is accepted.
    node.mine(1).unwrap();
    assert_eq!(node.mempool_txids(), []);
    assert_eq!(send(&node, &chain[64..]), Ok(()));
}

#[test]
fn a_cluster_has_at_most_101_000_virtual_bytes() {
    let node = node();
    let coin = coin(&node, 1_000_000);
    let parent = spend(&[coin], &[pays(900_000), padding(97_000)]);
    send(&node, std::slice::from_ref(&parent)).unwrap();
    let child = |bytes| spend(&[output_of(&parent, 0)], &[pays(800_000), padding(bytes)]);
    assert_eq!(refusal(&node, &child(4_000)), "too-large-cluster");
    assert_eq!(send(&node, &[child(3_500)]), Ok(()));
}

#[test]
fn miners_take_the_best_fee_rates_and_parents_with_their_children() {
    let node = node();
    let (one, other) = (coin(&node, 100_000), coin(&node, 100_000));
    let cheap = spend(&[one], &[pays(99_900)]);
    let middling = spend(&[other], &[pays(99_000)]);
    let dear = spend(&[output_of(&cheap, 0)], &[pays(80_000)]);
    for transaction in [&cheap, &middling, &dear] {
        send(&node, std::slice::from_ref(transaction)).unwrap();
    }
    node.mine(1).unwrap();
    let block = node.block(super::node::height(&node)).unwrap();
    assert_eq!(block.txdata[1..], [cheap, dear, middling]);
    let paid = block.txdata[0].output[0].value.to_sat();
    assert_eq!(paid, 2_500_000_000 + 20_000 + 1_000);
}
