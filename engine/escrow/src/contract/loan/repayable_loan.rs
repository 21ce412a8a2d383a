//! A running loan together with the pre-signatures of its repayment.

use bitcoin::OutPoint;
use thiserror::Error;

use super::payout_signatures::PayoutSignatures;
use super::running_loan::{PreSignatureError, RunningLoan};
use crate::contract::signing::signatures::{SignatureError, Signatures};
use crate::contract::transaction::template::Template;

/// The loan data that a repayment or a refinance needs.
#[derive(Clone, Copy, Debug)]
pub struct RepayableLoan<'a> {
    /// The loan.
    pub loan: &'a RunningLoan,
    /// The pre-signatures of its repay keys.
    pub pre_signatures: &'a PayoutSignatures,
}

/// The reason why the pre-signatures are invalid in a finished transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PayoutFault {
    /// Escrow and payout have different indices.
    #[error("the payout is not at the index of the escrow {0}")]
    Misplaced(OutPoint),
    /// A signature is missing, or is for another version, locktime, sequence, payout or key.
    #[error("the pre-signatures for the escrow {escrow} are not valid in this transaction: {fault}")]
    InvalidSignature {
        /// The outpoint of the escrow.
        escrow: OutPoint,
        /// The reason, with the repay key.
        fault: PreSignatureError,
    },
}

impl RepayableLoan<'_> {
    /// Returns the index that escrow and payout share in a finished transaction, and verifies the pre-signatures
    /// there.
    pub(super) fn payout_index(&self, template: &Template) -> Result<usize, PayoutFault> {
        let transaction = &template.psbt.unsigned_tx;
        let RunningLoan { outpoint, payout, .. } = self.loan;
        let index = transaction.input.iter().position(|input| input.previous_output == *outpoint);
        let index = index.filter(|index| transaction.output.get(*index) == Some(payout));
        let index = index.ok_or(PayoutFault::Misplaced(*outpoint))?;
        let verified = self.pre_signatures.of(self.loan, transaction.version).and_then(|signed| {
            let mut signed = signed.into_iter();
            signed.try_for_each(|(key, signature)| self.loan.check_payout_at(transaction, index, key, signature))
        });
        verified.map(|()| index).map_err(|fault| PayoutFault::InvalidSignature { escrow: *outpoint, fault })
    }

    /// Returns the pre-signatures for a transaction that spends the escrow, verified against it.
    ///
    /// # Errors
    /// If one is not valid for this transaction, or a key has none for its version.
    pub fn signatures(&self, template: &Template) -> Result<Signatures, SignatureError> {
        let transaction = &template.psbt.unsigned_tx;
        let index = transaction.input.iter().position(|input| input.previous_output == self.loan.outpoint);
        // No transaction has this many inputs.
        let index = index.unwrap_or(usize::MAX);
        let signed = self.pre_signatures.of(self.loan, transaction.version);
        template.check_signatures(index, signed.map_err(|_| SignatureError::ForeignKey { index })?)
    }
}
