//! The kit of a vault's lender, which exits the vault.

use bitcoin::{Amount, FeeRate, Network, OutPoint, ScriptBuf, Transaction};

use super::rebuild::{RebuildError, rate, same};
use crate::contract::transaction::coin::CoinKey;
use crate::contract::transaction::template::Template;
use crate::contract::vault::Vault;
use crate::contract::vault::vault_exit::{ExitError, VaultExit};

/// The data that the lender needs to exit a vault alone, except the key.
///
/// It names no outputs: a vault is funded more than once, and a node finds them all by their script. Nor does it name
/// an address, which nothing on chain could confirm.
#[derive(Clone, Debug)]
pub struct VaultKit {
    network: Network,
    vault: Vault,
}

impl VaultKit {
    /// Builds the kit of a vault.
    #[must_use]
    pub const fn new(network: Network, vault: Vault) -> Self {
        Self { network, vault }
    }

    /// The network of the vault.
    #[must_use]
    pub const fn network(&self) -> Network {
        self.network
    }

    /// The vault.
    #[must_use]
    pub const fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The default receiving script of an exit: the lender's own ordinals address.
    #[must_use]
    pub fn ordinals_script(&self) -> ScriptBuf {
        CoinKey::P2tr(self.vault.terms().lender).script_pubkey()
    }

    /// Builds the exit of these outputs of the vault to the script that the lender chooses.
    ///
    /// # Errors
    /// Those of [`VaultExit::build`].
    pub fn exit(
        &self,
        outputs: &[(OutPoint, Amount)],
        destination: &ScriptBuf,
        fee_rate: FeeRate,
    ) -> Result<Template, ExitError> {
        VaultExit { vault: &self.vault, outputs, destination, fee_rate }.build()
    }

    /// Rebuilds an exit that was handed out before, from the outputs of the vault that it spends, as the chain has
    /// them.
    ///
    ///
    /// # Errors
    /// If it is any other transaction.
    pub fn rebuild_exit(
        &self,
        unsigned: &Transaction,
        outputs: &[(OutPoint, Amount)],
        destination: &ScriptBuf,
    ) -> Result<Template, RebuildError> {
        let mut ordered = Vec::with_capacity(outputs.len());
        for (index, input) in unsigned.input.iter().enumerate() {
            let outpoint = input.previous_output;
            let output = outputs.iter().find(|output| output.0 == outpoint);
            ordered.push(*output.ok_or(RebuildError::UnknownInput { index, outpoint })?);
        }
        let fee_rate = rate(unsigned, &self.vault.spends(&ordered, self.vault.exit_leaf()))?;
        same(self.exit(&ordered, destination, fee_rate)?, unsigned)
    }
}
