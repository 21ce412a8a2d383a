//! What people make of one loan. The same seed and offer give the same answer, however often it is asked for, so that
//! nobody has to remember anything.

use rand::{Rng, RngExt as _};

use crate::loan_wire::MyLoan;
use crate::pace::Pace;
use crate::seeded::seeded_stream;

/// What a lender does about a loan that waits for the signature, so many milliseconds after its borrower signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Signs.
    Signs(u64),
    /// Refuses.
    Refuses(u64),
    /// Does nothing, so that it lapses or the borrower gives it up.
    Forgets,
}

/// What a borrower does about a loan whose term runs, so many milliseconds after it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Repays it early.
    Repays(u64),
    /// Looks for another lender, and repays it where there is none.
    Refinances(u64),
    /// Keeps the money for as long as it may be kept.
    Keeps,
}

/// What a borrower does about a loan that was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lateness {
    /// Repays it so many milliseconds late.
    Repays(u64),
    /// Leaves the collateral to the lender.
    Defaults,
}

/// Decides on loans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoanFates {
    /// The market's seed.
    pub(crate) seed: u64,
    /// How fast people live.
    pub(crate) pace: Pace,
}

impl LoanFates {
    /// What the lender makes of an accepted loan.
    pub(crate) fn reply(&self, loan: &MyLoan) -> Reply {
        let mut rng = seeded_stream(self.seed, "a lender's reply", &loan.offer_id);
        let after = around(self.pace.signing_ms, &mut rng);
        match rng.random_range(0..100) {
            0..88 => Reply::Signs(after),
            88..95 => Reply::Refuses(after),
            _ => Reply::Forgets,
        }
    }

    /// How many milliseconds after its claim time the lender takes the collateral.
    pub(crate) fn claims_after(&self, loan: &MyLoan) -> u64 {
        around(self.pace.signing_ms, &mut seeded_stream(self.seed, "a claim", &loan.offer_id))
    }

    /// How many milliseconds a borrower waits for the lender's signature.
    pub(crate) fn waits_for_lender(&self, loan: &MyLoan) -> u64 {
        self.pace.signing_ms * 10
            + around(self.pace.patience_ms, &mut seeded_stream(self.seed, "a wait", &loan.offer_id))
    }

    /// What the borrower means to do while the term runs.
    pub(crate) fn plan(&self, loan: &MyLoan) -> Plan {
        let mut rng = seeded_stream(self.seed, "a borrower's plan", &loan.offer_id);
        let after = around(self.pace.patience_ms, &mut rng);
        match rng.random_range(0..100) {
            0..62 => Plan::Repays(after),
            62..76 => Plan::Refinances(after),
            _ => Plan::Keeps,
        }
    }

    /// What the borrower does when the loan is due.
    pub(crate) fn lateness(&self, loan: &MyLoan) -> Lateness {
        let mut rng = seeded_stream(self.seed, "a due date", &loan.offer_id);
        let after = around(self.pace.patience_ms, &mut rng);
        if rng.random_ratio(3, 5) { Lateness::Defaults } else { Lateness::Repays(after) }
    }
}

/// Somewhere around a usual time.
fn around(usual_ms: u64, rng: &mut impl Rng) -> u64 {
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

    fn share(fates: LoanFates, is_meant: impl Fn(&LoanFates, &MyLoan) -> bool) -> usize {
        loans().filter(|loan| is_meant(&fates, loan)).count() / 20
    }

    #[test]
    fn most_loans_are_signed_and_repaid_and_every_other_fate_happens_to_some() {
        let fates = LoanFates { seed: 3, pace: Pace::LIVELY };
        let signs = share(fates, |fates, loan| matches!(fates.reply(loan), Reply::Signs(_)));
        let refuses = share(fates, |fates, loan| matches!(fates.reply(loan), Reply::Refuses(_)));
        let repays = share(fates, |fates, loan| matches!(fates.plan(loan), Plan::Repays(_)));
        let keeps = share(fates, |fates, loan| fates.plan(loan) == Plan::Keeps);
        let defaults = share(fates, |fates, loan| fates.lateness(loan) == Lateness::Defaults);
        assert!((82..95).contains(&signs) && (3..12).contains(&refuses), "{signs} {refuses}");
        assert!((55..70).contains(&repays) && (15..33).contains(&keeps), "{repays} {keeps}");
        assert!((50..70).contains(&defaults), "{defaults}");
    }

    #[test]
    fn the_same_seed_and_offer_decide_the_same_and_nobody_waits_much_longer_than_usual() {
        let (one, other) = (LoanFates { seed: 3, pace: Pace::LIVELY }, LoanFates { seed: 4, pace: Pace::LIVELY });
        assert!(loans().all(|loan| one.plan(&loan) == one.plan(&loan) && one.reply(&loan) == one.reply(&loan)));
        assert!(loans().any(|loan| one.plan(&loan) != other.plan(&loan)));
        let most = Pace::LIVELY.patience_ms * 2;
        assert!(loans().all(|loan| !matches!(one.plan(&loan), Plan::Repays(after_ms) if after_ms > most)));
        let signing = Pace::LIVELY.signing_ms;
        assert!(loans().all(|loan| (signing / 4..=signing * 2).contains(&one.claims_after(&loan))));
        assert!(loans().all(|loan| one.waits_for_lender(&loan) > signing * 2), "a lender has the time to sign");
    }
}
