//! A wallet derived from one seed: the signing side, for simulated traders, tests and benches.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::bip32::{DerivationPath, Xpriv};
use bitcoin::consensus::serialize;
use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::{All, Message, Secp256k1, SecretKey};
use bitcoin::sign_message::signed_msg_hash;
use bitcoin::{Address, CompressedPublicKey, Network, NetworkKind, PrivateKey, XOnlyPublicKey};
use thiserror::Error;

use crate::address::{AddressKind, WalletAddress};
use crate::contract::transaction::coin::CoinKey;

/// The reason why a wallet could not be derived, or a message not signed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WalletKeyError {
    /// The seed gives no valid key, which happens for one in 2^127; another seed is needed.
    #[error("no key can be derived from this seed")]
    UnusableSeed,
    /// BIP-137 does not cover taproot addresses.
    #[error("a taproot address signs with BIP-322 only")]
    TaprootNeedsBip322,
    /// Not a PSBT in base64 whose inputs all declare the outputs they spend.
    #[error("this is not a PSBT to sign")]
    NotPsbt,
    /// The BIP-322 signer refused.
    #[error("the message could not be signed: {reason}")]
    Refused {
        /// The signer's error.
        reason: String,
    },
}

/// One key and the address that it signs for.
pub(crate) struct Account {
    pub(crate) secret: SecretKey,
    pub(crate) public_key: CompressedPublicKey,
    address: WalletAddress,
}

/// The keys of one simulated user, derived from a seed by the usual paths: `m/86'/c'/0'/0/0` for the ordinals address
/// (BIP-86), `m/84'/c'/0'/0/0` for the payment address (BIP-84) and `m/49'/c'/0'/0/0` for its nested variant (BIP-49),
/// where `c` is 0 on the main network and 1 elsewhere.
///
/// The seed is the BIP-32 seed itself, not a mnemonic. Signatures are deterministic: the same seed and message give the
/// same text every time.
pub struct WalletKey {
    network: Network,
    ordinals: Account,
    payment: Account,
    nested: Account,
}

impl WalletKey {
    /// Derives the wallet of `seed` on `network`.
    pub fn from_seed(seed: [u8; 32], network: Network) -> Result<Self, WalletKeyError> {
        let secp = Secp256k1::new();
        let master = Xpriv::new_master(network, &seed).map_err(|_| WalletKeyError::UnusableSeed)?;
        let account = |kind| Account::derive(&secp, &master, kind, network);
        Ok(Self {
            network,
            ordinals: account(AddressKind::P2tr)?,
            payment: account(AddressKind::P2wpkh)?,
            nested: account(AddressKind::P2shP2wpkh)?,
        })
    }

    /// The network of all its addresses.
    #[must_use]
    pub fn network(&self) -> Network {
        self.network
    }

    /// The address of the given kind.
    #[must_use]
    pub fn address(&self, kind: AddressKind) -> &WalletAddress {
        &self.account(kind).address
    }

    /// The taproot address, where ordinals and runes are kept.
    #[must_use]
    pub fn ordinals_address(&self) -> &WalletAddress {
        self.address(AddressKind::P2tr)
    }

    /// The native segwit address, which pays and is paid.
    #[must_use]
    pub fn payment_address(&self) -> &WalletAddress {
        self.address(AddressKind::P2wpkh)
    }

    /// The public key behind the address in hexadecimal, as wallets report it: the compressed key (66 digits), or for
    /// P2TR the x-only internal key (64 digits).
    #[must_use]
    pub fn public_key_hex(&self, kind: AddressKind) -> String {
        let key = self.account(kind).public_key;
        match kind {
            AddressKind::P2tr => XOnlyPublicKey::from(key.0).to_string(),
            AddressKind::P2wpkh | AddressKind::P2shP2wpkh => key.to_string(),
        }
    }

    /// The key that spends the coins of the address.
    #[must_use]
    pub fn coin_key(&self, kind: AddressKind) -> CoinKey {
        let key = self.account(kind).public_key;
        match kind {
            AddressKind::P2tr => CoinKey::P2tr(XOnlyPublicKey::from(key.0)),
            AddressKind::P2wpkh => CoinKey::P2wpkh(key),
            AddressKind::P2shP2wpkh => CoinKey::P2shP2wpkh(key),
        }
    }

    /// Signs `message` as BIP-322 simple: the witness in base64, without the optional `smp` prefix.
    pub fn sign_bip322(&self, kind: AddressKind, message: &str) -> Result<String, WalletKeyError> {
        let account = self.account(kind);
        let key = PrivateKey::new(account.secret, self.network);
        let witness = bip322::sign_simple(account.address.as_address(), message, &[key], None)
            .map_err(|error| WalletKeyError::Refused { reason: error.to_string() })?;
        Ok(STANDARD.encode(serialize(&witness)))
    }

    /// Signs `message` as BIP-137: 65 bytes in base64, the header being 39 to 42 for P2WPKH and 35 to 38 for
    /// P2SH-P2WPKH.
    pub fn sign_bip137(&self, kind: AddressKind, message: &str) -> Result<String, WalletKeyError> {
        let header_base = match kind {
            AddressKind::P2tr => return Err(WalletKeyError::TaprootNeedsBip322),
            AddressKind::P2wpkh => 39,
            AddressKind::P2shP2wpkh => 35,
        };
        let digest = Message::from_digest(signed_msg_hash(message).to_byte_array());
        let signature = Secp256k1::new().sign_ecdsa_recoverable(&digest, &self.account(kind).secret);
        let (recovery, compact) = signature.serialize_compact();
        let mut bytes = [0; 65];
        // A recovery id is 0 to 3, so its low byte is all of it.
        bytes[0] = header_base + recovery.to_i32().to_le_bytes()[0];
        bytes[1..].copy_from_slice(&compact);
        Ok(STANDARD.encode(bytes))
    }

    pub(crate) fn account(&self, kind: AddressKind) -> &Account {
        match kind {
            AddressKind::P2tr => &self.ordinals,
            AddressKind::P2wpkh => &self.payment,
            AddressKind::P2shP2wpkh => &self.nested,
        }
    }
}

/// Shows the addresses and never a secret, because wallets end up in logs and in failed assertions.
impl fmt::Debug for WalletKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WalletKey")
            .field("network", &self.network)
            .field("ordinals", &self.ordinals.address.to_string())
            .field("payment", &self.payment.address.to_string())
            .field("nested", &self.nested.address.to_string())
            .finish_non_exhaustive()
    }
}

impl Account {
    fn derive(
        secp: &Secp256k1<All>,
        master: &Xpriv,
        kind: AddressKind,
        network: Network,
    ) -> Result<Self, WalletKeyError> {
        let coin = match NetworkKind::from(network) {
            NetworkKind::Main => 0,
            NetworkKind::Test => 1,
        };
        let purpose = match kind {
            AddressKind::P2tr => 86,
            AddressKind::P2wpkh => 84,
            AddressKind::P2shP2wpkh => 49,
        };
        let path = DerivationPath::from_str(&format!("m/{purpose}'/{coin}'/0'/0/0"))
            .map_err(|_| WalletKeyError::UnusableSeed)?;
        let secret = master.derive_priv(secp, &path).map_err(|_| WalletKeyError::UnusableSeed)?.private_key;
        let public_key = CompressedPublicKey(secret.public_key(secp));
        let address = match kind {
            AddressKind::P2tr => Address::p2tr(secp, XOnlyPublicKey::from(public_key.0), None, network),
            AddressKind::P2wpkh => Address::p2wpkh(&public_key, network),
            AddressKind::P2shP2wpkh => Address::p2shwpkh(&public_key, network),
        };
        Ok(Self { secret, public_key, address: WalletAddress::from_derived(address, kind, network) })
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::hex::FromHex as _;

    use super::*;

    const SEED: [u8; 32] = [7; 32];

    #[test]
    fn the_paths_give_the_published_addresses_of_their_bips() {
        // The seed of the mnemonic "abandon ... about", from the test vectors of BIP-84, BIP-86 and BIP-49.
        let seed = Vec::<u8>::from_hex(
            "5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc1\
             9a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4",
        );
        let seed = seed.expect("hexadecimal");
        let secp = Secp256k1::new();
        for (kind, network, published) in [
            (AddressKind::P2wpkh, Network::Bitcoin, "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"),
            (AddressKind::P2tr, Network::Bitcoin, "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"),
            (AddressKind::P2shP2wpkh, Network::Testnet, "2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2"),
        ] {
            let master = Xpriv::new_master(network, &seed).expect("usable");
            let account = Account::derive(&secp, &master, kind, network).expect("usable");
            assert_eq!(account.address.to_string(), published, "{kind}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_wallet_and_the_same_signatures() {
        let first = WalletKey::from_seed(SEED, Network::Regtest).expect("usable");
        let second = WalletKey::from_seed(SEED, Network::Regtest).expect("usable");
        for kind in [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
            assert_eq!(first.address(kind), second.address(kind));
            assert_eq!(first.public_key_hex(kind), second.public_key_hex(kind));
            assert_eq!(first.sign_bip322(kind, "hello"), second.sign_bip322(kind, "hello"));
        }
    }

    #[test]
    fn derived_addresses_parse_back_on_their_network() {
        for network in [Network::Bitcoin, Network::Testnet, Network::Testnet4, Network::Signet, Network::Regtest] {
            let wallet = WalletKey::from_seed(SEED, network).expect("usable");
            for kind in [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
                let address = wallet.address(kind);
                assert_eq!(WalletAddress::parse(&address.to_string(), network).as_ref(), Ok(address));
            }
        }
    }

    #[test]
    fn keys_have_the_lengths_that_wallets_report() {
        let wallet = WalletKey::from_seed(SEED, Network::Regtest).expect("usable");
        assert_eq!(wallet.public_key_hex(AddressKind::P2tr).len(), 64);
        assert_eq!(wallet.public_key_hex(AddressKind::P2wpkh).len(), 66);
        assert_eq!(wallet.public_key_hex(AddressKind::P2shP2wpkh).len(), 66);
    }

    #[test]
    fn debug_shows_addresses_and_no_secret() {
        let wallet = WalletKey::from_seed(SEED, Network::Regtest).expect("usable");
        let shown = format!("{wallet:?}");
        assert!(shown.contains(&wallet.payment_address().to_string()));
        for account in [&wallet.ordinals, &wallet.payment, &wallet.nested] {
            assert!(!shown.contains(&account.secret.display_secret().to_string()));
        }
        assert!(!shown.contains(&"07".repeat(8)));
    }

    #[test]
    fn a_taproot_address_cannot_sign_bip137() {
        let wallet = WalletKey::from_seed(SEED, Network::Regtest).expect("usable");
        assert_eq!(wallet.sign_bip137(AddressKind::P2tr, "hello"), Err(WalletKeyError::TaprootNeedsBip322));
    }
}
