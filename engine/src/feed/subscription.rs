//! An open subscription.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use super::encoding::{Encoded, Encoding};
use super::socket_queue::{PushOutcome, SubscriptionSender};
use super::{Channel, SocketQueue};

/// Keeps a channel open for one socket; dropping it closes the channel.
#[derive(Debug)]
#[must_use = "dropping a subscription ends it"]
pub struct Subscription {
    channel: Channel,
    is_open: Arc<AtomicBool>,
    open_count: Arc<AtomicU64>,
}

/// The publisher's end of a subscription.
#[derive(Clone, Debug)]
pub(crate) struct Subscriber {
    sender: SubscriptionSender,
    is_open: Arc<AtomicBool>,
}

impl Subscription {
    /// Opens a channel to a socket queue; returns the socket's end and the publisher's end.
    pub(crate) fn open(
        channel: Channel,
        socket_queue: &SocketQueue,
        open_count: &Arc<AtomicU64>,
    ) -> (Self, Subscriber) {
        let is_open = Arc::new(AtomicBool::new(true));
        open_count.fetch_add(1, Ordering::Relaxed);
        let subscriber = Subscriber { sender: socket_queue.sender(), is_open: Arc::clone(&is_open) };
        (Self { channel, is_open, open_count: Arc::clone(open_count) }, subscriber)
    }

    /// The channel.
    #[must_use]
    pub const fn channel(&self) -> Channel {
        self.channel
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.is_open.store(false, Ordering::Release);
        self.open_count.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Subscriber {
    /// The socket queue behind it, unless the subscription was dropped.
    pub(crate) fn sender(&self) -> Option<&SubscriptionSender> {
        self.is_open().then_some(&self.sender)
    }

    /// Whether the subscription still exists. Its socket queue may have lagged since.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// The encoding of its socket.
    pub(crate) fn encoding(&self) -> Encoding {
        self.sender.encoding()
    }

    /// Queues a delta.
    pub(crate) fn push(&self, frame: &Encoded) -> PushOutcome {
        self.sender().map_or(PushOutcome::Ended, |sender| sender.push(frame))
    }

    /// Queues a snapshot that is shared with other sockets.
    pub(crate) fn push_snapshot(&self, frame: &Encoded) -> PushOutcome {
        self.sender().map_or(PushOutcome::Ended, |sender| sender.push_snapshot(frame))
    }

    /// Queues a snapshot for this socket only.
    pub(crate) fn push_private_snapshot(&self, frame: &Encoded) -> PushOutcome {
        self.sender().map_or(PushOutcome::Ended, |sender| sender.push_private_snapshot(frame))
    }
}
