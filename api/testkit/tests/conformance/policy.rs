//! Scenarios of relay policy, with the reject reasons of nodes.

use bitcoin::absolute::LockTime;
use bitcoin::hashes::Hash as _;
use bitcoin::opcodes::all::OP_RETURN;
use bitcoin::script::Builder;
use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, PubkeyHash, ScriptBuf, ScriptHash, Sequence, Transaction, TxOut, WScriptHash};
use engine::chain::Chain as _;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::spend::Spend;

use crate::custom_transaction::{CustomTransaction, pay};
use crate::test_wallet::{TestWallet, coin_of, funded};
use crate::world::{START_BLOCKS, World, confirm, refusal, send};

/// A user with a coin.
async fn owner(world: &impl World) -> (TestWallet, Coin) {
    let person = TestWallet::new(1);
    let coin = funded(world, person.payment(), 1_000_000).await;
    (person, coin)
}

/// Spends the coin to these outputs, with change and a fee of 20,000 sats.
fn into(person: &TestWallet, coin: &Coin, mut outputs: Vec<TxOut>) -> Transaction {
    let paid: Amount = outputs.iter().map(|output| output.value).sum();
    let change = coin.output.value - paid - Amount::from_sat(20_000);
    outputs.push(TxOut { value: change, script_pubkey: person.payment_script() });
    CustomTransaction::new(vec![Spend::Coin(coin)], outputs).signed(&[person], None)
}

pub(crate) async fn each_kind_of_output_has_its_dust_limit(world: &impl World) {
    let (person, coin) = owner(world).await;
    for (least, script_pubkey) in [
        (294, person.payment_script()),
        (330, person.ordinals_script()),
        (330, ScriptBuf::new_p2wsh(&WScriptHash::all_zeros())),
        (540, ScriptBuf::new_p2sh(&ScriptHash::all_zeros())),
        (546, ScriptBuf::new_p2pkh(&PubkeyHash::all_zeros())),
    ] {
        assert_eq!(script_pubkey.minimal_non_dust(), Amount::from_sat(least), "the same limit as in the builders");
        let dust = into(&person, &coin, vec![pay(script_pubkey.clone(), least - 1)]);
        assert_eq!(refusal(world, &dust).await, "dust", "{script_pubkey}");
        let enough = into(&person, &coin, vec![pay(script_pubkey, least)]);
        assert_eq!(world.node().test_accept(&[enough]).await, Ok(()));
    }
}

pub(crate) async fn nonstandard_transactions_are_not_relayed(world: &impl World) {
    let (person, coin) = owner(world).await;
    let usual = into(&person, &coin, vec![]);
    assert_eq!(world.node().test_accept(std::slice::from_ref(&usual)).await, Ok(()));
    let strange = Builder::new().push_int(1).into_script();
    assert_eq!(refusal(world, &into(&person, &coin, vec![pay(strange, 10_000)])).await, "scriptpubkey");
    let custom_transaction =
        || CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(person.payment_script(), 900_000)]);
    for version in [0, 4] {
        let other = CustomTransaction { version: Version(version), ..custom_transaction() };
        assert_eq!(refusal(world, &other.signed(&[&person], None)).await, "version", "{version}");
    }
    let too_much = CustomTransaction { outputs: vec![pay(person.payment_script(), 1_000_001)], ..custom_transaction() };
    assert_eq!(refusal(world, &too_much.signed(&[&person], None)).await, "bad-txns-in-belowout");
    let note = |bytes: usize| {
        let bytes = bitcoin::script::PushBytesBuf::try_from(vec![7; bytes]).unwrap();
        pay(Builder::new().push_opcode(OP_RETURN).push_slice(bytes).into_script(), 0)
    };
    assert_eq!(world.node().test_accept(&[into(&person, &coin, vec![note(10_000), note(80)])]).await, Ok(()));
    assert_eq!(refusal(world, &into(&person, &coin, vec![note(100_000)])).await, "tx-size");
    let twice = CustomTransaction { spends: vec![Spend::Coin(&coin), Spend::Coin(&coin)], ..custom_transaction() };
    assert_eq!(refusal(world, &twice.signed(&[&person], None)).await, "bad-txns-inputs-duplicate");
}

pub(crate) async fn lock_times_are_enforced(world: &impl World) {
    let (person, coin) = owner(world).await;
    let custom_transaction =
        || CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(person.payment_script(), 900_000)]);
    let height = world.node().tip().await.unwrap().height;
    // A lock time is the last height, or the last second, at which a transaction is too early.
    let next = CustomTransaction { lock_time: LockTime::from_height(height + 1).unwrap(), ..custom_transaction() };
    assert_eq!(refusal(world, &next.signed(&[&person], None)).await, "non-final");
    let now = CustomTransaction { lock_time: LockTime::from_height(height).unwrap(), ..custom_transaction() }
        .signed(&[&person], None);
    assert_eq!(world.node().test_accept(&[now]).await, Ok(()));
    let final_anyway = CustomTransaction { sequence: Some(Sequence::MAX), ..next };
    assert_eq!(world.node().test_accept(&[final_anyway.signed(&[&person], None)]).await, Ok(()));
    // The coin has one confirmation; in the next block it will count as two.
    for (blocks, expected) in [(1, None), (2, Some("non-BIP68-final"))] {
        let older = CustomTransaction { sequence: Some(Sequence::from_height(blocks)), ..custom_transaction() }
            .signed(&[&person], None);
        match expected {
            Some(expected) => assert_eq!(refusal(world, &older).await, expected),
            None => assert_eq!(world.node().test_accept(&[older]).await, Ok(())),
        }
    }
    let reward = world.block(START_BLOCKS).await.unwrap().txdata[0].clone();
    let reward = Coin {
        outpoint: OutPoint::new(reward.compute_txid(), 0),
        output: reward.output[0].clone(),
        key: person.payment(),
    };
    let early =
        CustomTransaction::new(vec![Spend::Coin(&reward)], vec![pay(person.payment_script(), 900_000)]).template();
    let early = crate::custom_transaction::assembled(&early, &[], Some((0, 0, &[])));
    assert_eq!(refusal(world, &early).await, "bad-txns-premature-spend-of-coinbase");
}

pub(crate) async fn a_replacement_pays_for_itself_and_for_what_it_evicts(world: &impl World) {
    let (person, coin) = owner(world).await;
    let paying = |fee: u64| {
        CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(person.payment_script(), 1_000_000 - fee)])
            .signed(&[&person], None)
    };
    let first = paying(1_000);
    send(world, &first).await;
    assert_eq!(world.node().broadcast(std::slice::from_ref(&first)).await, Ok(()), "it is in the mempool already");
    let made = coin_of(&first, 0, person.payment());
    let child = CustomTransaction::new(vec![Spend::Coin(&made)], vec![pay(person.payment_script(), 990_000)])
        .signed(&[&person], None);
    send(world, &child).await;
    // Both pay 10,000 in fees; a replacement must also pay a tenth of a sat for each of its own bytes.
    assert_eq!(refusal(world, &paying(10_000)).await, "insufficient fee");
    assert_eq!(refusal(world, &paying(10_010)).await, "insufficient fee");
    send(world, &paying(10_011)).await;
    assert_eq!(world.waiting().await, [paying(10_011).compute_txid()]);
    world.mine(1).await;
    assert_eq!(refusal(world, &paying(500_000)).await, "bad-txns-inputs-missingorspent");
    confirm(world, &into(&person, &coin_of(&paying(10_011), 0, person.payment()), vec![])).await;
}

pub(crate) async fn a_cluster_of_transactions_has_a_maximum_size(world: &impl World) {
    let person = TestWallet::new(1);
    let mut coin = funded(world, person.payment(), 1_000_000).await;
    for _ in 0..64 {
        let left = coin.output.value.to_sat() - 200;
        let next = CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(person.payment_script(), left)])
            .signed(&[&person], None);
        send(world, &next).await;
        coin = coin_of(&next, 0, person.payment());
    }
    let left = coin.output.value.to_sat() - 200;
    let last = CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(person.payment_script(), left)])
        .signed(&[&person], None);
    assert_eq!(refusal(world, &last).await, "too-large-cluster");
    world.mine(1).await;
    confirm(world, &last).await;
}
