//! The keys for each purpose, all derived from the session key.

use crate::config::session_key::SessionKey;
use crate::http::cursor::CursorSeal;

use super::feed_ticket::TicketIssuer;
use super::nonce_issuer::NonceIssuer;
use super::token::TokenIssuer;

/// The issuers of everything that a key of the server authenticates.
pub struct Keyring {
    /// Nonces of messages.
    pub nonces: NonceIssuer,
    /// Session and refresh tokens.
    pub tokens: TokenIssuer,
    /// Tickets of the feed's private channel.
    pub tickets: TicketIssuer,
    /// Cursors of paged lists.
    pub cursors: CursorSeal,
}

impl Keyring {
    /// Derives all keys.
    #[must_use]
    pub fn new(key: &SessionKey) -> Self {
        Self {
            nonces: NonceIssuer::new(key.derive("message nonce")),
            tokens: TokenIssuer::new(&key.derive("session token"), &key.derive("refresh token")),
            // Tickets live for seconds and the list of used ones is in memory, so their key lives as long as the
            // process.
            tickets: TicketIssuer::new(rand::random()),
            cursors: CursorSeal::new(key.derive("list cursor")),
        }
    }
}
