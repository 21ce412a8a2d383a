//! The requests of the vaults that several signers share, where they differ from those of a signer of its own.

use bitcoin::{Psbt, ScriptBuf, XOnlyPublicKey};
use serde::{Deserialize, Serialize};

use crate::identity::AttestedKey;
use crate::request::{LoanRequest, PayoutText};
use crate::signed_text::SignedText;
use crate::{as_script, as_text};

/// A request to one of the signers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SharedRequest {
    /// Asks for the signer's attested key for the vault of a lender.
    VaultKey {
        /// The lender's id.
        lender_id: u64,
    },
    /// Asks for what the signer knows of a lender's vault.
    Vault {
        /// The lender's id.
        lender_id: u64,
    },
    /// A lender opens the vault, changes its payment address, or moves a vault of other signers to these.
    OpenVault {
        /// The lender's id.
        lender_id: u64,
        /// The lender's ordinals key, which is part of the vault's script.
        #[serde(with = "as_text")]
        lender: XOnlyPublicKey,
        /// The attested key of each signer.
        keys: Vec<AttestedKey>,
        /// The lender's `open vault` or `move vault`, signed by the address of that key.
        signed: SignedText,
    },
    /// Makes a repay key for a loan and keeps it in memory for a minute. Writes nothing.
    RepayKey {
        /// The loan's id.
        #[serde(with = "as_text")]
        loan_id: u128,
    },
    /// Signs the repayment with the signer's own repay key, and destroys it. Moves no money.
    PrepareLoan {
        /// The terms.
        loan: Box<LoanRequest>,
        /// The attested repay keys, as many as signers sign, one of them this signer's.
        keys: Vec<AttestedKey>,
    },
    /// Signs for the vault's outputs in the origination of a loan.
    SignLoan(Box<SignSharedLoan>),
}

impl SharedRequest {
    /// Returns whether the answer changes nothing and signs nothing.
    #[must_use]
    pub const fn is_read(&self) -> bool {
        matches!(self, Self::VaultKey { .. } | Self::Vault { .. })
    }
}

/// The answer to [`SharedRequest::Vault`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedVault {
    /// The lender's ordinals key.
    #[serde(with = "as_text")]
    pub lender: XOnlyPublicKey,
    /// The keys of the signers, in ascending order.
    #[serde(with = "as_text::list")]
    pub keys: Vec<XOnlyPublicKey>,
    /// The script of the lender's payment address.
    #[serde(with = "as_script")]
    pub payment: ScriptBuf,
}

/// The arguments of [`SharedRequest::SignLoan`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignSharedLoan {
    /// The loan, as it was prepared.
    pub loan: LoanRequest,
    /// The keys that signed its repayment, each with its signatures.
    pub repay: Vec<RepaySignatures>,
    /// The origination, with every output that it spends.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// A repay key and what it signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepaySignatures {
    /// The key, attested by the signer that made and destroyed it.
    pub key: AttestedKey,
    /// Its signatures.
    pub payout: PayoutText,
}

/// The answer to [`SharedRequest::PrepareLoan`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedShare {
    /// The signatures of the signer's own key, which is destroyed.
    pub payout: PayoutText,
    /// The origination of the loan, as the signer builds it.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// A loan that several signers have prepared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedShared {
    /// The repay keys with their signatures.
    pub repay: Vec<RepaySignatures>,
    /// The origination of the loan, as the signers build it.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}
