//! The key of a record: stream, first sequence of its block, part of the block; all big-endian.

use engine::journal::Sequence;

use crate::{block_key::BlockKey, stream_key::StreamKey};

/// The key of a record. All parts of a block are adjacent, and all blocks of a stream are in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RecordKey {
    pub(super) stream: StreamKey,
    /// The sequence of the block's first event.
    pub(super) first: Sequence,
    /// 0, unless a single event is too large for one record.
    pub(super) part: u16,
}

impl RecordKey {
    pub(super) const BYTES: usize = StreamKey::BYTES + 8 + 2;

    /// The key of a block's first record.
    pub(super) const fn block(stream: StreamKey, first: Sequence) -> Self {
        Self { stream, first, part: 0 }
    }

    pub(super) const fn block_key(self) -> BlockKey {
        BlockKey { stream: self.stream, first: self.first }
    }

    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..StreamKey::BYTES].copy_from_slice(&self.stream.0);
        bytes[StreamKey::BYTES..StreamKey::BYTES + 8].copy_from_slice(&self.first.to_be_bytes());
        bytes[StreamKey::BYTES + 8..].copy_from_slice(&self.part.to_be_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (stream, rest) = bytes.split_first_chunk()?;
        let (first, rest) = rest.split_first_chunk()?;
        let part = rest.try_into().ok()?;
        Some(Self {
            stream: StreamKey(*stream),
            first: Sequence::from_be_bytes(*first),
            part: u16::from_be_bytes(part),
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::{GroupId, Stream};

    use super::*;

    #[test]
    fn a_key_round_trips_and_sorts_by_stream_then_sequence_then_part() {
        let key = |group, first, part| RecordKey { stream: Stream::Book(GroupId(group)).into(), first, part };
        let keys = [key(1, 1, 0), key(1, 1, 1), key(1, 255, 0), key(1, 256, 0), key(2, 1, 0)];
        assert!(keys.is_sorted() && keys.map(RecordKey::to_bytes).is_sorted());
        for key in keys {
            assert_eq!(RecordKey::from_bytes(&key.to_bytes()), Some(key));
        }
        assert_eq!(RecordKey::from_bytes(&[0; RecordKey::BYTES - 1]), None);
        assert_eq!(RecordKey::from_bytes(&[0; RecordKey::BYTES + 1]), None);
    }
}
