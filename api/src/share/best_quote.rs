//! The best offer of a collection that anyone can take.

use domain::{InterestRate, OfferId, Sats};
use engine::wire::{Percent, ProcessName, Quotes, Row};

/// The best offer of a collection, from its last published row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestQuote {
    /// Its id.
    pub offer: OfferId,
    /// Its process type.
    pub process: ProcessName,
    /// The principal that can be taken of it.
    pub principal: Sats,
    /// The interest for the whole term.
    pub interest: Percent,
    /// The days until the loan is due.
    pub term_days: u16,
    /// The LTV at the current price.
    pub ltv: Option<Percent>,
}

impl BestQuote {
    /// Returns the offer with the largest principal, of two the instant one, which needs no counter-signature; `None` if
    /// there is no offer.
    #[must_use]
    pub fn of(row: &Row) -> Option<Self> {
        let manual = row.manual.as_ref().and_then(|quotes| Self::among(quotes, ProcessName::Manual));
        let instant = row.instant.as_ref().and_then(|quotes| Self::among(quotes, ProcessName::Instant));
        // The last of equal ones.
        [manual, instant].into_iter().flatten().max_by_key(|quote| quote.principal)
    }

    /// Returns the best offer of one process type.
    #[must_use]
    pub fn among(quotes: &Quotes, process: ProcessName) -> Option<Self> {
        Some(Self {
            offer: quotes.best_offer_id?.0,
            process,
            principal: quotes.best_offer?,
            interest: quotes.interest?,
            term_days: quotes.term?,
            ltv: quotes.ltv,
        })
    }

    /// Returns the interest in sats, as a loan charges it; `None` if it is beyond every amount of bitcoin.
    #[must_use]
    pub fn interest_sats(&self) -> Option<Sats> {
        let basis_points = u32::try_from(self.interest.hundredths()).ok()?;
        InterestRate::from_basis_points(basis_points).of(self.principal)
    }

    /// Returns the sum to repay: principal and interest.
    #[must_use]
    pub fn repayment(&self) -> Option<Sats> {
        self.interest_sats().map(|interest| self.principal.saturating_add(interest))
    }
}

#[cfg(test)]
mod tests {
    use super::super::row_example::{quoted_row, quotes, row};
    use super::*;

    #[test]
    fn the_largest_principal_is_best_and_of_two_the_instant_one() {
        let best = |manual, instant| {
            let row = Row { manual: Some(quotes(manual)), instant: Some(quotes(instant)), ..row("a") };
            BestQuote::of(&row).map(|quote| (quote.process, quote.principal.get()))
        };
        assert_eq!(best(None, None), None);
        assert_eq!(best(Some(2), None), Some((ProcessName::Manual, 2)));
        assert_eq!(best(Some(2), Some(1)), Some((ProcessName::Manual, 2)));
        assert_eq!(best(Some(2), Some(2)), Some((ProcessName::Instant, 2)));
    }

    #[test]
    fn the_repayment_is_principal_and_interest() {
        let quote = BestQuote::of(&quoted_row("a", 500_000)).unwrap();
        assert_eq!(quote.interest_sats(), Some(Sats::new(6_000)));
        assert_eq!(quote.repayment(), Some(Sats::new(506_000)));
        assert_eq!(BestQuote { interest: Percent::from_hundredths(-1), ..quote }.repayment(), None);
    }
}
