//! The subscription of one channel: its copy, and the time of the next request for it.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::backoff::delay;

use super::book::Book;
use super::channel::Channel;
use super::copy::{ChannelCopy, ChannelData, Delta, Effect, Staleness};
use super::frame::Position;
use super::market::Market;
use super::me::Me;
use super::requests::Requests;

/// The time after which a subscription without an answer is requested again.
const ANSWER_WAIT: Duration = Duration::from_secs(10);
/// The time without a failure after which earlier ones do not count.
const FAILURES_RESET_AFTER: Duration = Duration::from_mins(1);

enum Copy {
    Book(Box<ChannelCopy<Book>>),
    Market(Box<ChannelCopy<Market>>),
    Requests(Box<ChannelCopy<Requests>>),
    Me(Box<ChannelCopy<Me>>),
}

/// The content of a frame of one channel.
pub(super) enum Content {
    Snapshot {
        epoch: String,
        seq: u64,
        data: Value,
    },
    Delta(Delta),
    /// The server refused the request.
    Refusal(String),
}

/// A subscription.
pub(super) struct Subscription {
    copy: Copy,
    due_at: Option<Instant>,
    failures: u32,
    failed_at: Option<Instant>,
}

impl Subscription {
    pub(super) fn new(channel: &Channel) -> Self {
        let copy = match channel {
            Channel::Market => Copy::Market(Box::new(ChannelCopy::new())),
            Channel::Requests => Copy::Requests(Box::new(ChannelCopy::new())),
            Channel::Me => Copy::Me(Box::new(ChannelCopy::new())),
            Channel::Book(_) => Copy::Book(Box::new(ChannelCopy::new())),
        };
        Self { copy, due_at: None, failures: 0, failed_at: None }
    }

    pub(super) fn book(&self) -> Option<&Book> {
        match &self.copy {
            Copy::Book(copy) => copy.live(),
            _ => None,
        }
    }

    pub(super) fn market(&self) -> Option<&Market> {
        match &self.copy {
            Copy::Market(copy) => copy.live(),
            _ => None,
        }
    }

    pub(super) fn requests(&self) -> Option<&Requests> {
        match &self.copy {
            Copy::Requests(copy) => copy.live(),
            _ => None,
        }
    }

    pub(super) fn me(&self) -> Option<&Me> {
        match &self.copy {
            Copy::Me(copy) => copy.live(),
            _ => None,
        }
    }

    pub(super) fn staleness(&self) -> Option<&Staleness> {
        match &self.copy {
            Copy::Book(copy) => copy.staleness(),
            Copy::Market(copy) => copy.staleness(),
            Copy::Requests(copy) => copy.staleness(),
            Copy::Me(copy) => copy.staleness(),
        }
    }

    /// The position to continue at.
    pub(super) fn resumable(&self) -> Option<&Position> {
        match &self.copy {
            Copy::Book(copy) => copy.resumable(),
            // Only books continue.
            _ => None,
        }
    }

    /// The time of the next request; `None` while the copy is live.
    pub(super) const fn due_at(&self) -> Option<Instant> {
        self.due_at
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.due_at.is_some_and(|due_at| due_at <= now)
    }

    /// Requests the channel at a time.
    pub(super) fn request_at(&mut self, at: Instant) {
        self.due_at = Some(at);
    }

    /// The request was sent: it is sent again if nothing arrives.
    pub(super) fn requested(&mut self, now: Instant) {
        self.due_at = Some(now + ANSWER_WAIT);
    }

    /// Applies a frame.
    pub(super) fn take(&mut self, content: Content, now: Instant) -> Effect {
        let effect = match &mut self.copy {
            Copy::Book(copy) => apply(copy, content),
            Copy::Market(copy) => apply(copy, content),
            Copy::Requests(copy) => apply(copy, content),
            Copy::Me(copy) => apply(copy, content),
        };
        self.after(effect, now)
    }

    /// The connection is lost. Returns whether the copy was live.
    pub(super) fn disconnect(&mut self) -> bool {
        self.due_at = None;
        match &mut self.copy {
            Copy::Book(copy) => copy.disconnect(),
            Copy::Market(copy) => copy.disconnect(),
            Copy::Requests(copy) => copy.disconnect(),
            Copy::Me(copy) => copy.disconnect(),
        }
    }

    fn after(&mut self, effect: Effect, now: Instant) -> Effect {
        match &effect {
            Effect::Changed => self.due_at = None,
            Effect::Broken(_) => {
                if self.failed_at.is_none_or(|failed_at| now.duration_since(failed_at) > FAILURES_RESET_AFTER) {
                    self.failures = 0;
                }
                (self.failures, self.failed_at) = (self.failures.saturating_add(1), Some(now));
                self.due_at = Some(now + delay(self.failures, rand::random()));
            }
            Effect::Ignored => {}
        }
        effect
    }
}

fn apply<D: ChannelData>(copy: &mut ChannelCopy<D>, content: Content) -> Effect {
    match content {
        Content::Snapshot { epoch, seq, data } => copy.snapshot(epoch, seq, data),
        Content::Delta(delta) => copy.delta(delta),
        Content::Refusal(code) => copy.break_off(Staleness::Refused(code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::frame::ServerFrame;

    /// Every example of the description of the feed, read as the frames of one connection.
    #[test]
    fn the_examples_of_the_description_are_read() {
        let description: Value = serde_json::from_str(include_str!("../../../asyncapi.json")).unwrap();
        let book = Channel::Book("g_1".to_owned());
        let now = Instant::now();
        for (name, channel) in
            [("market", Channel::Market), ("requests", Channel::Requests), ("book", book), ("me", Channel::Me)]
        {
            let mut subscription = Subscription::new(&channel);
            let examples =
                |kind: &str| description["components"]["messages"][format!("{name}{kind}")]["examples"].clone();
            // The deltas continue the first snapshot.
            let (snapshots, deltas) = (examples("Snapshot"), examples("Delta"));
            let snapshots = snapshots.as_array().unwrap().iter().rev();
            let mut read = 0;
            for example in snapshots.chain(deltas.as_array().unwrap()) {
                let content = match ServerFrame::read(&example["payload"].to_string()).unwrap() {
                    ServerFrame::Snapshot { epoch, seq, data, .. } => Content::Snapshot { epoch, seq, data },
                    ServerFrame::Delta { epoch, prev, seq, ops, crc, .. } => {
                        Content::Delta(Delta { epoch, prev, seq, ops, crc })
                    }
                    other => panic!("{other:?}"),
                };
                assert_eq!(subscription.take(content, now), Effect::Changed, "{example:#}");
                read += 1;
            }
            assert!(read >= 2, "{name}");
            assert_eq!(subscription.staleness(), None);
        }
        for name in ["pong", "error", "authenticated", "answers"] {
            for example in description["components"]["messages"][name]["examples"].as_array().unwrap() {
                let frame = ServerFrame::read(&example["payload"].to_string()).unwrap();
                let is_known = !matches!(frame, ServerFrame::Other);
                // Frames of trading are not the feed's.
                assert_eq!(is_known, ["pong", "error"].contains(&name), "{example}");
            }
        }
    }
}
