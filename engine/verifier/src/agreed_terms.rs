//! The terms that the user has read and agreed to, as the screen showed them.

use bitcoin::{OutPoint, Txid};
use ordinals::RuneId;
use serde::Deserialize;

use crate::text_value::{IdText, TextValue};

/// A day in seconds.
const DAY_SECONDS: u64 = 86_400;
/// The days of grace and signing time that a claim time may add to the term; it is one, and at most half of another.
const EXTRA_DAYS_MAX: u64 = 3;

/// The terms of a loan that is about to begin.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgreedTerms {
    /// The loan.
    pub loan_id: IdText,
    /// The principal.
    pub principal_sats: u64,
    /// Principal and interest.
    pub payout_sats: u64,
    /// The time from which the lender may claim, in Unix seconds.
    pub claim_after_seconds: u32,
    /// The term from now on, in days; absent for an extension, whose term continues another.
    #[serde(default)]
    pub term_days: Option<u16>,
    /// The browser's clock, in Unix seconds.
    pub now_seconds: u64,
    /// The fee rate that the user chose, in sats per 1,000 weight units; absent where another side chose it.
    #[serde(default)]
    pub fee_rate_sat_per_kwu: Option<u64>,
    /// The platform fee that the lender was shown; absent for a borrower, who does not pay it.
    #[serde(default)]
    pub platform_fee_sats: Option<u64>,
    /// The interest that an extension pays now; absent for all other loans.
    #[serde(default)]
    pub interest_now_sats: Option<u64>,
    /// The collateral.
    pub collateral: AgreedCollateral,
}

/// The collateral that the user agreed to.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AgreedCollateral {
    /// Inscriptions.
    Inscriptions {
        /// The number of them.
        count: usize,
        /// The coins that the app showed them in, where it did.
        #[serde(default)]
        coins: Vec<AgreedCoin>,
    },
    /// An amount of a rune.
    Runes {
        /// The rune's id, where the screen has it.
        #[serde(default)]
        id: Option<TextValue<RuneId>>,
        /// The amount in raw units, where the screen has it.
        #[serde(default, rename = "amountRaw")]
        amount_raw: Option<TextValue<u128>>,
    },
    /// A BRC-20 balance.
    Brc20 {
        /// The ticker, where the screen has it.
        #[serde(default)]
        ticker: Option<String>,
    },
    /// The collateral of a running loan.
    RunningLoan {
        /// The loan.
        #[serde(rename = "loanId")]
        loan_id: IdText,
    },
}

/// An output that the app has shown as holding an inscription.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgreedCoin {
    /// The transaction.
    pub txid: TextValue<Txid>,
    /// The index of the output.
    pub vout: u32,
}

impl AgreedCoin {
    /// Returns the outpoint.
    #[must_use]
    pub const fn outpoint(&self) -> OutPoint {
        OutPoint { txid: self.txid.0, vout: self.vout }
    }
}

impl AgreedTerms {
    /// Whether the claim time leaves the whole term from now on, and not much more.
    #[must_use]
    pub fn has_plausible_claim_time(&self) -> bool {
        let Some(days) = self.term_days else { return true };
        let claim = u64::from(self.claim_after_seconds);
        let due = self.now_seconds.saturating_add(u64::from(days).saturating_mul(DAY_SECONDS));
        (due..=due.saturating_add(EXTRA_DAYS_MAX.saturating_mul(DAY_SECONDS))).contains(&claim)
    }
}
