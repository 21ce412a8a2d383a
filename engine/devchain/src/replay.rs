//! Randomized tests of the chain's index: after markets of inscriptions, runes and BRC-20 with reorgs, its state is
//! compared with a fresh reading of the best chain and with a naive model of every sat.

use std::collections::{BTreeMap, BTreeSet};

use bitcoin::opcodes::all::OP_PUSHNUM_1;
use bitcoin::script::Builder;
use bitcoin::transaction::Version;
use bitcoin::{Amount, Block, OutPoint, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Witness, absolute};
use engine::asset_index::InscriptionId;
use ordinals::{Edict, RuneId, Runestone};
use proptest::prelude::*;

use super::best_chain::BestChain;
use super::index::Index;
use super::inscriber::Content;
use super::ledger::Ledger;
use super::reorg_policy::ReorgPolicy;

/// A step of the random market.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Fund(u64),
    /// One of a few BRC-20 operations, or an image.
    Inscribe(usize, u64),
    Etch(u128),
    Spend(Spend),
    /// A block of the mempool, or an empty one.
    Mine(bool),
    Reorg(u32, ReorgPolicy),
}

/// Coins by their number among all coins, split at random; and edicts by the number of a rune.
#[derive(Clone, Debug)]
pub(super) struct Spend {
    coins: [usize; 2],
    parts: Vec<u16>,
    /// Whether the last part is a fee rather than an output.
    pays_fee: bool,
    /// Whether the first output is data.
    burns: bool,
    edicts: Vec<(usize, u128, u32)>,
    pointer: Option<u32>,
}

const OPERATIONS: [&str; 7] = [
    r#"{"p":"brc-20","op":"deploy","tick":"lien","max":"100","lim":"30"}"#,
    r#"{"p":"brc-20","op":"mint","tick":"LIEN","amt":"30"}"#,
    r#"{"p":"brc-20","op":"mint","tick":"lien","amt":"7.5"}"#,
    r#"{"p":"brc-20","op":"transfer","tick":"lien","amt":"5"}"#,
    r#"{"p":"brc-20","op":"transfer","tick":"lien","amt":"20"}"#,
    r#"{"p":"brc-20","op":"transfer","tick":"lien","amt":"0.25"}"#,
    "a picture",
];

fn spend() -> impl Strategy<Value = Spend> {
    let edict = (any::<usize>(), prop_oneof![Just(0_u128), 1_u128..500], 0_u32..5);
    let parts = prop::collection::vec(1_u16..1_000, 1..5);
    let runes = (prop::collection::vec(edict, 0..3), prop::option::of(0_u32..5));
    (any::<[usize; 2]>(), parts, prop::bool::weighted(0.3), prop::bool::weighted(0.1), runes).prop_map(
        |(coins, parts, pays_fee, burns, (edicts, pointer))| Spend { coins, parts, pays_fee, burns, edicts, pointer },
    )
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let fate = prop_oneof![Just(ReorgPolicy::Requeue), Just(ReorgPolicy::Drop)];
    prop_oneof![
        1 => (1_000_u64..100_000).prop_map(Step::Fund),
        5 => (0..OPERATIONS.len(), 400_u64..2_000).prop_map(|(what, postage)| Step::Inscribe(what, postage)),
        1 => (1_u128..1_000).prop_map(Step::Etch),
        8 => spend().prop_map(Step::Spend),
        2 => any::<bool>().prop_map(Step::Mine),
        1 => (0_u32..5, fate).prop_map(|(depth, fate)| Step::Reorg(depth, fate)),
    ]
}

/// Scripts without signatures, so that there are two owners.
fn owner(number: usize) -> (ScriptBuf, ScriptBuf) {
    let mut builder = Builder::new();
    for _ in 0..number % 2 {
        builder = builder.push_opcode(OP_PUSHNUM_1).push_opcode(bitcoin::opcodes::all::OP_DROP);
    }
    let script = builder.push_opcode(OP_PUSHNUM_1).into_script();
    (ScriptBuf::new_p2wsh(&script.wscript_hash()), script)
}

/// The coins that need no signature.
fn free_coins(ledger: &Ledger) -> Vec<(OutPoint, TxOut, ScriptBuf)> {
    let coins = ledger.chain().coins().filter_map(|(outpoint, coin)| {
        let number = (0..2).find(|number| owner(*number).0 == coin.output.script_pubkey)?;
        Some((outpoint, coin.output.clone(), owner(number).1))
    });
    coins.collect()
}

fn build(ledger: &Ledger, spend: &Spend, runes: &[RuneId]) -> Option<Transaction> {
    let coins = free_coins(ledger);
    let picked: BTreeSet<usize> = spend.coins.iter().filter_map(|coin| coin.checked_rem(coins.len())).collect();
    let picked: Vec<_> = picked.into_iter().map(|place| &coins[place]).collect();
    let total: u64 = picked.iter().map(|(_, output, _)| output.value.to_sat()).sum();
    let whole: u64 = spend.parts.iter().map(|part| u64::from(*part)).sum();
    let mut shares: Vec<u64> = spend.parts.iter().map(|part| total * u64::from(*part) / whole).collect();
    if spend.pays_fee {
        shares.pop();
    }
    let mut output: Vec<TxOut> = shares
        .iter()
        .enumerate()
        .map(|(number, sats)| TxOut { value: Amount::from_sat(*sats), script_pubkey: owner(number).0 })
        .collect();
    if let Some(first) = output.first_mut().filter(|_| spend.burns) {
        first.script_pubkey = ScriptBuf::new_op_return([1]);
    }
    let edicts = spend.edicts.iter().filter_map(|(rune, amount, output)| {
        let id = *runes.get(rune.checked_rem(runes.len())?)?;
        Some(Edict { id, amount: *amount, output: *output })
    });
    let runestone = Runestone { edicts: edicts.collect(), pointer: spend.pointer, ..Runestone::default() };
    if runestone != Runestone::default() {
        output.push(TxOut { value: Amount::ZERO, script_pubkey: runestone.encipher() });
    }
    if picked.is_empty() || output.is_empty() {
        return None;
    }
    let input = picked.iter().map(|(outpoint, _, script)| TxIn {
        previous_output: *outpoint,
        script_sig: ScriptBuf::new(),
        sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
        witness: Witness::from_slice(&[script.to_bytes()]),
    });
    let lock_time = absolute::LockTime::ZERO;
    Some(Transaction { version: Version::TWO, lock_time, input: input.collect(), output })
}

pub(super) fn apply_step(ledger: &mut Ledger, step: &Step, runes: &mut Vec<RuneId>) {
    match step {
        Step::Fund(sats) => drop(ledger.fund(&owner(0).0, Amount::from_sat(*sats)).unwrap()),
        Step::Inscribe(what, postage) => {
            let content = Content { content_type: b"text/plain", body: OPERATIONS[*what].as_bytes() };
            ledger.inscribe(&owner(*what).0, Amount::from_sat(*postage), content).unwrap();
        }
        Step::Etch(premine) => runes.push(ledger.etch(&owner(1).0, 2, *premine).unwrap().0),
        Step::Spend(spend) => {
            let Some(transaction) = build(ledger, spend, runes) else {
                return;
            };
            // Transactions that the relay policy rejects, with dust or excessive fees, are valid in a block all the
            // same.
            if ledger.submit(std::slice::from_ref(&transaction)).is_err() {
                ledger.mine_transactions(vec![transaction]).unwrap();
            }
        }
        Step::Mine(true) => ledger.mine(1).unwrap(),
        Step::Mine(false) => ledger.mine_transactions(Vec::new()).unwrap(),
        Step::Reorg(depth, fate) => ledger.reorg(*depth, *fate).unwrap(),
    }
}

/// The inscriptions on each sat of each output.
type SatMap = BTreeMap<OutPoint, Vec<Vec<InscriptionId>>>;

/// Only the faucet reveals: each of its transactions with an envelope reveals one inscription, on its first sat.
fn move_sats(
    rows: &mut SatMap,
    block: &Block,
    values: &mut BTreeMap<OutPoint, u64>,
    revealed: &BTreeSet<InscriptionId>,
) {
    for transaction in block.txdata.iter().skip(1) {
        let mut row: Vec<Vec<InscriptionId>> = Vec::new();
        let mut skipped = 0_u64;
        for input in &transaction.input {
            let value = values.remove(&input.previous_output).unwrap();
            // Rewards have far too many sats to model one by one, and carry nothing.
            match rows.remove(&input.previous_output) {
                Some(sats) => row.extend(sats),
                None if value > 1_000_000 => skipped += value,
                None => row.extend(vec![Vec::new(); usize::try_from(value).unwrap()]),
            }
        }
        let txid = transaction.compute_txid();
        let id = InscriptionId { txid, index: 0 };
        if revealed.contains(&id) {
            row[0].push(id);
        }
        let mut row = row.into_iter();
        for (vout, output) in (0_u32..).zip(&transaction.output) {
            let (outpoint, value) = (OutPoint::new(txid, vout), output.value.to_sat());
            values.insert(outpoint, value);
            if skipped == 0 {
                let sats: Vec<_> = row.by_ref().take(usize::try_from(value).unwrap()).collect();
                rows.insert(outpoint, sats);
            }
        }
    }
    for (vout, output) in (0_u32..).zip(&block.txdata[0].output) {
        values.insert(OutPoint::new(block.txdata[0].compute_txid(), vout), output.value.to_sat());
    }
}

fn check_sats(ledger: &Ledger) {
    let (mut rows, mut values, mut revealed) = (SatMap::new(), BTreeMap::new(), BTreeSet::new());
    for height in 1..=ledger.chain().height() {
        let block = ledger.chain().block(height).unwrap();
        let is_reveal = |transaction: &&Transaction| transaction.input[0].witness.len() == 3;
        let reveals = block.txdata.iter().skip(1).filter(is_reveal);
        revealed.extend(reveals.map(|reveal| InscriptionId { txid: reveal.compute_txid(), index: 0 }));
        move_sats(&mut rows, block, &mut values, &revealed);
    }
    let mut located = BTreeSet::new();
    for (outpoint, row) in &rows {
        let expected: BTreeSet<(u64, InscriptionId)> =
            (0_u64..).zip(row).flat_map(|(offset, ids)| ids.iter().map(move |id| (offset, *id))).collect();
        let found = ledger.index().carried_by(*outpoint).inscriptions;
        let found: BTreeSet<_> = found.into_iter().map(|inscribed| (inscribed.offset.to_sat(), inscribed.id)).collect();
        assert_eq!(found, expected);
        for (offset, id) in expected {
            assert_eq!(ledger.index().inscriptions.place_of(id), Some((*outpoint, Amount::from_sat(offset))));
            assert!(located.insert(id), "in a single place");
        }
    }
    for id in revealed.difference(&located) {
        assert_eq!(ledger.index().inscriptions.place_of(*id), None, "it was spent as a fee");
    }
}

fn check_runes(ledger: &Ledger, runes: &[RuneId]) {
    let mut held: BTreeMap<RuneId, u128> = BTreeMap::new();
    for (outpoint, _) in ledger.chain().coins() {
        for (id, amount) in ledger.index().carried_by(outpoint).runes {
            assert!(amount > 0);
            *held.entry(id).or_default() += amount;
        }
    }
    // A rune that is mined again after a reorg has another id.
    for id in runes {
        held.entry(*id).or_default();
    }
    for (id, amount) in held {
        let supply = ledger.index().runes.supply(id).map_or(0, |supply| supply.issued - supply.burned);
        assert_eq!(amount, supply, "held and burned amounts add up to the supply");
    }
}

fn check_brc20(ledger: &Ledger) {
    let owners = (0..2).map(|number| owner(number).0).chain([ScriptBuf::new_op_return([1])]);
    let balances = owners.map(|owner| ledger.index().brc20.balance(&owner, "lien"));
    let total: u128 = balances.map(|balance| balance.available + balance.transferable).sum();
    let minted = ledger.index().brc20.minted("lien").unwrap_or_default();
    assert_eq!(total, minted);
}

fn check_owners(ledger: &Ledger) {
    for number in 0..2 {
        let owner = owner(number).0;
        let mut expected: Vec<OutPoint> = ledger
            .chain()
            .coins()
            .filter(|(_, coin)| coin.output.script_pubkey == owner)
            .map(|(outpoint, _)| outpoint)
            .collect();
        expected.sort_unstable();
        assert_eq!(ledger.index().owners.outputs_of(&owner).collect::<Vec<_>>(), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_state_equals_that_of_a_fresh_replay_of_the_best_chain(steps in prop::collection::vec(step(), 1..50)) {
        let (mut ledger, mut runes) = (Ledger::new(1_800_000_000).unwrap(), Vec::new());
        for step in &steps {
            apply_step(&mut ledger, step, &mut runes);
        }
        let (mut chain, mut index) = (BestChain::new(), Index::default());
        for height in 1..=ledger.chain().height() {
            let block = ledger.chain().block(height).unwrap().clone();
            let spent = chain.connect(block.clone()).unwrap();
            index.connect(&block, height, &spent);
        }
        prop_assert!(&chain == ledger.chain());
        prop_assert!(&index == ledger.index());
        check_sats(&ledger);
        check_runes(&ledger, &runes);
        check_brc20(&ledger);
        check_owners(&ledger);
    }
}
