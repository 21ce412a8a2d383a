//! Frames of the feed, and whether one follows the other.

use serde::Deserialize;
use serde_json::Value;

/// A frame from the server.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Frame {
    /// Everything there is in a channel.
    Snapshot {
        /// Which channel.
        channel: String,
        /// The life of the channel.
        epoch: String,
        /// Its place in the sequence.
        seq: u64,
        /// The contents.
        data: Value,
    },
    /// What changed in a channel.
    Delta {
        /// Which channel.
        channel: String,
        /// The life of the channel.
        epoch: String,
        /// The place of the frame before.
        prev: u64,
        /// Its place in the sequence.
        seq: u64,
        /// The changes.
        ops: Vec<Value>,
    },
    /// Something was not accepted.
    Error {
        /// Which kind of error.
        #[serde(default)]
        code: String,
        /// What went wrong.
        #[serde(default)]
        detail: String,
    },
    /// Anything else, such as an answer to a ping.
    #[serde(other)]
    Other,
}

/// Where a channel stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Channel {
    /// A snapshot is awaited.
    #[default]
    Awaited,
    /// Frames follow each other.
    Following {
        /// The life of the channel.
        epoch: String,
        /// The latest frame.
        seq: u64,
    },
}

/// What to do with a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It follows: apply it.
    Apply,
    /// It came before the snapshot that is awaited: drop it.
    Ignore,
    /// Something is missing: subscribe again.
    Resubscribe,
}

impl Channel {
    /// Takes a snapshot's place.
    pub(crate) fn restart(&mut self, epoch: &str, seq: u64) {
        *self = Self::Following { epoch: epoch.to_owned(), seq };
    }

    /// Judges a delta, and takes its place if it follows.
    pub(crate) fn follow(&mut self, frame_epoch: &str, prev: u64, frame_seq: u64) -> Verdict {
        match self {
            Self::Awaited => Verdict::Ignore,
            Self::Following { epoch, seq } if epoch == frame_epoch && *seq == prev => {
                *seq = frame_seq;
                Verdict::Apply
            }
            Self::Following { .. } => {
                *self = Self::Awaited;
                Verdict::Resubscribe
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_applies_what_follows_and_starts_anew_after_a_gap() {
        let mut channel = Channel::default();
        assert_eq!(channel.follow("a", 0, 1), Verdict::Ignore);
        channel.restart("a", 5);
        assert_eq!(channel.follow("a", 5, 6), Verdict::Apply);
        assert_eq!(channel.follow("a", 6, 9), Verdict::Apply);
        assert_eq!(channel.follow("a", 8, 10), Verdict::Resubscribe);
        assert_eq!(channel.follow("a", 9, 10), Verdict::Ignore);
        channel.restart("b", 1);
        assert_eq!(channel.follow("a", 1, 2), Verdict::Resubscribe);
    }

    #[test]
    fn frames_of_the_feed_are_told_apart() {
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
