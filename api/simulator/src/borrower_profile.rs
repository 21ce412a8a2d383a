//! The profile of a simulated borrower.

use domain::{GroupId, Sats};
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};
use rand_chacha::ChaCha8Rng;

use crate::demo_group::DemoGroup;
use crate::seeded::seeded_rng;

/// The number of groups that a borrower owns collateral of.
const PREFERRED_GROUPS: usize = 6;

/// The profile of a simulated borrower. The same seed and number give the same profile.
#[derive(Clone, Debug)]
pub(crate) struct BorrowerProfile {
    /// The borrower's number.
    pub(crate) index: usize,
    pub(crate) wallet_seed: [u8; 32],
    /// The groups that this borrower owns collateral of, with their weights.
    pub(crate) preferred_groups: Vec<(GroupId, u32)>,
    /// The highest number of simultaneous loans.
    pub(crate) loans_max: usize,
    /// The probability that this borrower wants the money at once, from an instant offer.
    pub(crate) instant_probability: f64,
    /// The initial balance.
    pub(crate) wallet_balance: Sats,
}

impl BorrowerProfile {
    /// Draws the profile of the borrower with that number.
    pub(crate) fn draw(seed: u64, index: usize, groups: &[DemoGroup]) -> Self {
        let mut rng = Self::rng(seed, "borrower", index);
        let mut open: Vec<&DemoGroup> = groups.iter().filter(|group| group.activity.weight() > 0).collect();
        let mut preferred_groups = Vec::new();
        while preferred_groups.len() < PREFERRED_GROUPS {
            let Ok(next) = open.choose_weighted(&mut rng, |group| group.activity.weight()) else { break };
            let id = next.group.id;
            preferred_groups.push((id, next.activity.weight()));
            open.retain(|group| group.group.id != id);
        }
        Self {
            index,
            wallet_seed: rng.random(),
            preferred_groups,
            loans_max: rng.random_range(2..=5),
            instant_probability: rng.random_range(0.2..0.9),
            wallet_balance: Sats::new(rng.random_range(2..=10) * 5_000_000),
        }
    }

    /// The random number generator of the borrower with that number, for one purpose.
    pub(crate) fn rng(seed: u64, purpose: &str, index: usize) -> ChaCha8Rng {
        seeded_rng(seed, purpose, &index.to_string())
    }

    /// Draws a group to borrow in.
    pub(crate) fn next_group(&self, rng: &mut impl Rng) -> Option<GroupId> {
        self.preferred_groups.choose_weighted(rng, |(_, weight)| *weight).ok().map(|(group, _)| *group)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::demo_market::DemoMarket;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn borrowers_differ_and_own_collateral_that_is_lent_against(seed: u64) {
            let market = DemoMarket::new(seed);
            let mut wallets = BTreeSet::new();
            for index in 0..market.borrowers {
                let profile = BorrowerProfile::draw(seed, index, &market.groups);
                prop_assert!(wallets.insert(profile.wallet_seed), "seed {}: two borrowers share a wallet", seed);
                prop_assert_eq!(profile.preferred_groups.len(), PREFERRED_GROUPS, "seed {}", seed);
                prop_assert!(profile.loans_max >= 2 && profile.wallet_balance > Sats::ZERO);
                let is_open = |group| market.group(group).is_some_and(|demo| demo.activity.weight() > 0);
                prop_assert!(profile.preferred_groups.iter().all(|(group, _)| is_open(*group)), "seed {}", seed);
            }
        }
    }
}
