//! The repay keys of a loan from a vault, and their work at preparation.

use bitcoin::XOnlyPublicKey;
use bitcoin::hashes::sha256;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repay_keys::{RepayKeys, RepayKeysError};

/// A repay key that has pre-signed a repayment; its private key is destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedRepayKey {
    /// The key.
    pub key: XOnlyPublicKey,
    /// The proof by which its signer recognizes it.
    pub proof: sha256::Hash,
    /// Its signatures.
    pub signatures: PayoutSignaturePair,
}

/// The repay keys of a loan, one of each signer that lends from the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedRepayKeys {
    keys: RepayKeys,
    signed: Vec<SignedRepayKey>,
}

impl SignedRepayKeys {
    /// All repay keys of a loan, given in any order.
    ///
    /// # Errors
    /// [`RepayKeysError`].
    pub fn new(mut signed: Vec<SignedRepayKey>) -> Result<Self, RepayKeysError> {
        let keys = RepayKeys::new(signed.iter().map(|own| own.key))?;
        signed.sort_unstable_by_key(|own| own.key.serialize());
        Ok(Self { keys, signed })
    }

    /// The keys alone.
    #[must_use]
    pub const fn keys(&self) -> &RepayKeys {
        &self.keys
    }

    /// Each key with its signatures, in the order of the escrow's script.
    #[must_use]
    pub fn signed(&self) -> &[SignedRepayKey] {
        &self.signed
    }

    /// The key with its signatures, where there is only one.
    #[must_use]
    pub fn only(&self) -> Option<&SignedRepayKey> {
        if let [own] = &self.signed[..] { Some(own) } else { None }
    }

    /// The signatures of all keys.
    #[must_use]
    pub fn payout_signatures(&self) -> PayoutSignatures {
        self.signed.iter().map(|own| own.signatures).collect()
    }
}

impl From<SignedRepayKey> for SignedRepayKeys {
    /// The key of a single signer.
    fn from(own: SignedRepayKey) -> Self {
        Self { keys: own.key.into(), signed: vec![own] }
    }
}
