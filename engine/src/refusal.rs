//! The reasons why the market refuses a request.

use domain::{
    AccountRejection, AssetRejection, ContactRejection, GroupId, HaltRejection, Inscription, LoanRejection,
    OutboxRejection, Rejection, Slug, TransferOrderRejection, VaultRejection,
};
use thiserror::Error;

use crate::journal::ReplayError;

/// A refusal. Nothing happened, unless it is [`Refusal::Closed`] after a stop: then only the journal shows whether it
/// happened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The order book refused.
    #[error(transparent)]
    Book(#[from] Rejection),
    /// The accounts refused: the nonce was used, the message expired, or there is no such account.
    #[error(transparent)]
    Account(#[from] AccountRejection),
    /// The vault refused.
    #[error(transparent)]
    Vault(#[from] VaultRejection),
    /// The collateral is pledged already.
    #[error(transparent)]
    Asset(#[from] AssetRejection),
    /// The loan does not allow it.
    #[error(transparent)]
    Loan(#[from] LoanRejection),
    /// The orders for transfer inscriptions refused.
    #[error(transparent)]
    Order(#[from] TransferOrderRejection),
    /// The contacts refused.
    #[error(transparent)]
    Contact(#[from] ContactRejection),
    /// The outbox refused.
    #[error(transparent)]
    Message(#[from] OutboxRejection),
    /// A part of the market is halted, or cannot be halted or resumed.
    #[error(transparent)]
    Halt(#[from] HaltRejection),
    /// The prepared loan differs from the book's reservation for the borrower: the offer or its terms have changed
    /// since.
    #[error("the offer changed meanwhile, prepare the loan again")]
    DealChanged,
    /// The group cannot be listed.
    #[error(transparent)]
    Listing(#[from] ListingRejection),
    /// There is no such group.
    #[error("no such collection")]
    UnknownGroup,
    /// These commands depend on each other and cannot be one atomic batch.
    #[error("these commands cannot be one batch")]
    NotBatchable,
    /// Too many requests are in progress; nothing was done.
    #[error("the market is overloaded, try again in {retry_after_s} s")]
    Overloaded {
        /// The time after which to retry, in seconds.
        retry_after_s: u32,
    },
    /// A user's private channel is open too many times.
    #[error("the private channel of one user is open at most {max} times")]
    ChannelFull {
        /// The maximum number of open channels.
        max: usize,
    },
    /// The snapshot of a private channel is larger than a socket may take; the lists show the same data in pages.
    #[error("the snapshot has {bytes} bytes, at most {max} are sent")]
    SnapshotTooLarge {
        /// The size of the snapshot.
        bytes: usize,
        /// The maximum size.
        max: usize,
    },
    /// Another process decides: nothing was done here.
    #[error("another process decides")]
    Following,
    /// The market is shutting down.
    #[error("the market is closed")]
    Closed,
}

/// The reason why a group cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ListingRejection {
    /// Another group has this id.
    #[error("{0} is listed already")]
    IdTaken(GroupId),
    /// Another group or sub-collection has this slug.
    #[error("the name {0} is taken")]
    SlugTaken(Slug),
    /// The ids of sub-collections must equal their positions, from 0.
    #[error("the sub-collections of {0} are not numbered by their places")]
    Misnumbered(GroupId),
    /// Another group has this inscription.
    #[error("an inscription belongs to another collection already")]
    InscriptionTaken(Inscription),
    /// A group needs an id below 2^24 and at least one sub-collection.
    #[error("{0} cannot be a group")]
    Malformed(GroupId),
}

/// The reason why the market could not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The journal could not be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The market's actors need a running actor system.
    #[error("the market must be started inside an actor system")]
    NoSystem,
}
