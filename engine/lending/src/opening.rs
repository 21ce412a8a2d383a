//! Opening a vault: the lender's word goes to the signer, and what it answers into the journal.

use bitcoin::XOnlyPublicKey;
use domain::{AccountRejection, UserId, VaultKeys};
use engine::wire::VaultView;
use engine::{Market, Refusal};
use escrow::contract::vault::{Vault, VaultError, VaultTerms};
use signer::vault_signer::{SignerError, VaultSigner};
use thiserror::Error;

use crate::quotes::Said;

/// A vault as its lender wants it. The signature and the addresses have been checked by the caller, and the signer checks
/// them again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Whose.
    pub lender: UserId,
    /// The lender's ordinals key, which stands in the vault's script.
    pub ordinals_key: XOnlyPublicKey,
    /// Where withdrawals go.
    pub payment_address: String,
    /// The lender's `open vault`, by the ordinals address.
    pub said: Said,
}

/// Why no vault was opened. Asked again with the same message, it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
    /// The signer refuses, or could not be asked.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// There can be no such vault.
    #[error(transparent)]
    Impossible(#[from] VaultError),
    /// Whoever paid to the signer's script would pay to another vault than the one that is shown.
    #[error("the signer's vault is not the one of these keys")]
    OtherScript,
}

/// Opens a lender's vault, or names another payment address for it. The same message again gives the same answer.
///
/// The signer comes first: a vault in the journal is one that it knows.
pub async fn open<S: VaultSigner>(market: &Market, signer: &S, opening: Opening) -> Result<VaultView, OpenError> {
    let Opening { lender, ordinals_key, payment_address, said } = opening;
    let signer_key = signer.public_key(lender.0).await?;
    let vault = Vault::new(VaultTerms { lender_id: lender.0, signer: signer_key, lender: ordinals_key })?;
    let script = signer.open_vault(lender.0, ordinals_key, said.text).await?;
    if script != vault.output().script_pubkey() {
        return Err(OpenError::OtherScript);
    }
    let (signer_key, lender_key) = (signer_key.serialize(), ordinals_key.serialize());
    let keys = VaultKeys { signer_key, lender_key, payment_address };
    match market.open_vault(lender, keys.clone(), said.burn).await {
        // The answer was lost: what the message says was done.
        Err(Refusal::Account(AccountRejection::NonceUsed)) => {
            let ledger = market.vault_ledger(lender).await;
            let is_done = ledger.is_some_and(|ledger| ledger.keys() == Some(&keys));
            let view = if is_done { market.vault(lender).await } else { None };
            Ok(view.ok_or(Refusal::Account(AccountRejection::NonceUsed))?)
        }
        opened => Ok(opened?),
    }
}
