//! The frames of the feed, and the detection of gaps in a channel's sequence.

use serde::Deserialize;
use serde_json::Value;

/// A frame from the server.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Frame {
    /// The whole content of a channel.
    Snapshot {
        channel: String,
        /// The epoch of the channel.
        epoch: String,
        /// The sequence number.
        seq: u64,
        data: Value,
    },
    /// A change of a channel.
    Delta {
        channel: String,
        /// The epoch of the channel.
        epoch: String,
        /// The sequence number of the preceding frame.
        prev: u64,
        /// The sequence number.
        seq: u64,
        ops: Vec<Value>,
    },
    /// A request was refused.
    Error {
        /// The error code.
        #[serde(default)]
        code: String,
        /// The description of the error.
        #[serde(default)]
        detail: String,
    },
    /// Anything else, such as an answer to a ping.
    #[serde(other)]
    Other,
}

/// The state of a channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Channel {
    /// A snapshot is awaited.
    #[default]
    AwaitingSnapshot,
    /// Deltas follow the snapshot without a gap.
    Following {
        /// The epoch of the channel.
        epoch: String,
        /// The sequence number of the latest frame.
        seq: u64,
    },
}

/// The way to handle a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeltaCheck {
    /// It follows the latest frame: apply it.
    Apply,
    /// It precedes the awaited snapshot: drop it.
    Ignore,
    /// A frame is missing: subscribe again.
    Resubscribe,
}

impl Channel {
    /// Takes over the epoch and sequence number of a snapshot.
    pub(crate) fn reset(&mut self, epoch: &str, seq: u64) {
        *self = Self::Following { epoch: epoch.to_owned(), seq };
    }

    /// Classifies a delta, and advances the sequence if it follows.
    pub(crate) fn check_delta(&mut self, frame_epoch: &str, prev: u64, frame_seq: u64) -> DeltaCheck {
        match self {
            Self::AwaitingSnapshot => DeltaCheck::Ignore,
            Self::Following { epoch, seq } if epoch == frame_epoch && *seq == prev => {
                *seq = frame_seq;
                DeltaCheck::Apply
            }
            Self::Following { .. } => {
                *self = Self::AwaitingSnapshot;
                DeltaCheck::Resubscribe
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_applies_consecutive_deltas_and_resubscribes_after_a_gap() {
        let mut channel = Channel::default();
        assert_eq!(channel.check_delta("a", 0, 1), DeltaCheck::Ignore);
        channel.reset("a", 5);
        assert_eq!(channel.check_delta("a", 5, 6), DeltaCheck::Apply);
        assert_eq!(channel.check_delta("a", 6, 9), DeltaCheck::Apply);
        assert_eq!(channel.check_delta("a", 8, 10), DeltaCheck::Resubscribe);
        assert_eq!(channel.check_delta("a", 9, 10), DeltaCheck::Ignore);
        channel.reset("b", 1);
        assert_eq!(channel.check_delta("a", 1, 2), DeltaCheck::Resubscribe);
    }

    #[test]
    fn frames_of_the_feed_are_distinguished() {
        let read = |text: &str| serde_json::from_str::<Frame>(text).unwrap();
        assert!(matches!(
            read(r#"{"type":"delta","channel":"market","epoch":"e","prev":3,"seq":4,"ops":[{"op":"row"}],"crc":7}"#),
            Frame::Delta { prev: 3, seq: 4, .. }
        ));
        assert!(matches!(
            read(r#"{"type":"snapshot","channel":"book:g_1","epoch":"e","seq":4,"data":{"rows":[]}}"#),
            Frame::Snapshot { seq: 4, .. }
        ));
        assert!(matches!(read(r#"{"type":"error","code":"bad_frame","detail":"no"}"#), Frame::Error { .. }));
        assert!(matches!(read(r#"{"type":"pong","id":1}"#), Frame::Other));
    }
}
