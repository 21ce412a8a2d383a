//! Tests of rejections by the spent outputs and by time.

use bitcoin::opcodes::all::{OP_CHECKSIG, OP_CLTV, OP_CSV, OP_DROP, OP_PUSHNUM_1};
use bitcoin::script::{Builder, PushBytesBuf};
use bitcoin::{Amount, ScriptBuf, Sequence, TxOut, Witness, absolute};
use devchain::ReorgPolicy;
use engine::chain::ChainPosition;

use super::node::{
    NEXT_HEIGHT, START, anyone_can_spend, anyone_can_spend_script, coin, height, median_time, node, output_of, pays,
    presence, refusal, send, spend, test, unspent,
};

#[test]
fn a_reward_can_be_spent_after_a_hundred_blocks() {
    let node = node();
    // Block 51 is the youngest whose reward the next block may spend; the faucet's key signs none of these.
    let reward = |height| output_of(&node.block(height).unwrap().txdata[0], 0);
    let transaction = |height| spend(&[reward(height)], &[pays(1_000)]);
    let scripts_are_next = "mempool-script-verify-flag-failed";
    assert_eq!(refusal(&node, &transaction(NEXT_HEIGHT - 99)), "bad-txns-premature-spend-of-coinbase");
    assert_eq!(refusal(&node, &transaction(NEXT_HEIGHT - 100)), scripts_are_next);
}

#[test]
fn a_locktime_of_blocks_holds_until_the_next_block_is_beyond_it() {
    let node = node();
    let coin = coin(&node, 10_000);
    let mut transaction = spend(&[coin], &[pays(9_000)]);
    let next = height(&node) + 1;
    transaction.lock_time = absolute::LockTime::from_consensus(next);
    assert_eq!(refusal(&node, &transaction), "non-final");
    transaction.lock_time = absolute::LockTime::from_consensus(next - 1);
    assert_eq!(test(&node, &[transaction.clone()]), Ok(()));
    // Final sequences disable the locktime.
    transaction.lock_time = absolute::LockTime::from_consensus(next + 1_000);
    transaction.input[0].sequence = Sequence::MAX;
    assert_eq!(test(&node, &[transaction]), Ok(()));
}

#[test]
fn a_locktime_of_seconds_is_compared_with_the_median_of_eleven_blocks() {
    let node = node();
    let coin = coin(&node, 10_000);
    let until = START + 100_000;
    let mut transaction = spend(&[coin], &[pays(9_000)]);
    transaction.lock_time = absolute::LockTime::from_consensus(until);
    node.set_time(until + 1);
    for _ in 0..5 {
        node.mine(1).unwrap();
        assert_eq!(refusal(&node, &transaction), "non-final");
        assert!(median_time(&node) < until);
    }
    node.mine(1).unwrap();
    assert_eq!(median_time(&node), until + 1);
    assert_eq!(send(&node, &[transaction.clone()]), Ok(()));
    node.mine(1).unwrap();
    assert!(matches!(presence(&node, transaction.compute_txid()), Some(ChainPosition::Confirmed { .. })));
}

#[test]
fn time_never_goes_back() {
    let node = node();
    node.set_time(START + 1_000);
    node.mine(11).unwrap();
    let before = median_time(&node);
    node.set_time(START);
    for _ in 0..20 {
        let last = median_time(&node);
        node.mine(1).unwrap();
        assert!(median_time(&node) >= last.max(before));
    }
}

#[test]
fn a_sequence_of_blocks_counts_confirmations() {
    let node = node();
    let coin = coin(&node, 10_000);
    let mut transaction = spend(&[coin], &[pays(9_000)]);
    transaction.input[0].sequence = Sequence::from_height(144);
    node.mine(142).unwrap();
    assert_eq!(unspent(&node, coin).unwrap().confirmations, 143);
    assert_eq!(refusal(&node, &transaction), "non-BIP68-final");
    node.mine(1).unwrap();
    assert_eq!(test(&node, &[transaction.clone()]), Ok(()));
    // Version 1 transactions have no relative locks.
    transaction.input[0].sequence = Sequence::from_height(145);
    assert_eq!(refusal(&node, &transaction), "non-BIP68-final");
    transaction.version = bitcoin::transaction::Version::ONE;
    assert_eq!(test(&node, &[transaction]), Ok(()));
}

#[test]
fn a_sequence_of_time_counts_from_the_median_before_the_coin() {
    let node = node();
    let coin = coin(&node, 10_000);
    let born = {
        let times = (NEXT_HEIGHT - 11..NEXT_HEIGHT).map(|height| node.block(height).unwrap().header.time);
        let mut times: Vec<u32> = times.collect();
        times.sort_unstable();
        times[5]
    };
    let mut transaction = spend(&[coin], &[pays(9_000)]);
    transaction.input[0].sequence = Sequence::from_512_second_intervals(10);
    node.set_time(born + 5_120 - 1);
    node.mine(6).unwrap();
    assert_eq!(median_time(&node), born + 5_119);
    assert_eq!(refusal(&node, &transaction), "non-BIP68-final");
    node.mine(1).unwrap();
    node.set_time(born + 5_120);
    node.mine(6).unwrap();
    assert!(median_time(&node) >= born + 5_120);
    assert_eq!(test(&node, &[transaction]), Ok(()));
}

#[test]
fn an_unconfirmed_coin_has_no_age() {
    let node = node();
    let coin = coin(&node, 10_000);
    let parent = spend(&[coin], &[pays(9_000)]);
    send(&node, std::slice::from_ref(&parent)).unwrap();
    let mut child = spend(&[output_of(&parent, 0)], &[pays(8_000)]);
    child.input[0].sequence = Sequence::from_height(1);
    assert_eq!(refusal(&node, &child), "non-BIP68-final");
    child.input[0].sequence = Sequence::from_height(0);
    assert_eq!(test(&node, &[child]), Ok(()));
}

/// Pays to a script's hash, and spends it again with the items that the script needs.
fn through_script(script: &ScriptBuf, items: &[&[u8]]) -> (devchain::EmbeddedChain, bitcoin::Transaction) {
    let node = node();
    let coin =
        node.fund(&ScriptBuf::new_p2wsh(&script.wscript_hash()), Amount::from_sat(10_000)).expect("the faucet pays");
    let mut transaction = spend(&[coin], &[pays(9_000)]);
    let mut witness = Witness::from_slice(items);
    witness.push(script.as_bytes());
    transaction.input[0].witness = witness;
    (node, transaction)
}

#[test]
fn a_script_can_require_a_locktime_itself() {
    let locktime = "mempool-script-verify-flag-failed (Locktime requirement not satisfied)";
    let absolute = Builder::new().push_int(100).push_opcode(OP_CLTV).into_script();
    let (node, mut transaction) = through_script(&absolute, &[]);
    assert_eq!(refusal(&node, &transaction), locktime);
    transaction.lock_time = absolute::LockTime::from_consensus(100);
    assert_eq!(test(&node, &[transaction]), Ok(()));

    let relative = Builder::new().push_int(1).push_opcode(OP_CSV).into_script();
    let (node, mut transaction) = through_script(&relative, &[]);
    assert_eq!(refusal(&node, &transaction), locktime);
    transaction.input[0].sequence = Sequence::from_height(1);
    assert_eq!(test(&node, &[transaction]), Ok(()));
}

#[test]
fn witnesses_have_standard_limits() {
    let drops = Builder::new().push_opcode(OP_DROP).push_opcode(OP_PUSHNUM_1).into_script();
    let (node, transaction) = through_script(&drops, &[&[1; 80]]);
    assert_eq!(test(&node, &[transaction]), Ok(()));
    let (node, transaction) = through_script(&drops, &[&[1; 81]]);
    assert_eq!(refusal(&node, &transaction), "bad-witness-nonstandard");
    let long = ScriptBuf::from_bytes([vec![0x61; 3_600], vec![0x51]].concat());
    let (node, transaction) = through_script(&long, &[]);
    assert_eq!(refusal(&node, &transaction), "bad-witness-nonstandard");
    let anchor = {
        let coin = node.fund(&ScriptBuf::new_p2a(), Amount::from_sat(10_000)).unwrap();
        let mut transaction = spend(&[coin], &[pays(9_000)]);
        assert_eq!(refusal(&node, &transaction), "bad-witness-nonstandard");
        transaction.input[0].witness = Witness::new();
        transaction
    };
    assert_eq!(test(&node, &[anchor]), Ok(()));
}

#[test]
fn scripts_of_unknown_kinds_are_not_spent() {
    let node = node();
    let future = ScriptBuf::from_bytes([&[0x52, 0x20][..], &[7; 32]].concat());
    let many_checks = {
        let mut builder = Builder::new().push_opcode(OP_PUSHNUM_1);
        for _ in 0..16 {
            builder = builder.push_opcode(OP_CHECKSIG);
        }
        builder.into_script()
    };
    for (script, reveals) in
        [(anyone_can_spend_script(), None), (future, None), (many_checks.to_p2sh(), Some(many_checks))]
    {
        let coin = node.fund(&script, Amount::from_sat(10_000)).unwrap();
        let mut transaction = spend(&[coin], &[pays(9_000)]);
        transaction.input[0].witness = Witness::new();
        if let Some(redeem) = reveals {
            let push = PushBytesBuf::try_from(redeem.into_bytes()).unwrap();
            transaction.input[0].script_sig = Builder::new().push_slice(push).into_script();
        }
        assert_eq!(refusal(&node, &transaction), "bad-txns-nonstandard-inputs");
    }
}

#[test]
fn a_block_accepts_nonstandard_but_no_invalid_transactions() {
    let node = node();
    let coin = node.fund(&anyone_can_spend_script(), Amount::from_sat(10_000)).unwrap();
    let mut transaction = spend(&[coin], &[TxOut { value: Amount::ONE_SAT, script_pubkey: anyone_can_spend_script() }]);
    transaction.input[0].witness = Witness::new();
    assert!(test(&node, std::slice::from_ref(&transaction)).is_err());
    node.mine_transactions(vec![transaction.clone()]).unwrap();
    assert_eq!(unspent(&node, output_of(&transaction, 0)).unwrap().confirmations, 1);

    let before = (height(&node), unspent(&node, output_of(&transaction, 0)));
    let mut late = spend(&[output_of(&transaction, 0)], &[pays(1)]);
    late.lock_time = absolute::LockTime::from_consensus(height(&node) + 1);
    for wrong in [vec![transaction.clone()], vec![late], vec![spend(&[output_of(&transaction, 0)], &[pays(2)])]] {
        assert!(node.mine_transactions(wrong).is_err());
        assert_eq!((height(&node), unspent(&node, output_of(&transaction, 0))), before);
    }
}

#[test]
fn transactions_of_disconnected_blocks_return_to_the_mempool_or_are_dropped() {
    for (fate, presence_after) in [(ReorgPolicy::Requeue, Some(ChainPosition::InMempool)), (ReorgPolicy::Drop, None)] {
        let node = node();
        let coin = coin(&node, 10_000);
        let confirmed = spend(&[coin], &[pays(9_000)]);
        send(&node, std::slice::from_ref(&confirmed)).unwrap();
        node.mine(1).unwrap();
        let child = spend(&[output_of(&confirmed, 0)], &[pays(8_000)]);
        send(&node, std::slice::from_ref(&child)).unwrap();
        let (tip, hash) = (height(&node), node.block(height(&node)).unwrap().block_hash());
        node.reorg(1, fate).unwrap();
        assert_eq!(height(&node), tip + 1);
        assert_ne!(node.block(tip).unwrap().block_hash(), hash);
        for transaction in [&confirmed, &child] {
            assert_eq!(presence(&node, transaction.compute_txid()), presence_after);
        }
        node.mine(1).unwrap();
        let is_back = matches!(presence(&node, child.compute_txid()), Some(ChainPosition::Confirmed { .. }));
        assert_eq!(is_back, fate == ReorgPolicy::Requeue);
        assert_eq!(unspent(&node, coin).is_some(), fate == ReorgPolicy::Drop);
    }
}

#[test]
fn a_transaction_that_is_too_early_after_a_reorg_is_dropped() {
    let node = node();
    let coin = coin(&node, 10_000);
    node.mine(1).unwrap();
    let mut transaction = spend(&[coin], &[pays(9_000)]);
    transaction.lock_time = absolute::LockTime::from_consensus(height(&node));
    send(&node, std::slice::from_ref(&transaction)).unwrap();
    node.reorg(1, ReorgPolicy::Requeue).unwrap();
    assert_eq!(presence(&node, transaction.compute_txid()), None);
    assert_eq!(test(&node, &[transaction]), Ok(()));
}

#[test]
fn the_same_calls_give_the_same_hashes() {
    let run = || {
        let node = node();
        let coin = coin(&node, 10_000);
        send(&node, &[spend(&[coin], &[pays(9_000)])]).unwrap();
        node.set_time(START + 700);
        node.mine(3).unwrap();
        node.reorg(2, ReorgPolicy::Requeue).unwrap();
        node.fund(&anyone_can_spend(), Amount::from_sat(5)).unwrap();
        node.block(height(&node)).unwrap().block_hash()
    };
    assert_eq!(run(), run());
}

#[test]
fn an_empty_faucet_and_too_many_blocks_are_reported() {
    let node = node();
    let all = Amount::from_int_btc(21_000_000);
    assert!(matches!(node.fund(&anyone_can_spend(), all), Err(devchain::ControlError::FaucetEmpty { .. })));
    assert!(node.fund(&anyone_can_spend(), Amount::from_int_btc(2_000)).is_ok());
    assert!(matches!(node.mine(100_001), Err(devchain::ControlError::TooManyBlocks { .. })));
    let height = height(&node);
    let error = node.reorg(height + 1, ReorgPolicy::Requeue);
    assert_eq!(error, Err(devchain::ControlError::TooDeep { depth: height + 1, height }));
}
