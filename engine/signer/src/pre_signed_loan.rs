//! A loan whose repayment is pre-signed, by a signer of its own or by each of those that share the vault.

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::secp256k1::schnorr;
use bitcoin::{Psbt, XOnlyPublicKey};
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::transaction::key_set::KeySetError;
use escrow::contract::vault::vault_signers::VaultSigners;

use crate::identity::AttestedKey;
use crate::request::shared::{RepaySignatures, SharedRequest, SignSharedLoan};
use crate::request::{LoanRequest, PayoutText, Request, SignLoan};

/// The repay keys of a loan with their signatures, and what shows the signers that they made the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepayShares {
    /// The share of a signer that has the vault alone.
    Single {
        /// The key, which is destroyed.
        key: XOnlyPublicKey,
        /// The proof by which the signer recognizes that it made this key; it is of no other use.
        proof: sha256::Hash,
        /// Its signatures.
        payout: PayoutText,
    },
    /// The shares of as many signers as sign a payment.
    Shared(Vec<RepaySignatures>),
}

/// A prepared loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreSignedLoan {
    /// The repay keys with their signatures.
    pub repay: RepayShares,
    /// The origination of the loan, as the signers build it.
    pub psbt: Psbt,
}

/// A loan for whose vault outputs the signers are to sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanToSign {
    /// The loan, as it was prepared.
    pub loan: LoanRequest,
    /// The repay keys with their signatures.
    pub repay: RepayShares,
    /// The origination, with every output that it spends.
    pub psbt: Psbt,
}

impl RepayShares {
    /// Returns shares as large as those that these signers will make, by which coins can be chosen before there are any. Never
    /// `None`: any 64 bytes have the form of a signature.
    #[must_use]
    pub fn of_size(signers: &VaultSigners) -> Option<Self> {
        let signature = schnorr::Signature::from_slice(&[0; 64]).ok()?;
        let payout = PayoutText { two: signature, truc: signature };
        if let Some(key) = signers.only() {
            return Some(Self::Single { key, proof: sha256::Hash::all_zeros(), payout });
        }
        let share = |key: &XOnlyPublicKey| {
            let key = AttestedKey { key: *key, signer: *key, attestation: signature };
            RepaySignatures { key, payout }
        };
        Some(Self::Shared(signers.keys().iter().take(signers.required()).map(share).collect()))
    }

    /// Returns the repay keys.
    ///
    /// # Errors
    /// [`KeySetError`].
    pub fn keys(&self) -> Result<RepayKeys, KeySetError> {
        match self {
            Self::Single { key, .. } => Ok((*key).into()),
            Self::Shared(shares) => RepayKeys::new(shares.iter().map(|share| share.key.key)),
        }
    }

    /// Returns the shares of several signers; none for a single one.
    #[must_use]
    pub fn shared(&self) -> &[RepaySignatures] {
        match self {
            Self::Single { .. } => &[],
            Self::Shared(shares) => shares,
        }
    }

    /// Returns the signatures of the keys.
    #[must_use]
    pub fn payout(&self) -> PayoutSignatures {
        match self {
            Self::Single { payout, .. } => PayoutSignaturePair::from(*payout).into(),
            Self::Shared(shares) => {
                let mut shares: Vec<&RepaySignatures> = shares.iter().collect();
                shares.sort_unstable_by_key(|share| share.key.key.serialize());
                shares.into_iter().map(|share| PayoutSignaturePair::from(share.payout)).collect()
            }
        }
    }
}

impl From<LoanToSign> for Request {
    fn from(LoanToSign { loan, repay, psbt }: LoanToSign) -> Self {
        match repay {
            RepayShares::Single { key: repay_key, proof: repay_proof, payout } => {
                Self::SignLoan(Box::new(SignLoan { loan, repay_key, repay_proof, payout, psbt }))
            }
            RepayShares::Shared(repay) => {
                Self::Shared(SharedRequest::SignLoan(Box::new(SignSharedLoan { loan, repay, psbt })))
            }
        }
    }
}
