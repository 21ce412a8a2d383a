//! The opening of a vault: the lender's signed message goes to the signer, and its answer into the journal.

use bitcoin::XOnlyPublicKey;
use domain::{AccountRejection, UserId, VaultKeys};
use engine::wire::VaultView;
use engine::{Market, Refusal};
use escrow::contract::vault::{Vault, VaultError, VaultTerms};
use signer::vault_signer::{SignerError, VaultSigner};
use thiserror::Error;

use crate::instant_offers::service::SignedAction;
use crate::vaults::vault;

/// A lender's request for a vault. The caller has checked the signature and the addresses; the signer checks them
/// again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenVaultRequest {
    /// The vault's owner.
    pub lender: UserId,
    /// The lender's ordinals key, part of the vault's script.
    pub ordinals_key: XOnlyPublicKey,
    /// The address that withdrawals pay.
    pub payment_address: String,
    /// The lender's signed `open vault` message, by the ordinals address.
    pub message: SignedAction,
}

/// The reason why no vault was opened. The same message can be sent again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpenVaultError {
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
    /// The signer refuses, or did not answer.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The vault's terms are invalid.
    #[error(transparent)]
    InvalidTerms(#[from] VaultError),
    /// The signer's script is not that of these keys: deposits would go to another vault than the one displayed.
    #[error("the signer's vault script does not match these keys")]
    OtherScript,
}

/// Opens a lender's vault, or changes its payment address. Idempotent for the same message.
///
/// The signer comes first, so that it knows every vault in the journal.
pub async fn open_vault<S: VaultSigner>(
    market: &Market,
    signer: &S,
    request: OpenVaultRequest,
) -> Result<VaultView, OpenVaultError> {
    let OpenVaultRequest { lender, ordinals_key, payment_address, message } = request;
    let signers = signer.vault_signers(lender.0).await?;
    let keys =
        VaultKeys { signers: vault::signer_keys(&signers), lender_key: ordinals_key.serialize(), payment_address };
    let vault = Vault::new(VaultTerms { lender_id: lender.0, signers, lender: ordinals_key })?;
    let script = signer.open_vault(lender.0, ordinals_key, message.text).await?;
    if script != vault.output().script_pubkey() {
        return Err(OpenVaultError::OtherScript);
    }
    match market.open_vault(lender, keys.clone(), message.nonce_use).await {
        // The first answer was lost: the message was carried out.
        Err(Refusal::Account(AccountRejection::NonceUsed)) => {
            let ledger = market.vault_ledger(lender).await;
            let is_done = ledger.is_some_and(|ledger| ledger.keys() == Some(&keys));
            let view = if is_done { market.vault(lender).await } else { None };
            Ok(view.ok_or(Refusal::Account(AccountRejection::NonceUsed))?)
        }
        opened => Ok(opened?),
    }
}
