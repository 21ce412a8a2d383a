//! Lines of the golden files: a block with one event, in hexadecimal.

use std::fmt::Write as _;

use domain::{Event, Stream, UnixMs};

use super::VERSION;
use crate::{block::Header, upcast};

/// The header of a block with one sample.
pub(super) fn header(stream: Stream) -> Header {
    Header {
        payload_version: VERSION,
        commit: 12,
        index: 0,
        blocks: 1,
        stream: stream.into(),
        first: 34,
        count: 1,
        first_at: UnixMs(1_700_000_000_000),
        previous: [0x11; 32],
        digest: [0x22; 16],
    }
}

/// The line of one sample.
pub(super) fn line(kind: &str, stream: Stream, event: &Event) -> String {
    let mut payload = postcard::to_stdvec(&0_i64).unwrap();
    payload.extend_from_slice(upcast::encode(event, &mut Vec::new()).unwrap());
    let (block, _) = header(stream).seal(&payload).unwrap();
    block.iter().fold(format!("{kind} "), |mut line, byte| {
        write!(line, "{byte:02x}").unwrap();
        line
    })
}

/// The bytes of a line, without the kind.
pub(super) fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    hexadecimal.as_bytes().chunks(2).map(digits).collect()
}
