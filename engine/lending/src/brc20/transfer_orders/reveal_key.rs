//! The one-time key of a reveal.

use bitcoin::secp256k1::rand::rngs::OsRng;
use bitcoin::secp256k1::{Keypair, Secp256k1};
use bitcoin::{Transaction, XOnlyPublicKey};
use escrow::contract::inscribe_transfer::{CommitAndReveal, RevealSigningError};

/// A key of the system's randomness. It is never written or copied; signing consumes it, and drop erases it.
pub(super) struct RevealKey(Keypair);

impl RevealKey {
    pub(super) fn generate() -> Self {
        Self(Keypair::new(&Secp256k1::new(), &mut OsRng))
    }

    /// The public key in the commit's script.
    pub(super) fn public_key(&self) -> XOnlyPublicKey {
        self.0.x_only_public_key().0
    }

    /// Signs the reveal and destroys the key.
    pub(super) fn sign(self, both: &CommitAndReveal) -> Result<Transaction, RevealSigningError> {
        both.sign_reveal(&self.0)
    }
}

impl Drop for RevealKey {
    fn drop(&mut self) {
        self.0.non_secure_erase();
    }
}
