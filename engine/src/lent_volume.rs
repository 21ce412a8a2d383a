//! The volume lent in one group, in total and over recent windows. Pure and bounded.

use std::collections::VecDeque;

use domain::{Sats, UnixMs};

use crate::wire::Volumes;

const HOUR_MS: u64 = 3_600_000;
const HOURS_A_DAY: u64 = 24;
const HOURS_A_WEEK: u64 = 7 * HOURS_A_DAY;
const HOURS_A_MONTH: u64 = 30 * HOURS_A_DAY;

/// The next full hour, at which sums of whole hours change by time alone.
pub(crate) const fn next_hour(now: UnixMs) -> UnixMs {
    UnixMs((now.0 / HOUR_MS + 1) * HOUR_MS)
}

/// Principal of confirmed loans, by the hour.
#[derive(Clone, Debug, Default)]
pub(crate) struct LentVolume {
    total: Sats,
    /// The number of the hour since 1970 and the principal lent in it; ascending, at most 30 days.
    hours: VecDeque<(u64, Sats)>,
}

impl LentVolume {
    /// Counts a loan.
    pub(crate) fn record(&mut self, principal: Sats, at: UnixMs) {
        self.total = self.total.saturating_add(principal);
        let hour = at.0 / HOUR_MS;
        match self.hours.back_mut() {
            Some((latest, sum)) if hour <= *latest => *sum = sum.saturating_add(principal),
            _ => self.hours.push_back((hour, principal)),
        }
        while self.hours.front().is_some_and(|(first, _)| first + HOURS_A_MONTH <= hour) {
            self.hours.pop_front();
        }
    }

    /// Subtracts a loan that failed. `at` is the time at which it was counted.
    pub(crate) fn subtract(&mut self, principal: Sats, at: UnixMs) {
        self.total = self.total.saturating_sub(principal);
        let hour = at.0 / HOUR_MS;
        // An hour that has been dropped counts in no window.
        if let Ok(place) = self.hours.binary_search_by_key(&hour, |(counted, _)| *counted)
            && let Some((_, sum)) = self.hours.get_mut(place)
        {
            *sum = sum.saturating_sub(principal);
        }
    }

    /// The sums as of now.
    pub(crate) fn volumes(&self, now: UnixMs) -> Volumes {
        let hour = now.0 / HOUR_MS;
        let since = |hours: u64| {
            let recent = self.hours.iter().rev().take_while(|(at, _)| at + hours > hour);
            recent.map(|(_, sum)| *sum).sum()
        };
        Volumes { total: self.total, day: since(HOURS_A_DAY), week: since(HOURS_A_WEEK), month: since(HOURS_A_MONTH) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_window_counts_what_was_lent_within_it() {
        let mut lent = LentVolume::default();
        let hours = |hours: u64| UnixMs(1_700_000_000_000 + hours * HOUR_MS);
        lent.record(Sats::new(1), hours(0));
        lent.record(Sats::new(10), hours(600));
        lent.record(Sats::new(100), hours(700));
        lent.record(Sats::new(1_000), hours(700).plus_ms(1));
        let volumes = lent.volumes(hours(719));
        let sums = [volumes.total, volumes.day, volumes.week, volumes.month].map(Sats::get);
        assert_eq!(sums, [1_111, 1_100, 1_110, 1_111]);
        assert_eq!(lent.volumes(hours(5_000)).month, Sats::ZERO);
        lent.record(Sats::new(5), hours(5_000));
        assert_eq!(lent.hours.len(), 1);
        lent.subtract(Sats::new(1), hours(0));
        assert_eq!((lent.volumes(hours(5_000)).month, lent.total), (Sats::new(5), Sats::new(1_115)));
        lent.subtract(Sats::new(5), hours(5_000));
        assert_eq!((lent.volumes(hours(5_000)).month, lent.total), (Sats::ZERO, Sats::new(1_110)));
    }
}
