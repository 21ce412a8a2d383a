//! A command that waits for its round.

use tokio::sync::OwnedSemaphorePermit;

use super::client_frame::TradingFrame;

/// A command with its share of the connection's limit, which is returned once it is answered.
#[derive(Debug)]
pub(super) struct Received {
    /// The command.
    pub(super) frame: TradingFrame,
    /// The share of the limit.
    pub(super) permit: OwnedSemaphorePermit,
}
