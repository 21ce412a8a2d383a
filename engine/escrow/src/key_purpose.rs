//! The attestation of a key: the signature by which a vault signer states that it made the key, and for what.
//!
//! The signers of a shared vault are named by their identities in the policy that lenders sign. A server relays the keys that
//! they make, and an attestation shows that it put none of its own among them.

use bitcoin::secp256k1::{Message, schnorr};
use bitcoin::{Network, XOnlyPublicKey};

use crate::tagged_hash::tagged_hash;
use crate::verification::VERIFICATION;

/// The purpose of an attested key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPurpose {
    /// The signer's key for the vault of a lender.
    Vault {
        /// The network.
        network: Network,
        /// The lender's id.
        lender_id: u64,
    },
    /// A key that pre-signs the repayment of one loan, once, and is then destroyed.
    Repay {
        /// The network.
        network: Network,
        /// The loan's id.
        loan_id: u128,
    },
}

impl KeyPurpose {
    /// Returns the signed message: the BIP-340 tagged hash `Lienbook/vault key attestation` of network name, lender's id in
    /// big-endian and key, or `Lienbook/repay key attestation` of network name, loan's id in big-endian and key.
    #[must_use]
    pub fn message(self, key: XOnlyPublicKey) -> Message {
        let (tag, network, id) = match self {
            Self::Vault { network, lender_id } => {
                ("Lienbook/vault key attestation", network, lender_id.to_be_bytes().to_vec())
            }
            Self::Repay { network, loan_id } => {
                ("Lienbook/repay key attestation", network, loan_id.to_be_bytes().to_vec())
            }
        };
        let network = network.to_string();
        Message::from_digest(tagged_hash(tag, &[network.as_bytes(), &id, &key.serialize()]))
    }

    /// Returns whether this identity attests a key for this purpose.
    #[must_use]
    pub fn is_attested(self, key: XOnlyPublicKey, identity: &XOnlyPublicKey, attestation: &schnorr::Signature) -> bool {
        VERIFICATION.verify_schnorr(attestation, &self.message(key), identity).is_ok()
    }
}
