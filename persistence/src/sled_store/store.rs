//! sled as the durable store of the writer.

use std::{fs::File, io, path::Path};

use crate::{
    commit_builder::SealedBlock,
    durable_store::{DurableStore, StoreError},
};

use super::{ack_marker::AckMarker, record_key::RecordKey};

/// The maximum length of a record. sled keeps up to sixteen in a page, and moves a page beyond 128 KiB to a file of its
/// own, which this crate would not sync.
pub(super) const RECORD_BYTES_MAX: usize = 6 * 1_024;

const CANNOT_WRITE: &str = "cannot write to the journal";

/// Converts blocks to a batch of sled, which is applied as a whole or not at all. A block longer than
/// [`RECORD_BYTES_MAX`] is cut into records of that size. `None` if one has more parts than a key can number.
pub(super) fn to_batch(blocks: &[SealedBlock]) -> Option<sled::Batch> {
    let mut batch = sled::Batch::default();
    for block in blocks {
        for (key, value) in records(block) {
            batch.insert(&key?.to_bytes(), value);
        }
    }
    Some(batch)
}

fn records(block: &SealedBlock) -> impl Iterator<Item = (Option<RecordKey>, &[u8])> {
    let first = RecordKey::block(block.key.stream, block.key.first);
    block.bytes.chunks(RECORD_BYTES_MAX).enumerate().map(move |(part, value)| {
        let key = u16::try_from(part).ok().map(|part| RecordKey { part, ..first });
        (key, value)
    })
}

/// sled, and the file it writes to.
#[derive(Debug)]
pub(super) struct SledStore {
    db: sled::Db,
    file: File,
    marker: AckMarker,
}

impl SledStore {
    /// `folder` is the folder that sled keeps `db` in.
    pub(super) fn new(db: sled::Db, folder: &Path, marker: AckMarker) -> io::Result<Self> {
        // Opened before the first write: the kernel reports a failed write-back to every file handle that was open
        // then.
        let file = File::options().read(true).write(true).open(folder.join("db"))?;
        Ok(Self { db, file, marker })
    }
}

impl DurableStore for SledStore {
    fn write(&mut self, _commit: u64, blocks: Vec<SealedBlock>) -> Result<(), StoreError> {
        let batch = to_batch(&blocks).ok_or_else(|| StoreError::new(CANNOT_WRITE, "a block has too many parts"))?;
        self.db.apply_batch(batch).map_err(|error| StoreError::new(CANNOT_WRITE, error))
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let flushed = self.db.flush();
        flushed.map(|_bytes| ()).map_err(|error| StoreError::new("cannot flush the journal", error))
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        // sled's flush ends in sync_file_range, which neither flushes the device's cache nor persists the file's size.
        self.file.sync_data().map_err(|error| StoreError::new("cannot sync the journal", error))
    }

    fn mark_acknowledged(&mut self, commit: u64) -> Result<(), StoreError> {
        self.marker.set(commit).map_err(|error| StoreError::new("cannot write the acknowledgement marker", error))
    }

    fn close(&mut self) -> Result<(), StoreError> {
        self.marker.sync().map_err(|error| StoreError::new("cannot sync the acknowledgement marker", error))
    }
}

#[cfg(test)]
mod tests {
    use domain::{AccountEvent, Event, Nonce, Stream, UnixMs, UserId, WalletAddresses};
    use engine::journal::{Append, Batch};

    use super::*;
    use crate::{commit_builder::CommitBuilder, heads::Heads, options::CommitLimits};

    fn used(nonce: u128) -> Event {
        Event::Account(AccountEvent::NonceUsed { nonce: Nonce(nonce), expires_at: UnixMs(1) })
    }

    #[test]
    fn one_large_event_is_split_into_records_of_bounded_size() {
        let addresses = WalletAddresses {
            payment_address: "x".repeat(3 * RECORD_BYTES_MAX),
            payment_pubkey: String::new(),
            ordinal_address: String::new(),
            ordinal_pubkey: String::new(),
        };
        let event = Event::Account(AccountEvent::SignedIn { user: UserId(1), addresses });
        let appends = vec![Append { stream: Stream::Accounts, after: 0, events: vec![used(1), event, used(2)] }];
        let heads = Heads::default();
        let mut builder = CommitBuilder::new(&heads, CommitLimits::default());
        builder.accept(&Batch { at: UnixMs(1), appends }).unwrap().unwrap();
        let commit = builder.seal().unwrap().unwrap();
        let records: Vec<_> =
            commit.blocks.iter().flat_map(records).map(|(key, value)| (key.unwrap(), value)).collect();
        let keys: Vec<_> = records.iter().map(|(key, _)| (key.first, key.part)).collect();
        assert_eq!(keys, [(1, 0), (2, 0), (2, 1), (2, 2), (2, 3), (3, 0)]);
        assert!(records.iter().all(|(_, value)| value.len() <= RECORD_BYTES_MAX));
    }
}
