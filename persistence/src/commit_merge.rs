//! The commits of a store that is ordered by streams, put back into their order.
//!
//! Blocks of a stream are in the order of their commits, so the next commit is found by a merge of the streams that have
//! grown. Of each stream only the place of its next block is kept in memory.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use domain::Stream;
use engine::journal::Sequence;

use crate::{
    block_source::{BlockSource, ReadError},
    heads::Head,
    raw_block::RawBlock,
    stream_key::StreamKey,
};

/// The place of the next block of a stream: commit, index in it, stream, and its first sequence.
type Place = (u64, u32, StreamKey, Sequence);

/// Commits, each as its blocks in their order. Ends with the first error.
pub(crate) struct CommitMerge<'a, S: ?Sized> {
    source: &'a S,
    /// The last sequence to read of each stream.
    ends: BTreeMap<StreamKey, Sequence>,
    next: BinaryHeap<Reverse<Place>>,
    /// Streams whose first block is still to be found.
    unread: Vec<(StreamKey, Sequence)>,
    is_finished: bool,
}

impl<'a, S: BlockSource + ?Sized> CommitMerge<'a, S> {
    /// The commits that have made streams grow, from one end to the other.
    pub(crate) fn new(source: &'a S, grown: &[(Stream, Head, Head)]) -> Self {
        let key = |stream: Stream| StreamKey::from(stream);
        Self {
            source,
            ends: grown.iter().map(|(stream, _, end)| (key(*stream), end.sequence)).collect(),
            next: BinaryHeap::new(),
            unread: grown.iter().map(|(stream, before, _)| (key(*stream), before.sequence + 1)).collect(),
            is_finished: false,
        }
    }

    /// Finds the place of the block that begins at `first`.
    fn find(&mut self, stream: StreamKey, first: Sequence) -> Result<(), ReadError> {
        if self.ends.get(&stream).is_none_or(|end| first > *end) {
            return Ok(());
        }
        let raw = self.read(stream, first)?;
        let block = raw.parse().map_err(|problem| corrupt(stream, first, &problem))?;
        self.next.push(Reverse((block.header.commit, block.header.index, stream, first)));
        Ok(())
    }

    fn read(&self, stream: StreamKey, first: Sequence) -> Result<RawBlock, ReadError> {
        match self.source.stream(stream, first).next().transpose()? {
            Some(raw) if raw.key.first == first => Ok(raw),
            _ => Err(corrupt(stream, first, &"its events are missing")),
        }
    }

    fn commit(&mut self) -> Result<Option<Vec<RawBlock>>, ReadError> {
        while let Some((stream, first)) = self.unread.pop() {
            self.find(stream, first)?;
        }
        let mut blocks = Vec::new();
        let Some(&Reverse((commit, ..))) = self.next.peek() else { return Ok(None) };
        while let Some(&Reverse((of_block, _, stream, first))) = self.next.peek()
            && of_block == commit
        {
            self.next.pop();
            let raw = self.read(stream, first)?;
            let block = raw.parse().map_err(|problem| corrupt(stream, first, &problem))?;
            let after = block.header.last() + 1;
            self.find(stream, after)?;
            blocks.push(raw);
        }
        Ok(Some(blocks))
    }
}

impl<S: BlockSource + ?Sized> Iterator for CommitMerge<'_, S> {
    type Item = Result<Vec<RawBlock>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_finished {
            return None;
        }
        let commit = self.commit().transpose();
        self.is_finished = !matches!(commit, Some(Ok(_)));
        commit
    }
}

fn corrupt(stream: StreamKey, first: Sequence, reason: &dyn std::fmt::Display) -> ReadError {
    ReadError::Corrupt(format!("stream {stream} at sequence {first}: {reason}"))
}
