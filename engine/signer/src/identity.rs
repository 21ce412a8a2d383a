//! The identity of a signer: the key by which it attests other keys as its own.
//!
//! The signers of a shared vault are named by their identities in the policy that lenders sign. A server relays the keys that
//! they make, and an attestation shows that it put none of its own among them.

use std::fmt;

use bitcoin::XOnlyPublicKey;
use bitcoin::secp256k1::{Keypair, Secp256k1, schnorr};
pub use escrow::key_purpose::KeyPurpose;
use serde::{Deserialize, Serialize};

use crate::as_text;

/// The identity key; erased on drop.
pub struct Identity(Keypair);

/// A key with the attestation of the signer that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttestedKey {
    /// The key.
    #[serde(with = "as_text")]
    pub key: XOnlyPublicKey,
    /// The identity of the signer.
    #[serde(with = "as_text")]
    pub signer: XOnlyPublicKey,
    /// The identity's BIP-340 signature of [`KeyPurpose::message`].
    #[serde(with = "as_text")]
    pub attestation: schnorr::Signature,
}

impl Identity {
    /// The identity of this secret.
    pub(crate) const fn new(keys: Keypair) -> Self {
        Self(keys)
    }

    /// Returns the public key that names this signer.
    #[must_use]
    pub fn public_key(&self) -> XOnlyPublicKey {
        self.0.x_only_public_key().0
    }

    /// Attests a key as this signer's.
    pub(crate) fn attest(&self, purpose: KeyPurpose, key: XOnlyPublicKey) -> AttestedKey {
        let attestation = Secp256k1::signing_only().sign_schnorr_no_aux_rand(&purpose.message(key), &self.0);
        AttestedKey { key, signer: self.public_key(), attestation }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Identity").field(&format_args!("{}", self.public_key())).finish()
    }
}

impl Drop for Identity {
    fn drop(&mut self) {
        self.0.non_secure_erase();
    }
}

impl AttestedKey {
    /// Returns whether the named signer attests the key for this purpose.
    #[must_use]
    pub fn is_attested(&self, purpose: KeyPurpose) -> bool {
        purpose.is_attested(self.key, &self.signer, &self.attestation)
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::Network;

    use super::*;

    fn identity(byte: u8) -> Identity {
        Identity::new(Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap())
    }

    #[test]
    fn an_attestation_is_of_one_key_one_purpose_and_one_signer() {
        let network = Network::Regtest;
        let (one, other) = (identity(1), identity(2));
        let key = other.public_key();
        let purpose = KeyPurpose::Vault { network, lender_id: 4 };
        let attested = one.attest(purpose, key);
        assert!(attested.is_attested(purpose));
        for others in [
            KeyPurpose::Vault { network, lender_id: 5 },
            KeyPurpose::Vault { network: Network::Bitcoin, lender_id: 4 },
            KeyPurpose::Repay { network, loan_id: 4 },
        ] {
            assert!(!attested.is_attested(others), "{others:?}");
        }
        assert!(!AttestedKey { key: one.public_key(), ..attested }.is_attested(purpose));
        assert!(!AttestedKey { signer: other.public_key(), ..attested }.is_attested(purpose));
    }

    #[test]
    fn an_identity_is_stable_and_not_in_debug_output() {
        let shown = format!("{:?}", identity(1));
        assert_eq!(identity(1).public_key(), identity(1).public_key());
        assert!(shown.contains(&identity(1).public_key().to_string()));
        assert!(!shown.contains(&identity(1).0.display_secret().to_string()), "{shown}");
    }
}
