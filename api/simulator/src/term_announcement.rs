//! Changes of terms that the simulated market occasionally announces.

use domain::{GroupId, InterestRate, SubCollection, SubCollectionId, TermDays};
use rand::RngExt as _;
use rand::seq::IndexedRandom as _;

use crate::demo_market::DemoMarket;
use crate::seeded::seeded_rng;

/// An announced change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermAnnouncement {
    /// The group.
    pub group: GroupId,
    /// The sub-collection.
    pub sub_collection: SubCollectionId,
    /// The new interest.
    pub interest: InterestRate,
    /// The new term.
    pub term: TermDays,
}

impl DemoMarket {
    /// The announcement of this number, if there is one. Interest moves around the listed one by up to an eighth, and
    /// always differs from it; terms stay, since a sub-collection's name includes its days.
    #[must_use]
    pub fn term_announcement(&self, number: u64) -> Option<TermAnnouncement> {
        let mut rng = seeded_rng(self.seed, "term news", &number.to_string());
        let is_instant = |sub: &&SubCollection| sub.instant;
        let places: Vec<(GroupId, &SubCollection)> = self
            .groups
            .iter()
            .flat_map(|demo| demo.group.sub_collections.iter().filter(is_instant).map(|sub| (demo.group.id, sub)))
            .collect();
        let (group, sub) = *places.choose(&mut rng)?;
        let listed = sub.interest.basis_points();
        let step = rng.random_range(1..=(listed / 8).max(1));
        let moved = if rng.random_bool(0.5) { listed + step } else { listed.saturating_sub(step).max(1) };
        let interest = InterestRate::from_basis_points(moved);
        Some(TermAnnouncement { group, sub_collection: sub.id, interest, term: sub.term })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_concern_sub_collections_with_instant_offers_and_stay_near_the_listed_interest() {
        let market = DemoMarket::new(7);
        for number in 0..500 {
            let news = market.term_announcement(number).unwrap();
            let group = &market.group(news.group).unwrap().group;
            let sub = group.sub_collection(news.sub_collection).unwrap();
            let (listed, announced) = (sub.interest.basis_points(), news.interest.basis_points());
            assert!(sub.instant && news.term == sub.term && announced > 0);
            assert!(
                announced != listed && announced.abs_diff(listed) <= (listed / 8).max(1),
                "{number}: {listed} to {announced}"
            );
            assert_eq!(market.term_announcement(number), Some(news));
        }
    }
}
