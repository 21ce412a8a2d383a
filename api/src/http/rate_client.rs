//! The client that a quota of signed-in requests counts for.

use domain::{ApiKeyId, UserId};

/// A user by session, or one API key: a program does not use up what its user has in the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateClient {
    /// All sessions of a user.
    User(UserId),
    /// An API key.
    Key(ApiKeyId),
}
