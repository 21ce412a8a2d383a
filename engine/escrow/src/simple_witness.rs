//! The witness that makes up a simple BIP-322 signature.

use bitcoin::secp256k1::constants::PUBLIC_KEY_SIZE;
use bitcoin::sighash::{EcdsaSighashType, TapSighashType};
use bitcoin::{CompressedPublicKey, Witness};

use crate::address::{AddressKind, WalletAddress};
use crate::signature_error::SignatureError;
use crate::strict_encoding::{EncodingFault, strict_ecdsa, strict_schnorr};

/// The maximum length of an item: a DER signature has at most 72 bytes, plus one for the sighash type.
const ITEM_LENGTH_MAX: u8 = 73;

/// The items of a witness, borrowed from the decoded signature.
pub(crate) struct SimpleWitness<'a> {
    items: Vec<&'a [u8]>,
}

impl<'a> SimpleWitness<'a> {
    /// Splits `bytes` into witness items, with nothing left over.
    ///
    /// The decoder of the `bitcoin` crate is not used because it allocates the length that untrusted input announces,
    /// up to four megabytes for a handful of bytes, and that of the `bip322` crate because it ignores trailing bytes.
    /// No signature of the accepted kinds needs a length that takes more than one byte.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, SignatureError> {
        let (&count, mut rest) = bytes.split_first().ok_or(SignatureError::UnknownFormat)?;
        let mut items = Vec::new();
        for _ in 0..count {
            let (&length, tail) = rest.split_first().ok_or(SignatureError::UnknownFormat)?;
            if length > ITEM_LENGTH_MAX {
                return Err(SignatureError::UnknownFormat);
            }
            let (item, tail) = tail.split_at_checked(usize::from(length)).ok_or(SignatureError::UnknownFormat)?;
            items.push(item);
            rest = tail;
        }
        if rest.is_empty() { Ok(Self { items }) } else { Err(SignatureError::UnknownFormat) }
    }

    /// Refuses a witness that `address` could not have, or that is not in the canonical form that wallets produce.
    ///
    /// The key is compared with the address here although the verifier also does so: its releases before 0.0.12
    /// compared the key with itself and accepted any key (GHSA-5chw-87w3-j9cv).
    pub(crate) fn check(&self, address: &WalletAddress) -> Result<(), SignatureError> {
        let kind = address.kind();
        match (kind, self.items.as_slice()) {
            (AddressKind::P2tr, [signature]) => check_schnorr(signature),
            (AddressKind::P2wpkh | AddressKind::P2shP2wpkh, [signature, key]) => {
                check_ecdsa(signature)?;
                let key = compressed_key(key)?;
                if address.pays_to(key) { Ok(()) } else { Err(SignatureError::WrongKey { kind }) }
            }
            (_, items) => Err(SignatureError::WitnessItems {
                kind,
                expected: if kind == AddressKind::P2tr { 1 } else { 2 },
                found: items.len(),
            }),
        }
    }

    /// The witness as a type of the `bitcoin` crate.
    pub(crate) fn to_witness(&self) -> Witness {
        Witness::from_slice(&self.items)
    }
}

/// Parses a key of 33 bytes. The length is checked because the decoder also accepts an uncompressed key and compresses
/// it, which would give one signature two encodings.
fn compressed_key(bytes: &[u8]) -> Result<CompressedPublicKey, SignatureError> {
    if bytes.len() != PUBLIC_KEY_SIZE {
        return Err(SignatureError::MalformedPublicKey);
    }
    CompressedPublicKey::from_slice(bytes).map_err(|_| SignatureError::MalformedPublicKey)
}

/// Checks a BIP-340 signature for `SIGHASH_DEFAULT` (64 bytes) or `SIGHASH_ALL` (65).
fn check_schnorr(signature: &[u8]) -> Result<(), SignatureError> {
    match strict_schnorr(signature).map_err(refusal)?.sighash_type {
        TapSighashType::Default | TapSighashType::All => Ok(()),
        _ => Err(SignatureError::SighashType { found: signature.last().copied().unwrap_or_default() }),
    }
}

/// Checks a strict DER signature with a low `s`, for `SIGHASH_ALL`.
fn check_ecdsa(signature: &[u8]) -> Result<(), SignatureError> {
    match strict_ecdsa(signature).map_err(refusal)?.sighash_type {
        EcdsaSighashType::All => Ok(()),
        _ => Err(SignatureError::SighashType { found: signature.last().copied().unwrap_or_default() }),
    }
}

const fn refusal(fault: EncodingFault) -> SignatureError {
    match fault {
        EncodingFault::Malformed => SignatureError::MalformedSignature,
        EncodingFault::UnknownSighash(found) => SignatureError::SighashType { found },
        EncodingFault::HighS => SignatureError::HighS,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_exactly_the_announced_items_are_a_witness() {
        for (bytes, items) in [
            (&[0_u8][..], Some(0)),
            (&[1, 0], Some(1)),
            (&[1, 2, 8, 9], Some(1)),
            (&[2, 1, 8, 1, 9], Some(2)),
            (&[], None),
            (&[1], None),
            (&[1, 2, 8], None),
            (&[1, 2, 8, 9, 9], None),
            (&[2, 1, 8], None),
            (&[1, 74, 0], None),
            (&[0xfd, 1, 0, 1, 9], None),
            (&[0xff; 9], None),
        ] {
            let parsed = SimpleWitness::parse(bytes);
            assert_eq!(parsed.ok().map(|witness| witness.items.len()), items, "{bytes:?}");
        }
    }

    #[test]
    fn a_taproot_signature_has_one_form() {
        for (length, hash_type, expected) in [
            (64, 7, Ok(())),
            (65, 0x01, Ok(())),
            (65, 0x00, Err(SignatureError::SighashType { found: 0x00 })),
            (65, 0x02, Err(SignatureError::SighashType { found: 0x02 })),
            (65, 0x03, Err(SignatureError::SighashType { found: 0x03 })),
            (65, 0x81, Err(SignatureError::SighashType { found: 0x81 })),
            (65, 0x83, Err(SignatureError::SighashType { found: 0x83 })),
            (65, 0x42, Err(SignatureError::SighashType { found: 0x42 })),
            (63, 1, Err(SignatureError::MalformedSignature)),
            (66, 1, Err(SignatureError::MalformedSignature)),
            (0, 1, Err(SignatureError::MalformedSignature)),
        ] {
            let signature = vec![hash_type; length];
            assert_eq!(check_schnorr(&signature), expected, "{length} {hash_type:#04x}");
        }
    }

    proptest! {
        #[test]
        fn a_parsed_witness_encodes_back_to_the_same_bytes(bytes in proptest::collection::vec(0_u8..80, 0..200)) {
            if let Ok(witness) = SimpleWitness::parse(&bytes) {
                prop_assert_eq!(bitcoin::consensus::serialize(&witness.to_witness()), bytes);
            }
        }
    }
}
