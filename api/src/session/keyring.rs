//! The keys for each purpose, all derived from the session key.

use crate::config::server_key::ServerKey;
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
    /// Derives all keys; of a node of a cluster, or of a server by itself.
    #[must_use]
    pub fn new(key: &ServerKey, is_cluster: bool) -> Self {
        Self {
            nonces: NonceIssuer::new(key.derive("message nonce")),
            tokens: TokenIssuer::new(&key.derive("session token"), &key.derive("refresh token")),
            // Tickets live for seconds and the list of used ones is in memory, so their key lives as long as the
            // process; except where another node may have issued them: there, each of the nodes takes a ticket once.
            tickets: TicketIssuer::new(if is_cluster { key.derive("feed ticket") } else { rand::random() }),
            cursors: CursorSeal::new(key.derive("list cursor")),
        }
    }
}
