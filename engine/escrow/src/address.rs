//! Bitcoin addresses that can sign for a user.

use std::fmt;
use std::str::FromStr;

use bitcoin::address::{NetworkUnchecked, ParseError};
use bitcoin::{Address, AddressType, Network, ScriptBuf, XOnlyPublicKey};
use thiserror::Error;

/// The maximum length of an address: 90 characters is the limit of bech32 (BIP-173).
pub const ADDRESS_LENGTH_MAX: usize = 90;

/// The three kinds of address that wallets sign messages with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressKind {
    /// Taproot, where wallets keep ordinals and runes.
    P2tr,
    /// Native segwit, the usual payment address.
    P2wpkh,
    /// Segwit nested in P2SH, the payment address of some wallets.
    ///
    /// A P2SH address hides its script, so a parsed address is of this kind by assumption; only a signature or a
    /// public key proves it.
    P2shP2wpkh,
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::P2tr => "P2TR",
            Self::P2wpkh => "P2WPKH",
            Self::P2shP2wpkh => "P2SH-P2WPKH",
        })
    }
}

/// An address of the right network and of a kind that can sign messages.
///
/// It displays in its canonical form: bech32 in lower case, whatever the case of the input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WalletAddress {
    address: Address,
    kind: AddressKind,
    network: Network,
}

/// The reason why a text is not a wallet address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// The text is longer than any address.
    #[error("an address has at most {max} bytes, this one has {length}")]
    TooLong {
        /// Bytes in the text.
        length: usize,
        /// The maximum.
        max: usize,
    },
    /// The text is not an address: a wrong checksum, an unknown prefix, a character too many.
    #[error("not a Bitcoin address: {source}")]
    Malformed {
        /// The parser's error.
        source: ParseError,
    },
    /// The address belongs to another network.
    #[error("the address is not of the network {expected}")]
    WrongNetwork {
        /// The network that was asked for.
        expected: Network,
    },
    /// The address is valid, but not one of the three kinds that can sign messages here.
    #[error("an address of type {found} cannot sign in: use P2TR, P2WPKH or P2SH-P2WPKH")]
    UnsupportedType {
        /// The type; `unknown` for a future witness version.
        found: String,
    },
    /// A taproot address whose key is not a point on the curve, so its outputs are unspendable.
    #[error("the taproot address commits to a key that does not exist")]
    NoSuchKey,
}

impl WalletAddress {
    /// Parses `text` as an address of `network`.
    ///
    /// Test networks share their prefixes: a `tb1` address is accepted for testnet, testnet4 and signet alike, and a
    /// base58 one for regtest too.
    pub fn parse(text: &str, network: Network) -> Result<Self, AddressError> {
        if text.len() > ADDRESS_LENGTH_MAX {
            return Err(AddressError::TooLong { length: text.len(), max: ADDRESS_LENGTH_MAX });
        }
        let unchecked =
            Address::<NetworkUnchecked>::from_str(text).map_err(|source| AddressError::Malformed { source })?;
        let address =
            unchecked.require_network(network).map_err(|_| AddressError::WrongNetwork { expected: network })?;
        let kind = match address.address_type() {
            Some(AddressType::P2tr) => AddressKind::P2tr,
            Some(AddressType::P2wpkh) => AddressKind::P2wpkh,
            Some(AddressType::P2sh) => AddressKind::P2shP2wpkh,
            other => {
                return Err(AddressError::UnsupportedType {
                    found: other.map_or_else(|| "unknown".to_owned(), |found| found.to_string()),
                });
            }
        };
        let parsed = Self { address, kind, network };
        if kind == AddressKind::P2tr && parsed.output_key().is_none() {
            return Err(AddressError::NoSuchKey);
        }
        Ok(parsed)
    }

    /// Wraps an address that was derived here from a key, so its kind and network are known.
    pub(crate) fn from_derived(address: Address, kind: AddressKind, network: Network) -> Self {
        Self { address, kind, network }
    }

    /// The kind of the address, which decides how it signs.
    #[must_use]
    pub fn kind(&self) -> AddressKind {
        self.kind
    }

    /// The network it was parsed for.
    #[must_use]
    pub fn network(&self) -> Network {
        self.network
    }

    /// The address as a type of the `bitcoin` crate.
    #[must_use]
    pub fn as_address(&self) -> &Address {
        &self.address
    }

    /// The script that locks coins sent to this address.
    #[must_use]
    pub fn script_pubkey(&self) -> ScriptBuf {
        self.address.script_pubkey()
    }

    /// The tweaked key that a taproot address commits to; `None` for the other kinds.
    pub(crate) fn output_key(&self) -> Option<XOnlyPublicKey> {
        if self.kind != AddressKind::P2tr {
            return None;
        }
        let program = self.address.witness_program()?;
        XOnlyPublicKey::from_slice(program.program().as_bytes()).ok()
    }
}

impl fmt::Display for WalletAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MAINNET_P2TR: &str = "bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3";
    const MAINNET_P2WPKH: &str = "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l";
    const MAINNET_P2SH: &str = "3HSVzEhCFuH9Z3wvoWTexy7BMVVp3PjS6f";

    #[test]
    fn the_three_signing_kinds_are_accepted_and_displayed_as_given() {
        for (text, kind) in [
            (MAINNET_P2TR, AddressKind::P2tr),
            (MAINNET_P2WPKH, AddressKind::P2wpkh),
            (MAINNET_P2SH, AddressKind::P2shP2wpkh),
        ] {
            let address = WalletAddress::parse(text, Network::Bitcoin).expect(text);
            assert_eq!(address.kind(), kind);
            assert_eq!(address.network(), Network::Bitcoin);
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn an_upper_case_address_displays_in_lower_case() {
        let address = WalletAddress::parse(&MAINNET_P2WPKH.to_uppercase(), Network::Bitcoin);
        assert_eq!(address.expect("valid").to_string(), MAINNET_P2WPKH);
    }

    #[test]
    fn an_address_of_another_network_is_refused() {
        for (text, network) in [
            (MAINNET_P2TR, Network::Regtest),
            (MAINNET_P2WPKH, Network::Testnet),
            (MAINNET_P2SH, Network::Signet),
            ("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", Network::Bitcoin),
            ("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", Network::Regtest),
        ] {
            assert_eq!(
                WalletAddress::parse(text, network),
                Err(AddressError::WrongNetwork { expected: network }),
                "{text} on {network}"
            );
        }
    }

    #[test]
    fn addresses_that_cannot_sign_are_refused_by_type() {
        for (text, found) in [
            ("14vV3aCHBeStb5bkenkNHbe2YAFinYdXgc", "p2pkh"),
            ("bc1qg8r3cl47rrr75dwvr7jhzdukptegnmq8v0nmjd2jdn4qvlczqkts0rqtav", "p2wsh"),
            ("bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y", "unknown"),
            ("bc1sw50qgdz25j", "unknown"),
        ] {
            assert_eq!(
                WalletAddress::parse(text, Network::Bitcoin),
                Err(AddressError::UnsupportedType { found: found.to_owned() }),
                "{text}"
            );
        }
    }

    #[test]
    fn a_text_that_is_no_address_is_malformed() {
        for text in [
            "",
            " ",
            "bc1q",
            "hello",
            "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0m",
            " bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l",
            "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l\n",
            "BC1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l",
        ] {
            let refused = WalletAddress::parse(text, Network::Bitcoin);
            assert!(matches!(refused, Err(AddressError::Malformed { .. })), "{text:?}: {refused:?}");
        }
    }

    #[test]
    fn an_overlong_text_is_refused_before_it_is_parsed() {
        assert_eq!(
            WalletAddress::parse(&"q".repeat(91), Network::Bitcoin),
            Err(AddressError::TooLong { length: 91, max: 90 })
        );
    }

    #[test]
    fn a_taproot_address_without_a_key_is_refused() {
        // All ones is above the field size, so it is no coordinate of any point.
        let hrp = bitcoin::KnownHrp::Mainnet;
        let program = bitcoin::WitnessProgram::new(bitcoin::WitnessVersion::V1, &[0xff; 32]);
        let text = Address::from_witness_program(program.expect("32 bytes"), hrp).to_string();
        assert_eq!(WalletAddress::parse(&text, Network::Bitcoin), Err(AddressError::NoSuchKey));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,120}") {
            let _ = WalletAddress::parse(&text, Network::Bitcoin);
        }
    }
}
