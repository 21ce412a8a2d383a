//! What a lender pays from.

use bitcoin::{Amount, OutPoint, ScriptBuf, XOnlyPublicKey};

use super::coin::Coin;
use super::side::Side;
use super::template::Spend;
use super::vault::Vault;

/// What the lender pays from.
#[derive(Clone, Copy, Debug)]
pub enum Funding<'a> {
    /// A manual loan.
    Coins {
        /// The lender's confirmed coins, without inscriptions or runes.
        coins: &'a [Coin],
        /// Where the rest of them goes.
        change: &'a ScriptBuf,
    },
    /// An instant loan; the rest goes back to the vault.
    Vault {
        /// The lender's vault.
        vault: &'a Vault,
        /// Outputs that pay to it.
        outputs: &'a [(OutPoint, Amount)],
    },
}

impl<'a> Funding<'a> {
    /// Coins that must be their key's; a vault's outputs are by construction.
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

    /// The lender with this ordinals key, who brings it.
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
