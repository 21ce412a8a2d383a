//! Errors of the loan service.

use bitcoin::{FeeRate, OutPoint};
use domain::{LoanId, LoanStage, OfferId, ReservationId, TermDays, UnixMs};
use engine::Refusal;
use engine::asset_index::InscriptionId;
use engine::chain::ChainError;
use escrow::contract::loan::claim::ClaimError;
use escrow::contract::loan::origination::OriginationError;
pub use escrow::contract::loan::payout_request::PayoutRequestError;
use escrow::contract::loan::repayment::RepaymentError;
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::signatures::{SignatureError, TransactionMismatch};
use escrow::contract::transaction::coin_selection::SelectionError;
use escrow::kit::kit_error::KitError;
use escrow::kit::rebuild::RebuildError;
use signer::vault_signer::SignerError;
use thiserror::Error;

use crate::lookups::holdings::InscriptionError;
use crate::lookups::lookup::LookupError;
use crate::lookups::transfer_inscription::TransferInscriptionError;
use crate::records::contract::ContractError;
use crate::records::contract_record::RecordError;
use crate::records::running_record::RunningError;

/// An error of the loan service. Unless stated otherwise, nothing was changed.
#[derive(Debug, Error)]
pub enum LoanServiceError {
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
    /// The chain or an indexer did not answer, or its answer forbids the request.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The inscription cannot be pledged.
    #[error(transparent)]
    Inscription(#[from] InscriptionError),
    /// The transfer inscription cannot be pledged.
    #[error(transparent)]
    Note(#[from] TransferInscriptionError),
    /// The signed PSBT from the wallet is invalid.
    #[error(transparent)]
    Returned(#[from] ReturnedPsbtError),
    /// The lender's signed repayment is invalid.
    #[error(transparent)]
    Payout(#[from] PayoutRequestError),
    /// The loan's transactions cannot be built.
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// The repayment cannot be built.
    #[error(transparent)]
    Repayment(#[from] RepaymentError),
    /// The claim cannot be built.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// It is not a transaction that was prepared.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// The caller's coins do not suffice.
    #[error(transparent)]
    Coins(#[from] SelectionError),
    /// The lender's coins do not suffice.
    #[error("the lender's coins do not suffice")]
    LenderFundsInsufficient(#[source] SelectionError),
    /// The lender has no coin of exactly the sum that a loan against BRC-20 takes.
    #[error("the lender has no coin of exactly {wanted}")]
    NoExactLenderCoin {
        /// The sum of principal and platform fee.
        wanted: bitcoin::Amount,
    },
    /// The node refuses the transaction, or did not answer.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The vault signer refuses, or did not answer.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The offer does not exist any more.
    #[error("the offer {0} is no longer available")]
    UnknownOffer(OfferId),
    /// A manual offer was taken as an instant one, or the reverse.
    #[error("the offer is of the other process type")]
    WrongProcess,
    /// The loan does not exist, or is not the caller's.
    #[error("there is no loan {0}")]
    UnknownLoan(LoanId),
    /// There is no such loan of this borrower, or it ended without their acceptance.
    #[error("there is no reservation {0}: it was cancelled, or not signed in time")]
    NoReservation(ReservationId),
    /// The loan's stage does not allow the request.
    #[error("the loan is {stage}")]
    WrongStage {
        /// Its stage.
        stage: LoanStage,
    },
    /// The inscription belongs to no collection or to another one.
    #[error("the inscription {0} is not of this collection")]
    NotOfCollection(InscriptionId),
    /// The borrower of a borrow request does not hold its collateral any more, which ended the request.
    #[error("the borrower does not hold the collateral any more")]
    RequestedCollateralGone,
    /// The request names no inscription.
    #[error("no inscription is selected")]
    NoInscription,
    /// Hardware wallets sign no script paths, and collateral leaves an escrow only by one.
    #[error("hardware wallets cannot repay what is pledged here")]
    HardwareWallet,
    /// The borrower does not hold enough of the tokens in coins without other assets.
    #[error("{found} raw units can be pledged, and {wanted} are needed")]
    InsufficientTokens {
        /// The amount wanted, in raw units.
        wanted: u128,
        /// The spendable amount, in raw units.
        found: u128,
    },
    /// The borrower has no unused transfer inscription of exactly this amount.
    #[error("there is no transfer note of exactly {wanted} raw units")]
    NoNote {
        /// The amount wanted, in raw units of 18 decimals.
        wanted: u128,
    },
    /// One party signed in with addresses that no contract can be made with.
    #[error("the {0} signed in with addresses that no contract can be made with")]
    UnsupportedAddresses(domain::Role),
    /// The fee rate is out of bounds.
    #[error("a fee rate lies between {min} and {max}")]
    FeeRate {
        /// The lowest fee rate.
        min: FeeRate,
        /// The highest fee rate.
        max: FeeRate,
    },
    /// The vault signer never admitted the offer, or no longer backs it.
    #[error("the vault does not back the offer {0}")]
    NotAdmitted(OfferId),
    /// A coin of the loan was spent: the transaction was rebuilt, and the borrower signs again.
    #[error("a coin of the loan was spent; the borrower must sign again")]
    Rebuilt,
    /// The collateral was spent: the loan was cancelled.
    #[error("the collateral {0} was spent; the loan was cancelled")]
    CollateralSpent(OutPoint),
    /// The loan cannot be refinanced: a BRC-20 transfer inscription is consumed by its first move, and the collateral
    /// must be the same.
    #[error("the loan {0} cannot be replaced by this one")]
    NotReplaceable(LoanId),
    /// The loan cannot be extended: its repay key has signed once and is destroyed, or its BRC-20 transfer inscription
    /// would be consumed by the move.
    #[error("the loan {0} cannot be extended; it can be repaid or replaced")]
    NotExtendable(LoanId),
    /// No sub-collection of this kind has the term.
    #[error("loans against this collateral have no term of {} days", .0.0)]
    NoSuchTerm(TermDays),
    /// The new due time is before the end of the lender's time to sign.
    #[error("the loan would be due at {0:?}, before the lender's time to sign is over")]
    DueTooSoon(UnixMs),
    /// A coin of an extension was spent: the extension was cancelled, and the loan runs on.
    #[error("{0}, a coin of the extension, was spent; the loan continues unchanged")]
    ExtensionCoinSpent(OutPoint),
    /// The loan was replaced, and another one has its collateral.
    #[error("the loan was replaced by {0}, which is the one to repay")]
    Replaced(LoanId),
    /// The term is not over.
    #[error("the collateral can be claimed from {0:?} on")]
    NotClaimable(UnixMs),
    /// The collection's token id or ticker is invalid.
    #[error("the collection's tokens cannot be pledged")]
    UnknownToken,
    /// A record of the journal is unreadable; the loan can still be ended with its kits.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The same for a running loan.
    #[error(transparent)]
    Running(#[from] RunningError),
    /// The same for its kits.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// The transaction built from a record is not the one that was prepared.
    #[error("the transaction built from the record is not the one given out for signing")]
    TransactionMismatch,
    /// The signatures do not complete the transaction.
    #[error(transparent)]
    Finish(#[from] FinishError),
    /// A signature that was made beforehand is invalid.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// No loan to repay, or more than one transaction can hold.
    #[error("between 1 and {max} loans are repaid together")]
    BatchSize {
        /// The largest number.
        max: usize,
    },
    /// Loans of different wallets are repaid one by one.
    #[error("the loans were originated with different wallets: repay them one by one")]
    DifferentWallets,
    /// The number of returned transactions differs from the number prepared.
    #[error("{wanted} signed transactions are expected, and {found} were returned")]
    TransactionCount {
        /// The number prepared.
        wanted: usize,
        /// The number returned.
        found: usize,
    },
    /// Signatures of another transaction.
    #[error(transparent)]
    OtherTransaction(#[from] TransactionMismatch),
    /// An arithmetic overflow of amounts.
    #[error("an amount is out of range")]
    OutOfRange,
}

impl From<OriginationError> for LoanServiceError {
    fn from(error: OriginationError) -> Self {
        Self::Contract(error.into())
    }
}
