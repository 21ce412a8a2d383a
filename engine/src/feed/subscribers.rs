//! The sockets of one channel.

use bytestring::ByteString;

use super::{CloseReason, counters::FeedCounters, outbox::Pushed, subscription::Subscriber};

/// Everybody who listens to one channel.
#[derive(Debug, Default)]
pub(crate) struct Subscribers {
    open: Vec<Subscriber>,
    /// Beyond this many the ended ones are looked for, so that a quiet channel does not gather them.
    tidy_at: usize,
}

/// A channel with few subscribers is not worth tidying.
const TIDY_MIN: usize = 64;

impl Subscribers {
    /// Whether nobody listens.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// How many listen, the ended ones that were not noticed yet among them.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// Adds a socket.
    pub(crate) fn add(&mut self, subscriber: Subscriber) {
        if self.open.len() >= self.tidy_at.max(TIDY_MIN) {
            self.open.retain(Subscriber::is_open);
            self.tidy_at = self.open.len() * 2;
        }
        self.open.push(subscriber);
    }

    /// Forgets those who left.
    pub(crate) fn tidy(&mut self) {
        self.open.retain(Subscriber::is_open);
    }

    /// Queues a delta for everybody and forgets who left or fell behind.
    pub(crate) fn push(&mut self, frame: &ByteString, counters: &FeedCounters) {
        let mut outcomes = Vec::with_capacity(self.open.len());
        self.open.retain(|subscriber| {
            let outcome = subscriber.push(frame);
            outcomes.push(outcome);
            outcome == Pushed::Queued
        });
        counters.count(outcomes.into_iter());
    }

    /// Closes every socket.
    pub(crate) fn close(&mut self, reason: CloseReason) {
        for subscriber in self.open.drain(..) {
            if let Some(pen) = subscriber.pen() {
                pen.close(reason);
            }
        }
    }
}
