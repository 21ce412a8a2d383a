//! A loan's state without the Bitcoin-specific data, small enough to be copied.

use crate::{DAY_MS, LoanId, LoanPoints, Points, RefinanceOrder, RefinanceQuestion, UnixMs, UserId};

use super::{BlockTime, CancelledBy, EndingTransaction, LoanAccount, LoanDeal, LoanStage, Role};

/// The time before the due time at which a borrower is first reminded, in milliseconds.
pub(super) const FIRST_REMINDER_MS: u64 = 72 * 3_600_000;

/// The time before the due time from which a cheaper loan is looked for, in milliseconds.
const NEAR_DUE_MS: u64 = 7 * DAY_MS;

/// The next action that a loan waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PendingAction {
    /// The borrower's signature.
    Signature,
    /// The lender's counter-signature.
    CounterSignature,
    /// The repayment, which is due within three days or overdue.
    Repayment,
    /// The lender's claim of the collateral.
    Claim,
}

/// The part of a loan's state that views and notices need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanSummary {
    /// Its id.
    pub id: LoanId,
    /// The agreed deal.
    pub deal: LoanDeal,
    /// The stage.
    pub stage: LoanStage,
    /// The id of its transaction, in internal byte order, once fully signed.
    pub txid: Option<[u8; 32]>,
    /// The deadline of the next signature, before it is broadcast.
    pub expires_at: UnixMs,
    /// The time at which it was prepared.
    pub prepared_at: UnixMs,
    /// The time at which the borrower last accepted.
    pub accepted_at: Option<UnixMs>,
    /// Its first block.
    pub began: Option<BlockTime>,
    /// The transaction that ends it, without its bytes.
    pub end: Option<EndingTransaction>,
    /// The due time of an extension of another loan, whatever block it begins in.
    pub extended_until: Option<UnixMs>,
    /// The reason of its cancellation.
    pub cancelled_by: Option<CancelledBy>,
    /// The borrower's standing order to refinance it.
    pub refinance_order: Option<RefinanceOrder>,
    /// The time of the last event, other than about its standing order.
    pub updated_at: UnixMs,
}

impl LoanAccount {
    /// The summary of the loan.
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
            refinance_order: self.refinance_order,
            updated_at: self.updated_at,
        }
    }

    /// A user's side, if they may know of the loan: a lender may not before the borrower has accepted, since a borrower
    /// who merely views the terms prepares a loan, too.
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
    /// A user's side, as [`LoanAccount::role_of`].
    #[must_use]
    pub fn role_of(&self, user: UserId) -> Option<Role> {
        role_of(&self.deal, self.accepted_at, user)
    }

    /// The time at which the repayment is due, once the loan has begun.
    #[must_use]
    pub fn due_at(&self) -> Option<UnixMs> {
        self.began.map(|began| self.extended_until.unwrap_or_else(|| self.deal.due_after(began.at)))
    }

    /// The time of the block that ended it.
    #[must_use]
    pub fn ended_at(&self) -> Option<UnixMs> {
        self.end.as_ref()?.mined.map(|mined| mined.at)
    }

    /// Whether its term is over and no repayment is confirmed.
    #[must_use]
    pub fn is_overdue(&self, now: UnixMs) -> bool {
        match self.stage {
            LoanStage::Expired | LoanStage::Claiming => true,
            LoanStage::Active | LoanStage::Repaying => self.due_at().is_some_and(|due| due <= now),
            _ => false,
        }
    }

    /// The action that it waits for from this role.
    #[must_use]
    pub fn pending_action(&self, role: Role, now: UnixMs) -> Option<PendingAction> {
        let can_sign = now < self.expires_at;
        let is_due_soon = self.due_at().is_some_and(|due| due <= now.plus_ms(FIRST_REMINDER_MS));
        let is_claimable = self.is_overdue(now) && self.deal.claim_after <= now;
        match (role, self.stage) {
            (Role::Borrower, LoanStage::Prepared) if can_sign => Some(PendingAction::Signature),
            (Role::Lender, LoanStage::AwaitingLender) if can_sign => Some(PendingAction::CounterSignature),
            (Role::Borrower, LoanStage::Active | LoanStage::Expired) if is_due_soon => Some(PendingAction::Repayment),
            (Role::Lender, LoanStage::Active | LoanStage::Expired | LoanStage::Repaying) if is_claimable => {
                Some(PendingAction::Claim)
            }
            _ => None,
        }
    }

    /// Whether the time of the borrower's standing order has come, and the lender cannot claim the collateral yet.
    fn is_order_due(&self, now: UnixMs) -> bool {
        let is_running = matches!(self.stage, LoanStage::Active | LoanStage::Expired);
        let starts = self
            .refinance_order
            .zip(self.due_at())
            .map(|(order, due)| due.minus_ms(u64::from(order.days_before) * DAY_MS));
        is_running && starts.is_some_and(|starts| starts <= now) && now < self.deal.claim_after
    }

    /// Whether it is worth looking for a cheaper loan: its interest is due in full whenever it is repaid, so not before
    /// the last half of its term, and the last seven days of a longer one.
    fn is_near_due(&self, now: UnixMs) -> bool {
        let half_ms = self.deal.term.ms() / 2;
        let starts = self.due_at().map(|due| due.minus_ms(half_ms.min(NEAR_DUE_MS)));
        self.stage == LoanStage::Active && starts.is_some_and(|starts| starts <= now)
    }

    /// The question to its book for an offer that it could move to; `None` while none is looked for.
    #[must_use]
    pub fn refinance_question(&self, now: UnixMs) -> Option<RefinanceQuestion> {
        let order = self.refinance_order.filter(|_| self.is_order_due(now));
        let is_near_due = self.is_near_due(now);
        let LoanDeal { borrower, pledged_raw, principal, .. } = self.deal;
        let terms = self.deal.terms();
        let question = RefinanceQuestion { borrower, pledged_raw, principal, terms, order, is_near_due };
        (order.is_some() || is_near_due).then_some(question)
    }

    /// The points that it has earned this role so far, in a collection with `multiplier_percent` percent of extra
    /// points. A reorg takes back the points of its block.
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
