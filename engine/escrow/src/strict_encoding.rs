//! Signatures in their one canonical encoding, so that they are not malleable.

use bitcoin::{ecdsa, taproot};

/// A fault of an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EncodingFault {
    /// Not the canonical encoding of a signature.
    Malformed,
    /// A sighash type that no node relays.
    UnknownSighash(u8),
    /// The high one of the two `s` values that verify (BIP-146).
    HighS,
}

/// Parses a strict DER signature with a low `s`, and its sighash type (BIP-66, BIP-146).
pub(crate) fn strict_ecdsa(bytes: &[u8]) -> Result<ecdsa::Signature, EncodingFault> {
    let parsed = match ecdsa::Signature::from_slice(bytes) {
        Ok(parsed) => parsed,
        Err(ecdsa::Error::SighashType(_)) => return Err(EncodingFault::UnknownSighash(last(bytes))),
        Err(_) => return Err(EncodingFault::Malformed),
    };
    let mut normalized = parsed.signature;
    normalized.normalize_s();
    if normalized != parsed.signature {
        return Err(EncodingFault::HighS);
    }
    if parsed.to_vec() == bytes { Ok(parsed) } else { Err(EncodingFault::Malformed) }
}

/// Parses a BIP-340 signature of 64 bytes, or of 65 with a trailing sighash type.
///
/// A 65th byte of zero is refused, as BIP-341 requires; the parser takes it for the default type, which would give one
/// signature two encodings.
pub(crate) fn strict_schnorr(bytes: &[u8]) -> Result<taproot::Signature, EncodingFault> {
    let parsed = match taproot::Signature::from_slice(bytes) {
        Ok(parsed) => parsed,
        Err(taproot::SigFromSliceError::SighashType(_)) => return Err(EncodingFault::UnknownSighash(last(bytes))),
        Err(_) => return Err(EncodingFault::Malformed),
    };
    if parsed.to_vec() == bytes { Ok(parsed) } else { Err(EncodingFault::UnknownSighash(last(bytes))) }
}

fn last(bytes: &[u8]) -> u8 {
    bytes.last().copied().unwrap_or_default()
}
