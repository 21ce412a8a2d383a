//! What has left the vaults within the last hour.

use std::collections::{HashMap, VecDeque};

use crate::policy::Limits;
use crate::refusal::Refusal;

/// How far back the limits look, in milliseconds.
pub(crate) const WINDOW_MS: u64 = 3_600_000;

/// Everything signed within the window, oldest first. It has at most as many items as the policy lets be signed. The sums
/// are kept, since an hour can hold a million of them.
#[derive(Debug, Default)]
pub(crate) struct Outflow {
    signed: VecDeque<Signed>,
    /// What all of it comes to, in sats.
    sum: u128,
    /// The same for each vault that something left.
    of_vault: HashMap<u64, u128>,
}

#[derive(Debug)]
struct Signed {
    at_ms: u64,
    lender_id: u64,
    sats: u64,
}

impl Outflow {
    /// Counts a transaction. Times do not go backwards: the log sees to that.
    pub(crate) fn push(&mut self, at_ms: u64, lender_id: u64, sats: u64) {
        self.forget(at_ms);
        self.signed.push_back(Signed { at_ms, lender_id, sats });
        self.sum += u128::from(sats);
        *self.of_vault.entry(lender_id).or_default() += u128::from(sats);
    }

    /// Whether so much more may leave this vault now.
    pub(crate) fn check(&mut self, limits: &Limits, now_ms: u64, lender_id: u64, asked: u64) -> Result<(), Refusal> {
        self.forget(now_ms);
        if u32::try_from(self.signed.len()).unwrap_or(u32::MAX) >= limits.hour_max_count {
            return Err(Refusal::HourCount { max: limits.hour_max_count });
        }
        let used = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
        let (max, used_by_all) = (limits.hour_max_sats, used(self.sum));
        if used_by_all.saturating_add(asked) > max {
            return Err(Refusal::HourSats { max, used: used_by_all, asked });
        }
        let own = self.of_vault.get(&lender_id).copied().unwrap_or_default();
        let (max, used) = (limits.vault_hour_max_sats, used(own));
        if used.saturating_add(asked) > max {
            return Err(Refusal::VaultHourSats { max, used, asked });
        }
        Ok(())
    }

    fn forget(&mut self, now_ms: u64) {
        while let Some(oldest) = self.signed.pop_front_if(|signed| !is_recent(signed, now_ms)) {
            let sats = u128::from(oldest.sats);
            self.sum = self.sum.saturating_sub(sats);
            if let Some(own) = self.of_vault.get_mut(&oldest.lender_id) {
                *own = own.saturating_sub(sats);
                if *own == 0 {
                    self.of_vault.remove(&oldest.lender_id);
                }
            }
        }
    }
}

const fn is_recent(signed: &Signed, now_ms: u64) -> bool {
    now_ms.saturating_sub(signed.at_ms) < WINDOW_MS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits = Limits { loan_max_sats: 0, hour_max_sats: 100, hour_max_count: 4, vault_hour_max_sats: 60 };

    proptest! {
        #[test]
        fn no_hour_ever_exceeds_a_limit(
            asked in prop::collection::vec((0_u64..2_000_000, 0_u64..3, 0_u64..80), 1..60),
        ) {
            let mut outflow = Outflow::default();
            let mut signed: Vec<(u64, u64, u64)> = Vec::new();
            let mut now_ms = 0;
            for (passes_ms, lender_id, sats) in asked {
                now_ms += passes_ms;
                // The oracle looks at every hour that this one would end.
                let recent: Vec<_> = signed.iter().filter(|(at, ..)| at + WINDOW_MS > now_ms).collect();
                let all: u64 = recent.iter().map(|(.., sats)| sats).sum();
                let own: u64 = recent.iter().filter(|(_, id, _)| *id == lender_id).map(|(.., sats)| sats).sum();
                let expected = if recent.len() >= 4 {
                    Err(Refusal::HourCount { max: 4 })
                } else if all + sats > 100 {
                    Err(Refusal::HourSats { max: 100, used: all, asked: sats })
                } else if own + sats > 60 {
                    Err(Refusal::VaultHourSats { max: 60, used: own, asked: sats })
                } else {
                    Ok(())
                };
                prop_assert_eq!(outflow.check(&LIMITS, now_ms, lender_id, sats), expected.clone());
                if expected.is_ok() {
                    outflow.push(now_ms, lender_id, sats);
                    signed.push((now_ms, lender_id, sats));
                }
            }
        }
    }
}
