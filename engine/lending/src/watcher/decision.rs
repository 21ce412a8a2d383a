//! What follows from what is seen of a loan: pure, and one step at a time.

use bitcoin::Transaction;
use domain::{Ending, LoanAccount, LoanEvent, LoanStage, Mined, UnixMs};

use super::BURIED;
use super::sight::{Sight, Whereabouts};

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The node should have these and does not.
    Send(Vec<Transaction>),
    /// The loan itself goes on.
    Loan(LoanEvent),
    /// A block ends it.
    End {
        /// How.
        ending: Ending,
        /// By which transaction.
        txid: [u8; 32],
        /// Where.
        mined: Mined,
    },
    /// It can never begin.
    Fail,
    /// It is over, and so deep that nobody looks any more.
    Bury,
}

/// The next step; `None` when everything is as it should be. `missing` counts the blocks since a coin was spent otherwise.
pub(super) fn decide(loan: &LoanAccount, sight: &Sight, now: UnixMs, height: u32, missing: u32) -> Option<Step> {
    match loan.stage {
        LoanStage::Broadcast => begun(sight, missing),
        LoanStage::Active | LoanStage::Expired | LoanStage::Repaying | LoanStage::Claiming => running(loan, sight, now),
        LoanStage::Repaid | LoanStage::Claimed => over(loan, sight, height),
        LoanStage::Prepared
        | LoanStage::AwaitingLender
        | LoanStage::Cancelled
        | LoanStage::Lapsed
        | LoanStage::Failed => None,
    }
}

fn begun(sight: &Sight, missing: u32) -> Option<Step> {
    match sight.begun {
        Whereabouts::Mined(mined) => Some(Step::Loan(LoanEvent::Confirmed(mined))),
        Whereabouts::Waiting => None,
        Whereabouts::Nowhere if sight.is_coin_missing && missing >= BURIED => Some(Step::Fail),
        Whereabouts::Nowhere if sight.is_coin_missing => None,
        Whereabouts::Nowhere => Some(Step::Send(sight.transactions.clone())),
    }
}

fn running(loan: &LoanAccount, sight: &Sight, now: UnixMs) -> Option<Step> {
    match (sight.begun, loan.began) {
        (Whereabouts::Mined(found), Some(known)) if found == known => {}
        // Its block is gone, or it stands in another one: the term begins anew with that.
        _ => return Some(Step::Loan(LoanEvent::Unconfirmed)),
    }
    if let Some(spent) = &sight.spent {
        let txid = crate::outpoint::to_domain(bitcoin::OutPoint::new(spent.txid, 0)).txid;
        return Some(Step::End { ending: spent.ending, txid, mined: spent.mined });
    }
    let waits = matches!(loan.stage, LoanStage::Repaying | LoanStage::Claiming);
    if waits && sight.ending == Whereabouts::Nowhere {
        return match &sight.end {
            Some(end) if !sight.is_end_impossible => Some(Step::Send(vec![end.clone()])),
            _ => Some(Step::Loan(LoanEvent::EndingDropped)),
        };
    }
    let is_due = loan.stage == LoanStage::Active && loan.due_at().is_some_and(|due| due <= now);
    is_due.then_some(Step::Loan(LoanEvent::Expired))
}

fn over(loan: &LoanAccount, sight: &Sight, height: u32) -> Option<Step> {
    let known = loan.end.as_ref().and_then(|end| end.mined);
    match (&sight.spent, known) {
        (Some(spent), Some(known)) if spent.mined == known => {
            let depth = height.saturating_sub(known.height).saturating_add(1);
            (depth >= BURIED).then_some(Step::Bury)
        }
        _ => Some(Step::Loan(LoanEvent::EndUndone)),
    }
}
