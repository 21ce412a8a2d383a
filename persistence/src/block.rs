//! Blocks: consecutive events of one stream, written in one commit.
//!
//! Small records cost sled far more than bytes do, so a block packs as many events as fit into a few KiB. This module
//! alone knows the layout. All numbers are big-endian:
//!
//! | at  | bytes | what |
//! | --- | ----- | ---- |
//! | 0   | 1  | format version |
//! | 1   | 1  | version of the events, see `upcast` |
//! | 2   | 4  | length of the whole block |
//! | 6   | 8  | commit: the global position |
//! | 14  | 4  | index of the block in its commit |
//! | 18  | 4  | number of blocks in that commit |
//! | 22  | 17 | stream |
//! | 39  | 8  | sequence of the first event |
//! | 47  | 4  | number of events |
//! | 51  | 8  | time of the first event, unix milliseconds |
//! | 59  | 32 | hash of the block before it in the stream; zeros in the first |
//! | 91  | 16 | digest of all streams' ends before the commit, see `heads` |
//! | 107 |    | per event: milliseconds since the event before it (zigzag varint), the event (postcard) |
//! | -4  | 4  | CRC32C of everything before it, in every format version |
//!
//! The hash of a block is blake3 over everything but the CRC. PostgreSQL keeps a block in one row; sled keeps one
//! longer than a record, which holds one large event, in several.

use domain::UnixMs;
use engine::journal::{Recorded, Sequence};

use crate::{problem::Problem, stream_key::StreamKey, upcast};

const FORMAT_VERSION: u8 = 1;
const LENGTH_AT: usize = 2;
const HEADER_BYTES: usize = 107;
const CHECKSUM_BYTES: usize = 4;

/// The hash of a block.
pub(crate) type Hash = [u8; 32];
/// A digest of all streams' ends.
pub(crate) type Digest = [u8; 16];

/// The header of a block: everything but its events and its checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) payload_version: u8,
    pub(crate) commit: u64,
    pub(crate) index: u32,
    pub(crate) blocks: u32,
    pub(crate) stream: StreamKey,
    pub(crate) first: Sequence,
    pub(crate) count: u32,
    pub(crate) first_at: UnixMs,
    pub(crate) previous: Hash,
    pub(crate) digest: Digest,
}

impl Header {
    /// The sequence of the block's last event.
    pub(crate) fn last(&self) -> Sequence {
        self.first.saturating_add(u64::from(self.count).saturating_sub(1))
    }

    /// Returns the block's bytes and hash, or `None` if it would be longer than 4 GiB.
    pub(crate) fn seal(&self, payload: &[u8]) -> Option<(Vec<u8>, Hash)> {
        let length = HEADER_BYTES + payload.len() + CHECKSUM_BYTES;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend([FORMAT_VERSION, self.payload_version]);
        bytes.extend(u32::try_from(length).ok()?.to_be_bytes());
        bytes.extend(self.commit.to_be_bytes());
        bytes.extend(self.index.to_be_bytes());
        bytes.extend(self.blocks.to_be_bytes());
        bytes.extend(self.stream.0);
        bytes.extend(self.first.to_be_bytes());
        bytes.extend(self.count.to_be_bytes());
        bytes.extend(self.first_at.0.to_be_bytes());
        bytes.extend(self.previous);
        bytes.extend(self.digest);
        debug_assert_eq!(bytes.len(), HEADER_BYTES, "the table above is what is written");
        bytes.extend(payload);
        let hash = *blake3::hash(&bytes).as_bytes();
        bytes.extend(crc32c::crc32c(&bytes).to_be_bytes());
        Some((bytes, hash))
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.get(1..)?;
        let [payload_version] = take(&mut rest)?;
        let _length: [u8; 4] = take(&mut rest)?;
        Some(Self {
            payload_version,
            commit: u64::from_be_bytes(take(&mut rest)?),
            index: u32::from_be_bytes(take(&mut rest)?),
            blocks: u32::from_be_bytes(take(&mut rest)?),
            stream: StreamKey(take(&mut rest)?),
            first: u64::from_be_bytes(take(&mut rest)?),
            count: u32::from_be_bytes(take(&mut rest)?),
            first_at: UnixMs(u64::from_be_bytes(take(&mut rest)?)),
            previous: take(&mut rest)?,
            digest: take(&mut rest)?,
        })
    }
}

/// A block with a correct checksum and known versions.
#[derive(Clone, Debug)]
pub(crate) struct Block<'a> {
    pub(crate) header: Header,
    pub(crate) hash: Hash,
    payload: &'a [u8],
}

impl<'a> Block<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Problem> {
        let (hashed, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or(Problem::Short)?;
        if crc32c::crc32c(hashed) != u32::from_be_bytes(*checksum) {
            return Err(Problem::Checksum);
        }
        if let Some(&found) = hashed.first().filter(|version| **version != FORMAT_VERSION) {
            return Err(Problem::NewerFormat { found, known: FORMAT_VERSION });
        }
        let header = Header::read(hashed).ok_or(Problem::Short)?;
        upcast::ensure_known(header.payload_version)?;
        let payload = hashed.get(HEADER_BYTES..).ok_or(Problem::Short)?;
        Ok(Self { header, hash: *blake3::hash(hashed).as_bytes(), payload })
    }

    /// Calls `each` for the events in order; on damage, returns the sequence of the event that cannot be read.
    pub(crate) fn events(&self, each: &mut dyn FnMut(Recorded)) -> Result<(), (Sequence, Problem)> {
        let mut rest = self.payload;
        let mut at = self.header.first_at.0;
        for sequence in self.header.first..=self.header.last() {
            let damaged = |problem| (sequence, problem);
            let (elapsed, event) =
                postcard::take_from_bytes::<i64>(rest).map_err(|error| damaged(Problem::Payload(error.to_string())))?;
            let (event, after) = upcast::decode(self.header.payload_version, event).map_err(damaged)?;
            rest = after;
            at = at.wrapping_add(elapsed.cast_unsigned());
            each(Recorded { sequence, at: UnixMs(at), event });
        }
        if rest.is_empty() {
            Ok(())
        } else {
            Err((self.header.last(), Problem::Payload(format!("{} bytes are left over", rest.len()))))
        }
    }
}

/// The length that a block's first record declares; unverified.
pub(crate) fn declared_length(record: &[u8]) -> Option<usize> {
    let length = record.get(LENGTH_AT..)?.first_chunk()?;
    usize::try_from(u32::from_be_bytes(*length)).ok()
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*taken)
}

#[cfg(test)]
mod tests {
    use domain::{Event, GroupId, Sats, Stream, VaultEvent};

    use super::*;
    use crate::upcast::PAYLOAD_VERSION;

    fn header() -> Header {
        Header {
            payload_version: PAYLOAD_VERSION,
            commit: 7,
            index: 1,
            blocks: 3,
            stream: Stream::Book(GroupId(9)).into(),
            first: 41,
            count: 2,
            first_at: UnixMs(1_000),
            previous: [5; 32],
            digest: [6; 16],
        }
    }

    fn payload() -> Vec<u8> {
        let event = Event::Vault(VaultEvent::Credited { amount: Sats::new(300) });
        let mut payload = Vec::new();
        for elapsed in [0_i64, -3] {
            payload = postcard::to_extend(&elapsed, payload).unwrap();
            payload.extend_from_slice(upcast::encode(&event, &mut Vec::new()).unwrap());
        }
        payload
    }

    #[test]
    fn a_block_round_trips_through_its_bytes() {
        let (bytes, hash) = header().seal(&payload()).unwrap();
        let block = Block::parse(&bytes).unwrap();
        assert_eq!((&block.header, block.hash), (&header(), hash));
        assert_eq!(declared_length(&bytes), Some(bytes.len()));
        let mut seen = Vec::new();
        block.events(&mut |recorded| seen.push((recorded.sequence, recorded.at.0))).unwrap();
        assert_eq!(seen, [(41, 1_000), (42, 997)], "a clock may step back");
    }

    #[test]
    fn every_flipped_bit_is_detected() {
        let (bytes, _) = header().seal(&payload()).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Block::parse(&damaged).unwrap_err(), Problem::Checksum, "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert!(Block::parse(&bytes[..length]).is_err(), "cut to {length} bytes");
        }
    }

    #[test]
    fn a_newer_version_is_named_as_such() {
        let newer = |at: usize| {
            let (mut bytes, _) = header().seal(&payload()).unwrap();
            bytes[at] = 9;
            let end = bytes.len() - CHECKSUM_BYTES;
            let checksum = crc32c::crc32c(&bytes[..end]);
            bytes[end..].copy_from_slice(&checksum.to_be_bytes());
            Block::parse(&bytes).map(|_| ()).unwrap_err()
        };
        assert_eq!(newer(0), Problem::NewerFormat { found: 9, known: 1 });
        assert_eq!(newer(1), Problem::NewerPayload { found: 9, known: 1 });
        assert!(newer(0).is_newer() && newer(1).is_newer());
    }

    #[test]
    fn an_event_of_an_unknown_kind_is_of_a_newer_version() {
        let kinds = [vec![99], vec![0xff, 0x7f], [&payload()[1..2], &[120]].concat()];
        for kind in kinds {
            let header = Header { count: 3, ..header() };
            let (bytes, _) = header.seal(&[payload(), vec![0], kind.clone(), vec![0; 40]].concat()).unwrap();
            let mut read = 0;
            let fault = Block::parse(&bytes).unwrap().events(&mut |_| read += 1).unwrap_err();
            assert_eq!((fault, read), ((43, Problem::NewerEvent), 2), "{kind:?}");
        }
    }

    #[test]
    fn bytes_after_the_last_event_are_damage() {
        let mut payload = payload();
        payload.push(0);
        let (bytes, _) = header().seal(&payload).unwrap();
        let problem = Block::parse(&bytes).unwrap().events(&mut |_| {}).unwrap_err();
        assert_eq!(problem, (42, Problem::Payload("1 bytes are left over".to_owned())));
    }
}
