//! The limits of one client's use of the server.

use serde::{Deserialize, Serialize};

/// Limits of what clients can use. A request beyond any of them is refused explicitly. Of IPv6, one /64 network counts
/// as one IP address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quotas {
    /// Sign-in nonces, sign-ins and session refreshes per minute and IP address. One user may use a quarter of it for
    /// refreshes.
    pub sign_ins_per_minute: u32,
    /// Message nonces and feed tickets per minute and IP address.
    pub tickets_per_minute: u32,
    /// Writes per minute and user. A quarter of them may be creations of manual offers with an idempotency key.
    pub writes_per_minute: u32,
    /// Requests per minute and user that ask node and indexer about whole wallets: preparations, and balances of
    /// tokens. Each may cause thousands of requests there.
    pub lookups_per_minute: u32,
    /// Public reads per minute and IP address, and reads of a user's own data per minute and user.
    pub reads_per_minute: u32,
    /// Open sockets in total.
    pub sockets_max: u32,
    /// Open sockets per IP address.
    pub sockets_per_ip_max: u32,
    /// Frames per minute that a client may send on one socket.
    pub socket_frames_per_minute: u32,
    /// The time in seconds after which a connection is closed if its client does not receive what was sent.
    pub unread_seconds: u64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            sign_ins_per_minute: 60,
            tickets_per_minute: 240,
            writes_per_minute: 300,
            lookups_per_minute: 60,
            reads_per_minute: 3_000,
            sockets_max: 20_000,
            sockets_per_ip_max: 64,
            socket_frames_per_minute: 100,
            unread_seconds: 30,
        }
    }
}
