//! How much of the server one client may use.

use serde::{Deserialize, Serialize};

/// Bounds on what clients can take. Every one of them is refused out loud when it is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quotas {
    /// Sign-in nonces, sign-ins and session refreshes of one IP address, a minute. A quarter of it are the refreshes of
    /// one user.
    pub sign_ins_per_minute: u32,
    /// Message nonces and feed tickets of one IP address, a minute.
    pub tickets_per_minute: u32,
    /// Writes of one user, a minute. A quarter of it are the creations of manual offers with an idempotency key.
    pub writes_per_minute: u32,
    /// Requests of one user that ask node and indexer about whole wallets, a minute: what is prepared, and the balances
    /// of tokens. Each may be thousands of questions there.
    pub lookups_per_minute: u32,
    /// Public reads of one IP address, and reads of one user's own things, a minute.
    pub reads_per_minute: u32,
    /// Open sockets in all.
    pub sockets_max: u32,
    /// Open sockets of one IP address.
    pub sockets_per_ip_max: u32,
    /// Frames that a client may send on one socket, a minute.
    pub socket_frames_per_minute: u32,
    /// After how many seconds a connection ends whose client takes nothing of what was sent.
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
