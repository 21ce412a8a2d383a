//! Why the desk refuses, or could not find out.

use bitcoin::{FeeRate, OutPoint};
use domain::{LoanId, LoanStage, OfferId, ReservationId, TermDays, UnixMs};
use engine::Refusal;
use engine::asset_index::InscriptionId;
use engine::chain::ChainError;
use escrow::contract::claim::ClaimError;
use escrow::contract::coin_choice::ChoiceError;
use escrow::contract::finished::FinishError;
use escrow::contract::origination::OriginationError;
pub use escrow::contract::payout_request::PayoutRequestError;
use escrow::contract::repayment::RepaymentError;
use escrow::contract::returned_error::ReturnedError;
use escrow::contract::signatures::{OtherTransaction, SignatureError};
use escrow::kit::kit_error::KitError;
use escrow::kit::rebuilt::RebuildError;
use signer::vault_signer::SignerError;
use thiserror::Error;

use crate::contract::ContractError;
use crate::contract_record::RecordError;
use crate::holdings::InscriptionError;
use crate::lookup::LookupError;
use crate::running_record::RunningError;
use crate::transfer_note::NoteError;

/// A refusal. Where nothing else is said, nothing happened.
#[derive(Debug, Error)]
pub enum DeskError {
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
    /// The chain or an indexer could not be asked, or knows something that forbids it.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The inscription cannot be pledged.
    #[error(transparent)]
    Inscription(#[from] InscriptionError),
    /// The transfer note cannot be pledged.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// What the wallet gave back is not good.
    #[error(transparent)]
    Returned(#[from] ReturnedError),
    /// What the lender's wallet signed beforehand is not good.
    #[error(transparent)]
    Payout(#[from] PayoutRequestError),
    /// No such loan can begin.
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// The loan cannot be repaid like this.
    #[error(transparent)]
    Repayment(#[from] RepaymentError),
    /// The collateral cannot be claimed like this.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// It is not a transaction that was handed out.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// The caller's coins do not suffice.
    #[error(transparent)]
    Coins(#[from] ChoiceError),
    /// The lender's coins do not suffice.
    #[error("the lender's coins do not suffice")]
    LenderShort(#[source] ChoiceError),
    /// The lender has no coin of exactly what a loan against BRC-20 takes.
    #[error("the lender has no coin of exactly {wanted}")]
    LenderNotExact {
        /// Principal and platform fee.
        wanted: bitcoin::Amount,
    },
    /// The node refuses the transaction, or could not be asked.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The vault's signer refuses, or could not be asked.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The offer is gone.
    #[error("the offer {0} is no longer available")]
    UnknownOffer(OfferId),
    /// A manual offer is not taken like an instant one, and the other way round.
    #[error("the offer is of the other process type")]
    WrongProcess,
    /// Not a loan, or not this person's.
    #[error("there is no loan {0}")]
    UnknownLoan(LoanId),
    /// A loan that this person never accepted and that is over, or none that they ever had.
    #[error("there is no reservation {0}: it was given up, or nobody signed it in time")]
    NoReservation(ReservationId),
    /// The loan has gone on, or not far enough.
    #[error("the loan is {stage}")]
    WrongStage {
        /// Where it stands.
        stage: LoanStage,
    },
    /// The inscription belongs to no or to another collection.
    #[error("the inscription {0} is not of this collection")]
    NotOfCollection(InscriptionId),
    /// No inscription was named.
    #[error("no inscription is selected")]
    NoInscription,
    /// Hardware wallets sign no scripts, and nothing comes home from an escrow or goes on without that.
    #[error("hardware wallets cannot repay what is pledged here")]
    HardwareWallet,
    /// The borrower does not have that much of the tokens in coins that hold nothing else.
    #[error("{found} raw units can be pledged, and {wanted} are wanted")]
    TokensShort {
        /// What is wanted, in raw units.
        wanted: u128,
        /// What can be spent, in raw units.
        found: u128,
    },
    /// The borrower has no unused note of exactly this size.
    #[error("there is no transfer note of exactly {wanted} raw units")]
    NoNote {
        /// What is wanted, in raw units of 18 decimals.
        wanted: u128,
    },
    /// One of the two signed in with addresses that no contract can be made with.
    #[error("the {0} signed in with addresses that no contract can be made with")]
    NoKeys(domain::Role),
    /// Miners take nothing below, and nobody should pay more.
    #[error("a fee rate lies between {min} and {max}")]
    FeeRate {
        /// The least.
        min: FeeRate,
        /// The most.
        max: FeeRate,
    },
    /// The lender's signer never took the offer in, or does not stand by it.
    #[error("the vault does not stand behind the offer {0}")]
    NotAdmitted(OfferId),
    /// A coin behind the loan was spent: the transaction was made anew, and the borrower signs again.
    #[error("a coin behind the loan was spent; the borrower is to sign again")]
    Rebuilt,
    /// The collateral was spent: the loan was cancelled.
    #[error("the collateral {0} was spent; the loan was cancelled")]
    CollateralGone(OutPoint),
    /// A note moves once and goes home; and a loan is replaced by one against the same collateral.
    #[error("the loan {0} cannot be replaced by this one")]
    NotReplaceable(LoanId),
    /// Its repay key signed once and is gone, or its note would die with a move.
    #[error("the loan {0} cannot be extended; it can be repaid or replaced")]
    NotExtendable(LoanId),
    /// Loans of this kind have no such term.
    #[error("loans against this collateral have no term of {} days", .0.0)]
    NoSuchTerm(TermDays),
    /// The lender may sign later than that.
    #[error("the loan would be due at {0:?}, before the lender's time to sign is over")]
    TooShort(UnixMs),
    /// A coin behind an extension was spent: the extension was cancelled, and the loan runs on.
    #[error("{0}, a coin behind the extension, was spent; the loan runs on as it was")]
    ExtensionGone(OutPoint),
    /// The loan has ended, and another one has its collateral.
    #[error("the loan goes on as {0}, and that one is to be repaid")]
    GoesOn(LoanId),
    /// The term is not over.
    #[error("the collateral can be claimed from {0:?} on")]
    NotClaimable(UnixMs),
    /// The tokens are named in the collection in a way that nobody understands.
    #[error("the collection's tokens cannot be pledged")]
    UnknownToken,
    /// Something in the journal is not understood; the loan is safe in its kits.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The same for a loan that runs.
    #[error(transparent)]
    Running(#[from] RunningError),
    /// The same for its kits.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// The transaction that a record gives is not the one that was handed out.
    #[error("the record of the loan gives another transaction")]
    OtherBeginning,
    /// The signatures do not finish the transaction.
    #[error(transparent)]
    Finish(#[from] FinishError),
    /// A signature that was made beforehand does not hold.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// Nothing to repay, or more than one transaction should hold.
    #[error("between 1 and {max} loans are repaid together")]
    BatchSize {
        /// The most.
        max: usize,
    },
    /// Loans that were begun with different wallets are repaid one by one.
    #[error("the loans were begun with different wallets: repay them one by one")]
    DifferentWallets,
    /// Not as many transactions came back as were handed out.
    #[error("{wanted} signed transactions are wanted, and {found} came back")]
    TransactionCount {
        /// How many were handed out.
        wanted: usize,
        /// How many came back.
        found: usize,
    },
    /// Signatures of another transaction.
    #[error(transparent)]
    OtherTransaction(#[from] OtherTransaction),
    /// A sum that nobody has.
    #[error("an amount is out of range")]
    OutOfRange,
}

impl From<OriginationError> for DeskError {
    fn from(error: OriginationError) -> Self {
        Self::Contract(error.into())
    }
}
