//! The single-use key that pre-signs one loan's repayment.

use bitcoin::XOnlyPublicKey;
use bitcoin::secp256k1::{All, Keypair, Secp256k1};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::running_loan::{PreSignatureError, RunningLoan};
use escrow::contract::transaction::template::PAYOUT_SIGHASH;
use escrow::contract::transaction::version::TRUC;
use zeroize::Zeroizing;

use crate::key_source::KeySource;

/// A key from fresh randomness. It is never written and never copied; signing consumes it, and drop erases it.
///
/// After that the collateral cannot be moved together with the borrower in any way that the two signatures do not
/// allow, not even by the signer or the platform.
pub(crate) struct EphemeralKey {
    keys: Keypair,
    /// The auxiliary randomness of its signatures (BIP 340).
    auxiliary: Zeroizing<[u8; 32]>,
    secp: Secp256k1<All>,
}

impl EphemeralKey {
    /// Creates a fresh key.
    pub(crate) fn generate(source: &mut KeySource) -> Self {
        let secp = Secp256k1::new();
        loop {
            // All but one of 2^127 draws are a key.
            if let Ok(keys) = Keypair::from_seckey_slice(&secp, &*source.draw()) {
                return Self { keys, auxiliary: source.draw(), secp };
            }
        }
    }

    /// Returns the public key that is in the escrow.
    pub(crate) fn public_key(&self) -> XOnlyPublicKey {
        self.keys.x_only_public_key().0
    }

    /// Signs the payout, and consumes the key.
    pub(crate) fn sign(self, loan: &RunningLoan) -> Result<PayoutSignaturePair, PreSignatureError> {
        let sign = |version| {
            let message = loan.payout_message(version)?;
            let signature = self.secp.sign_schnorr_with_aux_rand(&message, &self.keys, &self.auxiliary);
            Ok(Signature { signature, sighash_type: PAYOUT_SIGHASH })
        };
        Ok(PayoutSignaturePair { two: sign(Version::TWO)?, truc: sign(TRUC)? })
    }
}

impl Drop for EphemeralKey {
    fn drop(&mut self) {
        self.keys.non_secure_erase();
    }
}
