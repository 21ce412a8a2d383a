//! Proofs of OpenTimestamps: that a digest existed before a block of Bitcoin.
//!
//! A proof is a tree of operations from a digest to attestations: that the result is the Merkle root of a block, or that a
//! calendar will know later to which block it leads. Proofs come from calendars and from users, so everything in them is
//! bounded.

mod proof;
#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::HeadHash;

use proof::{Reader, SHA256, Step, collect, replace, write_step};

/// The beginning of every file, with the version of the format.
const MAGIC: &[u8] = b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94\x01";

/// The reason why a proof is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TimestampError {
    /// It does not begin like a proof of version 1 of a SHA-256.
    #[error("it is not an OpenTimestamps proof of a SHA-256")]
    Form,
    /// It ends too early, or goes on after its end.
    #[error("the proof is cut off or too long")]
    Length,
    /// It has a number in more bytes than it needs, so that writing it again gives another file.
    #[error("the proof has a number with superfluous bytes")]
    Number,
    /// It has an operation that is not known.
    #[error("the proof has an unknown operation")]
    Operation,
    /// It is longer or deeper than any proof that a calendar gives.
    #[error("the proof is longer than any real one")]
    TooLarge,
}

/// The end of one path of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attestation {
    /// The result is the Merkle root of the block at this height, in internal byte order.
    Block {
        /// The height.
        height: u32,
        /// The result.
        merkle_root: [u8; 32],
    },
    /// A calendar promises to know the block later.
    Pending {
        /// The address of the calendar.
        calendar: String,
        /// The name under which the calendar will know more.
        commitment: Vec<u8>,
    },
}

/// A proof about one digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timestamp {
    digest: HeadHash,
    first: Step,
}

impl Timestamp {
    /// Reads a file in the format of OpenTimestamps.
    ///
    /// # Errors
    /// [`TimestampError`].
    pub fn read(file: &[u8]) -> Result<Self, TimestampError> {
        let rest = file.strip_prefix(MAGIC).and_then(|rest| rest.strip_prefix(&[SHA256]));
        let (digest, proof) = rest.and_then(<[u8]>::split_first_chunk::<32>).ok_or(TimestampError::Form)?;
        Self::from_calendar(HeadHash::from_bytes(*digest), proof)
    }

    /// Reads what a calendar answers about a digest.
    ///
    /// # Errors
    /// [`TimestampError`].
    pub fn from_calendar(digest: HeadHash, answer: &[u8]) -> Result<Self, TimestampError> {
        let first = Reader::whole(answer, &digest.to_bytes())?;
        Ok(Self { digest, first })
    }

    /// Returns the proof that has the paths of both, which are of one digest.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        let mut paths = Vec::new();
        for step in [self.first, other.first] {
            match step {
                Step::Fork(steps) => paths.extend(steps),
                step => paths.push(step),
            }
        }
        Self { digest: self.digest, first: Step::Fork(paths) }
    }

    /// Replaces what a calendar has promised by what it answers now; returns whether there was such a promise.
    ///
    /// # Errors
    /// [`TimestampError`], if the answer is no proof or the whole would be too large; then nothing is changed.
    pub fn upgrade(&mut self, calendar: &str, commitment: &[u8], answer: &[u8]) -> Result<bool, TimestampError> {
        let mut upgraded = self.clone();
        let later = Reader::whole(answer, commitment)?;
        let is_replaced = replace(&mut upgraded.first, &self.digest.to_bytes(), (calendar, commitment), &later);
        let written = upgraded.write();
        *self = Self::read(&written)?;
        Ok(is_replaced)
    }

    /// The digest.
    #[must_use]
    pub const fn digest(&self) -> HeadHash {
        self.digest
    }

    /// The ends of all paths that are understood.
    #[must_use]
    pub fn attestations(&self) -> Vec<Attestation> {
        let mut found = Vec::new();
        collect(&self.first, &self.digest.to_bytes(), &mut found);
        found
    }

    /// Returns the file.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.push(SHA256);
        file.extend(self.digest.to_bytes());
        write_step(&self.first, &mut file);
        file
    }
}
