//! The choice of the tip that is reported among the tips of several explorers.

use engine::chain::Tip;

/// The best tip that was reported, and what may follow it. Times are milliseconds of any monotonic clock.
///
/// The reported height never goes down: an explorer that lags within the tolerance is trusted in everything else, and
/// the better tip is reported again. A claim to be far ahead cannot be refuted. It is accepted when another explorer
/// confirms it; without confirmation only when no explorer is in sync, or no block has come for so long that those in
/// step may have stopped reading. The best tip is dropped when all are too far behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BestTip {
    tolerance: u32,
    quiet_max_ms: u64,
    reported: Option<Tip>,
    /// The time when its height was first reported.
    grown_at_ms: u64,
}

/// The position of an explorer relative to the best tip that was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncStatus {
    /// Too far behind.
    Behind,
    /// Within the tolerance.
    InSync,
    /// Too far ahead.
    Ahead,
}

impl BestTip {
    /// Creates the state before the first report.
    pub(super) const fn new(tolerance: u32, quiet_max_ms: u64) -> Self {
        Self { tolerance, quiet_max_ms, reported: None, grown_at_ms: 0 }
    }

    /// Returns the reported height.
    pub(super) fn height(&self) -> Option<u32> {
        self.reported.map(|tip| tip.height)
    }

    /// Returns the position of an explorer at this height; ahead before the first report.
    pub(super) fn sync_status(&self, height: u32) -> SyncStatus {
        match self.height() {
            None => SyncStatus::Ahead,
            Some(reported) if height < reported.saturating_sub(self.tolerance) => SyncStatus::Behind,
            Some(reported) if height > reported.saturating_add(self.tolerance) => SyncStatus::Ahead,
            Some(_) => SyncStatus::InSync,
        }
    }

    /// Returns whether a tip at this height may be reported without asking another explorer.
    pub(super) fn is_next(&self, height: u32, now_ms: u64) -> bool {
        let is_quiet = now_ms.saturating_sub(self.grown_at_ms) > self.quiet_max_ms;
        !is_quiet && self.sync_status(height) == SyncStatus::InSync
    }

    /// Chooses the tip to report from all tips, in the order of trust: the first that another one is in sync with, else
    /// the highest. `None` when all are behind.
    pub(super) fn choose(&self, tips: &[Tip]) -> Option<Tip> {
        let able: Vec<Tip> =
            tips.iter().copied().filter(|tip| self.sync_status(tip.height) != SyncStatus::Behind).collect();
        let is_joined = |tip: &Tip| {
            let near = able.iter().filter(|other| other.height.abs_diff(tip.height) <= self.tolerance);
            near.count() > 1
        };
        let joined = able.iter().copied().find(is_joined);
        // `max_by_key` returns the last of equals, so the order is reversed to get the first.
        joined.or_else(|| able.iter().rev().copied().max_by_key(|tip| tip.height))
    }

    /// Forgets the reported tip when all `explorers` have answered and all are behind it.
    pub(super) fn reset_if_refuted(&mut self, tips: &[Tip], explorers: usize) {
        let is_refuted =
            tips.len() == explorers && tips.iter().all(|tip| self.sync_status(tip.height) == SyncStatus::Behind);
        if is_refuted {
            self.reported = None;
        }
    }

    /// Records a tip, and returns the one to report.
    pub(super) fn report(&mut self, tip: Tip, now_ms: u64) -> Tip {
        match self.reported {
            Some(reported) if reported.height > tip.height => return reported,
            Some(reported) if reported.height == tip.height => {}
            _ => self.grown_at_ms = now_ms,
        }
        self.reported = Some(tip);
        tip
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::BlockHash;
    use bitcoin::hashes::Hash as _;

    use super::*;

    fn tip(height: u32) -> Tip {
        Tip { height, hash: BlockHash::all_zeros(), median_time_seconds: 0 }
    }

    fn reported(height: u32) -> BestTip {
        let mut best = BestTip::new(2, 1_000);
        assert_eq!(best.report(tip(height), 0), tip(height));
        best
    }

    fn chosen(best: &BestTip, heights: &[u32]) -> Option<u32> {
        let tips: Vec<Tip> = heights.iter().map(|height| tip(*height)).collect();
        best.choose(&tips).map(|tip| tip.height)
    }

    #[test]
    fn an_explorer_near_the_best_tip_is_in_sync() {
        let best = reported(100);
        let stances = [97, 98, 102, 103].map(|height| best.sync_status(height));
        assert_eq!(stances, [SyncStatus::Behind, SyncStatus::InSync, SyncStatus::InSync, SyncStatus::Ahead]);
        assert!(best.is_next(99, 1_000) && !best.is_next(103, 0) && !best.is_next(97, 0));
        assert!(!best.is_next(100, 1_001), "no block came for long: all are asked");
        assert!(!BestTip::new(2, 1_000).is_next(0, 0), "nothing was reported yet: all are asked");
    }

    #[test]
    fn the_height_of_the_tip_never_goes_down() {
        let mut best = reported(100);
        assert_eq!(best.report(tip(98), 5), tip(100));
        let fork = Tip { median_time_seconds: 1, ..tip(100) };
        assert_eq!(best.report(fork, 5), fork, "a reorg");
        assert_eq!((best.height(), best.grown_at_ms), (Some(100), 0));
        assert_eq!(best.report(tip(101), 7), tip(101));
        assert_eq!(best.grown_at_ms, 7);
        assert_eq!(chosen(&best, &[98, 97]), None);
    }

    #[test]
    fn an_explorer_far_ahead_needs_confirmation_or_no_other_in_sync() {
        let best = reported(100);
        assert_eq!(chosen(&best, &[1_000, 110, 111]), Some(110), "two against one");
        assert_eq!(chosen(&best, &[1_000, 100, 110]), Some(1_000), "no two agree");
        assert_eq!(chosen(&best, &[97, 110]), Some(110));
        assert_eq!(chosen(&best, &[101, 100, 1_000]), Some(101), "the first of those that agree");
        assert_eq!(chosen(&BestTip::new(2, 0), &[50, 100, 101]), Some(100));
        assert_eq!(chosen(&BestTip::new(2, 0), &[]), None);
    }

    #[test]
    fn a_tip_that_no_explorer_has_is_forgotten() {
        let mut best = reported(100_000);
        for tips in [&[tip(100)][..], &[tip(100), tip(99_999)]] {
            best.reset_if_refuted(tips, 2);
            assert_eq!(best.height(), Some(100_000), "one does not answer, or has it");
        }
        best.reset_if_refuted(&[tip(100), tip(101)], 2);
        assert_eq!((best.height(), chosen(&best, &[100, 101])), (None, Some(100)));
    }
}
