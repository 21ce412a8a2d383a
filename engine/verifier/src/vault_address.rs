//! The check of the vault that a `move vault` message leads to: its address follows from the user's key and the keys of
//! signers that the policy in the message names, and from nothing that the server chose.

use std::collections::BTreeSet;

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::secp256k1::schnorr;
use bitcoin::{Address, Network, XOnlyPublicKey};
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::key_purpose::KeyPurpose;
use escrow::policy_signers::PolicySigners;
use serde::{Deserialize, Serialize};

use crate::text_value::TextValue;

/// A vault as a server describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DescribedVault {
    /// The network of the site.
    pub network: TextValue<Network>,
    /// The lender's id in the script.
    pub lender_id: u64,
    /// The user's own ordinals key.
    pub ordinals_key: TextValue<XOnlyPublicKey>,
    /// The hash of the policy, as it is in the message.
    pub policy_hash: TextValue<sha256::Hash>,
    /// The policy.
    pub policy: String,
    /// The keys of the signers.
    pub signers: Vec<DescribedSigner>,
    /// The address, as it is in the message.
    pub address: String,
}

/// A signer's key in the script.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedSigner {
    /// The key.
    pub key: TextValue<XOnlyPublicKey>,
    /// The identity of the signer; `None` for a single one.
    pub signer: Option<TextValue<XOnlyPublicKey>>,
    /// The attestation of the key.
    pub attestation: Option<TextValue<schnorr::Signature>>,
}

/// The answer: the signers of the vault, or the reason why it is not as described.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum VaultAnswer {
    /// The address is that of the vault.
    #[serde(rename_all = "camelCase")]
    Agrees {
        /// The number of signers that sign each payment.
        required: usize,
        /// The number of signers.
        count: usize,
        /// Whether the policy names the signers, so that the keys are known to be theirs.
        is_attested: bool,
    },
    /// It is not.
    Disagrees {
        /// The reason.
        reason: String,
    },
}

/// Checks a description in JSON and returns the answer in JSON.
#[must_use]
pub(crate) fn run(task: &[u8]) -> String {
    let answer = match answered(task) {
        Ok(answer) => answer,
        Err(reason) => VaultAnswer::Disagrees { reason },
    };
    // An answer of texts and numbers always serializes. An empty text is none, which is a refusal too.
    serde_json::to_string(&answer).unwrap_or_default()
}

fn answered(task: &[u8]) -> Result<VaultAnswer, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Task {
        vault: DescribedVault,
    }
    let task: Task = serde_json::from_slice(task).map_err(|error| format!("the description is unreadable: {error}"))?;
    check(&task.vault)
}

/// Derives the address of a vault again and compares it.
///
/// # Errors
/// The reason why the vault is not as described.
pub fn check(vault: &DescribedVault) -> Result<VaultAnswer, String> {
    if sha256::Hash::hash(vault.policy.as_bytes()) != vault.policy_hash.0 {
        return Err("the policy is not the one that the message names".to_owned());
    }
    let policy = PolicySigners::read(&vault.policy).ok_or("the policy is of another version")?;
    if policy.network != vault.network.0 {
        return Err(format!("the policy is for {}", policy.network));
    }
    let is_attested = !policy.identities.is_empty();
    if is_attested {
        check_attestations(vault, &policy)?;
    } else if vault.signers.len() != 1 {
        return Err("the policy is of one signer, and there are keys of several".to_owned());
    }
    let keys = vault.signers.iter().map(|signer| signer.key.0);
    let signers = VaultSigners::new(policy.required, keys).map_err(|error| error.to_string())?;
    let terms = VaultTerms { lender_id: vault.lender_id, signers, lender: vault.ordinals_key.0 };
    let derived = Vault::new(terms).map_err(|error| error.to_string())?;
    let address = Address::from_script(&derived.output().script_pubkey(), policy.network);
    let address = address.map_err(|error| error.to_string())?.to_string();
    if address != vault.address {
        return Err(format!("the vault of these keys is at {address}"));
    }
    Ok(VaultAnswer::Agrees { required: policy.required, count: vault.signers.len(), is_attested })
}

/// Checks that there is exactly one key of each identity in the policy, which attests it for this lender.
fn check_attestations(vault: &DescribedVault, policy: &PolicySigners) -> Result<(), String> {
    let purpose = KeyPurpose::Vault { network: policy.network, lender_id: vault.lender_id };
    let mut seen = BTreeSet::new();
    for DescribedSigner { key, signer, attestation } in &vault.signers {
        let (Some(TextValue(signer)), Some(TextValue(attestation))) = (signer, attestation) else {
            return Err("a signer's key is not attested".to_owned());
        };
        if !policy.identities.contains(signer) || !purpose.is_attested(key.0, signer, attestation) {
            return Err("a key is of no signer that the policy names".to_owned());
        }
        seen.insert(*signer);
    }
    if seen.len() == policy.identities.len() && vault.signers.len() == seen.len() {
        Ok(())
    } else {
        Err("there is not one key of each signer".to_owned())
    }
}
