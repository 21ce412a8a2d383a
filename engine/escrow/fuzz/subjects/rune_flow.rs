//! Runestones, which any transaction may carry, and the flow of runes by them.

use std::collections::BTreeMap;

use bitcoin::absolute::LockTime;
use bitcoin::consensus::encode::deserialize_partial;
use bitcoin::transaction::Version;
use bitcoin::{Amount, ScriptBuf, Transaction, TxOut};
use escrow::contract::assets::rune_flow::RuneFlow;
use ordinals::{Edict, RuneId, Runestone};

/// The number of runes among the inputs.
const RUNES: usize = 3;

/// The bytes of an amount.
const AMOUNT_BYTES: usize = 16;

/// The amounts of three runes in the inputs, followed by the outputs of a transaction.
///
/// No unit is created or lost, none is in an `OP_RETURN`, and an overflow is refused. Accepted if an output holds runes.
pub fn rune_flow(bytes: &[u8]) -> bool {
    let Some((amounts, outputs)) = bytes.split_at_checked(RUNES * AMOUNT_BYTES) else { return false };
    let Ok((output, _)) = deserialize_partial::<Vec<TxOut>>(outputs) else { return false };
    let amounts = amounts.chunks_exact(AMOUNT_BYTES).map(|bytes| u128::from_le_bytes(bytes.try_into().unwrap()));
    // Two of the inputs hold the same rune.
    let inputs: Vec<(RuneId, u128)> = [1, 1, 2].map(rune).into_iter().zip(amounts).collect();
    let transaction = transaction(output);
    let mut total = BTreeMap::new();
    let fits = inputs.iter().filter(|(_, amount)| *amount > 0).all(|(id, amount)| {
        let sum = total.entry(*id).or_insert(0_u128);
        sum.checked_add(*amount).inspect(|found| *sum = *found).is_some()
    });
    let flow = RuneFlow::of(inputs, &transaction);
    assert_eq!(flow.is_some(), fits, "exactly overflowing amounts are refused");
    let Some(flow) = flow else { return false };
    assert_eq!(flow.outputs.len(), transaction.output.len());
    let mut found = BTreeMap::new();
    for (id, amount) in flow.outputs.iter().chain([&flow.burned]).flatten() {
        assert!(*amount > 0);
        let sum = found.entry(*id).or_insert(0_u128);
        *sum = sum.checked_add(*amount).unwrap();
    }
    assert_eq!(found, total);
    let returned =
        flow.outputs.iter().zip(&transaction.output).filter(|(_, output)| output.script_pubkey.is_op_return());
    for (held, _) in returned {
        assert!(held.is_empty());
    }
    flow.outputs.iter().any(|held| !held.is_empty())
}

/// Transfers by edicts, to all outputs, by the pointer, and without a runestone.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let edict = |number, amount, output| Edict { id: rune(number), amount, output };
    let runestones = [
        Some(Runestone { edicts: vec![edict(1, 700, 0), edict(2, 0, 2)], ..Runestone::default() }),
        Some(Runestone { edicts: vec![edict(1, 0, 4), edict(2, 5, 4)], ..Runestone::default() }),
        Some(Runestone { pointer: Some(2), ..Runestone::default() }),
        None,
    ];
    let seed = |runestone: Option<Runestone>| {
        let stone = runestone.map_or_else(|| script(&[0x6a]), |runestone| runestone.encipher());
        let scripts = [script(&[0x51]), stone, script(&[0x52]), script(&[0x53])];
        let output = scripts.map(|script_pubkey| TxOut { value: Amount::from_sat(546), script_pubkey });
        let amounts = [1_000_u128, 1, 10_u128.pow(30)].map(u128::to_le_bytes).concat();
        [amounts, bitcoin::consensus::serialize(&output.to_vec())].concat()
    };
    runestones.map(seed).to_vec()
}

fn rune(tx: u32) -> RuneId {
    RuneId { block: 840_000, tx }
}

fn script(bytes: &[u8]) -> ScriptBuf {
    ScriptBuf::from_bytes(bytes.to_vec())
}

fn transaction(output: Vec<TxOut>) -> Transaction {
    Transaction { version: Version::TWO, lock_time: LockTime::ZERO, input: Vec::new(), output }
}
