//! The steps of a proof: their form, and what they lead to.

use bitcoin::hashes::{Hash as _, ripemd160, sha1, sha256};

use super::{Attestation, TimestampError};

pub(super) const SHA256: u8 = 0x08;
const SHA1: u8 = 0x02;
const RIPEMD160: u8 = 0x03;
pub(super) const APPEND: u8 = 0xf0;
pub(super) const PREPEND: u8 = 0xf1;
pub(super) const ATTESTATION: u8 = 0x00;
pub(super) const FORK: u8 = 0xff;
pub(super) const BITCOIN: [u8; 8] = *b"\x05\x88\x96\x0d\x73\xd7\x19\x01";
pub(super) const PENDING: [u8; 8] = *b"\x83\xdf\xe3\x0d\x2e\xf9\x0c\x8e";

/// The longest proof that is read.
const PROOF_BYTES_MAX: usize = 64 * 1_024;
/// The longest operand, attestation and intermediate result.
const MESSAGE_BYTES_MAX: usize = 4_096;
/// The most steps from the digest to an attestation.
const DEPTH_MAX: usize = 256;

/// A step of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Operation(u8, Vec<u8>, Box<Step>),
    Fork(Vec<Step>),
    Attestation([u8; 8], Vec<u8>),
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

pub(super) fn collect(step: &Step, message: &[u8], found: &mut Vec<Attestation>) {
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

pub(super) fn replace(step: &mut Step, message: &[u8], promise: (&str, &[u8]), later: &Step) -> bool {
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

pub(super) fn write_number(mut number: usize, file: &mut Vec<u8>) {
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        if number == 0 {
            return file.push(low);
        }
        file.push(low | 0x80);
    }
}

pub(super) fn write_step(step: &Step, file: &mut Vec<u8>) {
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
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads a whole proof that begins at a message.
    pub(super) fn whole(proof: &'a [u8], message: &[u8]) -> Result<Step, TimestampError> {
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
                let is_shortest = byte != 0 || shift == 0;
                return if is_shortest { Ok(number) } else { Err(TimestampError::Number) };
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
