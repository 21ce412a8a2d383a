//! Verification of signed messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bip322::Verification;
use bitcoin::Sequence;
use bitcoin::absolute::LockTime;

use crate::address::WalletAddress;
use crate::recoverable_signature;
use crate::signature_error::SignatureError;
use crate::simple_witness::SimpleWitness;

/// The maximum length of a message to sign, in bytes.
pub const MESSAGE_LENGTH_MAX: usize = 16_384;

/// The maximum length of a signature text, in bytes; longer ones are not decoded. A simple signature has at most 147
/// characters; the rest leaves room to recognize the formats that are refused by name.
pub const SIGNATURE_LENGTH_MAX: usize = 1_024;

/// The scheme by which a message was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// BIP-322 in its simple format.
    Bip322Simple,
    /// BIP-137, which wallets still use by default for P2WPKH and P2SH-P2WPKH.
    Bip137,
}

/// Verifies that `signature` is a signature of `message` by the owner of `address`.
///
/// Accepted are BIP-322 simple signatures (base64, with or without the prefix `smp`) of all three kinds of address, and
/// BIP-137 signatures (base64 of 65 bytes) of P2WPKH and P2SH-P2WPKH. Results that are inconclusive or time-locked are
/// errors.
///
/// A signature commits to the script behind the address, not to the network, so the text of every message names the
/// network. The same signature can have other encodings (the prefix, a loose BIP-137 header), so replay is prevented by
/// the nonce in the message, never by remembering signatures.
pub fn verify(address: &WalletAddress, message: &str, signature: &str) -> Result<Scheme, SignatureError> {
    if message.len() > MESSAGE_LENGTH_MAX {
        return Err(SignatureError::MessageTooLong { length: message.len(), max: MESSAGE_LENGTH_MAX });
    }
    if signature.is_empty() {
        return Err(SignatureError::Empty);
    }
    if signature.len() > SIGNATURE_LENGTH_MAX {
        return Err(SignatureError::TooLong { length: signature.len(), max: SIGNATURE_LENGTH_MAX });
    }
    if signature.starts_with(bip322::FULL_SIGNATURE_PREFIX) {
        return Err(SignatureError::FullFormat);
    }
    if signature.starts_with(bip322::POF_SIGNATURE_PREFIX) {
        return Err(SignatureError::ProofOfFunds);
    }
    let (text, is_prefixed) = match signature.strip_prefix(bip322::SIMPLE_SIGNATURE_PREFIX) {
        Some(rest) => (rest, true),
        None => (signature, false),
    };
    let bytes = STANDARD.decode(text).map_err(|_| SignatureError::NotBase64)?;
    if !is_prefixed {
        if recoverable_signature::has_shape(&bytes) {
            return recoverable_signature::verify(address, message, &bytes).map(|()| Scheme::Bip137);
        }
        refuse_other_formats(&bytes)?;
    }
    verify_simple(address, message, &bytes).map(|()| Scheme::Bip322Simple)
}

/// Recognizes the two other BIP-322 formats, which may come without their prefix.
///
/// A full signature is a transaction of version 0 or 2; read as a witness it would begin with empty items. A proof of
/// funds is a PSBT.
fn refuse_other_formats(bytes: &[u8]) -> Result<(), SignatureError> {
    if bytes.starts_with(b"psbt\xff") {
        return Err(SignatureError::ProofOfFunds);
    }
    if matches!(bytes, [0 | 2, 0, 0, 0, _, ..]) {
        return Err(SignatureError::FullFormat);
    }
    Ok(())
}

fn verify_simple(address: &WalletAddress, message: &str, bytes: &[u8]) -> Result<(), SignatureError> {
    let witness = SimpleWitness::parse(bytes)?;
    witness.check(address)?;
    let outcome = bip322::verify_simple(address.as_address(), message, witness.to_witness());
    accept(&outcome)
}

/// Accepts only a signature that is valid without any time condition.
fn accept(outcome: &Result<Verification, bip322::Error>) -> Result<(), SignatureError> {
    match outcome {
        Ok(Verification::Valid { time: LockTime::ZERO, age: Sequence(0) }) => Ok(()),
        Ok(Verification::Valid { time, age }) => Err(SignatureError::TimeLocked { time: *time, age: *age }),
        Ok(Verification::Inconclusive) => Err(SignatureError::Inconclusive),
        Err(_) => Err(SignatureError::Invalid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inconclusive_or_time_locked_outcome_is_no_success() {
        let later = LockTime::from_consensus(900_000);
        for (outcome, expected) in [
            (Verification::Valid { time: LockTime::ZERO, age: Sequence::ZERO }, Ok(())),
            (
                Verification::Valid { time: later, age: Sequence::ZERO },
                Err(SignatureError::TimeLocked { time: later, age: Sequence::ZERO }),
            ),
            (
                Verification::Valid { time: LockTime::ZERO, age: Sequence(2016) },
                Err(SignatureError::TimeLocked { time: LockTime::ZERO, age: Sequence(2016) }),
            ),
            (Verification::Inconclusive, Err(SignatureError::Inconclusive)),
        ] {
            assert_eq!(accept(&Ok(outcome)), expected);
        }
    }
}
