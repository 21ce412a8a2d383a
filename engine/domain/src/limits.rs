//! The market's limits, each configurable (`limits.*`), with their defaults.

use serde::{Deserialize, Serialize};

use crate::{
    CollateralType, InterestRate, LoanTerms, Ltv, NegotiationRejection, ProcessType, Rejection, Sats, TermDays, UnixMs,
};

/// The limits of offers and reservations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The smallest offer against an inscription.
    pub min_offer_inscription_sats: Sats,
    /// The smallest manual offer against runes.
    pub min_offer_rune_sats: Sats,
    /// The smallest manual offer against BRC-20 tokens.
    pub min_offer_brc20_sats: Sats,
    /// The smallest instant offer against runes, and the smallest part of one that can be taken.
    pub min_offer_instant_rune_sats: Sats,
    /// The largest offer.
    pub max_offer_sats: Sats,
    /// The highest interest that can be negotiated.
    pub negotiated_interest_max: InterestRate,
    /// The longest term that can be negotiated.
    pub negotiated_term_max: TermDays,
    /// The maximum number of offers that one request creates for a sub-collection.
    pub count_max: u8,
    /// The maximum number of offers of one lender in one book.
    pub offers_per_lender_max: u16,
    /// The maximum number of simultaneous reservations in one book.
    pub reservations_max: usize,
}

impl Limits {
    /// The LTV that an offer's own LTV must stay below ("must not reach 99").
    pub const OFFER_LTV_END: Ltv = Ltv::from_basis_points(9_900);
    /// The minimum gap between the LTV of an instant rune offer and its cap, in basis points.
    pub const RUNE_LTV_GAP: u32 = 400;
    /// The default gap between the LTV and the proposed cap, in basis points.
    pub const DEFAULT_CAP_OFFSET: u32 = 1_000;

    /// The least time for which a lender can make an offer good, in milliseconds.
    pub const GOOD_FOR_MIN_MS: u64 = 10 * 60 * 1_000;
    /// The most time for which a lender can make an offer good, in milliseconds: a year.
    pub const GOOD_FOR_MAX_MS: u64 = 365 * 24 * 60 * 60 * 1_000;

    /// Checks the time until which an offer is to be good.
    ///
    /// # Errors
    /// [`Rejection::GoodUntilOutOfRange`].
    pub fn check_good_until(good_until: Option<UnixMs>, now: UnixMs) -> Result<(), Rejection> {
        good_until.map_or(Ok(()), |at| Self::check_time(at, now, Self::GOOD_FOR_MAX_MS))
    }

    /// Checks a time until which an offer or a request is to be good: 10 minutes from now at the least, `longest_ms` at
    /// the most.
    ///
    /// # Errors
    /// [`Rejection::GoodUntilOutOfRange`].
    pub(crate) fn check_time(at: UnixMs, now: UnixMs, longest_ms: u64) -> Result<(), Rejection> {
        let (min, max) = (now.plus_ms(Self::GOOD_FOR_MIN_MS), now.plus_ms(longest_ms));
        if (min..=max).contains(&at) { Ok(()) } else { Err(Rejection::GoodUntilOutOfRange { min, max }) }
    }

    /// Checks a principal of which `min` is the smallest.
    ///
    /// # Errors
    /// [`Rejection::BelowMinOffer`], [`Rejection::AboveMaxOffer`].
    pub(crate) fn check_principal(&self, principal: Sats, min: Sats) -> Result<(), Rejection> {
        let max = self.max_offer_sats;
        if principal < min {
            return Err(Rejection::BelowMinOffer { min });
        }
        if principal > max { Err(Rejection::AboveMaxOffer { max }) } else { Ok(()) }
    }

    /// Checks an interest and a term that are not those of a sub-collection: 0.01 % and a day at the least.
    ///
    /// # Errors
    /// [`NegotiationRejection::InterestOutOfRange`], [`NegotiationRejection::TermOutOfRange`].
    pub(crate) fn check_negotiated(&self, terms: LoanTerms) -> Result<(), NegotiationRejection> {
        let (interest_max, term_max) = (self.negotiated_interest_max, self.negotiated_term_max);
        if terms.interest.basis_points() == 0 || terms.interest > interest_max {
            return Err(NegotiationRejection::InterestOutOfRange { max: interest_max });
        }
        let is_in_range = (1..=term_max.0).contains(&terms.days.0);
        if is_in_range { Ok(()) } else { Err(NegotiationRejection::TermOutOfRange { max: term_max }) }
    }

    /// The smallest offer of this kind.
    #[must_use]
    pub const fn min_offer(&self, collateral: &CollateralType, process: ProcessType) -> Sats {
        match (collateral, process) {
            (CollateralType::Inscription, _) => self.min_offer_inscription_sats,
            (CollateralType::Rune { .. }, ProcessType::Instant) => self.min_offer_instant_rune_sats,
            (CollateralType::Rune { .. }, ProcessType::Manual) => self.min_offer_rune_sats,
            (CollateralType::Brc20 { .. }, _) => self.min_offer_brc20_sats,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            min_offer_inscription_sats: Sats::new(30_000),
            min_offer_rune_sats: Sats::new(50_000),
            min_offer_brc20_sats: Sats::new(50_000),
            min_offer_instant_rune_sats: Sats::new(20_000),
            max_offer_sats: Sats::new(2_000_000_000),
            negotiated_interest_max: InterestRate::from_basis_points(10_000),
            negotiated_term_max: TermDays(365),
            count_max: 5,
            offers_per_lender_max: 500,
            reservations_max: 10_000,
        }
    }
}
