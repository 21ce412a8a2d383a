//! Vault signers in the server's own process, with keys, logs and a permissive policy in the data folder: for demos and
//! tests.

use std::path::{Path, PathBuf};

use bitcoin::Network;
use escrow::wallet_key::WalletKey;
use signer::key_file::{self, KeyFileError, Lock};
use signer::master_seed::{MasterSeed, UnusableKey};
use signer::policy::{Limits, Policy, PolicyDraft};
use signer::signer::Signer;
use signer::signer_set::SignerSetDraft;
use signer::term_sheet::TermSheet;

use crate::config::settings::Settings;
use crate::failure::Failure;

/// The name of the key file in the data folder.
const KEYS: &str = "vault.keys";
/// The name of the identity that unlocks the key file; in the same folder, so that a demo needs no passphrase.
const IDENTITY: &str = "vault.identity";
/// The name of the log of all signatures.
const LOG: &str = "vault.signed.jsonl";

/// A day, in seconds.
const DAY_S: u32 = 86_400;

/// The signers of a data folder.
pub(super) struct OwnSigners {
    /// Those that new vaults are opened with.
    pub(super) current: Vec<Signer>,
    /// The one that vaults had before, in a folder that began with one and has several now.
    pub(super) previous: Option<Signer>,
}

/// Opens the signers of the data folder, or creates them: one in the folder itself, several in a folder for each.
pub(super) fn open(settings: &Settings, domain: &str, sheet: &TermSheet) -> Result<OwnSigners, Failure> {
    let own = settings.data.clone();
    let current = match settings.signers_in_process {
        several @ 2.. => (1..=several).map(|number| own.join(format!("signer-{number}"))).collect(),
        _ => vec![own.clone()],
    };
    let has_previous = current.len() > 1 && own.join(KEYS).exists();
    let before = if has_previous { open_in(vec![own], settings, domain, sheet)?.pop() } else { None };
    Ok(OwnSigners { current: open_in(current, settings, domain, sheet)?, previous: before })
}

fn open_in(
    folders: Vec<PathBuf>,
    settings: &Settings,
    domain: &str,
    sheet: &TermSheet,
) -> Result<Vec<Signer>, Failure> {
    let seeds = folders.iter().map(|folder| seed(folder)).collect::<Result<Vec<_>, _>>().map_err(Failure::new)?;
    let platform_address = match platform_address(settings)? {
        Some(address) => address,
        None => demo_address(settings.network)?,
    };
    let mut draft = draft(settings.network, domain, platform_address);
    if seeds.len() > 1 {
        let identities = seeds.iter().map(|seed| Ok(seed.identity()?.public_key()));
        let identities = identities.collect::<Result<_, UnusableKey>>().map_err(Failure::new)?;
        draft.signers = Some(SignerSetDraft { required: settings.signers_required, identities });
    }
    let open = |(folder, seed): (PathBuf, MasterSeed)| {
        let policy = Policy::new(draft.clone(), &seed).map_err(Failure::new)?;
        let log = folder.join(LOG);
        if log.exists() {
            // No other server can ask it, whatever journal this one used before.
            Signer::forget_epoch(&log).map_err(Failure::new)?;
        }
        let (signer, _) = Signer::open(seed, policy, sheet.clone(), &log).map_err(Failure::new)?;
        Ok(signer)
    };
    folders.into_iter().zip(seeds).map(open).collect()
}

/// Returns the address of the platform, with a default for a signer in this process.
pub(super) fn platform_address(settings: &Settings) -> Result<Option<String>, Failure> {
    match &settings.platform_address {
        Some(address) => Ok(Some(address.clone())),
        None if settings.signer_in_process => demo_address(settings.network).map(Some),
        None => Ok(None),
    }
}

/// Returns an address with a publicly known key, which must never receive real bitcoin.
fn demo_address(network: Network) -> Result<String, Failure> {
    let wallet = WalletKey::from_seed([0xf3; 32], network).map_err(Failure::new)?;
    Ok(wallet.payment_address().to_string())
}

/// Returns the seed of the folder, which is created at the first start.
fn seed(folder: &Path) -> Result<MasterSeed, KeyFileError> {
    std::fs::create_dir_all(folder).map_err(|source| KeyFileError::File { path: folder.to_owned(), source })?;
    let (keys, identity) = (folder.join(KEYS), folder.join(IDENTITY));
    let lock = if identity.exists() { Lock::identity_file(&identity) } else { key_file::create_identity(&identity) };
    let lock = lock?;
    if keys.exists() { key_file::open(&keys, &lock) } else { key_file::create(&keys, &lock) }
}

/// Returns a policy with limits that no demo reaches.
fn draft(network: Network, domain: &str, platform_address: String) -> PolicyDraft {
    const ALL_SATS: u64 = 21_000_000 * 100_000_000;
    PolicyDraft {
        network,
        domain: domain.to_owned(),
        platform_address,
        platform_fee_max_bps: 2_000,
        grace_seconds: DAY_S,
        claim_slack_seconds: 7_200,
        fee_rate_min_sat_per_kwu: 25,
        fee_rate_max_sat_per_kwu: 250_000,
        offer_age_max_seconds: 90 * u64::from(DAY_S),
        limits: Limits {
            loan_max_sats: 2_000_000_000,
            hour_max_sats: ALL_SATS,
            hour_max_count: 10_000_000,
            vault_hour_max_sats: ALL_SATS,
            vault_hour_max_count: None,
            kept_percent: None,
        },
        signers: None,
    }
}
