//! What happens to a loan.

use serde::{Deserialize, Serialize};

use crate::{LoanId, Outpoint, UnixMs, VaultChange};

use super::deal::LoanDeal;

/// What a vault gives for an instant loan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VaultSpend {
    /// Outputs of the vault that are spent.
    pub outputs: Vec<Outpoint>,
    /// What comes back to it, once it has a block.
    pub change: VaultChange,
}

/// By which transaction a loan ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ending {
    /// The borrower pays and has the collateral back.
    Repayment,
    /// The lender takes the collateral.
    Claim,
    /// Another lender pays this one; the collateral goes on into the escrow of a loan that follows.
    Refinance(LoanId),
    /// Both let a loan with a later date follow.
    Extension(LoanId),
}

/// Where a transaction was mined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mined {
    /// Height of the block.
    pub height: u32,
    /// The block's median time past, when the term begins or ended.
    pub at: UnixMs,
}

/// Why a loan never came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CancelledBy {
    /// The borrower changed their mind.
    Borrower,
    /// The lender refused.
    Lender,
    /// Nobody signed in time.
    Time,
    /// The offer or the coins behind it went away, or the server could not prepare it.
    Market,
    /// The offer is gone: another borrower signed first, for it or for the same coins, or its lender withdrew it.
    OfferTaken,
    /// The owner of the collateral, proven by key and signature, pledges it otherwise.
    Owner,
    /// The borrower spent the collateral while the lender was waited for.
    CollateralMoved,
}

/// Something that happened to a loan. What only Bitcoin understands is text that the domain keeps and does not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoanEvent {
    /// Its transaction was made and handed to the borrower.
    Prepared {
        /// What both agreed on.
        deal: Box<LoanDeal>,
        /// What the transaction is made of.
        contract: String,
        /// Until when the borrower can sign.
        expires_at: UnixMs,
    },
    /// A coin behind it was gone, so it was made anew; the borrower signs again.
    Rebuilt {
        /// What the transaction is made of.
        contract: String,
        /// Until when the borrower can sign.
        expires_at: UnixMs,
    },
    /// The borrower signed; the lender is next.
    BorrowerSigned {
        /// What the wallet gave back, verified. Never shown to the lender.
        answer: String,
        /// Until when the lender can sign.
        expires_at: UnixMs,
    },
    /// Everybody signed: the transaction exists and is sent to the chain from now on.
    Signed {
        /// The id of its transaction, in internal byte order.
        txid: [u8; 32],
        /// The transactions, what ends the loan, and the repayment that was signed beforehand.
        running: String,
        /// What a vault gives, when one does.
        vault: Option<VaultSpend>,
    },
    /// It has a block: the term runs.
    Confirmed(Mined),
    /// Its block is no longer of the best chain.
    Unconfirmed,
    /// It was not repaid in time.
    Expired,
    /// A transaction that ends it was signed and is sent from now on; of several that wait the last counts.
    EndingSigned {
        /// How it ends.
        ending: Ending,
        /// Its id, in internal byte order.
        txid: [u8; 32],
        /// The transaction.
        transaction: String,
    },
    /// The transaction that should have ended it never will: another one took its coins.
    EndingDropped,
    /// The escrow was spent in a block, by whatever transaction.
    Ended {
        /// How.
        ending: Ending,
        /// By which transaction, in internal byte order.
        txid: [u8; 32],
        /// Where.
        mined: Mined,
    },
    /// That block is no longer of the best chain.
    EndUndone,
    /// Nobody will sign it any more.
    Cancelled {
        /// Whose doing it was.
        by: CancelledBy,
    },
    /// The lender did not sign in time.
    Lapsed,
    /// Its coins were spent otherwise in a block: it can never begin.
    Failed,
    /// The transaction that would let it follow a loan of the same two people was made and handed to the borrower. It is
    /// made of no offer, so nothing is reserved in a book.
    ExtensionPrepared {
        /// What both agree on; it follows a loan.
        deal: Box<LoanDeal>,
        /// What the transaction is made of.
        contract: String,
        /// Until when the borrower can sign.
        expires_at: UnixMs,
        /// When it is due, whatever block it begins in: its term runs on from the other one's.
        due_at: UnixMs,
    },
    /// Its transaction was made and handed to the borrower, and nothing is held for it: another borrower who signs first
    /// has the offer.
    SoftPrepared {
        /// What both agree on.
        deal: Box<LoanDeal>,
        /// What the transaction is made of.
        contract: String,
        /// Until when the borrower can sign.
        expires_at: UnixMs,
        /// What is held once the borrower has signed.
        coins: LoanCoins,
    },
    /// The borrower's signatures of an instant loan were verified: offer, vault and collateral are held until the vault's
    /// signer has signed too.
    Held {
        /// Until when.
        expires_at: UnixMs,
    },
}

/// The outputs that a prepared loan spends and that no other loan may.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoanCoins {
    /// The borrower's.
    pub collateral: Vec<Outpoint>,
    /// The lender's; none of a vault, whose ledger holds the sum instead.
    pub money: Vec<Outpoint>,
}

impl LoanCoins {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Outpoint> {
        self.collateral.iter().chain(&self.money).copied()
    }
}

impl LoanEvent {
    /// What both agreed on, of an event that a loan begins with.
    #[must_use]
    pub fn opening(&self) -> Option<&LoanDeal> {
        match self {
            Self::Prepared { deal, .. } | Self::ExtensionPrepared { deal, .. } | Self::SoftPrepared { deal, .. } => {
                Some(deal)
            }
            _ => None,
        }
    }
}
