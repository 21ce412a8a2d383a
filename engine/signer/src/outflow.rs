//! The outflow of the vaults within the last hour.

use std::collections::{HashMap, VecDeque};

use crate::policy::Limits;
use crate::refusal::Refusal;

/// The period of the limits, in milliseconds.
pub(crate) const WINDOW_MS: u64 = 3_600_000;

/// The purpose of a transaction that takes money out of a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The origination of a loan.
    Loan,
    /// A withdrawal by the lender.
    Withdrawal,
    /// The fee of a child for another transaction.
    FeeBump,
    /// The move of a whole vault. Counted without its amount: it goes where the lender signed, and cannot be divided.
    Move,
}

/// Everything signed within the window, oldest first. The policy bounds the number of items. Running sums are kept,
/// since an hour can hold a million items.
#[derive(Debug, Default)]
pub(crate) struct Outflow {
    signed: VecDeque<Signed>,
    loans: Totals,
    withdrawals: Totals,
    fee_bumps: Totals,
    moves: Totals,
    of_vault: HashMap<u64, Totals>,
}

#[derive(Debug)]
struct Signed {
    at_ms: u64,
    lender_id: u64,
    purpose: Purpose,
    sats: u64,
}

/// A number of transactions, and the amount that they take out.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    count: u32,
    sats: u128,
}

impl Totals {
    fn add(&mut self, sats: u64) {
        self.count = self.count.saturating_add(1);
        self.sats += u128::from(sats);
    }

    fn remove(&mut self, sats: u64) {
        self.count = self.count.saturating_sub(1);
        self.sats = self.sats.saturating_sub(u128::from(sats));
    }

    fn plus(self, other: Self) -> Self {
        Self { count: self.count.saturating_add(other.count), sats: self.sats + other.sats }
    }

    fn used(self) -> u64 {
        u64::try_from(self.sats).unwrap_or(u64::MAX)
    }
}

impl Outflow {
    /// Records a transaction. Times never go backwards: the log guarantees that.
    pub(crate) fn push(&mut self, at_ms: u64, lender_id: u64, purpose: Purpose, sats: u64) {
        self.prune(at_ms);
        self.signed.push_back(Signed { at_ms, lender_id, purpose, sats });
        self.of(purpose).add(sats);
        self.of_vault.entry(lender_id).or_default().add(sats);
    }

    /// Checks that this amount may leave the vault now.
    pub(crate) fn check(
        &mut self,
        limits: &Limits,
        now_ms: u64,
        lender_id: u64,
        (purpose, asked): (Purpose, u64),
    ) -> Result<(), Refusal> {
        self.prune(now_ms);
        let all = self.loans.plus(self.withdrawals).plus(self.fee_bumps).plus(self.moves);
        if all.count >= limits.hour_max_count {
            return Err(Refusal::HourCount { max: limits.hour_max_count });
        }
        let kind = *self.of(purpose);
        if kind.count >= limits.count_of_kind() {
            return Err(Refusal::HourCount { max: limits.count_of_kind() });
        }
        check_sats(limits.hour_max_sats, all.used(), asked)?;
        if purpose == Purpose::Loan {
            check_sats(limits.loans_sats(), kind.used(), asked)?;
        }
        let own = self.of_vault.get(&lender_id).copied().unwrap_or_default();
        if own.count >= limits.count_of_vault() {
            return Err(Refusal::VaultHourCount { max: limits.count_of_vault() });
        }
        let (max, used) = (limits.vault_hour_max_sats, own.used());
        if used.saturating_add(asked) > max {
            return Err(Refusal::VaultHourSats { max, used, asked });
        }
        Ok(())
    }

    const fn of(&mut self, purpose: Purpose) -> &mut Totals {
        match purpose {
            Purpose::Loan => &mut self.loans,
            Purpose::Withdrawal => &mut self.withdrawals,
            Purpose::FeeBump => &mut self.fee_bumps,
            Purpose::Move => &mut self.moves,
        }
    }

    fn prune(&mut self, now_ms: u64) {
        while let Some(oldest) = self.signed.pop_front_if(|signed| !is_recent(signed, now_ms)) {
            self.of(oldest.purpose).remove(oldest.sats);
            if let Some(own) = self.of_vault.get_mut(&oldest.lender_id) {
                own.remove(oldest.sats);
                if own.count == 0 {
                    self.of_vault.remove(&oldest.lender_id);
                }
            }
        }
    }
}

/// Checks that an amount stays within a limit.
const fn check_sats(max: u64, used: u64, asked: u64) -> Result<(), Refusal> {
    if used.saturating_add(asked) > max { Err(Refusal::HourSats { max, used, asked }) } else { Ok(()) }
}

const fn is_recent(signed: &Signed, now_ms: u64) -> bool {
    now_ms.saturating_sub(signed.at_ms) < WINDOW_MS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits = Limits {
        loan_max_sats: 0,
        hour_max_sats: 100,
        hour_max_count: 8,
        vault_hour_max_sats: 60,
        vault_hour_max_count: Some(3),
        kept_percent: Some(50),
    };

    /// The expected result of the limits for one more transaction, computed naively from everything that was signed.
    fn expected(signed: &[(u64, u64, Purpose, u64)], now_ms: u64, next: (u64, Purpose, u64)) -> Result<(), Refusal> {
        let (lender_id, purpose, asked) = next;
        let recent = || signed.iter().filter(move |(at, ..)| at + WINDOW_MS > now_ms);
        let all: u64 = recent().map(|(.., sats)| sats).sum();
        let kind = || recent().filter(move |(_, _, other, _)| *other == purpose);
        let own = || recent().filter(move |(_, id, ..)| *id == lender_id);
        let (of_kind, of_vault) = (kind().map(|(.., sats)| sats).sum(), own().map(|(.., sats)| sats).sum());
        match () {
            () if recent().count() >= 8 => Err(Refusal::HourCount { max: 8 }),
            () if kind().count() >= 4 => Err(Refusal::HourCount { max: 4 }),
            () if all + asked > 100 => Err(Refusal::HourSats { max: 100, used: all, asked }),
            () if purpose == Purpose::Loan && of_kind + asked > 50 => {
                Err(Refusal::HourSats { max: 50, used: of_kind, asked })
            }
            () if own().count() >= 3 => Err(Refusal::VaultHourCount { max: 3 }),
            () if of_vault + asked > 60 => Err(Refusal::VaultHourSats { max: 60, used: of_vault, asked }),
            () => Ok(()),
        }
    }

    proptest! {
        #[test]
        fn no_hour_ever_exceeds_a_limit(
            asked in prop::collection::vec((0_u64..2_000_000, 0_u64..4, 0_usize..3, 0_u64..40), 1..80),
        ) {
            let mut outflow = Outflow::default();
            let mut signed: Vec<(u64, u64, Purpose, u64)> = Vec::new();
            let mut now_ms = 0;
            for (passes_ms, lender_id, purpose, sats) in asked {
                now_ms += passes_ms;
                let purpose = [Purpose::Loan, Purpose::Withdrawal, Purpose::FeeBump][purpose];
                let said = expected(&signed, now_ms, (lender_id, purpose, sats));
                prop_assert_eq!(outflow.check(&LIMITS, now_ms, lender_id, (purpose, sats)), said.clone());
                if said.is_ok() {
                    outflow.push(now_ms, lender_id, purpose, sats);
                    signed.push((now_ms, lender_id, purpose, sats));
                }
            }
        }
    }

    #[test]
    fn omitted_limits_are_derived_from_those_of_the_hour() {
        let limits = |hour_max_count| Limits {
            hour_max_sats: 1_000,
            hour_max_count,
            vault_hour_max_count: None,
            kept_percent: None,
            ..LIMITS
        };
        for (count, of_vault, of_kind) in [(1, 1, 1), (3, 3, 3), (5, 4, 4), (40, 4, 30), (100, 10, 75)] {
            assert_eq!((limits(count).count_of_vault(), limits(count).count_of_kind()), (of_vault, of_kind), "{count}");
        }
        assert_eq!(limits(100).loans_sats(), 750);
    }
}
