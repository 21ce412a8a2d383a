//! The cost of a loan to its borrower.

use crate::{LoanDeal, Sats, TermDays};

/// The charges of a loan other than its interest, all paid by the borrower to the network or left behind on the chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoanCharges {
    /// The borrower's share of the network fee of the transactions that originate the loan.
    pub origination_fee: Sats,
    /// The sats of a consumed BRC-20 transfer inscription, which the repayment does not return.
    pub postage: Sats,
    /// The network fee of a repayment at the fee rate of the origination: an estimate.
    pub repayment_fee: Sats,
}

/// The cost of a loan to its borrower: one drawdown, and one repayment at the end of the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoanCost {
    principal: Sats,
    interest: Sats,
    charges: LoanCharges,
    total: Sats,
    payable: Sats,
    term: TermDays,
}

impl LoanCost {
    /// Returns the cost of a deal; `None` if a sum exceeds the supply of bitcoin.
    #[must_use]
    pub fn of(deal: &LoanDeal, charges: LoanCharges) -> Option<Self> {
        let LoanCharges { origination_fee, postage, repayment_fee } = charges;
        let (principal, interest, term) = (deal.principal, deal.interest, deal.term);
        let total = interest.checked_add(origination_fee)?.checked_add(postage)?.checked_add(repayment_fee)?;
        let payable = principal.checked_add(total)?;
        Some(Self { principal, interest, charges, total, payable, term })
    }

    /// The principal: the total amount of credit.
    #[must_use]
    pub const fn principal(&self) -> Sats {
        self.principal
    }

    /// The interest for the whole term.
    #[must_use]
    pub const fn interest(&self) -> Sats {
        self.interest
    }

    /// The other charges.
    #[must_use]
    pub const fn charges(&self) -> LoanCharges {
        self.charges
    }

    /// The total cost of credit: interest and all charges. The platform fee is the lender's and no part of it.
    #[must_use]
    pub const fn total(&self) -> Sats {
        self.total
    }

    /// The total amount payable: the principal and the total cost of credit.
    #[must_use]
    pub const fn payable(&self) -> Sats {
        self.payable
    }

    /// The term.
    #[must_use]
    pub const fn term(&self) -> TermDays {
        self.term
    }

    /// The principal less the charges of the origination; zero where they exceed it.
    #[must_use]
    pub const fn received(&self) -> Sats {
        self.principal.saturating_sub(self.charges.origination_fee).saturating_sub(self.charges.postage)
    }

    /// The sum paid at the end of the term: principal, interest and the fee of the repayment.
    #[must_use]
    pub const fn repaid(&self) -> Sats {
        self.payable.saturating_sub(self.charges.origination_fee).saturating_sub(self.charges.postage)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;
    use crate::loan::deal::tests::deal;

    fn charges(origination_fee: u64, postage: u64, repayment_fee: u64) -> LoanCharges {
        let [origination_fee, postage, repayment_fee] = [origination_fee, postage, repayment_fee].map(Sats::new);
        LoanCharges { origination_fee, postage, repayment_fee }
    }

    #[test]
    fn the_total_cost_has_every_charge_of_the_borrower_and_not_the_lenders_fee() {
        let cost = LoanCost::of(&deal(1_000_000, 12_000, 2_400), charges(1_500, 546, 1_200)).unwrap();
        assert_eq!((cost.total(), cost.payable()), (Sats::new(15_246), Sats::new(1_015_246)));
        assert_eq!((cost.received(), cost.repaid()), (Sats::new(997_954), Sats::new(1_013_200)));
        let difference = cost.repaid().checked_sub(cost.received());
        assert_eq!(difference, Some(cost.total()), "what is paid back beyond what is received is the cost");
    }

    #[test]
    fn a_principal_that_the_fees_exceed_leaves_nothing_to_receive() {
        let cost = LoanCost::of(&deal(1_000, 12, 2_400), charges(1_500, 0, 1_200)).unwrap();
        assert_eq!((cost.received(), cost.total()), (Sats::ZERO, Sats::new(2_712)));
    }

    #[test]
    fn sums_beyond_the_supply_have_no_cost() {
        let most = Sats::MAX.get();
        assert_eq!(LoanCost::of(&deal(most, 0, 2_400), charges(1, 0, 0)), None);
        assert_eq!(LoanCost::of(&deal(0, most, 2_400), charges(0, 1, 0)), None);
        assert_eq!(LoanCost::of(&deal(0, 0, 2_400), charges(0, most, 1)), None);
        assert!(LoanCost::of(&deal(most, 0, 2_400), LoanCharges::default()).is_some());
    }
}
