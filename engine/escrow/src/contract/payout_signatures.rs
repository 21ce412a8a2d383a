//! The signatures that let the borrower repay without anybody's help.

use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;

use super::running_loan::{PreSignatureError, RunningLoan, TRUC};

/// What the repay key signs before the loan begins, kept by everybody who may have to end it.
///
/// There are two because a signature commits to the transaction's version: 3 cannot be pinned but wants confirmed
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

    /// The one for this version; `None` where nobody signs any.
    #[must_use]
    pub fn of(&self, version: Version) -> Option<&Signature> {
        match version {
            Version::TWO => Some(&self.two),
            TRUC => Some(&self.truc),
            _ => None,
        }
    }
}
