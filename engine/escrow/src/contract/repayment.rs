//! The good end of a loan: the collateral home, principal and interest to the lender, by the borrower alone.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, absolute};
use thiserror::Error;

use super::coin::Coin;
use super::running_loan::RunningLoan;
use super::sat_flow::{SatPlace, arrival};
use super::template::{Spend, Template, fee_of, weight};

/// What shall happen.
#[derive(Clone, Copy, Debug)]
pub struct Repayment<'a> {
    /// Which loan.
    pub loan: &'a RunningLoan,
    /// 2, or 3 against pinning, which wants confirmed inputs.
    pub version: Version,
    /// The borrower's pads.
    pub pads: &'a [Coin; 2],
    /// The borrower's coins that pay.
    pub funding: &'a [Coin],
    /// Where the collateral goes.
    pub home: &'a ScriptBuf,
    /// Where pads and change go.
    pub change: &'a ScriptBuf,
    /// What the borrower pays the miners.
    pub fee_rate: FeeRate,
}

/// Why a loan cannot be repaid like this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RepaymentError {
    /// The coins do not suffice.
    #[error("the borrower's coins hold {found}, and {wanted} is wanted")]
    FundingShort {
        /// Payout and fee.
        wanted: Amount,
        /// What there is.
        found: Amount,
    },
    /// A coin's script is not the one of its key.
    #[error("a coin does not belong to the key that shall sign for it: {0}")]
    ForeignCoin(OutPoint),
    /// More than all money.
    #[error("an amount exceeds all bitcoin there is")]
    Overflow,
    /// The finished transaction is not what it was meant to be: nobody gets to see it.
    #[error("the finished transaction is unsound: {0}")]
    Unsound(#[from] RepaymentFault),
}

/// What the last look at a finished transaction can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RepaymentFault {
    /// The inscription does not come home.
    #[error("the inscription arrives at {found:?}, not at home on its sat")]
    InscriptionAstray {
        /// Where it arrives.
        found: Option<SatPlace>,
    },
    /// Escrow and payout do not have the same index, so the signature made beforehand does not hold.
    #[error("the payout does not stand beside the escrow")]
    PayoutMisplaced,
    /// An output goes to somebody else.
    #[error("output {index} goes to neither side")]
    ForeignOutput {
        /// Which.
        index: usize,
    },
    /// The miners get less than the rate asks for, or so much more that it would have been change.
    #[error("the fee is {found:?}, and {expected} is due")]
    WrongFee {
        /// What is due.
        expected: Amount,
        /// What is paid.
        found: Option<Amount>,
    },
}

impl Repayment<'_> {
    /// The transaction, every sat of it accounted for.
    pub fn build(&self) -> Result<Template, RepaymentError> {
        let spends = self.spends();
        for spend in &spends {
            if let Spend::Coin(coin) = spend
                && !coin.is_its_keys()
            {
                return Err(RepaymentError::ForeignCoin(coin.outpoint));
            }
        }
        let total = |coins: &[Coin]| {
            let mut values = coins.iter().map(|coin| coin.output.value);
            values.try_fold(Amount::ZERO, Amount::checked_add).ok_or(RepaymentError::Overflow)
        };
        let mut outputs = vec![
            TxOut { value: total(self.pads)?, script_pubkey: self.change.clone() },
            TxOut { value: self.loan.value, script_pubkey: self.home.clone() },
            self.loan.payout.clone(),
        ];
        let found = total(self.funding)?;
        let with_change = {
            let change = TxOut { value: Amount::ZERO, script_pubkey: self.change.clone() };
            outputs.iter().cloned().chain([change]).collect::<Vec<_>>()
        };
        let cost = |outputs: &[TxOut]| {
            let fee = fee_of(weight(&spends, outputs), self.fee_rate);
            fee.and_then(|fee| fee.checked_add(self.loan.payout.value)).ok_or(RepaymentError::Overflow)
        };
        let rest = found.checked_sub(cost(&with_change)?).filter(|rest| *rest >= self.change.minimal_non_dust());
        if let Some(value) = rest {
            outputs.push(TxOut { value, script_pubkey: self.change.clone() });
        } else {
            let wanted = cost(&outputs)?;
            if found < wanted {
                return Err(RepaymentError::FundingShort { wanted, found });
            }
        }
        let template = Template::new(self.version, absolute::LockTime::ZERO, &spends, outputs);
        self.check(&template)?;
        Ok(template)
    }

    fn spends(&self) -> Vec<Spend<'_>> {
        let pads = self.pads.iter().map(Spend::Coin);
        pads.chain([self.loan.spend()]).chain(self.funding.iter().map(Spend::Coin)).collect()
    }

    /// The last look: computed from the finished transaction alone, by other means than it was built.
    ///
    /// # Errors
    /// The first fault there is.
    pub fn check(&self, template: &Template) -> Result<(), RepaymentFault> {
        let transaction = &template.psbt.unsigned_tx;
        let index = transaction.input.iter().position(|input| input.previous_output == self.loan.outpoint);
        let Some(index) = index.filter(|index| transaction.output.get(*index) == Some(&self.loan.payout)) else {
            return Err(RepaymentFault::PayoutMisplaced);
        };
        if let Some(offset) = self.loan.pledge.offset() {
            let from = SatPlace { index, offset };
            let found = arrival(&template.input_amounts(), &template.output_amounts(), from);
            let is_home = found.is_some_and(|to| {
                transaction.output[to.index].script_pubkey == *self.home && to.offset == offset && to.index != index
            });
            if !is_home {
                return Err(RepaymentFault::InscriptionAstray { found });
            }
        }
        let foreign = transaction.output.iter().enumerate().find(|(place, output)| {
            *place != index && output.script_pubkey != *self.home && output.script_pubkey != *self.change
        });
        if let Some((index, _)) = foreign {
            return Err(RepaymentFault::ForeignOutput { index });
        }
        let expected = fee_of(template.weight, self.fee_rate).unwrap_or(Amount::MAX_MONEY);
        let found = template.fee();
        // What is too little for a change output is left to the miners, with what that output would have cost.
        let change = TxOut { value: Amount::ZERO, script_pubkey: self.change.clone() };
        let spare =
            fee_of(change.weight(), self.fee_rate).and_then(|fee| fee.checked_add(self.change.minimal_non_dust()));
        let most = spare.and_then(|spare| spare.checked_add(expected)).unwrap_or(Amount::MAX_MONEY);
        if found.is_some_and(|fee| fee >= expected && fee <= most) {
            Ok(())
        } else {
            Err(RepaymentFault::WrongFee { expected, found })
        }
    }
}
