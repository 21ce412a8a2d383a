//! Which of several explorers' best blocks is told.

use engine::chain::Tip;

/// The best tip that was told, and what may follow it. Times are milliseconds of any clock that does not go back.
///
/// A tip is never taken back for a lower one: whoever lags by no more than the tolerance is believed in everything else,
/// and the better tip is told again. Who claims to be far ahead of it cannot be refuted. He is believed when another one
/// is with him; and without another one only when nobody is in step, or no block has come for so long that whoever is in
/// step may have stopped reading. When every explorer there is says that the best tip is not there, it never was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BestTip {
    tolerance: u32,
    quiet_max_ms: u64,
    told: Option<Tip>,
    /// When its height was told first.
    grown_at_ms: u64,
}

/// Where somebody stands beside the best tip that was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    /// Too far behind it.
    Behind,
    /// There, or nearly.
    InStep,
    /// Too far ahead of it.
    Ahead,
}

impl BestTip {
    /// Nothing was told yet.
    pub(super) const fn new(tolerance: u32, quiet_max_ms: u64) -> Self {
        Self { tolerance, quiet_max_ms, told: None, grown_at_ms: 0 }
    }

    /// The height that was told.
    pub(super) fn height(&self) -> Option<u32> {
        self.told.map(|tip| tip.height)
    }

    /// Where somebody stands at this height; ahead while nothing was told.
    pub(super) fn stance(&self, height: u32) -> Stance {
        match self.height() {
            None => Stance::Ahead,
            Some(told) if height < told.saturating_sub(self.tolerance) => Stance::Behind,
            Some(told) if height > told.saturating_add(self.tolerance) => Stance::Ahead,
            Some(_) => Stance::InStep,
        }
    }

    /// Whether a tip at this height may be told without asking anybody else.
    pub(super) fn is_next(&self, height: u32, now_ms: u64) -> bool {
        let is_quiet = now_ms.saturating_sub(self.grown_at_ms) > self.quiet_max_ms;
        !is_quiet && self.stance(height) == Stance::InStep
    }

    /// The one to be told of everybody's tips, in the order of trust: the first that another one is in step with, else the
    /// highest. `None` when all are behind.
    pub(super) fn chosen(&self, tips: &[Tip]) -> Option<Tip> {
        let able: Vec<Tip> = tips.iter().copied().filter(|tip| self.stance(tip.height) != Stance::Behind).collect();
        let is_joined = |tip: &Tip| {
            let near = able.iter().filter(|other| other.height.abs_diff(tip.height) <= self.tolerance);
            near.count() > 1
        };
        let joined = able.iter().copied().find(is_joined);
        // Of equals the last is the greatest, and the first in order should be.
        joined.or_else(|| able.iter().rev().copied().max_by_key(|tip| tip.height))
    }

    /// Forgets what was told when all of so many explorers have told their tips, and all are behind it.
    pub(super) fn forget_if_refuted(&mut self, tips: &[Tip], explorers: usize) {
        let is_refuted = tips.len() == explorers && tips.iter().all(|tip| self.stance(tip.height) == Stance::Behind);
        if is_refuted {
            self.told = None;
        }
    }

    /// Takes a tip for told, and gives the one to tell.
    pub(super) fn tell(&mut self, tip: Tip, now_ms: u64) -> Tip {
        match self.told {
            Some(told) if told.height > tip.height => return told,
            Some(told) if told.height == tip.height => {}
            _ => self.grown_at_ms = now_ms,
        }
        self.told = Some(tip);
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

    fn told(height: u32) -> BestTip {
        let mut best = BestTip::new(2, 1_000);
        assert_eq!(best.tell(tip(height), 0), tip(height));
        best
    }

    fn chosen(best: &BestTip, heights: &[u32]) -> Option<u32> {
        let tips: Vec<Tip> = heights.iter().map(|height| tip(*height)).collect();
        best.chosen(&tips).map(|tip| tip.height)
    }

    #[test]
    fn whoever_is_near_the_best_tip_is_in_step() {
        let best = told(100);
        let stances = [97, 98, 102, 103].map(|height| best.stance(height));
        assert_eq!(stances, [Stance::Behind, Stance::InStep, Stance::InStep, Stance::Ahead]);
        assert!(best.is_next(99, 1_000) && !best.is_next(103, 0) && !best.is_next(97, 0));
        assert!(!best.is_next(100, 1_001), "no block came for long, and all are heard");
        assert!(!BestTip::new(2, 1_000).is_next(0, 0), "nothing was told yet, and all are heard");
    }

    #[test]
    fn a_tip_is_not_taken_back() {
        let mut best = told(100);
        assert_eq!(best.tell(tip(98), 5), tip(100));
        let fork = Tip { median_time_seconds: 1, ..tip(100) };
        assert_eq!(best.tell(fork, 5), fork, "a reorg");
        assert_eq!((best.height(), best.grown_at_ms), (Some(100), 0));
        assert_eq!(best.tell(tip(101), 7), tip(101));
        assert_eq!(best.grown_at_ms, 7);
        assert_eq!(chosen(&best, &[98, 97]), None);
    }

    #[test]
    fn who_is_far_ahead_needs_somebody_beside_him_or_nobody_in_his_way() {
        let best = told(100);
        assert_eq!(chosen(&best, &[1_000, 110, 111]), Some(110), "two against one");
        assert_eq!(chosen(&best, &[1_000, 100, 110]), Some(1_000), "each stands alone");
        assert_eq!(chosen(&best, &[97, 110]), Some(110));
        assert_eq!(chosen(&best, &[101, 100, 1_000]), Some(101), "the first of those who are together");
        assert_eq!(chosen(&BestTip::new(2, 0), &[50, 100, 101]), Some(100));
        assert_eq!(chosen(&BestTip::new(2, 0), &[]), None);
    }

    #[test]
    fn a_tip_that_nobody_has_is_forgotten() {
        let mut best = told(100_000);
        for tips in [&[tip(100)][..], &[tip(100), tip(99_999)]] {
            best.forget_if_refuted(tips, 2);
            assert_eq!(best.height(), Some(100_000), "somebody is away, or has it");
        }
        best.forget_if_refuted(&[tip(100), tip(101)], 2);
        assert_eq!((best.height(), chosen(&best, &[100, 101])), (None, Some(100)));
    }
}
