//! The time that is left for a repayment.

use super::borrower_kit::BorrowerKit;
use super::time_left::in_words;
use crate::utc::utc;

/// The time before the claim time, in seconds, below which a repayment may not be confirmed early enough.
const SAFE_SECONDS: u32 = 86_400;

/// The state of a loan in relation to its claim time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepaymentTime {
    /// Enough time for a confirmation.
    Enough,
    /// The repayment may not be confirmed early enough.
    Short,
    /// The lender may claim already.
    Over,
}

impl RepaymentTime {
    /// The state of a kit's loan at a time in Unix seconds.
    #[must_use]
    pub fn of(kit: &BorrowerKit, now_seconds: u32) -> Self {
        match kit.record().loan.escrow.terms().claim_after.saturating_sub(now_seconds) {
            0 => Self::Over,
            left if left < SAFE_SECONDS => Self::Short,
            _ => Self::Enough,
        }
    }

    /// The time that is left and its consequence, in words.
    #[must_use]
    pub fn text(self, kit: &BorrowerKit, now_seconds: u32) -> String {
        let claim_after = kit.record().loan.escrow.terms().claim_after;
        let (claim, left) = (utc(claim_after), in_words(claim_after.saturating_sub(now_seconds)));
        match self {
            Self::Enough => format!("The lender may claim from {claim} on, in {left}."),
            Self::Short => format!(
                "Warning: the lender may claim from {claim} on, in {left}. The repayment must be in a block by then: \
                 pay the miners well, and send it at once."
            ),
            Self::Over => format!(
                "Warning: the lender may claim since {claim}. Whichever is in a block first holds; if that is the \
                 claim, you keep your bitcoin and lose the collateral."
            ),
        }
    }

    /// The reason why a repayment after the claim time is not prepared unless it is wanted explicitly.
    #[must_use]
    pub fn late_refusal(kit: &BorrowerKit) -> String {
        format!(
            "the lender may claim since {}: a repayment holds only if it is in a block before the claim. If it is not, \
             you keep your bitcoin and lose the collateral",
            utc(kit.record().loan.escrow.terms().claim_after)
        )
    }
}
