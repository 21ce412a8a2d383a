//! The limits that the server sets for offers.

use domain::{CollateralType, ProcessType, Sats};
use serde::Deserialize;

/// The limits that the server publishes with its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Limits {
    /// The smallest offers.
    pub(crate) min_offer_sats: MinOfferSats,
}

/// The smallest offer of each kind, in sats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MinOfferSats {
    inscription: u64,
    rune: u64,
    brc20: u64,
    instant_rune: u64,
}

impl Limits {
    /// The smallest offer of this kind.
    pub(crate) fn min_principal(&self, collateral: &CollateralType, process: ProcessType) -> Sats {
        let least = &self.min_offer_sats;
        Sats::new(match (collateral, process) {
            (CollateralType::Inscription, _) => least.inscription,
            (CollateralType::Rune { .. }, ProcessType::Manual) => least.rune,
            (CollateralType::Rune { .. }, ProcessType::Instant) => least.instant_rune,
            (CollateralType::Brc20 { .. }, _) => least.brc20,
        })
    }

    /// Limits for tests: the same for every kind.
    #[cfg(test)]
    pub(crate) const fn all(least: u64) -> Self {
        let min_offer_sats = MinOfferSats { inscription: least, rune: least, brc20: least, instant_rune: least };
        Self { min_offer_sats }
    }
}
