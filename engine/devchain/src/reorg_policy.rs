//! The choice that a reorg makes.

/// The fate of the transactions of disconnected blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReorgPolicy {
    /// They return to the mempool.
    Requeue,
    /// They are dropped, with their descendants.
    Drop,
}
