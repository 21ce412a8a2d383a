//! The allocation of a transaction's runes to its outputs.

use std::collections::BTreeMap;

use bitcoin::Transaction;
use ordinals::{Artifact, Edict, RuneId, Runestone};

/// Amounts in raw units by rune, without zeros.
pub(super) type Balances = BTreeMap<RuneId, u128>;

/// Allocates the unallocated runes; returns the balances of the outputs and the burned runes. `etched` is the rune that
/// this transaction etches.
pub(super) fn allocate(
    transaction: &Transaction,
    artifact: Option<Artifact>,
    mut unallocated: Balances,
    etched: Option<RuneId>,
) -> (Vec<Balances>, Balances) {
    let mut outputs = vec![Balances::new(); transaction.output.len()];
    let (spendable, mut burned) = (spendable(transaction), Balances::new());
    let rest_to = match artifact {
        // A cenotaph burns everything.
        Some(Artifact::Cenotaph(_)) => None,
        Some(Artifact::Runestone(Runestone { edicts, pointer, .. })) => {
            for edict in edicts {
                apply_edict(edict, etched, &spendable, &mut unallocated, &mut outputs);
            }
            let pointed = pointer.and_then(|pointer| usize::try_from(pointer).ok());
            pointed.or(spendable.first().copied())
        }
        None => spendable.first().copied(),
    };
    for (id, amount) in unallocated {
        let to = rest_to.and_then(|vout| outputs.get_mut(vout)).unwrap_or(&mut burned);
        credit(to, id, amount);
    }
    for (vout, balances) in outputs.iter_mut().enumerate() {
        if !spendable.contains(&vout) {
            for (id, amount) in std::mem::take(balances) {
                credit(&mut burned, id, amount);
            }
        }
    }
    (outputs, burned)
}

/// The outputs that are not data.
fn spendable(transaction: &Transaction) -> Vec<usize> {
    let outputs = transaction.output.iter().enumerate();
    outputs.filter(|(_, output)| !output.script_pubkey.is_op_return()).map(|(vout, _)| vout).collect()
}

fn apply_edict(
    edict: Edict,
    etched: Option<RuneId>,
    spendable: &[usize],
    unallocated: &mut Balances,
    outputs: &mut [Balances],
) {
    // The rune of this transaction has no id yet.
    let id = if edict.id == RuneId::default() { etched } else { Some(edict.id) };
    let Some((id, left)) = id.and_then(|id| Some((id, unallocated.get_mut(&id)?))) else {
        return;
    };
    for (vout, wanted) in shares(edict, *left, spendable, outputs.len()) {
        // An edict moves no more than there is.
        let amount = wanted.min(*left);
        *left -= amount;
        credit(&mut outputs[vout], id, amount);
    }
}

/// The amounts of an edict by output: everything if it names no amount, and an equal share for every output if its
/// output is the one after the last.
fn shares(edict: Edict, left: u128, spendable: &[usize], outputs: usize) -> Vec<(usize, u128)> {
    let Some(vout) = usize::try_from(edict.output).ok().filter(|vout| *vout <= outputs) else {
        return Vec::new();
    };
    if vout < outputs {
        return vec![(vout, if edict.amount == 0 { left } else { edict.amount })];
    }
    if edict.amount > 0 {
        return spendable.iter().map(|vout| (*vout, edict.amount)).collect();
    }
    let count = u128::try_from(spendable.len()).unwrap_or(u128::MAX).max(1);
    let (each, over) = (left / count, left % count);
    // The first outputs get the remainder of the division.
    (0_u128..).zip(spendable).map(|(place, vout)| (*vout, each + u128::from(place < over))).collect()
}

fn credit(to: &mut Balances, id: RuneId, amount: u128) {
    if amount > 0 {
        let balance = to.entry(id).or_default();
        *balance = balance.saturating_add(amount);
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::{Amount, ScriptBuf, TxOut, absolute, transaction};
    use escrow::contract::assets::rune_flow::RuneFlow;
    use proptest::prelude::*;

    use super::*;

    /// Two runes, and the placeholder of the one that is being etched.
    fn rune() -> impl Strategy<Value = RuneId> {
        prop_oneof![
            4 => (1_u32..3).prop_map(|tx| RuneId { block: 5, tx }),
            1 => Just(RuneId::default()),
        ]
    }

    fn amount() -> impl Strategy<Value = u128> {
        prop_oneof![Just(0), 1_u128..40, any::<u128>()]
    }

    fn edict() -> impl Strategy<Value = Edict> {
        (rune(), amount(), 0_u32..6).prop_map(|(id, amount, output)| Edict { id, amount, output })
    }

    /// Outputs, some of them data, and a runestone that may name missing outputs.
    fn transaction() -> impl Strategy<Value = Transaction> {
        let edicts = prop::collection::vec(edict(), 0..6);
        (prop::collection::vec(any::<bool>(), 0..4), edicts, prop::option::of(0_u32..6), 0_usize..5).prop_map(
            |(outputs, edicts, pointer, place)| {
                let output = |script_pubkey| TxOut { value: Amount::ONE_SAT, script_pubkey };
                let data = |is_data| if is_data { ScriptBuf::new_op_return([1]) } else { ScriptBuf::new() };
                let mut outputs: Vec<TxOut> = outputs.into_iter().map(|is_data| output(data(is_data))).collect();
                let runestone = Runestone { edicts, pointer, ..Runestone::default() };
                if place <= outputs.len() {
                    outputs.insert(place, output(runestone.encipher()));
                }
                Transaction {
                    version: transaction::Version::TWO,
                    lock_time: absolute::LockTime::ZERO,
                    input: Vec::new(),
                    output: outputs,
                }
            },
        )
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_allocation_that_loan_builders_expect(
            transaction in transaction(),
            held in prop::collection::btree_map((1_u32..3).prop_map(|tx| RuneId { block: 5, tx }), 1_u128..100, 0..3),
        ) {
            let (outputs, burned) = allocate(&transaction, Runestone::decipher(&transaction), held.clone(), None);
            let expected = RuneFlow::of(held, &transaction).unwrap();
            prop_assert_eq!(outputs, expected.outputs);
            prop_assert_eq!(burned, expected.burned);
        }
    }

    #[test]
    fn an_edict_of_rune_zero_refers_to_the_etched_rune() {
        let own = RuneId { block: 9, tx: 1 };
        let edict = Edict { id: RuneId::default(), amount: 7, output: 1 };
        let runestone = Runestone { edicts: vec![edict], ..Runestone::default() };
        let output = |script_pubkey| TxOut { value: Amount::ONE_SAT, script_pubkey };
        let transaction = Transaction {
            version: transaction::Version::TWO,
            lock_time: absolute::LockTime::ZERO,
            input: Vec::new(),
            output: vec![output(ScriptBuf::new()), output(ScriptBuf::new()), output(runestone.encipher())],
        };
        let held = Balances::from([(own, 10)]);
        let (outputs, _) = allocate(&transaction, Runestone::decipher(&transaction), held.clone(), Some(own));
        assert_eq!(outputs[..2], [Balances::from([(own, 3)]), Balances::from([(own, 7)])]);
        let (outputs, _) = allocate(&transaction, Runestone::decipher(&transaction), held.clone(), None);
        assert_eq!(outputs[..2], [held, Balances::new()]);
    }
}
