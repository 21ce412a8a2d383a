//! The agreement between borrower and lender.

use serde::{Deserialize, Serialize};

use super::PledgedIds;
use crate::{
    DAY_MS, GroupId, InterestRate, LoanId, LoanTerms, OfferId, ProcessType, Sats, SubCollectionId, TermDays, UnixMs,
    UserId,
};

/// The minimum time between the due time of a loan and the lender's claim, in milliseconds.
pub const GRACE_MS: u64 = DAY_MS;

/// The agreement between borrower and lender; fixed for the whole lifecycle of the loan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoanDeal {
    /// The offer that was taken.
    pub offer: OfferId,
    /// The sub-collection of the offer.
    pub sub_collection: SubCollectionId,
    /// The process type, which determines who signs for the lender.
    pub process: ProcessType,
    /// The lender.
    pub lender: UserId,
    /// The borrower.
    pub borrower: UserId,
    /// The principal.
    pub principal: Sats,
    /// The interest rate for the whole term.
    pub rate: InterestRate,
    /// The interest that the borrower pays on top of the principal.
    pub interest: Sats,
    /// The fee that the lender pays the platform at the start.
    pub platform_fee: Sats,
    /// The collateral in raw units: the number of inscriptions, or an amount of a token.
    pub pledged_raw: u128,
    /// The displayed ids of the collateral: those of its inscriptions; none for tokens.
    #[serde(rename = "pledged_id")]
    pub pledged_ids: PledgedIds,
    /// The term, counted from its first block.
    pub term: TermDays,
    /// The time from which the lender may take the collateral, by median time past. It is part of the escrow's script.
    pub claim_after: UnixMs,
    /// The loan that this one replaces, by a refinance or an extension.
    pub follows: Option<LoanId>,
}

impl LoanDeal {
    /// The group in whose book the offer was taken.
    #[must_use]
    pub fn group(&self) -> GroupId {
        self.offer.group()
    }

    /// The time at which the repayment is due if the loan begins at `start`: the end of the term, but never so late
    /// that less than the grace period is left before the lender may claim. A late first block shortens the term and
    /// not the grace period, since the timelock in the script is fixed.
    #[must_use]
    pub fn due_after(&self, start: UnixMs) -> UnixMs {
        start.plus_ms(self.term.ms()).min(self.latest_due())
    }

    /// The deadline of all signatures: a loan that begins by then runs its whole term and the grace period.
    #[must_use]
    pub fn sign_by(&self) -> UnixMs {
        self.latest_due().minus_ms(self.term.ms())
    }

    fn latest_due(&self) -> UnixMs {
        self.claim_after.minus_ms(GRACE_MS)
    }

    /// The interest and the term.
    #[must_use]
    pub const fn terms(&self) -> LoanTerms {
        LoanTerms { interest: self.rate, days: self.term }
    }

    /// The lender's payout at repayment; saturating.
    #[must_use]
    pub const fn payout(&self) -> Sats {
        self.principal.saturating_add(self.interest)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
pub(super) mod tests {
    use super::*;

    /// A deal of seven days with these sums.
    pub(in crate::loan) fn deal(principal: u64, interest: u64, platform_fee: u64) -> LoanDeal {
        LoanDeal {
            offer: OfferId::new(GroupId(3), 9).unwrap(),
            sub_collection: SubCollectionId(0),
            process: ProcessType::Manual,
            lender: UserId(1),
            borrower: UserId(2),
            principal: Sats::new(principal),
            rate: InterestRate::from_basis_points(120),
            interest: Sats::new(interest),
            platform_fee: Sats::new(platform_fee),
            pledged_raw: 1,
            pledged_ids: PledgedIds::default(),
            term: TermDays(7),
            claim_after: UnixMs(9),
            follows: None,
        }
    }
}
