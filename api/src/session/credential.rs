//! The session or API key behind a request or a private channel.

use domain::{ApiKeyId, SessionId, UserId};

use super::token::Subject;

/// The kind of a credential, with its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialId {
    /// A session.
    Session(SessionId),
    /// An API key.
    Key(ApiKeyId),
}

/// A session or an API key, and its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The user.
    pub user: UserId,
    /// The session or key.
    pub id: CredentialId,
    /// Whether the wallet is a hardware wallet, as reported at sign-in.
    pub is_hardware_wallet: bool,
}

impl From<Subject> for Credential {
    fn from(Subject { user, session, is_hardware_wallet }: Subject) -> Self {
        Self { user, id: CredentialId::Session(session), is_hardware_wallet }
    }
}
