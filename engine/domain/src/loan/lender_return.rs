//! The return of a loan to its lender.

use crate::{LoanDeal, Sats, TermDays};

/// The return of a loan to its lender if it is repaid when due: one payment out, and one back at the end of the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LenderReturn {
    paid: Sats,
    paid_back: Sats,
    platform_fee: Sats,
    term: TermDays,
}

impl LenderReturn {
    /// Returns the return of a deal; `None` if a sum exceeds the supply of bitcoin.
    #[must_use]
    pub fn of(deal: &LoanDeal) -> Option<Self> {
        let LoanDeal { principal, interest, platform_fee, term, .. } = *deal;
        let (paid, paid_back) = (principal.checked_add(platform_fee)?, principal.checked_add(interest)?);
        Some(Self { paid, paid_back, platform_fee, term })
    }

    /// The principal and the platform fee.
    #[must_use]
    pub const fn paid(&self) -> Sats {
        self.paid
    }

    /// The principal and the interest.
    #[must_use]
    pub const fn paid_back(&self) -> Sats {
        self.paid_back
    }

    /// The platform fee.
    #[must_use]
    pub const fn platform_fee(&self) -> Sats {
        self.platform_fee
    }

    /// The interest less the platform fee; zero where the fee exceeds it.
    #[must_use]
    pub const fn gain(&self) -> Sats {
        self.paid_back.saturating_sub(self.paid)
    }

    /// The term.
    #[must_use]
    pub const fn term(&self) -> TermDays {
        self.term
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;
    use crate::loan::deal::tests::deal;

    #[test]
    fn the_platform_fee_is_paid_with_the_principal() {
        let result = LenderReturn::of(&deal(1_000_000, 12_000, 2_400)).unwrap();
        assert_eq!((result.paid(), result.paid_back()), (Sats::new(1_002_400), Sats::new(1_012_000)));
        assert_eq!((result.gain(), result.platform_fee()), (Sats::new(9_600), Sats::new(2_400)));
        assert_eq!(result.term(), TermDays(7));
        assert_eq!(LenderReturn::of(&deal(1_000_000, 12_000, 0)).unwrap().gain(), Sats::new(12_000));
    }

    #[test]
    fn a_fee_that_exceeds_the_interest_leaves_no_gain() {
        let result = LenderReturn::of(&deal(1_000_000, 100, 101)).unwrap();
        assert_eq!((result.gain(), result.paid()), (Sats::ZERO, Sats::new(1_000_101)));
    }

    #[test]
    fn sums_beyond_the_supply_have_no_return() {
        let most = Sats::MAX.get();
        assert_eq!(LenderReturn::of(&deal(most, 0, 1)), None);
        assert_eq!(LenderReturn::of(&deal(most, 1, 0)), None);
        assert_eq!(LenderReturn::of(&deal(1, u64::MAX, 0)), None);
        assert!(LenderReturn::of(&deal(most, 0, 0)).is_some());
    }
}
