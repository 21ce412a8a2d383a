//! The lifecycle of a loan, from the agreement of both sides to its end.
//!
//! ```text
//! Prepared -> AwaitingLender -> Broadcast -> Active -> Repaying -> Repaid
//!     \-> Cancelled  \-> Lapsed    \-> Failed   \-> Expired -> Claiming -> Claimed
//! ```
//!
//! A prepared loan other than an extension reserves nothing before its borrower's signatures were verified, and ends when another borrower
//! signs first. An instant loan does not wait for a lender's signature and goes from Prepared to Broadcast. A reorg can
//! reverse steps that a block caused: Active goes back to Broadcast, an end to its unconfirmed transaction.
//!
//! An extended loan ends, and a loan between the same lender and borrower follows, with the lifecycle of a manual one.

mod cost;
mod deal;
mod event;
mod lender_return;
mod notice;
mod pledged_ids;
mod role;
mod stage;
mod summary;
mod totals;

use thiserror::Error;

use crate::{LoanId, ProcessType, RefinanceOrder, UnixMs};

pub use cost::{LoanCharges, LoanCost};
pub use deal::{GRACE_MS, LoanDeal};
pub use event::{BlockTime, CancelledBy, Ending, LoanCoins, LoanEvent, VaultSpend};
pub use lender_return::LenderReturn;
pub use notice::LoanNotice;
pub use pledged_ids::PledgedIds;
pub use role::Role;
pub use stage::LoanStage;
pub use summary::{LoanSummary, PendingAction};
pub use totals::LoanTotals;

/// The reason why an event cannot apply to a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LoanRejection {
    /// The loan exists already.
    #[error("the loan exists already")]
    Duplicate(LoanId),
    /// There is no loan with this id.
    #[error("no such loan")]
    Unknown(LoanId),
    /// The stage of the loan does not allow it.
    #[error("the loan is {stage}, and that does not allow this")]
    WrongStage {
        /// The stage.
        stage: LoanStage,
    },
    /// The time to sign is over.
    #[error("the time to sign is over")]
    TooLate(UnixMs),
    /// Another borrower signed first, or the lender withdrew the offer.
    #[error("the offer was taken or withdrawn")]
    Taken(LoanId),
    /// Its borrower has signed, so that it has a reservation.
    #[error("the loan has a reservation")]
    Reserved(LoanId),
    /// The borrower must first sign or return earlier prepared loans.
    #[error("at most {max} loans of a borrower wait for a signature at a time")]
    TooManyPrepared {
        /// The maximum at a time.
        max: usize,
    },
    /// No offer of its collection can be against exactly its collateral.
    #[error("no offer of its collection can refinance the loan {0}")]
    NotReplaceable(LoanId),
    /// No offer could be within the terms of the order.
    #[error("no offer can be within the terms of the order")]
    ImpossibleOrder,
    /// The borrower let several prepared loans lapse.
    #[error("several prepared loans were not signed in time")]
    Postponed {
        /// The time from which loans are prepared again.
        until: UnixMs,
    },
}

/// A transaction that ends a loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndingTransaction {
    /// The kind of end.
    pub ending: Ending,
    /// Its id, in internal byte order.
    pub txid: [u8; 32],
    /// The transaction, serialized by the code that built it; `None` if the server did not build it.
    pub transaction: Option<String>,
    /// Its block, once confirmed.
    pub mined: Option<BlockTime>,
}

/// The full state of one loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanAccount {
    /// Its id.
    pub id: LoanId,
    /// The agreed deal.
    pub deal: LoanDeal,
    /// The stage.
    pub stage: LoanStage,
    /// The parts of its transaction; empty once it is cancelled or has lapsed.
    pub contract: String,
    /// The borrower's signed PSBTs, until the loan is fully signed or never will be.
    pub answer: Option<String>,
    /// The id of its transaction, in internal byte order, once fully signed.
    pub txid: Option<[u8; 32]>,
    /// The transactions, once fully signed and unless they failed.
    pub running: Option<String>,
    /// The outputs that a vault spends.
    pub vault: Option<VaultSpend>,
    /// The deadline of the next signature, before it is broadcast.
    pub expires_at: UnixMs,
    /// The time at which it was prepared.
    pub prepared_at: UnixMs,
    /// The time at which the borrower last accepted.
    pub accepted_at: Option<UnixMs>,
    /// Its first block.
    pub began: Option<BlockTime>,
    /// The transaction that ends it.
    pub end: Option<EndingTransaction>,
    /// The due time of an extension of another loan, whatever block it begins in.
    pub extended_until: Option<UnixMs>,
    /// The coins to reserve once the borrower has signed; `None` when they are reserved or released.
    pub coins_to_reserve: Option<LoanCoins>,
    /// The reason of its cancellation.
    pub cancelled_by: Option<CancelledBy>,
    /// The borrower's standing order to refinance it.
    pub refinance_order: Option<RefinanceOrder>,
    /// The time of the last event, other than about its standing order.
    pub updated_at: UnixMs,
}

impl LoanAccount {
    /// Returns the loan that an event opens; `None` for any other event.
    #[must_use]
    pub fn open(id: LoanId, event: &LoanEvent, at: UnixMs) -> Option<Self> {
        let (deal, contract, expires_at, extended_until, coins_to_reserve) = match event {
            LoanEvent::Prepared { deal, contract, expires_at } => (deal, contract, expires_at, None, None),
            LoanEvent::ExtensionPrepared { deal, contract, expires_at, due_at } => {
                (deal, contract, expires_at, Some(*due_at), None)
            }
            LoanEvent::SoftPrepared { deal, contract, expires_at, coins } => {
                (deal, contract, expires_at, None, Some(coins.clone()))
            }
            _ => return None,
        };
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
            extended_until,
            coins_to_reserve,
            cancelled_by: None,
            refinance_order: None,
            updated_at: at,
        })
    }

    /// Whether the loan has no entry in a book, so that the ledger alone keeps its deadlines: an extension, or a
    /// prepared loan whose borrower has not signed.
    #[must_use]
    pub const fn is_outside_book(&self) -> bool {
        self.extended_until.is_some() || self.coins_to_reserve.is_some()
    }

    /// The time at which the repayment is due, once the loan has begun.
    #[must_use]
    pub fn due_at(&self) -> Option<UnixMs> {
        self.began.map(|began| self.extended_until.unwrap_or_else(|| self.deal.due_after(began.at)))
    }

    /// The deadline of all signatures: a loan that begins by then runs its whole term and the grace period. An
    /// extension's term continues that of another loan, whenever it is signed.
    #[must_use]
    pub fn sign_by(&self) -> UnixMs {
        self.extended_until.unwrap_or_else(|| self.deal.sign_by())
    }

    /// The loan that this one's collateral moved on to, once that is confirmed.
    #[must_use]
    pub fn successor(&self) -> Option<LoanId> {
        match self.end.as_ref().filter(|end| end.mined.is_some())?.ending {
            Ending::Refinance(follower) | Ending::Extension(follower) => Some(follower),
            Ending::Repayment | Ending::Claim => None,
        }
    }

    /// Whether an event can apply to it now.
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
            LoanEvent::Prepared { .. } | LoanEvent::ExtensionPrepared { .. } | LoanEvent::SoftPrepared { .. } => {
                return Err(LoanRejection::Duplicate(self.id));
            }
            LoanEvent::Held { .. } if is_manual || self.coins_to_reserve.is_none() => &[],
            LoanEvent::Cancelled { .. } => &[Prepared, AwaitingLender],
            LoanEvent::BorrowerSigned { .. } if is_manual => &[Prepared],
            LoanEvent::BorrowerSigned { .. } => &[],
            LoanEvent::Signed { .. } if is_manual => &[AwaitingLender],
            LoanEvent::Held { .. } | LoanEvent::Signed { .. } => &[Prepared],
            LoanEvent::Confirmed(_) | LoanEvent::Failed => &[Broadcast],
            LoanEvent::Expired => &[Active],
            LoanEvent::RefinanceOrdered(Some(order)) if !order.is_possible() => {
                return Err(LoanRejection::ImpossibleOrder);
            }
            LoanEvent::RefinanceOrdered(_) => &[Active, Expired],
            LoanEvent::EndingSigned { ending: Ending::Claim, .. } => &[Expired, Repaying, Claiming],
            // Repayable until it is claimed: an unconfirmed claim can be replaced.
            LoanEvent::EndingSigned { .. } | LoanEvent::Unconfirmed | LoanEvent::Ended { .. } => {
                &[Active, Expired, Repaying, Claiming]
            }
            LoanEvent::EndingDropped => &[Repaying, Claiming],
            LoanEvent::EndUnconfirmed => &[Repaid, Claimed],
            // A contract that the borrower is signing is not changed.
            LoanEvent::Lapsed | LoanEvent::Rebuilt { .. } => &[AwaitingLender],
        };
        debug_assert!(!stages.iter().any(|stage| matches!(stage, Cancelled | Lapsed | Failed)), "these are final");
        if !stages.contains(&self.stage) {
            return Err(LoanRejection::WrongStage { stage: self.stage });
        }
        let is_signing =
            matches!(event, LoanEvent::BorrowerSigned { .. } | LoanEvent::Held { .. } | LoanEvent::Signed { .. });
        if is_signing && self.expires_at <= now {
            return Err(LoanRejection::TooLate(self.expires_at));
        }
        Ok(())
    }

    /// Applies an event. Never fails: an event in the journal has happened.
    pub fn apply(&mut self, event: &LoanEvent, at: UnixMs) {
        if let LoanEvent::RefinanceOrdered(order) = event {
            // The times of its stages stay as they are.
            self.refinance_order = *order;
            return;
        }
        self.updated_at = at;
        match event {
            LoanEvent::Prepared { .. }
            | LoanEvent::ExtensionPrepared { .. }
            | LoanEvent::SoftPrepared { .. }
            | LoanEvent::RefinanceOrdered(_) => {}
            LoanEvent::Held { expires_at } => (self.expires_at, self.coins_to_reserve) = (*expires_at, None),
            LoanEvent::Rebuilt { contract, expires_at } => {
                self.contract.clone_from(contract);
                (self.answer, self.expires_at) = (None, *expires_at);
                self.stage = LoanStage::Prepared;
            }
            LoanEvent::BorrowerSigned { answer, expires_at } => {
                (self.answer, self.expires_at, self.accepted_at) = (Some(answer.clone()), *expires_at, Some(at));
                self.coins_to_reserve = None;
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
                self.stage = unconfirmed_stage(*ending);
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
            LoanEvent::EndUnconfirmed => {
                if let Some(end) = &mut self.end {
                    end.mined = None;
                }
                let own = self.end.as_ref().filter(|end| end.transaction.is_some());
                self.stage = own.map_or_else(|| self.stage_at(at), |end| unconfirmed_stage(end.ending));
            }
            LoanEvent::Cancelled { by } => {
                self.cancelled_by = Some(*by);
                self.end_unsigned(LoanStage::Cancelled);
            }
            LoanEvent::Lapsed => self.end_unsigned(LoanStage::Lapsed),
            LoanEvent::Failed => {
                // The transactions are not broadcast any more. A side that signed one and retries still gets its id.
                self.running = None;
                self.stage = LoanStage::Failed;
            }
        }
    }

    /// Ends a loan that will never be signed: the data for signing is of no further use, and may be long.
    fn end_unsigned(&mut self, stage: LoanStage) {
        (self.contract, self.answer, self.coins_to_reserve) = (String::new(), None, None);
        self.stage = stage;
    }

    /// The stage of a loan that has begun and that no transaction is ending.
    fn stage_at(&self, at: UnixMs) -> LoanStage {
        if self.due_at().is_some_and(|due| due <= at) { LoanStage::Expired } else { LoanStage::Active }
    }
}

/// The stage of a loan while the transaction that ends it is unconfirmed.
const fn unconfirmed_stage(ending: Ending) -> LoanStage {
    match ending {
        Ending::Claim => LoanStage::Claiming,
        Ending::Repayment | Ending::Refinance(_) | Ending::Extension(_) => LoanStage::Repaying,
    }
}
