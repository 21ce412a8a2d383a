//! The market's limits (SPEC sections 5 and 9). Minimum offers are not public; ours are configuration with these defaults.

use serde::{Deserialize, Serialize};

use crate::{CollateralType, Ltv, ProcessType, Sats};

/// What an offer must keep to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Smallest offer against an inscription.
    pub min_offer_inscription_sats: Sats,
    /// Smallest manual offer against runes.
    pub min_offer_rune_sats: Sats,
    /// Smallest manual offer against BRC-20 tokens.
    pub min_offer_brc20_sats: Sats,
    /// Smallest instant offer against runes, and the smallest part of one that can be taken.
    pub min_offer_instant_rune_sats: Sats,
    /// Largest offer.
    pub max_offer_sats: Sats,
    /// Most offers one request makes for a sub-collection.
    pub count_max: u8,
    /// Most offers of one lender in one book.
    pub offers_per_lender_max: u16,
    /// Most reservations in one book at a time.
    pub reservations_max: usize,
}

impl Limits {
    /// An offer's own LTV must stay below this ("must not reach 99").
    pub const OFFER_LTV_END: Ltv = Ltv::from_basis_points(9_900);
    /// Instant rune offers leave at least this much between their LTV and their cap, in basis points.
    pub const RUNE_LTV_GAP: u32 = 400;
    /// How far above the LTV the cap is proposed, in basis points.
    pub const DEFAULT_CAP_OFFSET: u32 = 1_000;

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
            count_max: 5,
            offers_per_lender_max: 500,
            reservations_max: 10_000,
        }
    }
}
