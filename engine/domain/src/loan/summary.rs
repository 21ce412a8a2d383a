//! A loan without what only Bitcoin understands, small enough to be handed around.

use crate::{LoanId, LoanPoints, Points, UnixMs, UserId};

use super::{CancelledBy, EndingTransaction, LoanAccount, LoanDeal, LoanStage, Mined, Role};

/// How long before the due time a borrower is told first, in milliseconds.
pub(super) const FIRST_REMINDER_MS: u64 = 72 * 3_600_000;

/// What somebody is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wait {
    /// The borrower's signature.
    Signature,
    /// The lender's signature.
    CounterSignature,
    /// The repayment, which is due within three days or overdue.
    Repayment,
    /// The lender may take the collateral.
    Claim,
}

/// A loan, as far as people are told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanSummary {
    /// Its id.
    pub id: LoanId,
    /// What was agreed.
    pub deal: LoanDeal,
    /// Where it stands.
    pub stage: LoanStage,
    /// The id of its transaction, in internal byte order, once all have signed.
    pub txid: Option<[u8; 32]>,
    /// Until when whoever is next can sign, before it is broadcast.
    pub expires_at: UnixMs,
    /// When it was prepared.
    pub prepared_at: UnixMs,
    /// When the borrower accepted, for the last time.
    pub accepted_at: Option<UnixMs>,
    /// Its first block.
    pub began: Option<Mined>,
    /// What ends it, without the transaction itself.
    pub end: Option<EndingTransaction>,
    /// Of an extension of another loan, when it is due, whatever block it begins in.
    pub extended_until: Option<UnixMs>,
    /// Why it was cancelled.
    pub cancelled_by: Option<CancelledBy>,
    /// When the latest of all this happened.
    pub updated_at: UnixMs,
}

impl LoanAccount {
    /// The loan without its texts.
    #[must_use]
    pub fn summary(&self) -> LoanSummary {
        let end = self.end.as_ref().map(|end| EndingTransaction {
            ending: end.ending,
            txid: end.txid,
            transaction: None,
            mined: end.mined,
        });
        LoanSummary {
            id: self.id,
            deal: self.deal.clone(),
            stage: self.stage,
            txid: self.txid,
            expires_at: self.expires_at,
            prepared_at: self.prepared_at,
            accepted_at: self.accepted_at,
            began: self.began,
            end,
            extended_until: self.extended_until,
            cancelled_by: self.cancelled_by,
            updated_at: self.updated_at,
        }
    }

    /// On which side somebody is, if they may know of the loan: a lender does not before the borrower accepted, since
    /// whoever only looks prepares loans too.
    #[must_use]
    pub fn role_of(&self, user: UserId) -> Option<Role> {
        role_of(&self.deal, self.accepted_at, user)
    }
}

fn role_of(deal: &LoanDeal, accepted_at: Option<UnixMs>, user: UserId) -> Option<Role> {
    if deal.borrower == user {
        Some(Role::Borrower)
    } else if deal.lender == user && accepted_at.is_some() {
        Some(Role::Lender)
    } else {
        None
    }
}

impl LoanSummary {
    /// On which side somebody is, as [`LoanAccount::role_of`].
    #[must_use]
    pub fn role_of(&self, user: UserId) -> Option<Role> {
        role_of(&self.deal, self.accepted_at, user)
    }

    /// When it is to be repaid, once it has begun.
    #[must_use]
    pub fn due_at(&self) -> Option<UnixMs> {
        self.began.map(|began| self.extended_until.unwrap_or_else(|| self.deal.due_after(began.at)))
    }

    /// When it ended in a block.
    #[must_use]
    pub fn ended_at(&self) -> Option<UnixMs> {
        self.end.as_ref()?.mined.map(|mined| mined.at)
    }

    /// Whether its time is over and no block has its repayment.
    #[must_use]
    pub fn is_overdue(&self, now: UnixMs) -> bool {
        match self.stage {
            LoanStage::Expired | LoanStage::Claiming => true,
            LoanStage::Active | LoanStage::Repaying => self.due_at().is_some_and(|due| due <= now),
            _ => false,
        }
    }

    /// What it waits for somebody of this role to do.
    #[must_use]
    pub fn waits_for(&self, role: Role, now: UnixMs) -> Option<Wait> {
        let can_sign = now < self.expires_at;
        let is_due_soon = self.due_at().is_some_and(|due| due <= now.plus_ms(FIRST_REMINDER_MS));
        let is_claimable = self.is_overdue(now) && self.deal.claim_after <= now;
        match (role, self.stage) {
            (Role::Borrower, LoanStage::Prepared) if can_sign => Some(Wait::Signature),
            (Role::Lender, LoanStage::AwaitingLender) if can_sign => Some(Wait::CounterSignature),
            (Role::Borrower, LoanStage::Active | LoanStage::Expired) if is_due_soon => Some(Wait::Repayment),
            (Role::Lender, LoanStage::Active | LoanStage::Expired | LoanStage::Repaying) if is_claimable => {
                Some(Wait::Claim)
            }
            _ => None,
        }
    }

    /// What it has earned somebody of this role so far, where the collection adds `multiplier_percent` percent. A block
    /// that is undone takes what it gave.
    #[must_use]
    pub fn points(&self, role: Role, multiplier_percent: u16) -> Points {
        if self.began.is_none() {
            return Points::ZERO;
        }
        let all = LoanPoints::of(self.deal.principal, multiplier_percent);
        match role {
            Role::Lender => all.lender,
            Role::Borrower if self.stage == LoanStage::Repaid => {
                all.borrower_at_start.saturating_add(all.borrower_at_repayment)
            }
            Role::Borrower => all.borrower_at_start,
        }
    }
}
