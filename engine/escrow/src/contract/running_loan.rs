//! A loan that has begun, and what its repay key signs before it does.

use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::{Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, ScriptBuf, Transaction, TxIn, TxOut, Witness, absolute};
use thiserror::Error;

use super::loan_escrow::LoanEscrow;
use super::pledge::Pledge;
use super::template::{OWN_PAYOUT, SEQUENCE, Spend, has_address};

/// Version 3: whatever the lender hangs on the payout may weigh 1,000 virtual bytes, so the repayment cannot be pinned.
pub const TRUC: Version = Version(3);

/// A running loan as whatever ends it needs it.
#[derive(Clone, Debug)]
pub struct RunningLoan {
    /// The contract.
    pub escrow: LoanEscrow,
    /// Where it is.
    pub outpoint: OutPoint,
    /// What it holds.
    pub value: Amount,
    /// What else it holds.
    pub pledge: Pledge,
    /// Principal and interest, to the lender.
    pub payout: TxOut,
}

/// Why a signature that was made beforehand is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PreSignatureError {
    /// It would bind more, or less, than the escrow and the payout.
    #[error("a repayment is signed beforehand with SINGLE|ANYONECANPAY, not with {0}")]
    WrongSighash(bitcoin::TapSighashType),
    /// It is not the repay key's signature of this payout.
    #[error("the signature is not the repay key's for this escrow and payout")]
    Invalid,
    /// With a payout that no node relays, the borrower could not repay and would lose the collateral.
    #[error("no node relays a repayment that pays {0} to the lender's script")]
    UnpayablePayout(Amount),
    /// The payout could not be put into a transaction.
    #[error("there is no message to sign")]
    NoMessage,
}

impl RunningLoan {
    /// What the repay key signs before anybody knows how the borrower will pay: this escrow is spent, and the output of
    /// the same index is the payout.
    pub fn payout_message(&self, version: Version) -> Result<Message, PreSignatureError> {
        self.payout_message_at(&self.bare_payout(version), 0)
    }

    /// Checks a signature that was made beforehand.
    pub fn check_payout_signature(&self, version: Version, signature: &Signature) -> Result<(), PreSignatureError> {
        self.check_payable()?;
        self.check_payout_at(&self.bare_payout(version), 0, signature)
    }

    /// Whether nodes relay the payout: to a script with an address, neither too little nor more than there is.
    fn check_payable(&self) -> Result<(), PreSignatureError> {
        let TxOut { value, script_pubkey } = &self.payout;
        let is_payable =
            has_address(script_pubkey) && (script_pubkey.minimal_non_dust()..=Amount::MAX_MONEY).contains(value);
        if is_payable { Ok(()) } else { Err(PreSignatureError::UnpayablePayout(*value)) }
    }

    /// Checks a signature that was made beforehand, where its escrow is spent at last.
    pub(super) fn check_payout_at(
        &self,
        transaction: &Transaction,
        index: usize,
        signature: &Signature,
    ) -> Result<(), PreSignatureError> {
        if signature.sighash_type != OWN_PAYOUT {
            return Err(PreSignatureError::WrongSighash(signature.sighash_type));
        }
        let message = self.payout_message_at(transaction, index)?;
        Secp256k1::verification_only()
            .verify_schnorr(&signature.signature, &message, &self.escrow.terms().repay)
            .map_err(|_| PreSignatureError::Invalid)
    }

    /// The least transaction that spends the escrow and pays the lender.
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
            .taproot_script_spend_signature_hash(index, &prevouts, leaf, OWN_PAYOUT)
            .map(|hash| Message::from_digest(hash.to_byte_array()))
            .map_err(|_| PreSignatureError::NoMessage)
    }

    /// Its escrow, spent by the repay leaf.
    pub(crate) fn spend(&self) -> Spend<'_> {
        self.escrow.output().spend(self.outpoint, self.value, self.escrow.repay_leaf())
    }
}
