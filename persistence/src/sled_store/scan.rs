//! Blocks of the store, reassembled from their records.

use crate::{
    block::declared_length,
    block_key::BlockKey,
    problem::Problem,
    raw_block::{BlockBytes, RawBlock},
    stream_key::StreamKey,
};

use super::record_key::RecordKey;

/// Iterates over the blocks of a range of keys.
pub(super) struct Scan {
    records: sled::Iter,
    /// A record that was read already, but belongs to the next block.
    peeked: Option<(sled::IVec, sled::IVec)>,
}

impl Scan {
    /// Scans all blocks.
    pub(super) fn all(tree: &sled::Tree) -> Self {
        Self { records: tree.iter(), peeked: None }
    }

    /// Scans all blocks of a stream from the one whose first sequence is `first`, or the next one.
    pub(super) fn stream(tree: &sled::Tree, stream: StreamKey, first: u64) -> Self {
        let from = RecordKey::block(stream, first).to_bytes();
        let to = RecordKey { part: u16::MAX, ..RecordKey::block(stream, u64::MAX) }.to_bytes();
        Self { records: tree.range(from..=to), peeked: None }
    }

    fn record(&mut self) -> sled::Result<Option<(sled::IVec, sled::IVec)>> {
        match self.peeked.take() {
            Some(record) => Ok(Some(record)),
            None => self.records.next().transpose(),
        }
    }

    fn block(&mut self) -> sled::Result<Option<RawBlock>> {
        let Some((key, value)) = self.record()? else { return Ok(None) };
        let Some(key) = RecordKey::from_bytes(&key) else {
            // The range is bounded by whole keys, so a malformed one still begins with the stream.
            let stream = StreamKey(key.first_chunk().copied().unwrap_or_default());
            return Ok(Some(RawBlock { key: BlockKey { stream, first: 0 }, place: None, bytes: Err(Problem::Key) }));
        };
        let raw = |bytes| Ok(Some(RawBlock { key: key.block_key(), place: None, bytes }));
        if key.part != 0 {
            return raw(Err(Problem::PartMissing));
        }
        let Some(length) = declared_length(&value) else { return raw(Err(Problem::Short)) };
        if value.len() >= length {
            return raw(Ok(BlockBytes::Sled(value)));
        }
        let mut bytes = value.to_vec();
        for part in 1..=u16::MAX {
            if bytes.len() >= length {
                break;
            }
            let Some((next, value)) = self.record()? else { break };
            if RecordKey::from_bytes(&next) != Some(RecordKey { part, ..key }) {
                self.peeked = Some((next, value));
                break;
            }
            bytes.extend_from_slice(&value);
        }
        raw(if bytes.len() < length { Err(Problem::PartMissing) } else { Ok(BlockBytes::Owned(bytes)) })
    }
}

impl Iterator for Scan {
    type Item = sled::Result<RawBlock>;

    fn next(&mut self) -> Option<Self::Item> {
        self.block().transpose()
    }
}

/// The block that holds, or would hold, `sequence`: the last one of the stream that begins at or before it.
pub(super) fn block_before(tree: &sled::Tree, stream: StreamKey, sequence: u64) -> sled::Result<Option<RawBlock>> {
    let from = RecordKey::block(stream, 0).to_bytes();
    let to = RecordKey { part: u16::MAX, ..RecordKey::block(stream, sequence) }.to_bytes();
    let Some((key, _)) = tree.range(from..=to).next_back().transpose()? else { return Ok(None) };
    match RecordKey::from_bytes(&key) {
        Some(key) => Scan::stream(tree, stream, key.first).next().transpose(),
        None => Ok(Some(RawBlock { key: BlockKey { stream, first: sequence }, place: None, bytes: Err(Problem::Key) })),
    }
}
