//! Why a file is no kit.

use bitcoin::{Amount, OutPoint};
use thiserror::Error;

use crate::contract::loan_escrow::EscrowError;
use crate::contract::running_loan::PreSignatureError;
use crate::contract::vault::VaultError;

/// Why a kit is refused. It is then of no use: ask for another copy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KitError {
    /// Longer than any kit.
    #[error("a kit has at most {max} bytes, this file has {bytes}")]
    TooLarge {
        /// What it has.
        bytes: usize,
        /// The most.
        max: usize,
    },
    /// No JSON, or not the fields of a kit.
    #[error("this is not a kit: {0}")]
    NotAKit(String),
    /// Something else, or a kit of a later version.
    #[error("this file calls itself {found:?}, which is no kit that this program knows")]
    UnknownKind {
        /// What it calls itself.
        found: String,
    },
    /// A field does not say what its name promises.
    #[error("the field {field} is not {wanted}")]
    Malformed {
        /// Which.
        field: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// A field contradicts what follows from the others.
    #[error("the field {field} does not agree with the rest of the kit")]
    Differs {
        /// Which, with dots between the levels.
        field: String,
    },
    /// No loan has these terms.
    #[error("the loan's terms are impossible: {0}")]
    Escrow(#[from] EscrowError),
    /// No vault has these terms.
    #[error("the vault's terms are impossible: {0}")]
    Vault(#[from] VaultError),
    /// The lender could claim before the loan is due.
    #[error("the loan would be due at {due_seconds}, after the lender may claim, at {claim_seconds}")]
    DueAfterClaim {
        /// When it is due, in Unix seconds.
        due_seconds: u32,
        /// From when on the lender may claim, in Unix seconds.
        claim_seconds: u32,
    },
    /// The origination does not pay into the escrow.
    #[error("the kit's origination has no output {0} that pays the stated sum into the escrow")]
    EscrowElsewhere(OutPoint),
    /// The transaction moves other assets into the escrow than the kit names.
    #[error("the origination does not move the stated collateral into the escrow")]
    PledgeElsewhere,
    /// The pad is not the borrower's, or there is none.
    #[error("the origination has no output {0} that pays the borrower's payment address")]
    PadElsewhere(OutPoint),
    /// Two pads are two outputs.
    #[error("both pads are the output {0}")]
    SamePad(OutPoint),
    /// The output has no such sat.
    #[error("the inscription would stand at sat {offset}, but the escrow holds {value}")]
    OffsetOutside {
        /// Where it would be.
        offset: Amount,
        /// What there is.
        value: Amount,
    },
    /// Without them nobody can repay alone.
    #[error("the repayment that was signed beforehand does not hold: {0}")]
    Signatures(#[from] PreSignatureError),
}
