//! The pre-signatures with which the borrower repays alone.

use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;

use super::running_loan::{PreSignatureError, RunningLoan};
use crate::contract::transaction::version::TRUC;

/// The pre-signatures of the repay key, made before the loan begins and kept by each party that may have to end it.
///
/// There are two because a signature commits to the transaction's version: 3 cannot be pinned but needs confirmed
/// inputs, 2 takes any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayoutSignatures {
    /// For a repayment of version 2.
    pub two: Signature,
    /// For a repayment of version 3 ([`TRUC`]).
    pub truc: Signature,
}

impl PayoutSignatures {
    /// Checks both.
    pub fn check(&self, loan: &RunningLoan) -> Result<(), PreSignatureError> {
        loan.check_payout_signature(Version::TWO, &self.two)?;
        loan.check_payout_signature(TRUC, &self.truc)
    }

    /// The signature for this version; `None` for versions that are not pre-signed.
    #[must_use]
    pub fn of(&self, version: Version) -> Option<&Signature> {
        match version {
            Version::TWO => Some(&self.two),
            TRUC => Some(&self.truc),
            _ => None,
        }
    }
}
