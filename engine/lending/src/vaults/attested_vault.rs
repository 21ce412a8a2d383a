//! A vault with what shows whose keys are in it: its address follows from keys that its signers attest.

use bitcoin::Network;
use domain::UserId;
use escrow::contract::vault::{Vault, VaultError};
use signer::identity::AttestedKey;
use signer::request::Description;
use signer::vault_signer::{SignerError, VaultSigner};
use thiserror::Error;

use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;
use crate::vaults::vault::{self, LenderVault, NoVault};

/// A vault as its signers describe it.
#[derive(Clone, Debug)]
pub struct AttestedVault {
    /// Its script.
    pub contract: Vault,
    /// Its address.
    pub address: String,
    /// The attested keys in it; none of a single signer.
    pub keys: Vec<AttestedKey>,
    /// The policy of the signers.
    pub policy: Description,
}

/// The reason why a vault is not described.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AttestedVaultError {
    /// There is no vault.
    #[error(transparent)]
    NoVault(#[from] NoVault),
    /// A signer refuses or does not answer; each has a key in the script.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// There is no vault of these keys.
    #[error(transparent)]
    InvalidTerms(#[from] VaultError),
    /// The signers have another script for these keys: a deposit would go to another vault.
    #[error("the signers' vault script does not match their keys")]
    OtherScript,
}

impl AttestedVault {
    /// Asks signers for the vault that a lender has, or would have, with them.
    ///
    /// # Errors
    /// [`AttestedVaultError`].
    pub(crate) async fn at<S: VaultSigner>(
        signer: &S,
        vault: &LenderVault,
        network: Network,
    ) -> Result<Self, AttestedVaultError> {
        let (signers, keys) = signer.attested_signers(vault.lender.0).await?;
        let contract = vault.at_other_signers(signers)?;
        let address = vault::address_of(&contract, network).ok_or(AttestedVaultError::OtherScript)?;
        Ok(Self { contract, address, keys, policy: signer.describe().await? })
    }
}

impl<P: Ports> LoanService<P> {
    /// Returns a lender's vault as the signers that hold it describe it now.
    ///
    /// # Errors
    /// [`AttestedVaultError`].
    pub async fn attested_vault(&self, lender: UserId) -> Result<AttestedVault, AttestedVaultError> {
        let vault = self.lender_vault(lender).await?;
        let signer = self.ports.signer().port_of(lender).await?;
        let attested = AttestedVault::at(signer, &vault, self.rules.network).await?;
        if attested.contract.output().script_pubkey() == vault.script_pubkey() {
            Ok(attested)
        } else {
            Err(AttestedVaultError::OtherScript)
        }
    }
}
