//! The sockets of one channel.

use serde::Serialize;

use super::{
    CloseReason, counters::FeedCounters, encoding::SharedFrame, socket_queue::PushOutcome, subscription::Subscriber,
};

/// The open subscribers of one channel.
#[derive(Debug, Default)]
pub(crate) struct Subscribers {
    open: Vec<Subscriber>,
    /// The number of subscribers at which ended ones are removed, so that a quiet channel does not accumulate them.
    prune_at: usize,
}

/// The minimum of `prune_at`: fewer subscribers are not worth scanning.
const PRUNE_MIN: usize = 64;

impl Subscribers {
    /// Whether the channel has no subscribers.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The number of subscribers, including ended ones that have not been detected yet.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// Adds a subscriber.
    pub(crate) fn add(&mut self, subscriber: Subscriber) {
        if self.open.len() >= self.prune_at.max(PRUNE_MIN) {
            self.open.retain(Subscriber::is_open);
            self.prune_at = self.open.len() * 2;
        }
        self.open.push(subscriber);
    }

    /// Removes subscribers whose subscription ended.
    pub(crate) fn remove_closed(&mut self) {
        self.open.retain(Subscriber::is_open);
    }

    /// Queues a delta for all subscribers and removes those that ended or lagged.
    pub(crate) fn push<T: Serialize>(&mut self, frame: &SharedFrame<'_, T>, counters: &FeedCounters) {
        let mut outcomes = Vec::with_capacity(self.open.len());
        self.open.retain(|subscriber| {
            let outcome = subscriber.push(frame.get(subscriber.encoding()));
            outcomes.push(outcome);
            outcome == PushOutcome::Queued
        });
        counters.count(outcomes.into_iter());
    }

    /// Closes every socket.
    pub(crate) fn close(&mut self, reason: CloseReason) {
        for subscriber in self.open.drain(..) {
            if let Some(sender) = subscriber.sender() {
                sender.close(reason);
            }
        }
    }
}
