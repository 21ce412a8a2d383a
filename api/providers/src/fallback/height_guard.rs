//! Whether an upstream has read enough blocks to be asked (SPEC sections 7 and 9).

use std::time::Duration;

/// How far behind an upstream may be, and how long it is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeightGuard {
    /// Blocks that it may be behind, or ahead of, the node.
    pub tolerance: u32,
    /// How often it is waited for.
    pub waits_max: u8,
    /// How long each time.
    pub wait: Duration,
}

impl Default for HeightGuard {
    fn default() -> Self {
        Self { tolerance: 2, waits_max: 2, wait: Duration::from_secs(5) }
    }
}

/// What is to be done about a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may be asked.
    InStep,
    /// It is given some time.
    Wait(Duration),
    /// The next upstream is asked.
    LeftBehind,
    /// It claims blocks that the node has not: it lies, or is on another chain.
    Impossible,
}

impl HeightGuard {
    /// Looks at an upstream's height beside the node's. `wanted` is the block that the answer must know, at least.
    #[must_use]
    pub fn judge(&self, height: u32, tip: u32, wanted: u32, waits_made: u8) -> Verdict {
        if height > tip.saturating_add(self.tolerance) {
            return Verdict::Impossible;
        }
        if height >= tip.saturating_sub(self.tolerance).max(wanted.min(tip)) {
            return Verdict::InStep;
        }
        if waits_made < self.waits_max { Verdict::Wait(self.wait) } else { Verdict::LeftBehind }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WAIT: Verdict = Verdict::Wait(Duration::from_secs(5));

    #[test]
    fn two_blocks_are_tolerated_and_two_waits_granted() {
        let judge = |height, waits| HeightGuard::default().judge(height, 100, 0, waits);
        assert_eq!([judge(98, 0), judge(100, 2), judge(102, 0)], [Verdict::InStep; 3]);
        assert_eq!([judge(97, 0), judge(97, 1), judge(97, 2)], [WAIT, WAIT, Verdict::LeftBehind]);
        assert_eq!(judge(103, 0), Verdict::Impossible);
    }

    #[test]
    fn what_must_be_known_is_known() {
        let judge = |height, wanted| HeightGuard::default().judge(height, 100, wanted, 0);
        assert_eq!([judge(99, 99), judge(99, 100)], [Verdict::InStep, WAIT]);
        assert_eq!(judge(100, 105), Verdict::InStep, "a reorg took what was wanted");
    }

    proptest! {
        #[test]
        fn whoever_may_be_asked_is_near_the_tip(height: u32, tip: u32, wanted: u32, waits in 0_u8..4) {
            let guard = HeightGuard::default();
            let verdict = guard.judge(height, tip, wanted, waits);
            prop_assert_eq!(verdict == Verdict::Impossible, height > tip.saturating_add(2));
            if verdict == Verdict::InStep {
                prop_assert!(height.abs_diff(tip) <= 2 && height >= wanted.min(tip));
            }
            prop_assert!(!(waits >= 2 && matches!(verdict, Verdict::Wait(_))));
        }
    }
}
