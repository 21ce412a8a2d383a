//! Proofs of OpenTimestamps: that a digest existed before a block of Bitcoin.
//!
//! A proof is a tree of operations from a digest to attestations: that the result is the Merkle root of a block, or that a
//! calendar will know later to which block it leads. Proofs come from calendars and from users, so everything in them is
//! bounded.

use bitcoin::hashes::{Hash as _, ripemd160, sha1, sha256};
use thiserror::Error;

use crate::HeadHash;

/// The beginning of every file, with the version of the format.
const MAGIC: &[u8] = b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94\x01";
const SHA256: u8 = 0x08;
const SHA1: u8 = 0x02;
const RIPEMD160: u8 = 0x03;
const APPEND: u8 = 0xf0;
const PREPEND: u8 = 0xf1;
const ATTESTATION: u8 = 0x00;
const FORK: u8 = 0xff;
const BITCOIN: [u8; 8] = *b"\x05\x88\x96\x0d\x73\xd7\x19\x01";
const PENDING: [u8; 8] = *b"\x83\xdf\xe3\x0d\x2e\xf9\x0c\x8e";

/// The longest proof that is read.
const PROOF_BYTES_MAX: usize = 64 * 1_024;
/// The longest operand, attestation and intermediate result.
const MESSAGE_BYTES_MAX: usize = 4_096;
/// The most steps from the digest to an attestation.
const DEPTH_MAX: usize = 256;

/// The reason why a proof is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TimestampError {
    /// It does not begin like a proof of version 1 of a SHA-256.
    #[error("it is not an OpenTimestamps proof of a SHA-256")]
    Form,
    /// It ends too early, or goes on after its end.
    #[error("the proof is cut off or too long")]
    Length,
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

/// A step of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Operation(u8, Vec<u8>, Box<Step>),
    Fork(Vec<Step>),
    Attestation([u8; 8], Vec<u8>),
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

/// The result of an operation; `None` if it would be too long.
fn execute(operation: u8, operand: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    let result = match operation {
        SHA256 => sha256::Hash::hash(message).to_byte_array().to_vec(),
        SHA1 => sha1::Hash::hash(message).to_byte_array().to_vec(),
        RIPEMD160 => ripemd160::Hash::hash(message).to_byte_array().to_vec(),
        APPEND => [message, operand].concat(),
        _ => [operand, message].concat(),
    };
    (result.len() <= MESSAGE_BYTES_MAX).then_some(result)
}

fn attestation(tag: [u8; 8], body: &[u8], message: &[u8]) -> Option<Attestation> {
    let mut reader = Reader { rest: body };
    match tag {
        BITCOIN => {
            let height = u32::try_from(reader.number().ok()?).ok()?;
            Some(Attestation::Block { height, merkle_root: message.try_into().ok()? })
        }
        PENDING => {
            let calendar = String::from_utf8(reader.bytes().ok()?.to_vec()).ok()?;
            let is_plain = calendar.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_/:".contains(&byte));
            is_plain.then(|| Attestation::Pending { calendar, commitment: message.to_vec() })
        }
        _ => None,
    }
}

fn collect(step: &Step, message: &[u8], found: &mut Vec<Attestation>) {
    match step {
        Step::Operation(operation, operand, next) => {
            if let Some(result) = execute(*operation, operand, message) {
                collect(next, &result, found);
            }
        }
        Step::Fork(steps) => steps.iter().for_each(|step| collect(step, message, found)),
        Step::Attestation(tag, body) => found.extend(attestation(*tag, body, message)),
    }
}

fn replace(step: &mut Step, message: &[u8], promise: (&str, &[u8]), later: &Step) -> bool {
    match step {
        Step::Operation(operation, operand, next) => {
            execute(*operation, operand, message).is_some_and(|result| replace(next, &result, promise, later))
        }
        Step::Fork(steps) => {
            // All of them: a calendar may have given the same promise twice.
            let replaced = steps.iter_mut().filter_map(|step| replace(step, message, promise, later).then_some(()));
            replaced.count() > 0
        }
        Step::Attestation(tag, body) => {
            let own = attestation(*tag, body, message);
            let is_it = matches!(&own, Some(Attestation::Pending { calendar, commitment })
                if (calendar.as_str(), commitment.as_slice()) == promise);
            if is_it {
                *step = later.clone();
            }
            is_it
        }
    }
}

fn write_number(mut number: usize, file: &mut Vec<u8>) {
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        if number == 0 {
            return file.push(low);
        }
        file.push(low | 0x80);
    }
}

fn write_step(step: &Step, file: &mut Vec<u8>) {
    match step {
        Step::Operation(operation, operand, next) => {
            file.push(*operation);
            if matches!(*operation, APPEND | PREPEND) {
                write_number(operand.len(), file);
                file.extend(operand);
            }
            write_step(next, file);
        }
        Step::Fork(steps) => {
            for (number, step) in steps.iter().enumerate() {
                if number + 1 < steps.len() {
                    file.push(FORK);
                }
                write_step(step, file);
            }
        }
        Step::Attestation(tag, body) => {
            file.push(ATTESTATION);
            file.extend(tag);
            write_number(body.len(), file);
            file.extend(body);
        }
    }
}

/// The bytes of a proof that have not been read.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads a whole proof that begins at a message.
    fn whole(proof: &'a [u8], message: &[u8]) -> Result<Step, TimestampError> {
        if proof.len() > PROOF_BYTES_MAX || message.len() > MESSAGE_BYTES_MAX {
            return Err(TimestampError::TooLarge);
        }
        let mut reader = Self { rest: proof };
        let step = reader.step(message.len(), DEPTH_MAX)?;
        if reader.rest.is_empty() { Ok(step) } else { Err(TimestampError::Length) }
    }

    /// Reads a step, and all that follows it, which begins at a message of a length.
    fn step(&mut self, length: usize, depth: usize) -> Result<Step, TimestampError> {
        let depth = depth.checked_sub(1).ok_or(TimestampError::TooLarge)?;
        let tag = self.byte()?;
        if tag != FORK {
            return self.tagged(tag, length, depth);
        }
        let mut steps = vec![self.step(length, depth)?];
        loop {
            match self.byte()? {
                FORK => steps.push(self.step(length, depth)?),
                last => {
                    steps.push(self.tagged(last, length, depth)?);
                    return Ok(Step::Fork(steps));
                }
            }
        }
    }

    fn tagged(&mut self, tag: u8, length: usize, depth: usize) -> Result<Step, TimestampError> {
        let (operand, length) = match tag {
            ATTESTATION => {
                let (tag, rest) = self.rest.split_first_chunk().ok_or(TimestampError::Length)?;
                self.rest = rest;
                return Ok(Step::Attestation(*tag, self.bytes()?.to_vec()));
            }
            SHA256 => (Vec::new(), 32),
            SHA1 | RIPEMD160 => (Vec::new(), 20),
            APPEND | PREPEND => {
                let operand = self.bytes()?.to_vec();
                let length = length + operand.len();
                (operand, length)
            }
            _ => return Err(TimestampError::Operation),
        };
        if length > MESSAGE_BYTES_MAX {
            return Err(TimestampError::TooLarge);
        }
        Ok(Step::Operation(tag, operand, Box::new(self.step(length, depth)?)))
    }

    fn byte(&mut self) -> Result<u8, TimestampError> {
        let (byte, rest) = self.rest.split_first().ok_or(TimestampError::Length)?;
        self.rest = rest;
        Ok(*byte)
    }

    /// Reads a number in seven bits a byte, the lowest first.
    fn number(&mut self) -> Result<u64, TimestampError> {
        let mut number = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(TimestampError::TooLarge)
    }

    fn bytes(&mut self) -> Result<&'a [u8], TimestampError> {
        let length = usize::try_from(self.number()?).map_err(|_| TimestampError::TooLarge)?;
        if length > MESSAGE_BYTES_MAX {
            return Err(TimestampError::TooLarge);
        }
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(TimestampError::Length)?;
        self.rest = rest;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest() -> HeadHash {
        HeadHash::of(b"a statement")
    }

    fn pending(calendar: &str) -> Vec<u8> {
        let mut bytes = vec![ATTESTATION];
        bytes.extend(PENDING);
        write_number(calendar.len() + 1, &mut bytes);
        write_number(calendar.len(), &mut bytes);
        bytes.extend(calendar.as_bytes());
        bytes
    }

    fn in_block(height: u8) -> Vec<u8> {
        [&[ATTESTATION][..], &BITCOIN, &[1, height]].concat()
    }

    /// An answer of a calendar: a nonce is appended, the result hashed, and a promise given.
    fn answer(calendar: &str, nonce: u8) -> Vec<u8> {
        [&[APPEND, 2, nonce, nonce, SHA256][..], &pending(calendar)].concat()
    }

    fn commitment(nonce: u8) -> Vec<u8> {
        sha256::Hash::hash(&[&digest().to_bytes()[..], &[nonce, nonce]].concat()).to_byte_array().to_vec()
    }

    #[test]
    fn promises_of_two_calendars_become_blocks_one_after_the_other() {
        let (one, other) = ("https://one.example", "https://two.example");
        let first = Timestamp::from_calendar(digest(), &answer(one, 1)).unwrap();
        let second = Timestamp::from_calendar(digest(), &answer(other, 2)).unwrap();
        let mut both = Timestamp::read(&first.merged(second).write()).unwrap();
        let promise = |calendar: &str, nonce| Attestation::Pending {
            calendar: calendar.to_owned(),
            commitment: commitment(nonce),
        };
        assert_eq!(both.attestations(), [promise(one, 1), promise(other, 2)]);
        let later = [&[PREPEND, 1, 9, SHA256][..], &in_block(7)].concat();
        assert_eq!(both.upgrade(one, &commitment(2), &later), Ok(false), "of the other calendar");
        assert_eq!(both.upgrade(other, &commitment(2), &later), Ok(true));
        let merkle_root = sha256::Hash::hash(&[&[9][..], &commitment(2)].concat()).to_byte_array();
        assert_eq!(both.attestations(), [promise(one, 1), Attestation::Block { height: 7, merkle_root }]);
        assert_eq!(Timestamp::read(&both.write()).unwrap(), both);
        assert_eq!(both.upgrade(one, &commitment(1), b"no proof"), Err(TimestampError::Operation));
    }

    #[test]
    fn every_prefix_and_every_flipped_bit_is_read_or_refused_within_bounds() {
        let proof = Timestamp::from_calendar(digest(), &answer("https://one.example", 1)).unwrap().write();
        for length in 0..proof.len() {
            assert!(Timestamp::read(&proof[..length]).is_err(), "cut to {length} bytes");
        }
        for bit in 0..proof.len() * 8 {
            let mut altered = proof.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            if let Ok(read) = Timestamp::read(&altered) {
                assert_eq!(read.write(), altered, "bit {bit}");
                assert!(read.attestations().len() <= 1, "bit {bit}");
            }
        }
        assert_eq!(Timestamp::read(&[&proof[..], &[0]].concat()), Err(TimestampError::Length));
    }

    #[test]
    fn proofs_beyond_the_bounds_are_refused() {
        let refused = |proof: &[u8]| Timestamp::from_calendar(digest(), proof).unwrap_err();
        assert_eq!(refused(&[SHA256; 1_000]), TimestampError::TooLarge, "too deep");
        assert_eq!(refused(&vec![FORK; 70_000]), TimestampError::TooLarge, "too long");
        let mut long = Vec::new();
        for _ in 0..3 {
            long.push(APPEND);
            write_number(2_000, &mut long);
            long.extend([7; 2_000]);
        }
        assert_eq!(refused(&[long, in_block(1)].concat()), TimestampError::TooLarge, "a long message");
        assert_eq!(refused(&[APPEND, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), TimestampError::TooLarge);
        let unknown = [&[ATTESTATION][..], b"12345678", &[2, 0, 0]].concat();
        assert_eq!(Timestamp::from_calendar(digest(), &unknown).unwrap().attestations(), []);
        assert_eq!(Timestamp::from_calendar(digest(), &pending("https://a?b")).unwrap().attestations(), []);
    }
}
