//! A running loan, and the message that its repay keys pre-sign.

use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::Message;
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{
    Amount, OutPoint, ScriptBuf, TapSighashType, Transaction, TxIn, TxOut, Witness, XOnlyPublicKey, absolute,
};
use thiserror::Error;

use super::loan_escrow::LoanEscrow;
use crate::contract::assets::pledge::{InscribedRange, Pledge};
use crate::contract::signing::spent_output::CarriedAssets;
use crate::contract::transaction::spend::{SEQUENCE, Spend};
use crate::contract::transaction::template::{PAYOUT_SIGHASH, has_address};
use crate::verification::VERIFICATION;

/// A running loan, with the data to end it.
#[derive(Clone, Debug)]
pub struct RunningLoan {
    /// The contract.
    pub escrow: LoanEscrow,
    /// The outpoint of the escrow.
    pub outpoint: OutPoint,
    /// The value of the escrow.
    pub value: Amount,
    /// The assets in the escrow.
    pub pledge: Pledge,
    /// Principal and interest, to the lender.
    pub payout: TxOut,
}

/// The reason why a pre-signature is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PreSignatureError {
    /// The key is none of the loan's repay keys.
    #[error("{0} is not a repay key of this loan")]
    ForeignKey(XOnlyPublicKey),
    /// The signatures of this repay key are missing.
    #[error("the pre-signatures of the repay key {0} are missing")]
    Missing(XOnlyPublicKey),
    /// Signatures of more keys than the loan has.
    #[error("there are pre-signatures of {found} keys, and the loan has {keys}")]
    TooMany {
        /// The number of repay keys.
        keys: usize,
        /// The number of keys with signatures.
        found: usize,
    },
    /// No repayment of this version is pre-signed.
    #[error("no repayment of version {} is pre-signed", .0.0)]
    UnsignedVersion(Version),
    /// A signature that commits to more, or less, than the escrow and the payout.
    #[error("a repayment is pre-signed with SINGLE|ANYONECANPAY, not with {found} as by {key}")]
    WrongSighash {
        /// The repay key.
        key: XOnlyPublicKey,
        /// The sighash type found.
        found: TapSighashType,
    },
    /// A signature that is not this repay key's of this payout.
    #[error("the signature is not that of the repay key {0} for this escrow and payout")]
    Invalid(XOnlyPublicKey),
    /// No node relays the payout, so the borrower could not repay and would lose the collateral.
    #[error("no node relays a repayment that pays {0} to the lender's script")]
    UnpayablePayout(Amount),
    /// The sighash of the payout cannot be computed.
    #[error("the sighash cannot be computed")]
    NoMessage,
}

impl RunningLoan {
    /// The outpoint of the escrow, and the assets in it.
    #[must_use]
    pub fn carried_assets(&self) -> (OutPoint, CarriedAssets) {
        let runes = match self.pledge {
            Pledge::Runes { id, amount } => vec![(id, amount)],
            Pledge::Inscription { .. } | Pledge::Inscriptions(_) | Pledge::TransferInscription { .. } => Vec::new(),
        };
        (self.outpoint, CarriedAssets { inscriptions: self.pledge.offsets(), runes })
    }

    /// The ranges of the escrow that return to the borrower, or go to the lender, as outputs of their own.
    #[must_use]
    pub fn ranges(&self) -> Vec<InscribedRange> {
        self.pledge.ranges(self.value)
    }

    /// The number of pads that precede the escrow when it is spent.
    #[must_use]
    pub fn pad_count(&self) -> usize {
        self.pledge.range_count() + 1
    }

    /// The message that each repay key signs before the other inputs of a repayment are known: it commits to spending
    /// this escrow, and to the payout as the output at the same index.
    pub fn payout_message(&self, version: Version) -> Result<Message, PreSignatureError> {
        self.payout_message_at(&self.bare_payout(version), 0)
    }

    /// Checks a pre-signature by this repay key.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check_payout_signature(
        &self,
        version: Version,
        key: &XOnlyPublicKey,
        signature: &Signature,
    ) -> Result<(), PreSignatureError> {
        self.check_payable()?;
        self.check_payout_at(&self.bare_payout(version), 0, key, signature)
    }

    /// Checks that nodes relay the payout: to a script with an address, above dust and within the supply of bitcoin.
    fn check_payable(&self) -> Result<(), PreSignatureError> {
        let TxOut { value, script_pubkey } = &self.payout;
        let is_payable =
            has_address(script_pubkey) && (script_pubkey.minimal_non_dust()..=Amount::MAX_MONEY).contains(value);
        if is_payable { Ok(()) } else { Err(PreSignatureError::UnpayablePayout(*value)) }
    }

    /// Checks a pre-signature in the transaction that finally spends its escrow.
    pub(super) fn check_payout_at(
        &self,
        transaction: &Transaction,
        index: usize,
        key: &XOnlyPublicKey,
        signature: &Signature,
    ) -> Result<(), PreSignatureError> {
        if !self.escrow.terms().repay.contains(key) {
            return Err(PreSignatureError::ForeignKey(*key));
        }
        if signature.sighash_type != PAYOUT_SIGHASH {
            return Err(PreSignatureError::WrongSighash { key: *key, found: signature.sighash_type });
        }
        let message = self.payout_message_at(transaction, index)?;
        VERIFICATION.verify_schnorr(&signature.signature, &message, key).map_err(|_| PreSignatureError::Invalid(*key))
    }

    /// The smallest transaction that spends the escrow and pays the lender.
    fn bare_payout(&self, version: Version) -> Transaction {
        let input = TxIn {
            previous_output: self.outpoint,
            script_sig: ScriptBuf::new(),
            sequence: SEQUENCE,
            witness: Witness::new(),
        };
        let output = vec![self.payout.clone()];
        Transaction { version, lock_time: absolute::LockTime::ZERO, input: vec![input], output }
    }

    fn payout_message_at(&self, transaction: &Transaction, index: usize) -> Result<Message, PreSignatureError> {
        let spent = self.spend().output();
        let (prevouts, leaf) = (Prevouts::One(index, &spent), self.escrow.repay_leaf().hash);
        SighashCache::new(transaction)
            .taproot_script_spend_signature_hash(index, &prevouts, leaf, PAYOUT_SIGHASH)
            .map(|hash| Message::from_digest(hash.to_byte_array()))
            .map_err(|_| PreSignatureError::NoMessage)
    }

    /// Spends the escrow by the repay leaf.
    pub(crate) fn spend(&self) -> Spend<'_> {
        self.escrow.output().spend(self.outpoint, self.value, self.escrow.repay_leaf())
    }
}
