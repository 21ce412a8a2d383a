//! Who a simulated borrower is.

use domain::{GroupId, Sats};
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};
use rand_chacha::ChaCha8Rng;

use crate::demo_group::DemoGroup;
use crate::seeded::seeded_stream;

/// How many groups a borrower owns things of.
const HAUNTS: usize = 6;

/// A simulated borrower. The same seed and number give the same person.
#[derive(Clone, Debug)]
pub(crate) struct BorrowerProfile {
    /// The borrower's number.
    pub(crate) index: usize,
    /// The seed of the borrower's wallet.
    pub(crate) wallet_seed: [u8; 32],
    /// The groups that this borrower owns things of, and how likely each.
    pub(crate) haunts: Vec<(GroupId, u32)>,
    /// How many loans this borrower has at once.
    pub(crate) loans_max: usize,
    /// How often this borrower wants the money at once.
    pub(crate) haste: f64,
    /// What the borrower has to begin with.
    pub(crate) purse: Sats,
}

impl BorrowerProfile {
    /// Draws the borrower with that number.
    pub(crate) fn draw(seed: u64, index: usize, groups: &[DemoGroup]) -> Self {
        let mut rng = Self::stream(seed, "borrower", index);
        let mut open: Vec<&DemoGroup> = groups.iter().filter(|group| group.bustle.weight() > 0).collect();
        let mut haunts = Vec::new();
        while haunts.len() < HAUNTS {
            let Ok(next) = open.choose_weighted(&mut rng, |group| group.bustle.weight()) else { break };
            let id = next.group.id;
            haunts.push((id, next.bustle.weight()));
            open.retain(|group| group.group.id != id);
        }
        Self {
            index,
            wallet_seed: rng.random(),
            haunts,
            loans_max: rng.random_range(2..=5),
            haste: rng.random_range(0.2..0.9),
            purse: Sats::new(rng.random_range(2..=10) * 5_000_000),
        }
    }

    /// Randomness of the borrower with that number, for one purpose.
    pub(crate) fn stream(seed: u64, purpose: &str, index: usize) -> ChaCha8Rng {
        seeded_stream(seed, purpose, &index.to_string())
    }

    /// A group to borrow in.
    pub(crate) fn turns_to(&self, rng: &mut impl Rng) -> Option<GroupId> {
        self.haunts.choose_weighted(rng, |(_, weight)| *weight).ok().map(|(group, _)| *group)
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
        fn borrowers_are_different_people_who_own_things_that_somebody_lends_against(seed: u64) {
            let market = DemoMarket::new(seed);
            let mut wallets = BTreeSet::new();
            for index in 0..market.borrowers {
                let profile = BorrowerProfile::draw(seed, index, &market.groups);
                prop_assert!(wallets.insert(profile.wallet_seed), "seed {}: two of one wallet", seed);
                prop_assert_eq!(profile.haunts.len(), HAUNTS, "seed {}", seed);
                prop_assert!(profile.loans_max >= 2 && profile.purse > Sats::ZERO);
                let is_open = |group| market.group(group).is_some_and(|demo| demo.bustle.weight() > 0);
                prop_assert!(profile.haunts.iter().all(|(group, _)| is_open(*group)), "seed {}", seed);
            }
        }
    }
}
