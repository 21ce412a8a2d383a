//! A piece: the blocks of consecutive commits in one file.
//!
//! | at  | bytes | contents |
//! | --- | ----- | -------- |
//! | 0   | 8 | `lienpiec` |
//! | 8   | 4 | length of the header, big-endian |
//! | 12  |   | the header, in JSON; see [`PieceHeader`] |
//! |     |   | the blocks of the commits in their order, one after the other, compressed with gzip |
//! | -32 | 32 | blake3 of everything before it: the digest of the piece |
//!
//! Equal commits give equal bytes: a piece has no time but those of the journal.

use std::io::{self, Read};

use flate2::read::GzDecoder;

use super::{
    chain_end::ChainEnd,
    piece_header::{FORMAT, FORMAT_VERSION, PieceDigest, PieceHeader},
    piece_name::PieceName,
};
use crate::{
    backup_error::BackupError,
    commit_check::{Before, CheckedCommit, CommitError, check_commit},
    heads::Heads,
    hex_digest::HexDigest,
    problem::Problem,
    raw_block::RawBlock,
    raw_commit::split_commit,
};

/// The maximum bytes of the blocks of a piece, which are held in memory.
pub const PIECE_BYTES_MAX: usize = 512 * 1_024 * 1_024;

const MAGIC: [u8; 8] = *b"lienpiec";
const HEADER_BYTES_MAX: usize = 16 * 1_024;
const DIGEST_BYTES: usize = 32;

/// A piece whose digest is correct.
#[derive(Clone, Debug)]
pub struct Piece {
    header: PieceHeader,
    /// Everything before the digest.
    bytes: Vec<u8>,
    packed_at: usize,
    digest: PieceDigest,
}

/// Checks the blocks of a commit; `None` if the commit and those after it are not wanted.
type CheckCommit<'a> = dyn FnMut(&[RawBlock]) -> Result<Option<CheckedCommit>, PieceFault> + 'a;

/// The reason why a piece cannot be read.
#[derive(Debug)]
pub(crate) enum PieceFault {
    Io(io::Error),
    Damaged(String),
    Newer(String),
}

impl PieceFault {
    /// Names the piece.
    pub(super) fn of(self, piece: &str, path: &std::path::Path) -> BackupError {
        let piece = piece.to_owned();
        match self {
            Self::Io(source) => BackupError::io("read", path)(source),
            Self::Damaged(reason) => BackupError::Damaged { piece, reason },
            Self::Newer(reason) => BackupError::Newer { piece, reason },
        }
    }

    fn damaged(reason: &str) -> Self {
        Self::Damaged(reason.to_owned())
    }

    pub(super) fn of_problem(place: &str, problem: &Problem) -> Self {
        let reason = format!("{place}: {problem}");
        if problem.is_newer() { Self::Newer(reason) } else { Self::Damaged(reason) }
    }
}

impl Piece {
    /// Puts a piece together; the lengths in the header must be those of `packed`.
    pub(crate) fn new(header: PieceHeader, packed: &[u8]) -> Result<Self, serde_json::Error> {
        let text = serde_json::to_vec(&header)?;
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(MAGIC.len() + 4 + text.len() + packed.len());
        bytes.extend(MAGIC);
        bytes.extend(length.to_be_bytes());
        bytes.extend(text);
        let packed_at = bytes.len();
        bytes.extend(packed);
        let digest = HexDigest(*blake3::hash(&bytes).as_bytes());
        Ok(Self { header, bytes, packed_at, digest })
    }

    /// Reads the next piece of a stream and checks its digest; `None` at the end of the stream.
    pub(crate) fn read(input: &mut impl Read) -> Result<Option<Self>, PieceFault> {
        let mut bytes = Vec::new();
        match read_more(input, &mut bytes, MAGIC.len() + 4)? {
            0 => return Ok(None),
            read if read < MAGIC.len() + 4 => return Err(PieceFault::damaged("it is truncated")),
            _ => {}
        }
        let (magic, length) = bytes.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(PieceFault::damaged("it does not begin as a piece does"));
        }
        let length = length.first_chunk().map_or(0, |length| u32::from_be_bytes(*length));
        let length = usize::try_from(length).ok().filter(|length| *length <= HEADER_BYTES_MAX);
        let length = length.ok_or_else(|| PieceFault::damaged("its header is too long"))?;
        let header_at = bytes.len();
        require(input, &mut bytes, length)?;
        let header = parse_header(bytes.get(header_at..).unwrap_or_default())?;
        let packed_at = bytes.len();
        let packed = usize::try_from(header.packed).ok().filter(|packed| *packed <= PIECE_BYTES_MAX);
        require(input, &mut bytes, packed.ok_or_else(|| PieceFault::damaged("it is too long"))?)?;
        let mut digest = Vec::new();
        require(input, &mut digest, DIGEST_BYTES)?;
        let computed = *blake3::hash(&bytes).as_bytes();
        if digest != computed {
            return Err(PieceFault::damaged("its digest does not match"));
        }
        Ok(Some(Self { header, bytes, packed_at, digest: HexDigest(computed) }))
    }

    /// The description of the piece.
    #[must_use]
    pub const fn header(&self) -> &PieceHeader {
        &self.header
    }

    /// The name of the piece.
    #[must_use]
    pub fn name(&self) -> PieceName {
        PieceName::new(self.header.first, self.header.last, self.header.last_at)
    }

    /// The end of a chain with this piece.
    #[must_use]
    pub const fn end(&self) -> ChainEnd {
        ChainEnd::after(&self.header, self.digest)
    }

    /// The number of bytes of the piece as a file.
    #[must_use]
    pub const fn file_bytes(&self) -> usize {
        self.bytes.len() + DIGEST_BYTES
    }

    /// Writes the bytes of the piece.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write_to(&self, out: &mut impl io::Write) -> io::Result<()> {
        out.write_all(&self.bytes)?;
        out.write_all(&self.digest.0)
    }

    /// Checks every block, and that the header describes them. The state before the piece is that of the header.
    pub(crate) fn verify(&self) -> Result<(), PieceFault> {
        let mut state = (self.header.first.saturating_sub(1), self.header.before);
        self.commits(u64::MAX, &mut |blocks| {
            let checked = check(blocks, &Before::Digest(state.0, state.1.0))?;
            state = (checked.batch.position.0, HexDigest(checked.digest));
            Ok(Some(checked))
        })
    }

    /// Passes the blocks of each commit up to `last` to `each` in order, which checks them, and ends where that returns
    /// `None`. Checks that the header describes all that was passed, unless it ended early. Nothing after `last` is parsed.
    pub(super) fn commits(&self, last: u64, each: &mut CheckCommit<'_>) -> Result<(), PieceFault> {
        let unpacked = self.unpacked()?;
        let mut rest = unpacked.as_slice();
        let mut found = PieceHeader { events: 0, blocks: 0, first: 0, last: 0, ..self.header.clone() };
        let mut state = self.header.before;
        while !rest.is_empty() {
            let next = found.last.max(self.header.first.saturating_sub(1)).saturating_add(1);
            if next > last {
                return Ok(());
            }
            let place = format!("commit {next}");
            let (blocks, after) = split_commit(rest).map_err(|problem| PieceFault::of_problem(&place, &problem))?;
            let Some(checked) = each(&blocks)? else { return Ok(()) };
            rest = after;
            if found.first == 0 {
                (found.first, found.first_at) = (checked.batch.position.0, checked.at());
            }
            (found.last, found.last_at) = (checked.batch.position.0, checked.at());
            found.blocks += u64::try_from(blocks.len()).unwrap_or(u64::MAX);
            found.events += checked.events();
            state = HexDigest(checked.digest);
        }
        found.after = state;
        if found == self.header { Ok(()) } else { Err(PieceFault::damaged("its header describes other commits")) }
    }

    fn unpacked(&self) -> Result<Vec<u8>, PieceFault> {
        let expected = usize::try_from(self.header.bytes).ok().filter(|bytes| *bytes <= PIECE_BYTES_MAX);
        let expected = expected.ok_or_else(|| PieceFault::damaged("it is too long"))?;
        let mut unpacked = Vec::new();
        let packed = self.bytes.get(self.packed_at..).unwrap_or_default();
        // One byte more than expected, so that a longer one is noticed and not expanded any further.
        let limit = self.header.bytes.saturating_add(1);
        let read = GzDecoder::new(packed).take(limit).read_to_end(&mut unpacked);
        read.map_err(|error| PieceFault::Damaged(format!("it cannot be decompressed: {error}")))?;
        if unpacked.len() == expected { Ok(unpacked) } else { Err(PieceFault::damaged("it has another length")) }
    }
}

/// Checks the blocks of a commit of a piece.
pub(super) fn check(blocks: &[RawBlock], before: &Before<'_>) -> Result<CheckedCommit, PieceFault> {
    check_commit(blocks, before).map_err(|error| match error {
        CommitError::Read(error) => PieceFault::Damaged(error.to_string()),
        CommitError::Fault(stream, fault) => {
            PieceFault::of_problem(&format!("stream {stream} at sequence {}", fault.sequence), &fault.problem)
        }
    })
}

/// The same with the ends of all streams.
pub(super) fn check_after(blocks: &[RawBlock], heads: &Heads) -> Result<CheckedCommit, PieceFault> {
    check(blocks, &Before::Heads(heads))
}

fn parse_header(text: &[u8]) -> Result<PieceHeader, PieceFault> {
    /// The part of a header that every version has.
    #[derive(serde::Deserialize)]
    struct Version {
        format: String,
        version: u8,
    }
    let unreadable = |error: serde_json::Error| PieceFault::Damaged(format!("its header cannot be read: {error}"));
    let Version { format, version } = serde_json::from_slice(text).map_err(unreadable)?;
    if format != FORMAT {
        return Err(PieceFault::damaged("it is not a piece of a backup"));
    }
    if version != FORMAT_VERSION {
        return Err(PieceFault::Newer(format!("it is of format {version}, this one reads up to {FORMAT_VERSION}")));
    }
    serde_json::from_slice(text).map_err(unreadable)
}

/// Reads up to `length` further bytes; returns the number that the stream had.
fn read_more(input: &mut impl Read, bytes: &mut Vec<u8>, length: usize) -> Result<usize, PieceFault> {
    let limit = u64::try_from(length).unwrap_or(u64::MAX);
    input.by_ref().take(limit).read_to_end(bytes).map_err(PieceFault::Io)
}

fn require(input: &mut impl Read, bytes: &mut Vec<u8>, length: usize) -> Result<(), PieceFault> {
    if read_more(input, bytes, length)? == length { Ok(()) } else { Err(PieceFault::damaged("it is truncated")) }
}
