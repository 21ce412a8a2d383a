//! The internal key of every contract: a point without a known private key, so that only its scripts can spend it.

use bitcoin::XOnlyPublicKey;
use bitcoin::secp256k1::Scalar;

use crate::tagged_hash::tagged_hash;
use crate::verification::VERIFICATION;

/// The point of BIP-341 without a known discrete logarithm: its x coordinate is the hash of the generator.
const NUMS_POINT: [u8; 32] = [
    0x50, 0x92, 0x9b, 0x74, 0xc1, 0xa0, 0x49, 0x54, 0xb7, 0x8b, 0x4b, 0x60, 0x35, 0xe9, 0x7a, 0x5e, 0x07, 0x8a, 0x5a,
    0x0f, 0x28, 0xec, 0x96, 0xd5, 0x47, 0xbf, 0xee, 0x9a, 0xce, 0x80, 0x3a, 0xc0,
];

/// The purpose of an internal key; keys of different purposes never coincide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The escrow of the loan with this id.
    Loan(u128),
    /// The vault of the lender with this id.
    Vault(u64),
    /// The commit of the BRC-20 transfer for the loan with this id.
    LoanTransfer(u128),
    /// The commit of a user's own transfer, for the order with this id.
    InscribeTransfer(u128),
}

impl Purpose {
    /// The BIP-340 tagged hash of the id, big-endian.
    fn tweak(self) -> [u8; 32] {
        let tag = match self {
            Self::Loan(_) => "Lienbook/loan",
            Self::Vault(_) => "Lienbook/vault",
            Self::LoanTransfer(_) => "Lienbook/note",
            Self::InscribeTransfer(_) => "Lienbook/order",
        };
        match self {
            Self::Loan(id) | Self::LoanTransfer(id) | Self::InscribeTransfer(id) => {
                tagged_hash(tag, &[&id.to_be_bytes()])
            }
            Self::Vault(id) => tagged_hash(tag, &[&id.to_be_bytes()]),
        }
    }
}

/// Returns the point of BIP-341 plus the hash of the purpose times the generator.
///
/// Each loan gets its own script, because BRC-20 balances are kept by script; and the id suffices to verify that
/// there is no key path. `None` for one id in 2^127, whose hash is not a scalar.
#[must_use]
pub fn unspendable_key(purpose: Purpose) -> Option<XOnlyPublicKey> {
    let point = XOnlyPublicKey::from_slice(&NUMS_POINT).ok()?;
    let tweak = Scalar::from_be_bytes(purpose.tweak()).ok()?;
    let (key, _parity) = point.add_tweak(&VERIFICATION, &tweak).ok()?;
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitcoin::hashes::{Hash as _, sha256};

    #[test]
    fn the_point_is_the_hash_of_the_generator() {
        let generator = bitcoin::secp256k1::constants::GENERATOR_X;
        let generator_y = bitcoin::secp256k1::constants::GENERATOR_Y;
        let uncompressed = [&[4][..], &generator, &generator_y].concat();
        assert_eq!(sha256::Hash::hash(&uncompressed).to_byte_array(), NUMS_POINT);
    }

    #[test]
    fn every_purpose_has_its_own_key() {
        let purposes = [
            Purpose::Loan(1),
            Purpose::Loan(2),
            Purpose::Vault(1),
            Purpose::Vault(2),
            Purpose::LoanTransfer(1),
            Purpose::LoanTransfer(2),
            Purpose::InscribeTransfer(1),
            Purpose::InscribeTransfer(2),
        ];
        let keys = purposes.map(|purpose| unspendable_key(purpose).unwrap());
        for (place, key) in keys.iter().enumerate() {
            assert!(!keys[..place].contains(key));
        }
    }
}
