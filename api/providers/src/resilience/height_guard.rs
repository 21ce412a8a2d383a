//! The check that an upstream has read enough blocks to be asked.

use std::time::Duration;

/// The lag that an upstream may have, and how long it is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeightGuard {
    /// The number of blocks that it may be behind, or ahead of, the node.
    pub tolerance: u32,
    /// The maximum number of waits.
    pub waits_max: u8,
    /// The duration of each wait.
    pub wait: Duration,
}

impl Default for HeightGuard {
    fn default() -> Self {
        Self { tolerance: 2, waits_max: 2, wait: Duration::from_secs(5) }
    }
}

/// The consequence of a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeightCheck {
    /// The upstream may be asked.
    InSync,
    /// The upstream is waited for.
    Wait(Duration),
    /// The next upstream is asked.
    Lagging,
    /// It claims blocks that the node does not have: it lies, or reads another chain.
    Implausible,
}

impl HeightGuard {
    /// Compares an upstream's height with the node's. `wanted` is the block that the answer must include at least.
    #[must_use]
    pub fn check(&self, height: u32, tip: u32, wanted: u32, waits_made: u8) -> HeightCheck {
        if height > tip.saturating_add(self.tolerance) {
            return HeightCheck::Implausible;
        }
        if height >= tip.saturating_sub(self.tolerance).max(wanted.min(tip)) {
            return HeightCheck::InSync;
        }
        if waits_made < self.waits_max { HeightCheck::Wait(self.wait) } else { HeightCheck::Lagging }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WAIT: HeightCheck = HeightCheck::Wait(Duration::from_secs(5));

    #[test]
    fn a_lag_of_two_blocks_is_tolerated_and_two_waits_are_granted() {
        let check = |height, waits| HeightGuard::default().check(height, 100, 0, waits);
        assert_eq!([check(98, 0), check(100, 2), check(102, 0)], [HeightCheck::InSync; 3]);
        assert_eq!([check(97, 0), check(97, 1), check(97, 2)], [WAIT, WAIT, HeightCheck::Lagging]);
        assert_eq!(check(103, 0), HeightCheck::Implausible);
    }

    #[test]
    fn the_wanted_block_is_required() {
        let check = |height, wanted| HeightGuard::default().check(height, 100, wanted, 0);
        assert_eq!([check(99, 99), check(99, 100)], [HeightCheck::InSync, WAIT]);
        assert_eq!(check(100, 105), HeightCheck::InSync, "a reorg disconnected the wanted block");
    }

    proptest! {
        #[test]
        fn a_synced_upstream_is_near_the_tip(height: u32, tip: u32, wanted: u32, waits in 0_u8..4) {
            let guard = HeightGuard::default();
            let verdict = guard.check(height, tip, wanted, waits);
            prop_assert_eq!(verdict == HeightCheck::Implausible, height > tip.saturating_add(2));
            if verdict == HeightCheck::InSync {
                prop_assert!(height.abs_diff(tip) <= 2 && height >= wanted.min(tip));
            }
            prop_assert!(!(waits >= 2 && matches!(verdict, HeightCheck::Wait(_))));
        }
    }
}
