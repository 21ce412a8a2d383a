//! An independent reading of all blocks, from first to last, without knowledge of loans.

use std::collections::{BTreeMap, HashMap};

use bitcoin::{OutPoint, Transaction, TxOut, Txid};
use devchain::EmbeddedChain;

use crate::participants::{Owner, Participants};

/// A transaction in a block.
#[derive(Debug)]
pub(crate) struct Mined {
    pub(crate) transaction: Transaction,
    pub(crate) height: u32,
    /// The outputs it spends.
    pub(crate) spent: Vec<TxOut>,
    pub(crate) fee: u64,
}

/// All blocks.
#[derive(Debug, Default)]
pub(crate) struct ChainWalk {
    pub(crate) unspent: BTreeMap<OutPoint, TxOut>,
    /// The spending transaction and input index, by spent output.
    pub(crate) spenders: HashMap<OutPoint, (Txid, usize)>,
    /// The transactions of participants and their loans, in the order of the blocks.
    pub(crate) mined: Vec<Mined>,
    places: HashMap<Txid, usize>,
}

impl ChainWalk {
    pub(crate) fn of(chain: &EmbeddedChain, participants: &Participants) -> Self {
        let mut walk = Self::default();
        for height in 0.. {
            let Some(block) = chain.block(height) else { break };
            for transaction in block.txdata {
                walk.take_in(transaction, height, participants);
            }
        }
        walk
    }

    fn take_in(&mut self, transaction: Transaction, height: u32, participants: &Participants) {
        let txid = transaction.compute_txid();
        let mut spent = Vec::new();
        if !transaction.is_coinbase() {
            for (index, input) in transaction.input.iter().enumerate() {
                let output = self.unspent.remove(&input.previous_output);
                spent.push(output.unwrap_or_else(|| panic!("{} is spent twice", input.previous_output)));
                self.spenders.insert(input.previous_output, (txid, index));
            }
        }
        for (vout, output) in (0..).zip(&transaction.output) {
            if !output.script_pubkey.is_op_return() {
                self.unspent.insert(OutPoint::new(txid, vout), output.clone());
            }
        }
        let is_of_participants = |output: &TxOut| participants.owner_of(&output.script_pubkey).is_some();
        if spent.iter().chain(&transaction.output).any(is_of_participants) {
            let sum = |outputs: &[TxOut]| outputs.iter().map(|output| output.value.to_sat()).sum::<u64>();
            let fee = sum(&spent).saturating_sub(sum(&transaction.output));
            self.places.insert(txid, self.mined.len());
            self.mined.push(Mined { transaction, height, spent, fee });
        }
    }

    pub(crate) fn transaction(&self, txid: Txid) -> Option<&Mined> {
        self.places.get(&txid).map(|place| &self.mined[*place])
    }

    /// Returns the sum of an owner's unspent outputs.
    pub(crate) fn balance(&self, participants: &Participants, owner: Owner) -> u64 {
        let own = self.unspent.values().filter(|output| participants.owner_of(&output.script_pubkey) == Some(owner));
        own.map(|output| output.value.to_sat()).sum()
    }
}

impl Mined {
    pub(crate) fn txid(&self) -> Txid {
        self.transaction.compute_txid()
    }

    /// The one output that pays no participant: the escrow, if this originates a loan.
    pub(crate) fn escrow(&self, participants: &Participants) -> OutPoint {
        let is_other = |output: &TxOut| {
            !output.script_pubkey.is_op_return() && participants.owner_of(&output.script_pubkey).is_none()
        };
        let others: Vec<u32> =
            (0..).zip(&self.transaction.output).filter(|(_, output)| is_other(output)).map(|(vout, _)| vout).collect();
        let [vout] = others[..] else { panic!("{} has escrows at {others:?}", self.txid()) };
        OutPoint::new(self.txid(), vout)
    }

    pub(crate) fn output(&self, outpoint: OutPoint) -> &TxOut {
        &self.transaction.output[usize::try_from(outpoint.vout).unwrap()]
    }

    /// Whether an input uses the script path that is the lender's after the term.
    pub(crate) fn is_claim(&self, input: usize) -> bool {
        let leaf = self.transaction.input[input].witness.taproot_leaf_script().unwrap();
        leaf.script
            .instructions()
            .any(|part| part.is_ok_and(|part| part.opcode() == Some(bitcoin::opcodes::all::OP_CLTV)))
    }

    /// The amount that an owner gains by it.
    pub(crate) fn gain(&self, participants: &Participants, owner: Owner) -> i128 {
        self.pays_to(participants, owner) - sum_of(&self.spent, participants, owner)
    }

    /// Whether `sats` is the cost of all outputs of an owner but one, given that signatures may be shorter than
    /// estimated.
    pub(crate) fn is_cost_of_split(&self, participants: &Participants, owner: Owner, sats: i128) -> bool {
        let outputs = self.transaction.output.iter();
        let own: Vec<&TxOut> =
            outputs.filter(|output| participants.owner_of(&output.script_pubkey) == Some(owner)).collect();
        let weight: u64 = own.iter().skip(1).map(|output| output.weight().to_wu()).sum();
        let all = self.transaction.weight().to_wu();
        let share = |of: u64| i128::from(self.fee) * i128::from(weight) / i128::from(of);
        (share(all + 20)..=share(all) + i128::from(weight > 0)).contains(&sats)
    }

    /// The amount that it pays an owner.
    pub(crate) fn pays_to(&self, participants: &Participants, owner: Owner) -> i128 {
        sum_of(&self.transaction.output, participants, owner)
    }
}

fn sum_of(outputs: &[TxOut], participants: &Participants, owner: Owner) -> i128 {
    let own = outputs.iter().filter(|output| participants.owner_of(&output.script_pubkey) == Some(owner));
    own.map(|output| i128::from(output.value.to_sat())).sum()
}
