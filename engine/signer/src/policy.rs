//! The operator's policy of what the signer may sign, and the hash of it that lenders sign.

use std::fmt::Write as _;

use bitcoin::address::NetworkUnchecked;
use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::{Address, Amount, FeeRate, Network, ScriptBuf, XOnlyPublicKey};
use escrow::contract::vault::vault_signers::VaultSignersError;
use escrow::policy_signers::{PolicySigners, rule};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::as_text;
use crate::master_seed::{MasterSeed, UnusableKey};
use crate::signer_set::{SignerSet, SignerSetDraft};

/// The limits of the vaults' outflow: they bound the cost of a mistake, and the share that one vault can take from
/// others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The maximum principal of one loan, in sats.
    pub loan_max_sats: u64,
    /// The maximum that leaves all vaults together within any hour, in sats.
    pub hour_max_sats: u64,
    /// The maximum number of transactions that are signed within any hour.
    pub hour_max_count: u32,
    /// The maximum that leaves one vault within any hour, in sats.
    pub vault_hour_max_sats: u64,
    /// The maximum number of transactions that are signed for one vault within any hour; by default a tenth of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vault_hour_max_count: Option<u32>,
    /// The percentage of the hour's transactions that loans leave to withdrawals and withdrawals to loans, and of the
    /// hour's sats that loans leave to withdrawals; by default 25.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_percent: Option<u8>,
}

/// The divisor of the hour's transactions for the default share of one vault.
const VAULTS_IN_AN_HOUR: u32 = 10;
/// The minimum of that default share.
const VAULT_COUNT_MIN: u32 = 4;
/// The default percentage that loans and withdrawals leave each other.
const KEPT_PERCENT: u8 = 25;

impl Limits {
    /// Returns the maximum number of transactions that are signed for one vault within an hour.
    #[must_use]
    pub fn count_of_vault(&self) -> u32 {
        let share = (self.hour_max_count / VAULTS_IN_AN_HOUR).max(VAULT_COUNT_MIN);
        self.vault_hour_max_count.unwrap_or(share).min(self.hour_max_count)
    }

    /// Returns the maximum number of transactions of one kind, loans or withdrawals, within an hour. At least one.
    #[must_use]
    pub fn count_of_kind(&self) -> u32 {
        let count = u64::from(self.hour_max_count) * self.open_percent();
        u32::try_from(count.div_ceil(100)).unwrap_or(u32::MAX)
    }

    /// Returns the maximum that leaves all vaults by loans within an hour, in sats.
    #[must_use]
    pub fn loans_sats(&self) -> u64 {
        let sats = u128::from(self.hour_max_sats) * u128::from(self.open_percent());
        u64::try_from(sats / 100).unwrap_or(u64::MAX)
    }

    fn open_percent(&self) -> u64 {
        100_u64.saturating_sub(u64::from(self.kept_percent.unwrap_or(KEPT_PERCENT)))
    }
}

/// The policy as it is configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyDraft {
    /// The network, by its name.
    #[serde(with = "as_text")]
    pub network: Network,
    /// The domain that signed messages must name.
    pub domain: String,
    /// The address for the platform's fee.
    pub platform_address: String,
    /// The maximum platform fee, in hundredths of a percent of the interest.
    pub platform_fee_max_bps: u32,
    /// Seconds between the due time and the lender's claim.
    pub grace_seconds: u32,
    /// The tolerance in seconds between the requested claim time and the one that is computed at signing.
    pub claim_slack_seconds: u32,
    /// The lowest fee rate, in sats per 1,000 weight units.
    pub fee_rate_min_sat_per_kwu: u64,
    /// The highest fee rate, in sats per 1,000 weight units.
    pub fee_rate_max_sat_per_kwu: u64,
    /// The time for which an offer can be used after it was signed, in seconds.
    pub offer_age_max_seconds: u64,
    /// The limits of amounts and counts.
    pub limits: Limits,
    /// The signers that share the vaults; this one alone where they are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signers: Option<SignerSetDraft>,
}

/// The reason why a policy is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PolicyError {
    /// The address is not of the network.
    #[error("platform_address is no address of {network}")]
    PlatformAddress {
        /// The network of the policy.
        network: Network,
    },
    /// The platform would take more than the whole interest.
    #[error("platform_fee_max_bps is {found}, and all of the interest is 10000")]
    PlatformFee {
        /// The configured value.
        found: u32,
    },
    /// The minimum exceeds the maximum, or the maximum is excessive.
    #[error("fee rates from {min} to {max} sats per kwu leave none, or would burn the vault")]
    FeeRates {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// A part of the hour's transactions would be kept from loans and withdrawals alike.
    #[error("kept_percent is {found}, and may be 50")]
    KeptPercent {
        /// The configured value.
        found: u8,
    },
    /// The domain cannot occur in a message.
    #[error("domain must be 1 to 128 visible ASCII characters")]
    Domain,
    /// No set of signers has these identities.
    #[error("signers: {0}")]
    Signers(#[from] VaultSignersError),
    /// The policy is of other signers.
    #[error("signers.identities does not name this signer, {identity}")]
    ForeignSigners {
        /// The identity of this signer.
        identity: XOnlyPublicKey,
    },
    /// This signer has no identity.
    #[error(transparent)]
    Identity(#[from] UnusableKey),
}

/// The maximum `kept_percent`: above half, a part of the hour's transactions would be kept from both kinds.
const KEPT_PERCENT_MAX: u8 = 50;
/// 10,000 sats per virtual byte, above any intended fee rate.
const FEE_RATE_MAX_SAT_PER_KWU: u64 = 2_500_000;

/// A validated policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    draft: PolicyDraft,
    platform_script: ScriptBuf,
    signers: Option<SignerSet>,
    text: String,
}

impl Policy {
    /// Validates a draft. The text of a signer of its own contains the seed's fingerprint, so that two such signers never
    /// have the same hash; the text of shared vaults names all their signers, so that these have one.
    pub fn new(draft: PolicyDraft, seed: &MasterSeed) -> Result<Self, PolicyError> {
        let network = draft.network;
        let address = draft.platform_address.parse::<Address<NetworkUnchecked>>().ok();
        let address = address.and_then(|address| address.require_network(network).ok());
        let address = address.ok_or(PolicyError::PlatformAddress { network })?;
        if draft.platform_fee_max_bps > 10_000 {
            return Err(PolicyError::PlatformFee { found: draft.platform_fee_max_bps });
        }
        let (min, max) = (draft.fee_rate_min_sat_per_kwu, draft.fee_rate_max_sat_per_kwu);
        if min > max || max > FEE_RATE_MAX_SAT_PER_KWU {
            return Err(PolicyError::FeeRates { min, max });
        }
        if let Some(found) = draft.limits.kept_percent.filter(|percent| *percent > KEPT_PERCENT_MAX) {
            return Err(PolicyError::KeptPercent { found });
        }
        if draft.domain.is_empty()
            || draft.domain.len() > 128
            || !draft.domain.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return Err(PolicyError::Domain);
        }
        let signers = draft.signers.as_ref().map(SignerSet::new).transpose()?;
        if let Some(signers) = &signers {
            let identity = seed.identity()?.public_key();
            if !signers.identities().contains(&identity) {
                return Err(PolicyError::ForeignSigners { identity });
            }
        }
        let text = canonical_text(&draft, &address, signers.as_ref(), &seed.fingerprint());
        Ok(Self { platform_script: address.script_pubkey(), draft, signers, text })
    }

    /// Returns the public policy: one `Name: value` per line, without a trailing newline.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the SHA-256 of [`Policy::text`], which every instant offer names as its vault.
    #[must_use]
    pub fn hash(&self) -> sha256::Hash {
        sha256::Hash::hash(self.text.as_bytes())
    }

    /// Returns the configured values.
    #[must_use]
    pub const fn draft(&self) -> &PolicyDraft {
        &self.draft
    }

    /// Returns the signers that share the vaults; `None` for a signer of its own.
    #[must_use]
    pub const fn signers(&self) -> Option<&SignerSet> {
        self.signers.as_ref()
    }

    /// Returns the script of the platform's fee.
    #[must_use]
    pub const fn platform_script(&self) -> &ScriptBuf {
        &self.platform_script
    }

    /// Returns the maximum platform fee on this interest, rounded down: never more than its share.
    #[must_use]
    pub fn platform_fee_max(&self, interest: Amount) -> Amount {
        let product = u128::from(interest.to_sat()) * u128::from(self.draft.platform_fee_max_bps);
        Amount::from_sat(u64::try_from(product / 10_000).unwrap_or(0))
    }

    /// Returns whether a fee rate is allowed.
    #[must_use]
    pub fn allows_rate(&self, rate: FeeRate) -> bool {
        (self.draft.fee_rate_min_sat_per_kwu..=self.draft.fee_rate_max_sat_per_kwu).contains(&rate.to_sat_per_kwu())
    }
}

/// The signers that share the vaults, and what else a policy's text says of transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyText {
    /// The network.
    pub network: Network,
    /// The signers.
    pub signers: SignerSet,
    /// The script of the platform's fee.
    pub platform: ScriptBuf,
}

impl PolicyText {
    /// Reads the text of a policy; `None` where it is of a single signer, or of a later version.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let PolicySigners { network, required, identities } = PolicySigners::read(text)?;
        let platform: Address<NetworkUnchecked> = rule(text, "Platform address")?.parse().ok()?;
        let platform = platform.require_network(network).ok()?.script_pubkey();
        let signers = SignerSet::new(&SignerSetDraft { required, identities }).ok()?;
        Some(Self { network, signers, platform })
    }
}

fn canonical_text(
    draft: &PolicyDraft,
    platform: &Address,
    signers: Option<&SignerSet>,
    fingerprint: &sha256::Hash,
) -> String {
    let PolicyDraft { limits, .. } = draft;
    let (version, signer) = match signers {
        None => (1, ("Signer", fingerprint.to_string())),
        Some(signers) => {
            let identities: Vec<String> = signers.identities().iter().map(XOnlyPublicKey::to_string).collect();
            (2, ("Signers", format!("{} of {}", signers.required(), identities.join(" "))))
        }
    };
    let rules = [
        ("Network", draft.network.to_string()),
        ("Domain", draft.domain.clone()),
        signer,
        ("Platform address", platform.to_string()),
        ("Platform fee max bps of interest", draft.platform_fee_max_bps.to_string()),
        ("Grace seconds", draft.grace_seconds.to_string()),
        ("Claim slack seconds", draft.claim_slack_seconds.to_string()),
        ("Fee rate min sat per kwu", draft.fee_rate_min_sat_per_kwu.to_string()),
        ("Fee rate max sat per kwu", draft.fee_rate_max_sat_per_kwu.to_string()),
        ("Offer age max seconds", draft.offer_age_max_seconds.to_string()),
        ("Loan max sats", limits.loan_max_sats.to_string()),
        ("Hour max sats", limits.hour_max_sats.to_string()),
        ("Hour max count", limits.hour_max_count.to_string()),
        ("Vault hour max sats", limits.vault_hour_max_sats.to_string()),
    ];
    // Omitted values are derived from the rest, and keep the hash of policies that predate these limits.
    let count = limits.vault_hour_max_count.map(|count| ("Vault hour max count", count.to_string()));
    let kept = limits.kept_percent.map(|percent| ("Kept percent", percent.to_string()));
    let mut text = format!("Lienbook vault policy: {version}");
    for (name, value) in rules.into_iter().chain(count).chain(kept) {
        // Writing to a string never fails.
        let _ = write!(text, "\n{name}: {value}");
    }
    text
}
