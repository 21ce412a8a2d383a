//! A running loan together with what lets the borrower end it.

use bitcoin::OutPoint;
use thiserror::Error;

use super::payout_signatures::PayoutSignatures;
use super::running_loan::RunningLoan;
use super::template::Template;

/// What a repayment or a refinance needs of a loan.
#[derive(Clone, Copy, Debug)]
pub struct RepayableLoan<'a> {
    /// The loan.
    pub loan: &'a RunningLoan,
    /// What its repay key signed beforehand.
    pub beforehand: &'a PayoutSignatures,
}

/// Why what was signed beforehand does not hold in a finished transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PayoutFault {
    /// Escrow and payout do not have the same index.
    #[error("the payout does not stand beside the escrow {0}")]
    Misplaced(OutPoint),
    /// The signature is for another version, locktime, sequence, payout or key.
    #[error("the signature made beforehand for the escrow {0} does not hold here")]
    Unsigned(OutPoint),
}

impl RepayableLoan<'_> {
    /// The index that escrow and payout share in a finished transaction, the signature made beforehand held against it.
    pub(super) fn payout_index(&self, template: &Template) -> Result<usize, PayoutFault> {
        let transaction = &template.psbt.unsigned_tx;
        let RunningLoan { outpoint, payout, .. } = self.loan;
        let index = transaction.input.iter().position(|input| input.previous_output == *outpoint);
        let index = index.filter(|index| transaction.output.get(*index) == Some(payout));
        let index = index.ok_or(PayoutFault::Misplaced(*outpoint))?;
        let signature = self.beforehand.of(transaction.version).ok_or(PayoutFault::Unsigned(*outpoint))?;
        let holds = self.loan.check_payout_at(transaction, index, signature);
        holds.map(|()| index).map_err(|_| PayoutFault::Unsigned(*outpoint))
    }
}
