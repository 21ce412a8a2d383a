//! The oracle for the flow of sats and runes: the simplest counterpart of the builders' computations.

use std::collections::BTreeMap;

use bitcoin::Transaction;
use escrow::contract::transaction::template::Template;
use ordinals::{Artifact, RuneId, Runestone};

/// A run of consecutive sats: the index of its input, the offset of its first sat, and its length.
pub(super) type Run = (usize, u64, u64);

/// The runs of sats in each output.
pub(super) fn sats(template: &Template) -> Vec<Vec<Run>> {
    let mut left: Vec<Run> =
        template.input_amounts().iter().enumerate().map(|(index, amount)| (index, 0, amount.to_sat())).collect();
    left.reverse();
    let mut outputs = Vec::new();
    for amount in template.output_amounts() {
        let (mut wanted, mut runs) = (amount.to_sat(), Vec::new());
        while wanted > 0 {
            let (input, start, count) = left.pop().expect("no more comes out than goes in");
            let taken = count.min(wanted);
            runs.push((input, start, taken));
            wanted -= taken;
            if count > taken {
                left.push((input, start + taken, count - taken));
            }
        }
        outputs.push(runs);
    }
    outputs
}

/// The runes in each output for these inputs; supports only edicts to a single output.
pub(super) fn runes(inputs: &[(RuneId, u128)], transaction: &Transaction) -> Vec<BTreeMap<RuneId, u128>> {
    let mut left: BTreeMap<RuneId, u128> = BTreeMap::new();
    for (id, amount) in inputs {
        *left.entry(*id).or_default() += amount;
    }
    let mut outputs = vec![BTreeMap::new(); transaction.output.len()];
    let mut rest = 0;
    match Runestone::decipher(transaction) {
        Some(Artifact::Runestone(runestone)) => {
            for edict in runestone.edicts {
                let unallocated = left.entry(edict.id).or_default();
                let amount = if edict.amount == 0 { *unallocated } else { edict.amount.min(*unallocated) };
                *unallocated -= amount;
                *outputs[usize::try_from(edict.output).expect("few outputs")].entry(edict.id).or_default() += amount;
            }
            rest = runestone.pointer.map_or(0, |pointer| usize::try_from(pointer).expect("few outputs"));
        }
        Some(Artifact::Cenotaph(_)) => panic!("it burns everything"),
        None => {}
    }
    for (id, amount) in left {
        *outputs[rest].entry(id).or_default() += amount;
    }
    for held in &mut outputs {
        held.retain(|_, amount| *amount > 0);
    }
    outputs
}

/// The outputs that hold runes, with the amounts.
pub(super) fn arrived(held: &[BTreeMap<RuneId, u128>]) -> Vec<(usize, RuneId, u128)> {
    let held = held.iter().enumerate();
    held.flat_map(|(index, runes)| runes.iter().map(move |(id, amount)| (index, *id, *amount))).collect()
}
