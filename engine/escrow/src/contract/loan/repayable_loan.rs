//! A running loan together with the pre-signatures of its repayment.

use bitcoin::OutPoint;
use thiserror::Error;

use super::payout_signatures::PayoutSignatures;
use super::running_loan::RunningLoan;
use crate::contract::transaction::template::Template;

/// The loan data that a repayment or a refinance needs.
#[derive(Clone, Copy, Debug)]
pub struct RepayableLoan<'a> {
    /// The loan.
    pub loan: &'a RunningLoan,
    /// The pre-signatures of its repay key.
    pub pre_signatures: &'a PayoutSignatures,
}

/// The reason why a pre-signature is invalid in a finished transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PayoutFault {
    /// Escrow and payout have different indices.
    #[error("the payout is not at the index of the escrow {0}")]
    Misplaced(OutPoint),
    /// The signature is for another version, locktime, sequence, payout or key.
    #[error("the pre-signature for the escrow {0} is not valid in this transaction")]
    InvalidSignature(OutPoint),
}

impl RepayableLoan<'_> {
    /// Returns the index that escrow and payout share in a finished transaction, and verifies the pre-signature there.
    pub(super) fn payout_index(&self, template: &Template) -> Result<usize, PayoutFault> {
        let transaction = &template.psbt.unsigned_tx;
        let RunningLoan { outpoint, payout, .. } = self.loan;
        let index = transaction.input.iter().position(|input| input.previous_output == *outpoint);
        let index = index.filter(|index| transaction.output.get(*index) == Some(payout));
        let index = index.ok_or(PayoutFault::Misplaced(*outpoint))?;
        let signature = self.pre_signatures.of(transaction.version).ok_or(PayoutFault::InvalidSignature(*outpoint))?;
        let holds = self.loan.check_payout_at(transaction, index, signature);
        holds.map(|()| index).map_err(|_| PayoutFault::InvalidSignature(*outpoint))
    }
}
