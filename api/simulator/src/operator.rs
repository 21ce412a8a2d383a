//! The interface through which the simulation receives coins and collateral from the operator of the market.

use std::future::Future;

use bitcoin::{OutPoint, Script};
use domain::{GroupId, Sats};
use engine::Refusal;
use engine::asset_index::InscriptionId;
use engine::chain::ChainError;
use thiserror::Error;

use devchain::ControlError;

/// A gift to a simulated user on the demo's chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoGift {
    /// Plain bitcoin.
    Coins(Sats),
    /// A new inscription of a group, alone in its output.
    Inscription(GroupId),
    /// Runes of a group, in raw units.
    Runes(GroupId, u128),
    /// A BRC-20 balance of a group that is not in a transfer inscription, in raw units.
    Balance(GroupId, u128),
    /// The same in a transfer inscription in an output of its own.
    TransferInscription(GroupId, u128),
}

/// A gift that is broadcast: the next block confirms it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// The output that holds it.
    pub outpoint: OutPoint,
    /// The inscription on that output, if it carries one.
    pub inscription: Option<InscriptionId>,
}

/// The reason why a gift failed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GiveError {
    /// The group does not exist.
    #[error("the demo lists no group {0}")]
    UnknownGroup(GroupId),
    /// The group has another kind of collateral.
    #[error("the group {0} is of another kind")]
    OtherKind(GroupId),
    /// The chain's faucet cannot pay for it.
    #[error(transparent)]
    Faucet(#[from] ControlError),
    /// The market refuses the inscription as one of the group.
    #[error("the inscription cannot be listed: {0}")]
    Listing(#[from] Refusal),
    /// The chain refuses the transaction.
    #[error(transparent)]
    Chain(#[from] ChainError),
}

/// The source of the assets that real users would bring along.
pub trait Operator: Send + Sync + 'static {
    /// Returns the confirmed plain coins of a script, as any block explorer shows them.
    ///
    /// # Errors
    /// [`GiveError::Chain`], when the chain cannot be reached.
    fn balance(&self, of: &Script) -> impl Future<Output = Result<Sats, GiveError>> + Send;

    /// Sends a gift to a script. No block is mined for it: it waits for the next one.
    ///
    /// # Errors
    /// [`GiveError`].
    fn give(&self, to: &Script, gift: DemoGift) -> impl Future<Output = Result<Given, GiveError>> + Send;
}
