//! The events of a loan.

use serde::{Deserialize, Serialize};

use crate::{LoanId, Outpoint, RefinanceOrder, UnixMs, VaultChange};

use super::deal::LoanDeal;

/// The outputs that a vault spends for an instant loan.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VaultSpend {
    /// The spent outputs of the vault.
    pub outputs: Vec<Outpoint>,
    /// The change that returns to it, once confirmed.
    pub change: VaultChange,
}

/// The kind of transaction that ends a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ending {
    /// The borrower repays and gets the collateral back.
    Repayment,
    /// The lender takes the collateral.
    Claim,
    /// A new loan of another lender repays this one; the collateral moves on into its escrow.
    Refinance(LoanId),
    /// Lender and borrower agree on a new term, in a loan that follows.
    Extension(LoanId),
}

/// The block in which a transaction was mined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockTime {
    /// The height of the block.
    pub height: u32,
    /// The block's median time past, at which the term begins or ended.
    pub at: UnixMs,
}

/// The reason why a loan was cancelled before it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CancelledBy {
    /// The borrower cancelled it.
    Borrower,
    /// The lender declined.
    Lender,
    /// It was not signed in time.
    Time,
    /// The offer or the coins behind it became unavailable, or the server could not prepare it.
    Market,
    /// The offer is gone: another borrower signed first, for it or for the same coins, or its lender withdrew it.
    OfferTaken,
    /// The owner of the collateral, proven by key and signature, pledges it for another loan.
    Owner,
    /// The borrower spent the collateral before the lender had signed.
    CollateralMoved,
}

/// An event of a loan. Bitcoin-specific data is opaque text to the domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoanEvent {
    /// Its transaction was built and returned to the borrower to sign.
    Prepared {
        /// The agreement.
        deal: Box<LoanDeal>,
        /// The parts of the transaction.
        contract: String,
        /// The deadline for the borrower's signature.
        expires_at: UnixMs,
    },
    /// A coin behind it was spent, so its transaction was rebuilt; the borrower signs again.
    Rebuilt {
        /// The parts of the transaction.
        contract: String,
        /// The deadline for the borrower's signature.
        expires_at: UnixMs,
    },
    /// The borrower signed; the lender is next.
    BorrowerSigned {
        /// The wallet's signed answer, verified. Never shown to the lender.
        answer: String,
        /// The deadline for the lender's signature.
        expires_at: UnixMs,
    },
    /// It is fully signed: the transaction exists and is broadcast from now on.
    Signed {
        /// The id of its transaction, in internal byte order.
        txid: [u8; 32],
        /// The transactions, the data that is needed to end the loan, and the repayment that was signed beforehand.
        running: String,
        /// The outputs that a vault spends, if any.
        vault: Option<VaultSpend>,
    },
    /// It was confirmed: the term runs.
    Confirmed(BlockTime),
    /// A reorg disconnected its block.
    Unconfirmed,
    /// It was not repaid in time.
    Expired,
    /// A transaction that ends it was signed and is broadcast from now on; of several unconfirmed ones the last counts.
    EndingSigned {
        /// The kind of end.
        ending: Ending,
        /// Its id, in internal byte order.
        txid: [u8; 32],
        /// The transaction.
        transaction: String,
    },
    /// The transaction that was to end it cannot be mined any more: another one spent its coins.
    EndingDropped,
    /// The escrow was spent in a block, by any transaction.
    Ended {
        /// The kind of end.
        ending: Ending,
        /// The id of the transaction, in internal byte order.
        txid: [u8; 32],
        /// The block.
        mined: BlockTime,
    },
    /// A reorg disconnected the block of its end.
    #[serde(rename = "EndUndone")]
    EndUnconfirmed,
    /// It will not be signed any more.
    Cancelled {
        /// The cause.
        by: CancelledBy,
    },
    /// The lender did not sign in time.
    Lapsed,
    /// Its coins were spent by another transaction in a block: it can never begin.
    Failed,
    /// The transaction of an extension, a loan that follows another one of the same lender and borrower, was built and
    /// returned to the borrower to sign. It takes no offer, so nothing is reserved in a book.
    ExtensionPrepared {
        /// The agreement; it follows a loan.
        deal: Box<LoanDeal>,
        /// The parts of the transaction.
        contract: String,
        /// The deadline for the borrower's signature.
        expires_at: UnixMs,
        /// The due time, whatever block it begins in: its term continues that of the other loan.
        due_at: UnixMs,
    },
    /// Its transaction was built and returned to the borrower to sign, and nothing is reserved for it: another borrower
    /// who signs first gets the offer.
    SoftPrepared {
        /// The agreement.
        deal: Box<LoanDeal>,
        /// The parts of the transaction.
        contract: String,
        /// The deadline for the borrower's signature.
        expires_at: UnixMs,
        /// The coins to reserve once the borrower has signed.
        coins: LoanCoins,
    },
    /// The borrower's signatures of an instant loan were verified: offer, vault and collateral are reserved until the
    /// vault's signer has signed, too.
    Held {
        /// The expiry of the reservation.
        expires_at: UnixMs,
    },
    /// The borrower set the terms within which the loan is to be refinanced, or withdrew them.
    RefinanceOrdered(Option<RefinanceOrder>),
}

/// The outputs that a prepared loan spends, exclusively.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoanCoins {
    /// The borrower's outputs.
    pub collateral: Vec<Outpoint>,
    /// The lender's outputs; none for a vault, whose ledger reserves the sum instead.
    pub money: Vec<Outpoint>,
}

impl LoanCoins {
    /// All outputs.
    pub fn iter(&self) -> impl Iterator<Item = Outpoint> {
        self.collateral.iter().chain(&self.money).copied()
    }
}

impl LoanEvent {
    /// The agreement in an event that opens a loan.
    #[must_use]
    pub fn opened_deal(&self) -> Option<&LoanDeal> {
        match self {
            Self::Prepared { deal, .. } | Self::ExtensionPrepared { deal, .. } | Self::SoftPrepared { deal, .. } => {
                Some(deal)
            }
            _ => None,
        }
    }
}
