//! What borrower and lender agreed on.

use serde::{Deserialize, Serialize};

use crate::{GroupId, InterestRate, LoanId, OfferId, ProcessType, Sats, SubCollectionId, TermDays, UnixMs, UserId};

const DAY_MS: u64 = 86_400_000;

/// Between the day on which a loan is due and the lender's claim, at least, in milliseconds.
pub const GRACE_MS: u64 = DAY_MS;

/// What borrower and lender agreed on; fixed for the whole life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoanDeal {
    /// Which offer was taken.
    pub offer: OfferId,
    /// Where it stood.
    pub sub_collection: SubCollectionId,
    /// Who signs for the lender.
    pub process: ProcessType,
    /// Who lends.
    pub lender: UserId,
    /// Who borrows.
    pub borrower: UserId,
    /// What is lent.
    pub principal: Sats,
    /// For the whole term.
    pub rate: InterestRate,
    /// What the borrower pays on top of the principal.
    pub interest: Sats,
    /// What the lender pays the platform at the start.
    pub platform_fee: Sats,
    /// What is pledged, in raw units; 1 for an inscription.
    pub pledged_raw: u128,
    /// What is pledged, for people: an inscription's id; empty for tokens.
    pub pledged_id: String,
    /// How long it runs from its first block.
    pub term: TermDays,
    /// From when on the lender may take the collateral, by median time past. It stands in the escrow's script.
    pub claim_after: UnixMs,
    /// The loan that this one replaces, by a refinance or an extension.
    pub follows: Option<LoanId>,
}

impl LoanDeal {
    /// In whose book it was taken.
    #[must_use]
    pub fn group(&self) -> GroupId {
        self.offer.group()
    }

    /// When it is to be repaid if it begins at `start`: when the term is over, and never so late that less than the grace
    /// is left before the lender may claim. A first block that came late shortens the term and not the grace, since the
    /// script cannot wait.
    #[must_use]
    pub fn due_after(&self, start: UnixMs) -> UnixMs {
        start.plus_ms(self.term_ms()).min(self.latest_due())
    }

    /// Until when everybody must have signed: what begins then runs its whole term, and the grace.
    #[must_use]
    pub fn sign_by(&self) -> UnixMs {
        UnixMs(self.latest_due().0.saturating_sub(self.term_ms()))
    }

    fn latest_due(&self) -> UnixMs {
        UnixMs(self.claim_after.0.saturating_sub(GRACE_MS))
    }

    fn term_ms(&self) -> u64 {
        u64::from(self.term.0) * DAY_MS
    }

    /// What the lender gets when it is repaid; stops at the largest number.
    #[must_use]
    pub const fn payout(&self) -> Sats {
        self.principal.saturating_add(self.interest)
    }
}
