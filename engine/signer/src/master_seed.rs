//! The master seed, and the keys that are derived from it.

use std::fmt;

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::secp256k1::rand::RngCore as _;
use bitcoin::secp256k1::rand::rngs::OsRng;
use bitcoin::secp256k1::{Keypair, Message, Secp256k1, SignOnly, schnorr};
use bitcoin::{Network, XOnlyPublicKey};
use escrow::tagged_hash::tagged_hash;
use secrecy::{ExposeSecret as _, SecretBox};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::identity::Identity;

/// The length of the seed, in bytes.
pub const SEED_LENGTH: usize = 32;

/// 256 random bits from which every vault key is derived. Never shown, not even in debug output.
pub struct MasterSeed(SecretBox<[u8; SEED_LENGTH]>);

/// The error that no key can be derived, whose probability is about 2^-127.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UnusableKey {
    /// The key for a vault.
    #[error("no key can be derived for lender {lender_id}")]
    Vault {
        /// The lender's id.
        lender_id: u64,
    },
    /// The identity key.
    #[error("no identity can be derived from this seed")]
    Identity,
}

/// The signer's key for the vault of one lender; erased on drop.
pub struct VaultKey(Keypair);

impl MasterSeed {
    /// Creates a seed from these bytes.
    #[must_use]
    pub fn new(bytes: Box<[u8; SEED_LENGTH]>) -> Self {
        Self(SecretBox::new(bytes))
    }

    /// Creates a new seed from the system's source of randomness.
    #[must_use]
    pub fn random() -> Self {
        Self(SecretBox::init_with_mut(|bytes: &mut [u8; SEED_LENGTH]| OsRng.fill_bytes(bytes)))
    }

    /// Returns the bytes, to be written encrypted.
    pub(crate) fn expose(&self) -> &[u8; SEED_LENGTH] {
        self.0.expose_secret()
    }

    /// Derives the key for a lender's vault: the BIP-340 tagged hash `Lienbook/vault key` of seed, network name and the
    /// lender's id in big-endian, as a secret key. A hash cannot be inverted, so no key reveals another one or the
    /// seed.
    pub fn vault_key(&self, network: Network, lender_id: u64) -> Result<VaultKey, UnusableKey> {
        let name = network.to_string();
        let secret = self.tagged("Lienbook/vault key", &[name.as_bytes(), &lender_id.to_be_bytes()]);
        let keys = Keypair::from_seckey_slice(&Secp256k1::signing_only(), secret.as_slice());
        keys.map(VaultKey).map_err(|_| UnusableKey::Vault { lender_id })
    }

    /// Derives the key by which this signer attests its keys: the tagged hash `Lienbook/signer identity`, as a secret key.
    pub fn identity(&self) -> Result<Identity, UnusableKey> {
        let secret = self.tagged("Lienbook/signer identity", &[]);
        let keys = Keypair::from_seckey_slice(&Secp256k1::signing_only(), secret.as_slice());
        keys.map(Identity::new).map_err(|_| UnusableKey::Identity)
    }

    /// Identifies the seed without revealing it: the tagged hash `Lienbook/signer id`.
    #[must_use]
    pub fn fingerprint(&self) -> sha256::Hash {
        sha256::Hash::from_byte_array(*self.tagged("Lienbook/signer id", &[]))
    }

    /// Returns the proof that is issued with a repay key and required later: the tagged hash `Lienbook/repay key` of
    /// seed and key. Only this signer can compute it, so a key that comes with it was made here, signed one repayment
    /// and was destroyed.
    pub(crate) fn repay_proof(&self, repay: XOnlyPublicKey) -> sha256::Hash {
        sha256::Hash::from_byte_array(*self.tagged("Lienbook/repay key", &[&repay.serialize()]))
    }

    fn tagged(&self, tag: &str, parts: &[&[u8]]) -> Zeroizing<[u8; 32]> {
        let seed: &[u8] = self.expose();
        let parts: Vec<&[u8]> = [seed].into_iter().chain(parts.iter().copied()).collect();
        Zeroizing::new(tagged_hash(tag, &parts))
    }
}

impl fmt::Debug for MasterSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterSeed(..)")
    }
}

impl VaultKey {
    /// Returns the public key that is in the vault's script.
    #[must_use]
    pub fn public_key(&self) -> XOnlyPublicKey {
        self.0.x_only_public_key().0
    }

    /// Signs without auxiliary randomness: the same message gives the same signature, so a repeated request reveals
    /// nothing.
    pub(crate) fn sign(&self, secp: &Secp256k1<SignOnly>, message: &Message) -> schnorr::Signature {
        secp.sign_schnorr_no_aux_rand(message, &self.0)
    }
}

impl fmt::Debug for VaultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VaultKey").field(&format_args!("{}", self.public_key())).finish()
    }
}

impl Drop for VaultKey {
    fn drop(&mut self) {
        self.0.non_secure_erase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed() -> MasterSeed {
        MasterSeed::new(Box::new([0x5a; SEED_LENGTH]))
    }

    #[test]
    fn each_lender_and_network_has_its_own_stable_key() {
        let key = |network, lender_id| seed().vault_key(network, lender_id).unwrap().public_key();
        assert_eq!(key(Network::Regtest, 4), key(Network::Regtest, 4));
        assert_ne!(key(Network::Regtest, 4), key(Network::Regtest, 5));
        assert_ne!(key(Network::Regtest, 4), key(Network::Bitcoin, 4));
        assert_ne!(key(Network::Regtest, 4), MasterSeed::random().vault_key(Network::Regtest, 4).unwrap().public_key());
        // Computed independently. Money is held under this key: a change of the derivation would lose it.
        let golden = "d9b316f15b403f9d763053d93a0dd8f56d4e407badebc433d5491dc1c41bc3ca";
        assert_eq!(key(Network::Bitcoin, 4).to_string(), golden);
    }

    #[test]
    fn each_repay_key_has_a_proof_that_only_this_seed_yields() {
        let key = |lender_id| seed().vault_key(Network::Regtest, lender_id).unwrap().public_key();
        assert_eq!(seed().repay_proof(key(1)), seed().repay_proof(key(1)));
        assert_ne!(seed().repay_proof(key(1)), seed().repay_proof(key(2)));
        assert_ne!(seed().repay_proof(key(1)), MasterSeed::random().repay_proof(key(1)));
        assert_ne!(seed().repay_proof(key(1)), seed().fingerprint());
    }

    #[test]
    fn no_secret_is_in_debug_output() {
        let key = seed().vault_key(Network::Regtest, 4).unwrap();
        let shown = format!("{:?} {key:?}", seed());
        assert!(!shown.contains("5a5a") && !shown.contains("90, 90"), "{shown}");
        assert!(!shown.contains(&key.0.display_secret().to_string()), "{shown}");
        assert!(shown.contains(&key.public_key().to_string()));
    }
}
