//! What several books share: accounts and burned nonces, vaults, pledged outpoints.

use domain::{Nonce, UnixMs};

/// A nonce that a command uses up, in the same journal batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burn {
    /// The nonce of the signed message.
    pub nonce: Nonce,
    /// When the message expires.
    pub expires_at: UnixMs,
}
