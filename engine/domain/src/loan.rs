//! A loan's life, from what both sides agreed on to its end (DESIGN section 3).
//!
//! ```text
//! Prepared -> AwaitingLender -> Broadcast -> Active -> Repaying -> Repaid
//!     \-> Cancelled  \-> Lapsed    \-> Failed   \-> Expired -> Claiming -> Claimed
//! ```
//!
//! An instant loan has nobody to wait for and goes from Prepared to Broadcast. What can be undone by another block can
//! be undone here: Active goes back to Broadcast, an end to its transaction that waits.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    GroupId, InterestRate, LoanId, OfferId, Outpoint, ProcessType, Sats, SubCollectionId, TermDays, UnixMs, UserId,
};

/// What borrower and lender agreed on; fixed for the whole life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoanDeal {
    /// Which offer was taken.
    pub offer: OfferId,
    /// Where it stood.
    pub sub_collection: SubCollectionId,
    /// Who signs for the lender.
    pub process: ProcessType,
    /// Who lends.
    pub lender: UserId,
    /// Who borrows.
    pub borrower: UserId,
    /// What is lent.
    pub principal: Sats,
    /// For the whole term.
    pub rate: InterestRate,
    /// What the borrower pays on top of the principal.
    pub interest: Sats,
    /// What the lender pays the platform at the start.
    pub platform_fee: Sats,
    /// What is pledged, in raw units; 1 for an inscription.
    pub pledged_raw: u128,
    /// What is pledged, for people: an inscription's id; empty for tokens.
    pub pledged_id: String,
    /// How long it runs from its first block.
    pub term: TermDays,
    /// From when on the lender may take the collateral, by median time past. It stands in the escrow's script.
    pub claim_after: UnixMs,
    /// The loan that this one replaces, by a refinance or an extension.
    pub follows: Option<LoanId>,
}

impl LoanDeal {
    /// In whose book it was taken.
    #[must_use]
    pub fn group(&self) -> GroupId {
        self.offer.group()
    }

    /// What the lender gets when it is repaid; stops at the largest number.
    #[must_use]
    pub const fn payout(&self) -> Sats {
        self.principal.saturating_add(self.interest)
    }
}

/// What a vault gives for an instant loan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VaultSpend {
    /// Outputs of the vault that are spent.
    pub outputs: Vec<Outpoint>,
    /// What comes back to it, once it has a block.
    pub change: Option<(Outpoint, Sats)>,
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
}

/// Where a loan stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LoanStage {
    /// The borrower is to sign.
    Prepared,
    /// The lender is to sign.
    AwaitingLender,
    /// It waits for its block.
    Broadcast,
    /// The term runs.
    Active,
    /// The term is over. It can be repaid as long as the collateral is not claimed.
    Expired,
    /// The borrower's transaction waits for its block.
    Repaying,
    /// The lender's transaction waits for its block.
    Claiming,
    /// Repaid, by the borrower or by the loan that follows.
    Repaid,
    /// The lender has the collateral.
    Claimed,
    /// Nobody signed, or somebody would not.
    Cancelled,
    /// The lender did not sign in time.
    Lapsed,
    /// It could never begin.
    Failed,
}

impl LoanStage {
    /// Whether collateral lies in the escrow, or will with the next block.
    #[must_use]
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Broadcast | Self::Active | Self::Expired | Self::Repaying | Self::Claiming)
    }

    /// Whether it has ended; an end on the chain can still be undone by another block.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Repaid | Self::Claimed | Self::Cancelled | Self::Lapsed | Self::Failed)
    }
}

/// As it is written on the wire.
impl fmt::Display for LoanStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prepared => "prepared",
            Self::AwaitingLender => "awaiting_lender",
            Self::Broadcast => "broadcast",
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Repaying => "repaying",
            Self::Claiming => "claiming",
            Self::Repaid => "repaid",
            Self::Claimed => "claimed",
            Self::Cancelled => "cancelled",
            Self::Lapsed => "lapsed",
            Self::Failed => "failed",
        })
    }
}

/// Why something cannot happen to a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LoanRejection {
    /// There is one with this id.
    #[error("the loan exists already")]
    Duplicate(LoanId),
    /// There is none with this id.
    #[error("no such loan")]
    Unknown(LoanId),
    /// Not from where it stands.
    #[error("the loan is {stage}, and that does not allow this")]
    WrongStage {
        /// Where it stands.
        stage: LoanStage,
    },
    /// Too late to sign.
    #[error("the time to sign is over")]
    TooLate(UnixMs),
}

/// A transaction that ends a loan, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndingTransaction {
    /// How it ends the loan.
    pub ending: Ending,
    /// Its id, in internal byte order.
    pub txid: [u8; 32],
    /// The transaction, as whoever made it wrote it down; none when the server has not made it.
    pub transaction: Option<String>,
    /// Its block, once it has one.
    pub mined: Option<Mined>,
}

/// One loan, all that is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanAccount {
    /// Its id.
    pub id: LoanId,
    /// What was agreed.
    pub deal: LoanDeal,
    /// Where it stands.
    pub stage: LoanStage,
    /// What its transaction is made of.
    pub contract: String,
    /// What the borrower's wallet gave back.
    pub answer: Option<String>,
    /// The id of its transaction, in internal byte order, once all have signed.
    pub txid: Option<[u8; 32]>,
    /// The transactions, once all have signed.
    pub running: Option<String>,
    /// What a vault gave.
    pub vault: Option<VaultSpend>,
    /// Until when whoever is next can sign, before it is broadcast.
    pub expires_at: UnixMs,
    /// When it was prepared.
    pub prepared_at: UnixMs,
    /// When the borrower accepted, for the last time.
    pub accepted_at: Option<UnixMs>,
    /// Its first block.
    pub began: Option<Mined>,
    /// What ends it.
    pub end: Option<EndingTransaction>,
    /// When the latest of all this happened.
    pub updated_at: UnixMs,
}

impl LoanAccount {
    /// A loan that was prepared; `None` for anything else, which begins no loan.
    #[must_use]
    pub fn open(id: LoanId, event: &LoanEvent, at: UnixMs) -> Option<Self> {
        let LoanEvent::Prepared { deal, contract, expires_at } = event else { return None };
        Some(Self {
            id,
            deal: (**deal).clone(),
            stage: LoanStage::Prepared,
            contract: contract.clone(),
            answer: None,
            txid: None,
            running: None,
            vault: None,
            expires_at: *expires_at,
            prepared_at: at,
            accepted_at: None,
            began: None,
            end: None,
            updated_at: at,
        })
    }

    /// When it is to be repaid, once it has begun.
    #[must_use]
    pub fn due_at(&self) -> Option<UnixMs> {
        const DAY_MS: u64 = 86_400_000;
        self.began.map(|began| began.at.plus_ms(u64::from(self.deal.term.0) * DAY_MS))
    }

    /// Whether something can happen to it now.
    ///
    /// # Errors
    /// The first [`LoanRejection`] that holds.
    pub fn check(&self, event: &LoanEvent, now: UnixMs) -> Result<(), LoanRejection> {
        use LoanStage::{
            Active, AwaitingLender, Broadcast, Cancelled, Claimed, Claiming, Expired, Failed, Lapsed, Prepared, Repaid,
            Repaying,
        };
        let is_manual = self.deal.process == ProcessType::Manual;
        let stages: &[LoanStage] = match event {
            LoanEvent::Prepared { .. } => return Err(LoanRejection::Duplicate(self.id)),
            LoanEvent::Rebuilt { .. } | LoanEvent::Cancelled { .. } => &[Prepared, AwaitingLender],
            LoanEvent::BorrowerSigned { .. } if is_manual => &[Prepared],
            LoanEvent::BorrowerSigned { .. } => &[],
            LoanEvent::Signed { .. } if is_manual => &[AwaitingLender],
            LoanEvent::Signed { .. } => &[Prepared],
            LoanEvent::Confirmed(_) | LoanEvent::Failed => &[Broadcast],
            LoanEvent::Unconfirmed | LoanEvent::Ended { .. } => &[Active, Expired, Repaying, Claiming],
            LoanEvent::Expired => &[Active],
            LoanEvent::EndingSigned { ending: Ending::Claim, .. } => &[Expired, Repaying, Claiming],
            LoanEvent::EndingSigned { .. } => &[Active, Expired, Repaying],
            LoanEvent::EndingDropped => &[Repaying, Claiming],
            LoanEvent::EndUndone => &[Repaid, Claimed],
            LoanEvent::Lapsed => &[AwaitingLender],
        };
        debug_assert!(!stages.iter().any(|stage| matches!(stage, Cancelled | Lapsed | Failed)), "these are final");
        if !stages.contains(&self.stage) {
            return Err(LoanRejection::WrongStage { stage: self.stage });
        }
        let is_signing = matches!(event, LoanEvent::BorrowerSigned { .. } | LoanEvent::Signed { .. });
        if is_signing && self.expires_at <= now {
            return Err(LoanRejection::TooLate(self.expires_at));
        }
        Ok(())
    }

    /// Takes an event in. Never fails: what is in the journal has happened.
    pub fn apply(&mut self, event: &LoanEvent, at: UnixMs) {
        self.updated_at = at;
        match event {
            LoanEvent::Prepared { .. } => {}
            LoanEvent::Rebuilt { contract, expires_at } => {
                self.contract.clone_from(contract);
                (self.answer, self.expires_at) = (None, *expires_at);
                self.stage = LoanStage::Prepared;
            }
            LoanEvent::BorrowerSigned { answer, expires_at } => {
                (self.answer, self.expires_at, self.accepted_at) = (Some(answer.clone()), *expires_at, Some(at));
                self.stage = LoanStage::AwaitingLender;
            }
            LoanEvent::Signed { txid, running, vault } => {
                (self.txid, self.running, self.vault) = (Some(*txid), Some(running.clone()), vault.clone());
                // The finished transaction holds every signature.
                self.answer = None;
                self.accepted_at.get_or_insert(at);
                self.stage = LoanStage::Broadcast;
            }
            LoanEvent::Confirmed(mined) => {
                self.began = Some(*mined);
                self.stage = LoanStage::Active;
            }
            LoanEvent::Unconfirmed => {
                (self.began, self.end) = (None, None);
                self.stage = LoanStage::Broadcast;
            }
            LoanEvent::Expired => self.stage = LoanStage::Expired,
            LoanEvent::EndingSigned { ending, txid, transaction } => {
                let transaction = Some(transaction.clone());
                self.end = Some(EndingTransaction { ending: *ending, txid: *txid, transaction, mined: None });
                self.stage = waiting(*ending);
            }
            LoanEvent::EndingDropped => {
                self.end = None;
                self.stage = self.stage_at(at);
            }
            LoanEvent::Ended { ending, txid, mined } => {
                let known = self.end.take().filter(|end| end.txid == *txid);
                let transaction = known.and_then(|end| end.transaction);
                let mined = Some(*mined);
                self.end = Some(EndingTransaction { ending: *ending, txid: *txid, transaction, mined });
                self.stage = if *ending == Ending::Claim { LoanStage::Claimed } else { LoanStage::Repaid };
            }
            LoanEvent::EndUndone => {
                if let Some(end) = &mut self.end {
                    end.mined = None;
                }
                let made = self.end.as_ref().filter(|end| end.transaction.is_some());
                self.stage = made.map_or_else(|| self.stage_at(at), |end| waiting(end.ending));
            }
            LoanEvent::Cancelled { .. } => self.stage = LoanStage::Cancelled,
            LoanEvent::Lapsed => self.stage = LoanStage::Lapsed,
            LoanEvent::Failed => self.stage = LoanStage::Failed,
        }
    }

    /// Where a loan stands that has begun and that nobody is ending.
    fn stage_at(&self, at: UnixMs) -> LoanStage {
        if self.due_at().is_some_and(|due| due <= at) { LoanStage::Expired } else { LoanStage::Active }
    }
}

/// Where a loan stands while the transaction that ends it waits for a block.
const fn waiting(ending: Ending) -> LoanStage {
    match ending {
        Ending::Claim => LoanStage::Claiming,
        Ending::Repayment | Ending::Refinance(_) | Ending::Extension(_) => LoanStage::Repaying,
    }
}
