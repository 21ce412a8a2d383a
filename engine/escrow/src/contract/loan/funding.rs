//! The lender's funding of a loan.

use bitcoin::{Amount, OutPoint, ScriptBuf, XOnlyPublicKey};

use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::side::Side;
use crate::contract::transaction::spend::Spend;
use crate::contract::vault::Vault;

/// The source of the lender's payment.
#[derive(Clone, Copy, Debug)]
pub enum Funding<'a> {
    /// Coins, for a manual loan.
    Coins {
        /// The lender's confirmed coins, without inscriptions or runes.
        coins: &'a [Coin],
        /// The script that receives the change.
        change: &'a ScriptBuf,
    },
    /// A vault, for an instant loan; the change returns to the vault.
    Vault {
        /// The lender's vault.
        vault: &'a Vault,
        /// Outputs that pay to it.
        outputs: &'a [(OutPoint, Amount)],
    },
}

impl<'a> Funding<'a> {
    /// The coins that must match their keys; a vault's outputs match by construction.
    pub(super) fn coins(&self) -> &'a [Coin] {
        match self {
            Self::Coins { coins, .. } => coins,
            Self::Vault { .. } => &[],
        }
    }

    /// The inputs.
    pub(super) fn spends(&self) -> Vec<Spend<'a>> {
        match *self {
            Self::Coins { coins, .. } => coins.iter().map(Spend::Coin).collect(),
            Self::Vault { vault, outputs } => vault.spends(outputs, vault.signer_leaf()),
        }
    }

    /// The lender's side, with this ordinals key.
    pub(super) fn side(&self, key: XOnlyPublicKey) -> Side<'a> {
        Side { key, scripts: vec![self.change()], coins: self.coins().iter().collect() }
    }

    /// The script that receives the change.
    pub(super) fn change(&self) -> ScriptBuf {
        match self {
            Self::Coins { change, .. } => (*change).clone(),
            Self::Vault { vault, .. } => vault.output().script_pubkey(),
        }
    }
}
