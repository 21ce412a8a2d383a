//! The errors of accounts.

use thiserror::Error;

use crate::{ApiKeyRejection, DelegationRejection, LendingLimitsRejection, SessionId, UserId};

/// The reason why an account command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AccountRejection {
    /// The nonce was used before.
    #[error("nonce was used already")]
    NonceUsed,
    /// The message expired.
    #[error("message expired")]
    Expired,
    /// There is no such user.
    #[error("no user {0}")]
    UnknownUser(UserId),
    /// The session has ended, or never existed.
    #[error("no session {0}")]
    UnknownSession(SessionId),
    /// A refresh token was reused, so a copy of it exists.
    #[error("the refresh token was used before")]
    TokenReused,
    /// Too many accounts without any activity signed in within a short time.
    #[error("too many new accounts at once")]
    TooManyNewAccounts,
    /// Limits of a lender that are out of bounds.
    #[error(transparent)]
    Limits(#[from] LendingLimitsRejection),
    /// An API key that was not created, or refused.
    #[error(transparent)]
    Key(#[from] ApiKeyRejection),
    /// A delegation that was not created, or refused.
    #[error(transparent)]
    Delegation(#[from] DelegationRejection),
    /// The user has the maximum number of favourites.
    #[error("at most {max} favourites per user")]
    TooManyFavourites {
        /// The maximum.
        max: usize,
    },
}
