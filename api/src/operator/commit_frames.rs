//! Commits on the operator's socket, for backups.
//!
//! ```text
//! client: {"op":"ship_commits","after":41}
//! server: {"outcome":"commits_follow","journal":"...","end":97,"digest":"..."}
//! client: {"bytes_max":16777216}          as often as it wants more
//! server: length, blocks of commit 42; length, blocks of commit 43; ...; length 0
//! server: {"end":97}                      or {"error":"..."}
//! ```
//!
//! A length has four bytes, big-endian. A pull ends with the commit that reaches its bytes, or with the last durable one.

use std::io::{self, BufRead, ErrorKind, Read, Write};

use persistence::PIECE_BYTES_MAX;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The longest line, in bytes.
const LINE_BYTES_MAX: u64 = 4_096;

/// A request for further commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pull {
    /// The bytes from which on no further commit is sent.
    pub(super) bytes_max: usize,
}

/// The end of the answer to a pull.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PullEnd {
    /// The last commit that was durable before the pull.
    End(u64),
    /// The reason why the commits end here.
    Error(String),
}

/// Writes a value as a line.
pub(super) fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}

/// Reads a value from a line; `None` at the end of the stream.
pub(super) fn read_line<T: DeserializeOwned>(input: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    if input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    serde_json::from_slice(&line).map(Some).map_err(io::Error::from)
}

/// Writes the blocks of a commit; no bytes mark the end of the commits.
pub(super) fn write_frame(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    out.write_all(&length.to_be_bytes())?;
    out.write_all(bytes)
}

/// Reads the blocks of a commit; `None` at the end of the commits.
pub(super) fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length == 0 {
        return Ok(None);
    }
    if usize::try_from(length).map_or(true, |length| length > PIECE_BYTES_MAX) {
        return Err(io::Error::new(ErrorKind::InvalidData, "a commit is too long"));
    }
    let mut bytes = Vec::new();
    input.by_ref().take(length.into()).read_to_end(&mut bytes)?;
    let is_whole = u32::try_from(bytes.len()).is_ok_and(|read| read == length);
    if is_whole { Ok(Some(bytes)) } else { Err(ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_lines_are_read_as_they_were_written_and_not_in_part() {
        let mut sent = Vec::new();
        write_frame(&mut sent, b"commit").unwrap();
        write_frame(&mut sent, &[]).unwrap();
        write_line(&mut sent, &PullEnd::End(42)).unwrap();
        let mut input = sent.as_slice();
        assert_eq!(read_frame(&mut input).unwrap().unwrap(), b"commit");
        assert_eq!(read_frame(&mut input).unwrap(), None);
        assert_eq!(read_line(&mut input).unwrap(), Some(PullEnd::End(42)));
        assert_eq!(read_line::<PullEnd>(&mut input).unwrap(), None);
        for length in 0..10 {
            assert!(read_frame(&mut &sent[..length]).is_err(), "{length} bytes");
        }
        assert!(read_frame(&mut &u32::MAX.to_be_bytes()[..]).is_err());
        let endless = vec![b'['; 10_000];
        assert!(read_line::<PullEnd>(&mut endless.as_slice()).is_err());
    }
}
