//! A transaction before it is signed, with everything that its signing requires.

use std::collections::BTreeMap;

use bitcoin::transaction::Version;
use bitcoin::{
    Address, Amount, FeeRate, Network, Psbt, Script, TapSighashType, Transaction, TxOut, Txid, Weight, absolute,
};

use super::lock::Lock;
use super::spend::Spend;

/// An unsigned transaction; the PSBT carries the outputs it spends, the scripts and the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The transaction.
    pub psbt: Psbt,
    /// The maximum weight of the transaction once signed.
    pub weight: Weight,
    /// The lock of each input, which gives its signers.
    pub locks: Vec<Lock>,
}

impl Template {
    /// Builds the transaction of these inputs and outputs.
    pub(crate) fn new(
        version: Version,
        lock_time: absolute::LockTime,
        spends: &[Spend<'_>],
        outputs: Vec<TxOut>,
    ) -> Self {
        let input = spends.iter().map(Spend::unsigned_input);
        let transaction = Transaction { version, lock_time, input: input.collect(), output: outputs };
        let weight = weight(spends, &transaction.output);
        let psbt = Psbt {
            inputs: spends.iter().map(Spend::psbt_input).collect(),
            outputs: transaction.output.iter().map(|_| bitcoin::psbt::Output::default()).collect(),
            unsigned_tx: transaction,
            version: 0,
            xpub: BTreeMap::new(),
            proprietary: BTreeMap::new(),
            unknown: BTreeMap::new(),
        };
        let locks = spends.iter().map(Spend::lock).collect();
        Self { psbt, weight, locks }
    }

    /// The values of the inputs.
    #[must_use]
    pub fn input_amounts(&self) -> Vec<Amount> {
        let outputs = self.psbt.inputs.iter().filter_map(|input| input.witness_utxo.as_ref());
        outputs.map(|output| output.value).collect()
    }

    /// The values of the outputs.
    #[must_use]
    pub fn output_amounts(&self) -> Vec<Amount> {
        self.psbt.unsigned_tx.output.iter().map(|output| output.value).collect()
    }

    /// The id that the finished transaction will have, known before it is signed.
    ///
    /// An input nested in P2SH reveals its program outside of the witness, so with such an input this differs from the
    /// id of the PSBT's unsigned transaction.
    #[must_use]
    pub fn final_txid(&self) -> Txid {
        self.with_script_sigs().compute_txid()
    }

    /// The transaction with everything except the witnesses.
    pub(crate) fn with_script_sigs(&self) -> Transaction {
        let mut transaction = self.psbt.unsigned_tx.clone();
        for (input, lock) in transaction.input.iter_mut().zip(&self.locks) {
            input.script_sig = lock.script_sig();
        }
        transaction
    }

    /// The index of the first input that differs in any detail from the expected one; also that of the first missing or
    /// surplus input.
    pub(crate) fn first_mismatched_input<'a>(
        &self,
        expected: impl ExactSizeIterator<Item = Spend<'a>>,
    ) -> Option<usize> {
        let Self { psbt: Psbt { unsigned_tx, inputs, .. }, locks, .. } = self;
        let is_there = |index: usize, spend: &Spend<'_>| {
            unsigned_tx.input.get(index).is_some_and(|input| *input == spend.unsigned_input())
                && inputs.get(index).is_some_and(|input| *input == spend.psbt_input())
                && locks.get(index).is_some_and(|lock| *lock == spend.lock())
        };
        let count = expected.len();
        let other = expected.enumerate().find(|(index, spend)| !is_there(*index, spend)).map(|(index, _)| index);
        let most = unsigned_tx.input.len().max(inputs.len()).max(locks.len());
        other.or_else(|| (most > count).then_some(count))
    }

    /// Whether it has this version, has no locktime, and its weight is right for these inputs.
    pub(crate) fn has_form(&self, version: Version, spends: &[Spend<'_>]) -> bool {
        let Transaction { version: found, lock_time, output, .. } = &self.psbt.unsigned_tx;
        *found == version && *lock_time == absolute::LockTime::ZERO && self.weight == weight(spends, output)
    }

    /// The network fee; `None` if the outputs exceed the inputs.
    #[must_use]
    pub fn fee(&self) -> Option<Amount> {
        let total = |amounts: Vec<Amount>| amounts.into_iter().try_fold(Amount::ZERO, Amount::checked_add);
        total(self.input_amounts())?.checked_sub(total(self.output_amounts())?)
    }
}

/// The weight of a transaction once it is signed.
pub(crate) fn weight<'s, 'a: 's>(spends: impl IntoIterator<Item = &'s Spend<'a>>, outputs: &[TxOut]) -> Weight {
    let predictions = spends.into_iter().map(Spend::prediction);
    bitcoin::transaction::predict_weight(predictions, outputs.iter().map(|output| output.script_pubkey.len()))
}

/// The sum of the amounts, saturating at [`Amount::MAX`], which fails every check.
pub(crate) fn total(amounts: impl IntoIterator<Item = Amount>) -> Amount {
    amounts.into_iter().fold(Amount::ZERO, |sum, amount| sum.checked_add(amount).unwrap_or(Amount::MAX))
}

/// Whether a script has an address, so that every node relays a payment to it. The network makes no difference.
pub(crate) fn has_address(script: &Script) -> bool {
    Address::from_script(script, Network::Bitcoin).is_ok()
}

/// The fee of a transaction of this weight, rounded up; `None` on overflow.
pub(crate) fn fee_of(weight: Weight, rate: FeeRate) -> Option<Amount> {
    rate.fee_wu(weight)
}

/// Converts an index to the type of an outpoint; no transaction has an output with the maximum index.
pub(crate) fn vout(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The sighash type of a pre-signed repayment: it commits to this input, and to the output at its index.
pub const PAYOUT_SIGHASH: TapSighashType = TapSighashType::SinglePlusAnyoneCanPay;
