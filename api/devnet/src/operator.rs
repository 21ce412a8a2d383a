//! What the simulation asks of whoever runs the market.

use std::future::Future;

use bitcoin::{OutPoint, Script};
use domain::{GroupId, Sats};
use engine::Refusal;
use engine::asset_index::InscriptionId;
use engine::chain::ChainError;
use thiserror::Error;

use crate::chain::ControlError;

/// Something that people of the demo are given on its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoGift {
    /// Plain bitcoin.
    Coins(Sats),
    /// A new inscription of a group, alone on its output.
    Inscription(GroupId),
    /// Runes of a group, in raw units.
    Runes(GroupId, u128),
    /// A BRC-20 balance of a group that is free to be written into notes, in raw units.
    Balance(GroupId, u128),
    /// The same in a transfer note on an output of its own.
    Note(GroupId, u128),
}

/// A gift on its way: the next block confirms it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// The output that brings it.
    pub outpoint: OutPoint,
    /// The inscription on that output, if it carries one.
    pub inscription: Option<InscriptionId>,
}

/// Why nothing was given.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GiveError {
    /// There is no such group.
    #[error("the demo lists no group {0}")]
    UnknownGroup(GroupId),
    /// The group is of another kind of collateral.
    #[error("the group {0} is of another kind")]
    OtherKind(GroupId),
    /// The chain's faucet does not have it.
    #[error(transparent)]
    Faucet(#[from] ControlError),
    /// The market does not take the inscription for one of the group.
    #[error("the inscription cannot be listed: {0}")]
    Listing(#[from] Refusal),
    /// The chain does not take the transaction.
    #[error(transparent)]
    Chain(#[from] ChainError),
}

/// Gives the simulated people what real ones bring along.
pub trait Operator: Send + Sync + 'static {
    /// What the plain coins of a script hold in blocks, as anybody's explorer says.
    ///
    /// # Errors
    /// [`GiveError::Chain`], when nobody can be asked.
    fn purse(&self, of: &Script) -> impl Future<Output = Result<Sats, GiveError>> + Send;

    /// Sends something to a script. No block is mined for it: it waits for the next one.
    ///
    /// # Errors
    /// [`GiveError`].
    fn give(&self, to: &Script, gift: DemoGift) -> impl Future<Output = Result<Given, GiveError>> + Send;
}
