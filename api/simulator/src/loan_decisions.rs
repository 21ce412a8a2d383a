//! The decisions of simulated users about one loan. They depend on the seed and the offer alone, so that no state has
//! to be kept.

use rand::{Rng, RngExt as _};

use crate::loan_wire::MyLoan;
use crate::pace::Pace;
use crate::seeded::seeded_rng;

/// The lender's decision about a loan that awaits the counter-signature, with its delay in milliseconds after the
/// borrower signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Signs.
    Signs(u64),
    /// Refuses.
    Refuses(u64),
    /// Does nothing, so that the loan lapses or the borrower withdraws.
    Ignores,
}

/// The borrower's plan for a running loan, with its delay in milliseconds after the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Repays it early.
    Repays(u64),
    /// Looks for another lender, and repays it if there is none.
    Refinances(u64),
    /// Keeps the money until the end of the term.
    HoldsToTerm,
}

/// The borrower's decision about a loan whose term is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverduePlan {
    /// Repays it this many milliseconds late.
    Repays(u64),
    /// Defaults: the lender may claim the collateral.
    Defaults,
}

/// The source of the decisions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoanDecisions {
    pub(crate) seed: u64,
    /// The pace of the simulated users.
    pub(crate) pace: Pace,
}

impl LoanDecisions {
    /// The lender's reply to an accepted loan.
    pub(crate) fn reply(&self, loan: &MyLoan) -> Reply {
        let mut rng = seeded_rng(self.seed, "a lender's reply", &loan.offer_id);
        let after = jittered(self.pace.signing_ms, &mut rng);
        match rng.random_range(0..100) {
            0..88 => Reply::Signs(after),
            88..95 => Reply::Refuses(after),
            _ => Reply::Ignores,
        }
    }

    /// The delay between the claim time and the lender's claim, in milliseconds.
    pub(crate) fn claim_delay_ms(&self, loan: &MyLoan) -> u64 {
        jittered(self.pace.signing_ms, &mut seeded_rng(self.seed, "a claim", &loan.offer_id))
    }

    /// The time for which a borrower waits for the lender's signature, in milliseconds.
    pub(crate) fn countersignature_timeout_ms(&self, loan: &MyLoan) -> u64 {
        self.pace.signing_ms * 10
            + jittered(self.pace.early_repayment_ms, &mut seeded_rng(self.seed, "a wait", &loan.offer_id))
    }

    /// The borrower's plan during the term.
    pub(crate) fn plan(&self, loan: &MyLoan) -> Plan {
        let mut rng = seeded_rng(self.seed, "a borrower's plan", &loan.offer_id);
        let after = jittered(self.pace.early_repayment_ms, &mut rng);
        match rng.random_range(0..100) {
            0..62 => Plan::Repays(after),
            62..76 => Plan::Refinances(after),
            _ => Plan::HoldsToTerm,
        }
    }

    /// The borrower's decision when the loan is due.
    pub(crate) fn overdue_plan(&self, loan: &MyLoan) -> OverduePlan {
        let mut rng = seeded_rng(self.seed, "a due date", &loan.offer_id);
        let after = jittered(self.pace.early_repayment_ms, &mut rng);
        if rng.random_ratio(3, 5) { OverduePlan::Defaults } else { OverduePlan::Repays(after) }
    }
}

/// A random time around the usual one.
fn jittered(usual_ms: u64, rng: &mut impl Rng) -> u64 {
    let quarter = usual_ms / 4;
    rng.random_range(quarter..=quarter * 8)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn loans() -> impl Iterator<Item = MyLoan> {
        (0..2_000).map(|number| {
            serde_json::from_value(json!({
                "loanId": "ln_1", "stage": "active", "offerId": format!("of_{number}"), "waitsFor": "counter_signature",
                "groupId": "g_1", "principal": 5, "payoutSats": 6, "preparedAt": 1, "claimAfter": 9,
            }))
            .unwrap()
        })
    }

    fn share(fates: LoanDecisions, is_meant: impl Fn(&LoanDecisions, &MyLoan) -> bool) -> usize {
        loans().filter(|loan| is_meant(&fates, loan)).count() / 20
    }

    #[test]
    fn most_loans_are_signed_and_repaid_and_every_other_outcome_occurs() {
        let fates = LoanDecisions { seed: 3, pace: Pace::LIVELY };
        let signs = share(fates, |fates, loan| matches!(fates.reply(loan), Reply::Signs(_)));
        let refuses = share(fates, |fates, loan| matches!(fates.reply(loan), Reply::Refuses(_)));
        let repays = share(fates, |fates, loan| matches!(fates.plan(loan), Plan::Repays(_)));
        let keeps = share(fates, |fates, loan| fates.plan(loan) == Plan::HoldsToTerm);
        let defaults = share(fates, |fates, loan| fates.overdue_plan(loan) == OverduePlan::Defaults);
        assert!((82..95).contains(&signs) && (3..12).contains(&refuses), "{signs} {refuses}");
        assert!((55..70).contains(&repays) && (15..33).contains(&keeps), "{repays} {keeps}");
        assert!((50..70).contains(&defaults), "{defaults}");
    }

    #[test]
    fn decisions_are_repeatable_and_no_wait_is_much_longer_than_usual() {
        let (one, other) =
            (LoanDecisions { seed: 3, pace: Pace::LIVELY }, LoanDecisions { seed: 4, pace: Pace::LIVELY });
        assert!(loans().all(|loan| one.plan(&loan) == one.plan(&loan) && one.reply(&loan) == one.reply(&loan)));
        assert!(loans().any(|loan| one.plan(&loan) != other.plan(&loan)));
        let most = Pace::LIVELY.early_repayment_ms * 2;
        assert!(loans().all(|loan| !matches!(one.plan(&loan), Plan::Repays(after_ms) if after_ms > most)));
        let signing = Pace::LIVELY.signing_ms;
        assert!(loans().all(|loan| (signing / 4..=signing * 2).contains(&one.claim_delay_ms(&loan))));
        assert!(
            loans().all(|loan| one.countersignature_timeout_ms(&loan) > signing * 2),
            "a lender has the time to sign"
        );
    }
}
