//! The two sides of a transaction that both sign, and their coins.
//!
//! A wallet signs every input of its own. If a coin of the lender's could be among the borrower's coins, the lender
//! would sign it away unknowingly, and vice versa.

use bitcoin::{OutPoint, ScriptBuf, XOnlyPublicKey};
use thiserror::Error;

use super::coin::Coin;

/// One of the two sides, as given by the terms.
#[derive(Clone, Debug)]
pub(crate) struct Side<'a> {
    /// The ordinals key in the contract.
    pub(crate) key: XOnlyPublicKey,
    /// The scripts that pay this side.
    pub(crate) scripts: Vec<ScriptBuf>,
    /// The coins that this side contributes.
    pub(crate) coins: Vec<&'a Coin>,
}

/// A coin is contributed by one side and belongs to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the coin {0} is contributed by one side and belongs to the other")]
pub struct CounterpartyCoin(pub OutPoint);

impl Side<'_> {
    /// Refuses coins that the other side could sign for.
    pub(crate) fn check_disjoint(&self, other: &Side<'_>) -> Result<(), CounterpartyCoin> {
        let taken = self.coins.iter().find(|coin| other.owns(coin));
        let given = || other.coins.iter().find(|coin| self.owns(coin));
        let has_own_key = |coin: &&&Coin| self.coins.iter().any(|own| own.key.x_only() == coin.key.x_only());
        match taken.or_else(given).or_else(|| other.coins.iter().find(has_own_key)) {
            Some(coin) => Err(CounterpartyCoin(coin.outpoint)),
            None => Ok(()),
        }
    }

    /// Whether the terms assign this coin to this side.
    fn owns(&self, coin: &Coin) -> bool {
        self.key == coin.key.x_only() || self.scripts.contains(&coin.output.script_pubkey)
    }
}
