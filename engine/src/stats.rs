//! What the metrics page shows of the market.

/// Counters since the start of the process, and gauges of now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarketStats {
    /// Commands that were decided and accepted.
    pub turns: u64,
    /// Commands that wait for the disk now.
    pub in_flight: u64,
    /// Commands and reads refused because a mailbox was full or too many commands waited for the disk.
    pub overloads: u64,
    /// Deltas encoded for the feed, and snapshots handed out.
    pub frames: u64,
    /// Frames put into the queues of sockets.
    pub deliveries: u64,
    /// Queues that overflowed.
    pub lagged: u64,
    /// Open subscriptions now.
    pub subscribers: u64,
}
