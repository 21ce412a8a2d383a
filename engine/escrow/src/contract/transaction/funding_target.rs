//! The amount that coins have to pay, and their rest: change where nodes relay it, otherwise none.

use bitcoin::{Amount, FeeRate, ScriptBuf, TxOut, Weight};

use super::spend::Spend;
use super::template::{fee_of, weight};

/// The payer of the network fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeePayer {
    /// The coins, in addition to the target amount.
    Coins,
    /// Another party, or the fee is deducted from the payee's amount.
    Others,
}

/// The amount and the fee that coins have to pay.
#[derive(Clone, Debug)]
pub(crate) struct FundingTarget {
    amount: Amount,
    fee_payer: FeePayer,
    fee_rate: FeeRate,
    /// The outputs without change, and with it.
    outputs: [Vec<TxOut>; 2],
}

/// The fee and the change of a transaction that meets a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FeeAndChange {
    /// The fee; at least what the rate requires.
    pub(crate) fee: Amount,
    /// The change; never below the dust limit.
    pub(crate) change: Option<Amount>,
    /// The fee, and any rest lost to fees or to the other side because it is too small for a change output.
    pub(crate) loss: Amount,
}

impl FundingTarget {
    /// The target of `amount` besides the fee, in a transaction that has these outputs already.
    pub(crate) fn new(
        amount: Amount,
        fee_payer: FeePayer,
        fee_rate: FeeRate,
        outputs: &[TxOut],
        change: &ScriptBuf,
    ) -> Self {
        let change = TxOut { value: Amount::ZERO, script_pubkey: change.clone() };
        let with_change = outputs.iter().cloned().chain([change]).collect();
        Self { amount, fee_payer, fee_rate, outputs: [outputs.to_vec(), with_change] }
    }

    /// The weight of a transaction without change that spends these.
    pub(crate) fn weight<'s, 'a: 's>(&self, spends: impl IntoIterator<Item = &'s Spend<'a>>) -> Weight {
        weight(spends, &self.outputs[0])
    }

    /// The amount that a transaction of this weight requires; `None` on overflow.
    pub(crate) fn due(&self, weight: Weight) -> Option<Amount> {
        match self.fee_payer {
            FeePayer::Coins => self.amount.checked_add(fee_of(weight, self.fee_rate)?),
            FeePayer::Others => Some(self.amount),
        }
    }

    /// The rest of coins that hold `funds`, in a transaction that spends `spends`; `None` if they are insufficient.
    pub(crate) fn fee_and_change<'s, 'a: 's>(
        &self,
        spends: impl IntoIterator<Item = &'s Spend<'a>> + Clone,
        funds: Amount,
    ) -> Option<FeeAndChange> {
        let bare = self.weight(spends.clone());
        let rest = funds.checked_sub(self.due(bare)?)?;
        let bare_fee = fee_of(bare, self.fee_rate)?;
        let [_, outputs] = &self.outputs;
        let with_change = weight(spends, outputs);
        let fee = fee_of(with_change, self.fee_rate)?;
        let least = outputs.last().map(|output| output.script_pubkey.minimal_non_dust())?;
        let change = funds.checked_sub(self.due(with_change)?).filter(|change| *change >= least);
        if change.is_some() {
            return Some(FeeAndChange { fee, change, loss: fee });
        }
        let loss = bare_fee.checked_add(rest)?;
        let fee = if self.fee_payer == FeePayer::Coins { loss } else { bare_fee };
        Some(FeeAndChange { fee, change, loss })
    }
}
