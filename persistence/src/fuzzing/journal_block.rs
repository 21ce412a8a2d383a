//! Blocks, as a damaged disk or another process returns them.

use domain::{GroupId, Stream, UnixMs};
use engine::journal::Recorded;

use crate::{
    block::{Block, Header},
    raw_block::{BlockBytes, RawBlock},
    raw_commit::split_commit,
    upcast::{self, PAYLOAD_VERSION},
};

/// A block: the first byte selects whether the others are the whole block, all of it but the checksum, or the number of
/// events and the events.
///
/// Events that are read are written again as the same ones, and no more are read than there are bytes.
#[must_use]
pub fn journal_block(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    let bytes = match selector % 3 {
        0 => rest.to_vec(),
        1 => [rest, &crc32c::crc32c(rest).to_be_bytes()].concat(),
        _ => {
            let Some((&count, payload)) = rest.split_first() else { return false };
            header(count.into()).seal(payload).unwrap().0
        }
    };
    if let Ok((blocks, after)) = split_commit(&bytes) {
        let length = |block: &RawBlock| <BlockBytes as AsRef<[u8]>>::as_ref(block.bytes.as_ref().unwrap()).len();
        let read: usize = blocks.iter().map(length).sum();
        assert_eq!(read + after.len(), bytes.len());
    }
    let Ok(block) = Block::parse(&bytes) else { return false };
    let mut found = Vec::new();
    let is_read = block.events(&mut |recorded| found.push(recorded)).is_ok();
    assert!(found.len() <= bytes.len());
    if !is_read {
        return false;
    }
    let (again, hash) = block.header.seal(&payload(block.header.first_at, &found)).unwrap();
    let again = Block::parse(&again).unwrap();
    assert_eq!((&again.header, again.hash), (&block.header, hash));
    let mut repeated = Vec::new();
    again.events(&mut |recorded| repeated.push(recorded)).unwrap();
    assert_eq!(repeated, found);
    true
}

fn header(count: u32) -> Header {
    Header {
        payload_version: PAYLOAD_VERSION,
        commit: 7,
        index: 0,
        blocks: 1,
        stream: Stream::Book(GroupId(9)).into(),
        first: 41,
        count,
        first_at: UnixMs(1_700_000_000_000),
        previous: [5; 32],
        digest: [6; 16],
    }
}

/// Encodes events as a block has them.
fn payload(first_at: UnixMs, events: &[Recorded]) -> Vec<u8> {
    let (mut payload, mut room, mut before) = (Vec::new(), Vec::new(), first_at.0);
    for Recorded { at, event, .. } in events {
        let elapsed = at.0.wrapping_sub(before).cast_signed();
        payload = postcard::to_extend(&elapsed, payload).unwrap();
        payload.extend_from_slice(upcast::encode(event, &mut room).unwrap());
        before = at.0;
    }
    payload
}
