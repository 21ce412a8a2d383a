//! The engine's figures for the metrics page.

/// Counters since the start of the process, and current gauges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarketStats {
    /// The number of commands decided and accepted.
    pub turns: u64,
    /// The number of commands that wait for the disk now.
    pub in_flight: u64,
    /// Commands and reads refused because a mailbox was full or too many commands waited for the disk.
    pub overloads: u64,
    /// The number of deltas encoded for the feed and snapshots sent.
    pub frames: u64,
    /// The number of frames put into the queues of sockets.
    pub deliveries: u64,
    /// The number of queues that overflowed.
    pub lagged: u64,
    /// The number of open subscriptions now.
    pub subscribers: u64,
}
