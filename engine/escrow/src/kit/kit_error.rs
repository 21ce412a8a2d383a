//! The errors of kits.

use bitcoin::{Amount, OutPoint};
use thiserror::Error;

use crate::contract::loan::loan_escrow::EscrowError;
use crate::contract::loan::running_loan::PreSignatureError;
use crate::contract::transaction::key_set::KeySetError;
use crate::contract::vault::VaultError;
use crate::contract::vault::vault_signers::VaultSignersError;

/// The reason why a kit is refused. Such a kit is of no use: another copy is needed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KitError {
    /// A file that is longer than any kit.
    #[error("a kit has at most {max} bytes, this file has {bytes}")]
    TooLarge {
        /// Its length.
        bytes: usize,
        /// The maximum.
        max: usize,
    },
    /// A file that is not JSON, or lacks the fields of a kit.
    #[error("this is not a kit: {0}")]
    NotAKit(String),
    /// Another kind of file, or a kit of a later version.
    #[error("this file declares the kind {found:?}, which is not supported")]
    UnknownKind {
        /// The kind that it declares.
        found: String,
    },
    /// A field does not have the type that its name implies.
    #[error("the field {field} is not {wanted}")]
    Malformed {
        /// The name of the field.
        field: &'static str,
        /// The expected type.
        wanted: &'static str,
    },
    /// A field contradicts the other fields.
    #[error("the field {field} contradicts the rest of the kit")]
    Differs {
        /// The name of the field, with dots between the levels.
        ///
        field: String,
    },
    /// The terms make no escrow.
    #[error("the loan's terms are impossible: {0}")]
    Escrow(#[from] EscrowError),
    /// The keys cannot be the repay keys of a loan.
    #[error("the loan's repay keys are impossible: {0}")]
    RepayKeys(#[from] KeySetError),
    /// The keys cannot be the signers of a vault.
    #[error("the vault's signers are impossible: {0}")]
    VaultSigners(#[from] VaultSignersError),
    /// The terms make no vault.
    #[error("the vault's terms are impossible: {0}")]
    Vault(#[from] VaultError),
    /// The lender could claim before the loan is due.
    #[error("the loan would be due at {due_seconds}, after the lender may claim, at {claim_seconds}")]
    DueAfterClaim {
        /// The due time, in Unix seconds.
        due_seconds: u32,
        /// The claim time, in Unix seconds.
        claim_seconds: u32,
    },
    /// The origination does not pay into the escrow.
    #[error("the kit's origination has no output {0} that pays the stated sum into the escrow")]
    EscrowMismatch(OutPoint),
    /// The transaction moves other assets into the escrow than the kit states.
    #[error("the origination does not move the stated collateral into the escrow")]
    PledgeMismatch,
    /// The pad does not belong to the borrower's payment address, or does not exist.
    #[error("the origination has no output {0} that pays the borrower's payment address")]
    PadMismatch(OutPoint),
    /// The number of pads is not that of the collateral plus one.
    #[error("the kit has {found} pads, and its collateral needs {wanted}")]
    PadCount {
        /// The number that the collateral needs.
        wanted: usize,
        /// The number found.
        found: usize,
    },
    /// Two pads are the same output.
    #[error("two pads are the output {0}")]
    SamePad(OutPoint),
    /// The inscription's sat lies outside the output.
    #[error("the inscription would be at sat {offset}, but the escrow holds {value}")]
    OffsetOutside {
        /// The stated sat.
        offset: Amount,
        /// The value of the output.
        value: Amount,
    },
    /// The ranges of several inscriptions are not the whole escrow, or not as many as a loan can have.
    #[error("the kit has {count} ranges of {found} in all for an escrow of {expected}")]
    WrongRanges {
        /// The number of ranges.
        count: usize,
        /// The value of the escrow.
        expected: Amount,
        /// The total of the ranges.
        found: Amount,
    },
    /// The pre-signatures are invalid, so the borrower could not repay alone.
    #[error("the pre-signed repayment is invalid: {0}")]
    Signatures(#[from] PreSignatureError),
}
