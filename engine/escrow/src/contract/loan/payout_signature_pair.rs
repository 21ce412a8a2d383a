//! The pre-signatures of one repay key.

use bitcoin::XOnlyPublicKey;
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;

use super::running_loan::{PreSignatureError, RunningLoan};
use crate::contract::transaction::version::TRUC;

/// The two pre-signatures of one repay key.
///
/// There are two because a signature commits to the transaction's version: 3 cannot be pinned but needs confirmed
/// inputs, 2 takes any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayoutSignaturePair {
    /// The signature of a repayment of version 2.
    pub two: Signature,
    /// The signature of a repayment of version 3 ([`TRUC`]).
    pub truc: Signature,
}

impl PayoutSignaturePair {
    /// Checks that both are this repay key's.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, loan: &RunningLoan, key: &XOnlyPublicKey) -> Result<(), PreSignatureError> {
        loan.check_payout_signature(Version::TWO, key, &self.two)?;
        loan.check_payout_signature(TRUC, key, &self.truc)
    }

    /// The signature for this version; `None` for versions that are not pre-signed.
    #[must_use]
    pub const fn of(&self, version: Version) -> Option<&Signature> {
        match version {
            Version::TWO => Some(&self.two),
            TRUC => Some(&self.truc),
            _ => None,
        }
    }
}
