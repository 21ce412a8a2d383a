//! Public keys that a client claims to own, checked against the address they belong to.

use std::str::FromStr;

use bitcoin::{CompressedPublicKey, ScriptBuf, XOnlyPublicKey};
use thiserror::Error;

use crate::address::{AddressKind, WalletAddress};
use crate::contract::transaction::coin::CoinKey;

/// The number of hexadecimal digits of a compressed key.
const COMPRESSED_DIGITS: usize = 66;

/// The reason why a claimed public key is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PublicKeyError {
    /// Not the hexadecimal form of a point on the curve.
    #[error("not a public key in hexadecimal: 66 digits, or 64 for a taproot address")]
    Malformed,
    /// A valid key, but not the one behind the address.
    #[error("the public key is not the one behind the {kind} address")]
    Mismatch {
        /// The kind of the address it was compared with.
        kind: AddressKind,
    },
}

impl WalletAddress {
    /// Checks that `hex` is the public key behind this address.
    ///
    /// P2WPKH and P2SH-P2WPKH take the compressed key (66 digits). P2TR takes the *internal* key, before the BIP-341
    /// tweak and with no script tree, as 64 digits or, as some wallets report it, as 66 with the parity in front.
    ///
    /// Contracts are built from the keys of the session, so a key that is not the user's own would lock their
    /// collateral beyond their reach: check it before it is stored.
    pub fn check_public_key(&self, hex: &str) -> Result<(), PublicKeyError> {
        self.coin_key(hex).map(drop)
    }

    /// Returns the key that spends coins of this address: `hex` as in [`Self::check_public_key`], with the same checks.
    pub fn coin_key(&self, hex: &str) -> Result<CoinKey, PublicKeyError> {
        let key = match self.kind() {
            AddressKind::P2tr => CoinKey::P2tr(x_only(hex)?),
            AddressKind::P2wpkh => CoinKey::P2wpkh(compressed(hex)?),
            AddressKind::P2shP2wpkh => CoinKey::P2shP2wpkh(compressed(hex)?),
        };
        let belongs = key.script_pubkey() == self.script_pubkey();
        if belongs { Ok(key) } else { Err(PublicKeyError::Mismatch { kind: self.kind() }) }
    }

    /// Whether this is the segwit address (native or nested) of `key`. Always false for a taproot address.
    pub(crate) fn pays_to(&self, key: CompressedPublicKey) -> bool {
        let program = ScriptBuf::new_p2wpkh(&key.wpubkey_hash());
        match self.kind() {
            AddressKind::P2tr => false,
            AddressKind::P2wpkh => self.script_pubkey() == program,
            AddressKind::P2shP2wpkh => self.script_pubkey() == ScriptBuf::new_p2sh(&program.script_hash()),
        }
    }
}

/// Parses a compressed key. The length is checked because the parser also accepts uncompressed keys.
fn compressed(hex: &str) -> Result<CompressedPublicKey, PublicKeyError> {
    if hex.len() != COMPRESSED_DIGITS {
        return Err(PublicKeyError::Malformed);
    }
    CompressedPublicKey::from_str(hex).map_err(|_| PublicKeyError::Malformed)
}

fn x_only(hex: &str) -> Result<XOnlyPublicKey, PublicKeyError> {
    if hex.len() == COMPRESSED_DIGITS {
        return compressed(hex).map(|key| XOnlyPublicKey::from(key.0));
    }
    XOnlyPublicKey::from_str(hex).map_err(|_| PublicKeyError::Malformed)
}

#[cfg(test)]
mod tests {
    use bitcoin::{Network, PublicKey};
    use proptest::prelude::*;

    use super::*;
    use crate::wallet_key::WalletKey;

    const KINDS: [AddressKind; 3] = [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh];

    fn wallet(seed: u8) -> WalletKey {
        WalletKey::from_seed([seed; 32], Network::Regtest).expect("usable seed")
    }

    #[test]
    fn every_kind_of_address_knows_its_own_key() {
        let own = wallet(1);
        for kind in KINDS {
            let key = own.public_key_hex(kind);
            assert_eq!(own.address(kind).check_public_key(&key), Ok(()), "{kind}");
        }
    }

    #[test]
    fn a_taproot_key_may_carry_its_parity() {
        let own = wallet(1);
        let key = own.public_key_hex(AddressKind::P2tr);
        for parity in ["02", "03"] {
            let with_parity = format!("{parity}{key}");
            let address = own.address(AddressKind::P2tr);
            assert_eq!(address.check_public_key(&with_parity), Ok(()));
        }
    }

    #[test]
    fn the_key_of_another_wallet_is_refused_for_every_kind() {
        let (own, other) = (wallet(1), wallet(2));
        for kind in KINDS {
            let key = other.public_key_hex(kind);
            assert_eq!(own.address(kind).check_public_key(&key), Err(PublicKeyError::Mismatch { kind }));
        }
    }

    #[test]
    fn a_tweaked_key_is_not_the_internal_one() {
        let own = wallet(1);
        let address = own.address(AddressKind::P2tr);
        let tweaked = address.output_key().expect("taproot").to_string();
        assert_eq!(address.check_public_key(&tweaked), Err(PublicKeyError::Mismatch { kind: AddressKind::P2tr }));
    }

    #[test]
    fn text_that_is_no_key_is_malformed() {
        let own = wallet(1);
        for text in ["", "02", "zz", &"0".repeat(64), &"0".repeat(66), &"f".repeat(130)] {
            for kind in KINDS {
                assert_eq!(
                    own.address(kind).check_public_key(text),
                    Err(PublicKeyError::Malformed),
                    "{text:?} for {kind}"
                );
            }
        }
    }

    #[test]
    fn an_uncompressed_key_is_malformed() {
        let own = wallet(1);
        for kind in [AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
            let key = compressed(&own.public_key_hex(kind)).expect("compressed");
            let uncompressed = PublicKey::new_uncompressed(key.0).to_string();
            assert_eq!(own.address(kind).check_public_key(&uncompressed), Err(PublicKeyError::Malformed));
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_check_panic(text in ".{0,140}") {
            let own = wallet(1);
            for kind in KINDS {
                let _ = own.address(kind).check_public_key(&text);
            }
        }
    }
}
