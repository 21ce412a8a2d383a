//! Limits on prepared loans without a signature, and the waiting times for borrowers who repeatedly let them lapse.
//!
//! Prepared loans reserve nothing, so these limits do not protect offers: they keep one user from filling the journal
//! and from causing needless work for the vaults' signer.

use std::collections::HashMap;

use crate::{UnixMs, UserId};

/// The maximum number of loans that wait for the signature of one borrower, or of borrowers with one ordinals address.
pub const PREPARED_MAX: usize = 10;
/// The maximum number of them from one lender's offers.
pub const PREPARED_PER_LENDER_MAX: usize = 5;

/// The number of lapses without consequence.
const LAPSES_FREE: u32 = 3;
/// The waiting time of a borrower after the first lapse beyond the free ones, in milliseconds; it doubles with each
/// further one.
const WAIT_MS: u64 = 60_000;
/// The maximum waiting time, in milliseconds.
const WAIT_MAX_MS: u64 = 3_600_000;
/// The time without a lapse after which lapses are dropped, in milliseconds.
const LAPSES_EXPIRE_MS: u64 = 24 * 3_600_000;
/// The number of borrowers above which outdated lapses are removed.
const BORROWERS_MAX: usize = 10_000;

/// The lapses of a borrower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lapses {
    count: u32,
    last_at: UnixMs,
}

impl Lapses {
    fn is_expired(self, now: UnixMs) -> bool {
        self.last_at.plus_ms(LAPSES_EXPIRE_MS) <= now
    }

    /// The time until which no loan is prepared.
    fn waits_until(self) -> Option<UnixMs> {
        let beyond = self.count.checked_sub(LAPSES_FREE + 1)?;
        let wait = WAIT_MS.saturating_mul(1_u64.checked_shl(beyond).unwrap_or(u64::MAX));
        Some(self.last_at.plus_ms(wait.min(WAIT_MAX_MS)))
    }
}

/// The borrowers who let prepared loans lapse. Derived from the loans, so it is not journaled.
#[derive(Clone, Debug, Default)]
pub struct PrepareLapses(HashMap<UserId, Lapses>);

impl PrepareLapses {
    /// Records that a prepared loan was not signed in time.
    pub fn record_lapse(&mut self, borrower: UserId, at: UnixMs) {
        if self.0.len() >= BORROWERS_MAX {
            self.0.retain(|_, lapses| !lapses.is_expired(at));
        }
        let lapses = self.0.entry(borrower).or_insert(Lapses { count: 0, last_at: at });
        let before = if lapses.is_expired(at) { 0 } else { lapses.count };
        *lapses = Lapses { count: before.saturating_add(1), last_at: at };
    }

    /// Clears a borrower's lapses after a signature.
    pub fn clear(&mut self, borrower: UserId) {
        self.0.remove(&borrower);
    }

    /// The time until which no loan is prepared for a borrower; `None` if one can be prepared now.
    #[must_use]
    pub fn postponed_until(&self, borrower: UserId, now: UnixMs) -> Option<UnixMs> {
        self.0.get(&borrower)?.waits_until().filter(|until| *until > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BORROWER: UserId = UserId(7);

    #[test]
    fn each_lapse_beyond_the_free_ones_doubles_the_wait_up_to_an_hour() {
        let mut lapses = PrepareLapses::default();
        let waits: Vec<u64> = (0..14_u64)
            .map(|lapse| {
                let at = UnixMs(lapse * WAIT_MAX_MS);
                lapses.record_lapse(BORROWER, at);
                lapses.postponed_until(BORROWER, at).map_or(0, |until| (until.0 - at.0) / 60_000)
            })
            .collect();
        assert_eq!(waits, [0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]);
        assert_eq!(lapses.postponed_until(UserId(8), UnixMs(0)), None, "another borrower need not wait");
    }

    #[test]
    fn a_signature_or_a_quiet_day_ends_the_wait() {
        let mut lapses = PrepareLapses::default();
        let mut let_four_lapse = |at| (0..4).for_each(|_| lapses.record_lapse(BORROWER, at));
        let_four_lapse(UnixMs(0));
        let_four_lapse(UnixMs(LAPSES_EXPIRE_MS));
        let until = lapses.postponed_until(BORROWER, UnixMs(LAPSES_EXPIRE_MS)).unwrap();
        assert_eq!(until, UnixMs(LAPSES_EXPIRE_MS + WAIT_MS), "the first four have expired");
        assert_eq!(lapses.postponed_until(BORROWER, until), None);
        lapses.clear(BORROWER);
        assert_eq!(lapses.postponed_until(BORROWER, UnixMs(LAPSES_EXPIRE_MS)), None);
    }

    #[test]
    fn outdated_lapses_are_removed() {
        let mut lapses = PrepareLapses::default();
        for number in 0..30_000_u64 {
            lapses.record_lapse(UserId(number), UnixMs(number * LAPSES_EXPIRE_MS / 5_000));
        }
        assert!(lapses.0.len() <= BORROWERS_MAX, "{}", lapses.0.len());
    }
}
