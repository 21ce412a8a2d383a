//! The finished transaction, ready to broadcast.

use bitcoin::{Transaction, Txid, Weight};
use thiserror::Error;

use super::signature_check::{SignatureCheck, SignatureFault};
use super::signatures::{Signatures, TransactionMismatch};
use crate::contract::transaction::template::Template;

/// The reason why a transaction cannot be finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FinishError {
    /// The signatures belong to another transaction.
    #[error(transparent)]
    TransactionMismatch(#[from] TransactionMismatch),
    /// A signature is missing.
    #[error("a signature of input {index} is missing")]
    MissingSignature {
        /// The input's index.
        index: usize,
    },
    /// A signature is invalid for the outputs that this template spends.
    #[error("the signature of input {index} is invalid: {fault}")]
    Signature {
        /// The input's index.
        index: usize,
        /// The reason.
        fault: SignatureFault,
    },
    /// The transaction is heavier than its fee was computed for.
    #[error("the transaction weighs {found}, and its fee is for {most}")]
    TooHeavy {
        /// The predicted weight.
        most: Weight,
        /// The actual weight.
        found: Weight,
    },
    /// The id differs from the expected one, on which pre-signatures rely.
    #[error("the txid is {found}, and {promised} was expected")]
    TxidMismatch {
        /// The expected id.
        promised: Txid,
        /// The actual id.
        found: Txid,
    },
}

impl Template {
    /// Finishes the transaction with all its signatures, which are verified again; `promised` is the id that was
    /// reported before signing ([`Template::final_txid`]), on which the loan's other transactions rely.
    pub fn finish(&self, signatures: &Signatures, promised: Txid) -> Result<Transaction, FinishError> {
        signatures.check_transaction(self.psbt.unsigned_tx.compute_txid())?;
        let mut check = SignatureCheck::new(self);
        let mut finished = self.with_script_sigs();
        for (index, (input, lock)) in finished.input.iter_mut().zip(&self.locks).enumerate() {
            let mut own = Vec::new();
            let mut missing = lock.required();
            for (place, signer) in lock.signers().iter().enumerate() {
                let signature = signatures.get(index, place).filter(|_| missing > 0).unwrap_or_default();
                if !signature.is_empty() {
                    let checked = check.check(index, signer, signature);
                    checked.map_err(|fault| FinishError::Signature { index, fault })?;
                    missing -= 1;
                }
                own.push(signature);
            }
            if missing > 0 {
                return Err(FinishError::MissingSignature { index });
            }
            input.witness = lock.witness(&own);
        }
        let (most, found) = (self.weight, finished.weight());
        if found > most {
            return Err(FinishError::TooHeavy { most, found });
        }
        let found = finished.compute_txid();
        if found == promised { Ok(finished) } else { Err(FinishError::TxidMismatch { promised, found }) }
    }
}
