//! The local copy of a channel: snapshot, deltas in sequence, and the detection of gaps.

use std::fmt;

use serde_json::Value;

use super::frame::Position;

/// The data of a channel.
pub(crate) trait ChannelData: Sized {
    /// Reads the data of a snapshot.
    fn read(data: Value) -> Result<Self, String>;

    /// Applies an operation.
    fn apply(&mut self, operation: Value) -> Result<(), String>;

    /// The checksum of the data, if the channel has one.
    fn checksum(&self) -> Option<u32>;
}

/// The reason why a copy does not follow the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Staleness {
    /// No snapshot has arrived yet.
    Waiting,
    /// The connection was lost.
    Disconnected,
    /// A delta is missing.
    Gap,
    /// The server's checksum is not that of the copy.
    Checksum,
    /// A frame could not be read.
    Unreadable(String),
    /// The server refused the subscription.
    Refused(String),
}

impl fmt::Display for Staleness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting => f.write_str("no snapshot yet"),
            Self::Disconnected => f.write_str("the connection was lost"),
            Self::Gap => f.write_str("a delta is missing"),
            Self::Checksum => f.write_str("the checksum differs"),
            Self::Unreadable(reason) => write!(f, "a frame cannot be read: {reason}"),
            Self::Refused(code) => write!(f, "refused: {code}"),
        }
    }
}

/// The effect of a frame on a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The data has changed, and is that of the server.
    Changed,
    /// The frame is older than the copy, or of a subscription before.
    Ignored,
    /// The copy does not follow the server any more: a new subscription is needed.
    Broken(Staleness),
}

/// A copy of a channel.
#[derive(Debug)]
pub(crate) struct ChannelCopy<D> {
    data: Option<D>,
    position: Option<Position>,
    staleness: Option<Staleness>,
}

impl<D: ChannelData> ChannelCopy<D> {
    pub(crate) const fn new() -> Self {
        Self { data: None, position: None, staleness: Some(Staleness::Waiting) }
    }

    /// The data while it follows the server.
    pub(crate) fn live(&self) -> Option<&D> {
        self.data.as_ref().filter(|_| self.staleness.is_none())
    }

    /// The reason why there is no live data.
    pub(crate) const fn staleness(&self) -> Option<&Staleness> {
        self.staleness.as_ref()
    }

    /// The position from which a new subscription can continue: only after a lost connection is the copy known to be
    /// right up to there.
    pub(crate) fn resumable(&self) -> Option<&Position> {
        self.position.as_ref().filter(|_| self.staleness == Some(Staleness::Disconnected) && self.data.is_some())
    }

    /// The connection is lost. Returns whether the copy was live.
    pub(crate) fn disconnect(&mut self) -> bool {
        let was_live = self.staleness.is_none();
        if was_live {
            self.staleness = Some(Staleness::Disconnected);
        }
        was_live
    }

    /// Marks the copy as not following the server.
    pub(crate) fn break_off(&mut self, reason: Staleness) -> Effect {
        self.staleness = Some(reason.clone());
        Effect::Broken(reason)
    }

    pub(crate) fn snapshot(&mut self, epoch: String, seq: u64, data: Value) -> Effect {
        match D::read(data) {
            Ok(data) => {
                (self.data, self.position, self.staleness) = (Some(data), Some(Position { epoch, seq }), None);
                Effect::Changed
            }
            Err(reason) => self.break_off(Staleness::Unreadable(reason)),
        }
    }

    pub(crate) fn delta(&mut self, delta: Delta) -> Effect {
        let is_expected = matches!(self.staleness, None | Some(Staleness::Disconnected));
        let (Some(data), Some(position)) = (self.data.as_mut(), self.position.as_mut()) else { return Effect::Ignored };
        // Without a live copy a snapshot is on its way, and deltas of the subscription before are late.
        if !is_expected {
            return Effect::Ignored;
        }
        let is_same_epoch = delta.epoch == position.epoch;
        if is_same_epoch && delta.seq <= position.seq && delta.prev < position.seq {
            return Effect::Ignored;
        }
        if !is_same_epoch || delta.prev != position.seq || delta.seq < delta.prev {
            return self.break_off(Staleness::Gap);
        }
        for operation in delta.ops {
            if let Err(reason) = data.apply(operation) {
                return self.break_off(Staleness::Unreadable(reason));
            }
        }
        position.seq = delta.seq;
        if delta.crc.is_some_and(|crc| data.checksum().is_some_and(|own| own != crc)) {
            return self.break_off(Staleness::Checksum);
        }
        self.staleness = None;
        Effect::Changed
    }
}

/// A delta, as its frame has it.
#[derive(Debug)]
pub(crate) struct Delta {
    pub(crate) epoch: String,
    pub(crate) prev: u64,
    pub(crate) seq: u64,
    pub(crate) ops: Vec<Value>,
    pub(crate) crc: Option<u32>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// A sum; the checksum is the sum itself.
    #[derive(Debug, PartialEq)]
    struct Sum(u32);

    impl ChannelData for Sum {
        fn read(data: Value) -> Result<Self, String> {
            serde_json::from_value(data).map(Self).map_err(|error| error.to_string())
        }

        fn apply(&mut self, operation: Value) -> Result<(), String> {
            self.0 = serde_json::from_value(operation).map_err(|error| error.to_string())?;
            Ok(())
        }

        fn checksum(&self) -> Option<u32> {
            Some(self.0)
        }
    }

    fn delta(prev: u64, seq: u64, value: u32) -> Delta {
        Delta { epoch: "e".to_owned(), prev, seq, ops: vec![json!(value)], crc: Some(value) }
    }

    fn copied() -> ChannelCopy<Sum> {
        let mut copy = ChannelCopy::new();
        assert_eq!(copy.snapshot("e".to_owned(), 5, json!(1)), Effect::Changed);
        copy
    }

    #[test]
    fn deltas_in_sequence_are_applied_and_a_gap_is_found() {
        let mut copy = copied();
        assert_eq!(copy.delta(delta(5, 7, 2)), Effect::Changed);
        assert_eq!(copy.live(), Some(&Sum(2)));
        assert_eq!(copy.delta(delta(5, 7, 9)), Effect::Ignored);
        assert_eq!(copy.delta(delta(8, 9, 3)), Effect::Broken(Staleness::Gap));
        assert_eq!((copy.live(), copy.resumable()), (None, None));
        assert_eq!(copy.delta(delta(7, 8, 3)), Effect::Ignored, "late, until the snapshot");
        assert_eq!(copy.snapshot("f".to_owned(), 1, json!(4)), Effect::Changed);
        assert_eq!(copy.delta(delta(1, 2, 5)), Effect::Broken(Staleness::Gap), "of another epoch");
    }

    #[test]
    fn a_wrong_checksum_or_an_unreadable_operation_is_not_shown() {
        let mut copy = copied();
        let wrong = Delta { crc: Some(8), ..delta(5, 6, 7) };
        assert_eq!(copy.delta(wrong), Effect::Broken(Staleness::Checksum));
        assert_eq!(copy.live(), None);
        let mut copy = copied();
        let unreadable = Delta { ops: vec![json!("x")], ..delta(5, 6, 7) };
        assert!(matches!(copy.delta(unreadable), Effect::Broken(Staleness::Unreadable(_))));
        assert!(matches!(copied().snapshot("e".to_owned(), 6, json!([])), Effect::Broken(_)));
    }

    #[test]
    fn a_lost_connection_continues_where_it_was() {
        let mut copy = copied();
        assert!(copy.disconnect() && !copy.disconnect());
        assert_eq!((copy.live(), copy.resumable().map(|at| at.seq)), (None, Some(5)));
        assert_eq!(copy.delta(delta(5, 5, 3)), Effect::Changed, "nothing but a checksum was missed");
        assert_eq!(copy.live(), Some(&Sum(3)));
        copy.disconnect();
        assert_eq!(copy.delta(delta(6, 7, 3)), Effect::Broken(Staleness::Gap));
        assert_eq!(copy.resumable(), None);
    }

    proptest! {
        /// Deltas that are lost, repeated or late never lead to a live copy that differs from the server.
        #[test]
        fn a_live_copy_is_that_of_the_server(losses in prop::collection::vec(0_u8..4, 1..60)) {
            let mut copy = copied();
            for (seq, loss) in (5_u64..).zip(losses) {
                let value = u32::try_from(seq).unwrap() + 10;
                let sent = || Delta { crc: None, ..delta(seq, seq + 1, value) };
                match loss {
                    0 => {}
                    1 => drop(copy.delta(sent())),
                    2 => {
                        copy.delta(sent());
                        copy.delta(sent());
                    }
                    _ => {
                        copy.delta(sent());
                        copy.delta(Delta { prev: seq - 1, seq, ..sent() });
                    }
                }
                let is_current = copy.position.as_ref().is_some_and(|at| at.seq == seq + 1);
                if let Some(live) = copy.live().filter(|_| is_current) {
                    prop_assert_eq!(live, &Sum(value));
                }
                if loss == 0 {
                    prop_assert!(!is_current);
                }
            }
        }
    }
}
