//! The signers' signatures for a vault's outputs.

use bitcoin::{TapSighashType, taproot};
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::signatures::{SignatureError, Signatures, TransactionMismatch};
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::vault_signers::VaultSigners;
use signer::request::SignedTransaction;

/// Returns the signatures, each of which is checked.
///
/// # Errors
/// A signature that is by none of the signers, or none at all.
pub(crate) fn checked<E>(
    template: &Template,
    signed: &SignedTransaction,
    signers: &VaultSigners,
) -> Result<Signatures, E>
where
    E: From<SignatureError> + From<TransactionMismatch> + From<FinishError>,
{
    let mut all: Option<Signatures> = None;
    for made in &signed.signatures {
        let signature = taproot::Signature { signature: made.signature, sighash_type: TapSighashType::Default };
        let checked = template.check_signature_by_one(made.index, signers.keys(), &signature)?;
        all = Some(match all {
            Some(others) => others.merge(checked)?,
            None => checked,
        });
    }
    all.ok_or_else(|| FinishError::MissingSignature { index: 0 }.into())
}
