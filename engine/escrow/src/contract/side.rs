//! Who brings which coin, where two people sign one transaction.
//!
//! A wallet signs whatever is its own. If a coin of the lender's could stand among those that the borrower brings, the
//! lender would sign it away in good faith, and the other way round.

use bitcoin::{OutPoint, ScriptBuf, XOnlyPublicKey};
use thiserror::Error;

use super::coin::Coin;

/// One of the two, as far as the terms tell.
#[derive(Clone, Debug)]
pub(super) struct Side<'a> {
    /// The ordinals key in the contract.
    pub(super) key: XOnlyPublicKey,
    /// Where this side is paid.
    pub(super) scripts: Vec<ScriptBuf>,
    /// What this side brings.
    pub(super) coins: Vec<&'a Coin>,
}

/// A coin is brought by one side and belongs to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the coin {0} is brought by one side, and belongs to the other")]
pub struct OthersCoin(pub OutPoint);

impl Side<'_> {
    /// Refuses a coin that the other side could sign for.
    pub(super) fn must_not_share(&self, other: &Side<'_>) -> Result<(), OthersCoin> {
        let taken = self.coins.iter().find(|coin| other.names(coin));
        let given = || other.coins.iter().find(|coin| self.names(coin));
        let of_own_key = |coin: &&&Coin| self.coins.iter().any(|own| own.key.x_only() == coin.key.x_only());
        match taken.or_else(given).or_else(|| other.coins.iter().find(of_own_key)) {
            Some(coin) => Err(OthersCoin(coin.outpoint)),
            None => Ok(()),
        }
    }

    /// Whether the terms say that this coin is this side's.
    fn names(&self, coin: &Coin) -> bool {
        self.key == coin.key.x_only() || self.scripts.contains(&coin.output.script_pubkey)
    }
}
