//! The profile of a simulated lender.

use domain::{CollateralType, GroupId, Ltv, ProcessType, Sats, SubCollection};
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};
use rand_chacha::ChaCha8Rng;

use crate::demo_group::DemoGroup;
use crate::float_conversion::{to_f64, to_u64};
use crate::own_offer::OwnOffer;
use crate::pace::Pace;
use crate::persona::{Persona, PersonaParameters};
use crate::seeded::seeded_rng;
use crate::vacancy::Vacancy;

/// The lowest LTV that lenders quote: a lower quote would never be taken.
pub(crate) const LTV_MIN: Ltv = Ltv::from_basis_points(2_500);

/// The probability that a lender turns to a place without offers first.
const VACANCY_PROBABILITY: f64 = 0.5;
/// The number of offers beyond the usual that a lender may have where offers are missing.
const VACANCY_EXTRA: usize = 2;

/// The profile of a simulated lender. The same seed and number give the same profile.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// The lender's number.
    pub(crate) index: usize,
    pub(crate) persona: Persona,
    /// The parameters of the persona.
    pub(crate) parameters: PersonaParameters,
    pub(crate) wallet_seed: [u8; 32],
    /// The highest LTV that this lender quotes a calm collection for a short term.
    pub(crate) cap: Ltv,
    /// The usual maximum number of offers.
    pub(crate) offers_max: usize,
    /// The groups that this lender visits, with their weights.
    pub(crate) preferred_groups: Vec<(GroupId, u32)>,
    /// The deposit into this lender's vault; zero for a lender of manual offers alone.
    pub(crate) vault: Sats,
}

impl Profile {
    /// Draws the profile of the lender with that number.
    pub(crate) fn draw(seed: u64, index: usize, groups: &[DemoGroup]) -> Self {
        let mut rng = Self::rng(seed, "lender", index);
        let persona = Persona::of(index);
        let parameters = persona.parameters();
        let cap = Ltv::from_basis_points(rng.random_range(parameters.cap.0..=parameters.cap.1));
        let offers_max = rng.random_range(parameters.offers.0..=parameters.offers.1);
        let preferred_groups = preferred_groups(&mut rng, index, &parameters, offers_max, groups);
        let vault = if parameters.instant > 0.0 { vault(&mut rng, &parameters) } else { Sats::ZERO };
        Self { index, persona, parameters, wallet_seed: rng.random(), cap, offers_max, preferred_groups, vault }
    }

    /// The lender's balance outside of the vault: enough for three large loans, and no more than 2 BTC.
    pub(crate) fn wallet_balance(&self) -> Sats {
        const MOST: Sats = Sats::new(200_000_000);
        Sats::new(self.parameters.principal_range.1.get().saturating_mul(3)).min(MOST)
    }

    /// The random number generator of the lender with that number, for one purpose.
    pub(crate) fn rng(seed: u64, purpose: &str, index: usize) -> ChaCha8Rng {
        seeded_rng(seed, purpose, &index.to_string())
    }

    /// The highest LTV that this lender quotes here: volatile collections and long terms get less.
    pub(crate) fn cap_for(&self, group: &DemoGroup, sub: &SubCollection) -> Ltv {
        let volatility_discount =
            group.volatility.ltv_discount_basis_points() * self.parameters.volatility_discount_percent / 100;
        let term_discount = u32::from(sub.term.0.saturating_sub(14)) * 6;
        let cap = self.cap.basis_points().saturating_sub(volatility_discount + term_discount);
        Ltv::from_basis_points(cap.max(LTV_MIN.basis_points() + 300)).min(Ltv::CEILING)
    }

    /// Draws the group to visit next: often one that lacks offers which this lender could make, otherwise mostly one
    /// where the lender has offers.
    pub(crate) fn next_group(&self, own: &[OwnOffer], vacant: &[Vacancy], rng: &mut impl Rng) -> Option<GroupId> {
        let vacant_group = self.vacant_group(vacant, rng);
        if vacant_group.is_some() && rng.random_bool(VACANCY_PROBABILITY) {
            return vacant_group;
        }
        let held = own.choose(rng).map(|offer| offer.group);
        if held.is_some() && rng.random_bool(0.65) {
            return held;
        }
        self.preferred_groups.choose_weighted(rng, |(_, weight)| *weight).ok().map(|(group, _)| *group)
    }

    /// Draws a group that lacks offers which this lender could make.
    pub(crate) fn vacant_group(&self, vacant: &[Vacancy], rng: &mut impl Rng) -> Option<GroupId> {
        let suits = |vacancy: &&Vacancy| vacancy.process == ProcessType::Manual || self.vault > Sats::ZERO;
        let suited: Vec<&Vacancy> = vacant.iter().filter(suits).collect();
        suited.choose(rng).map(|vacancy| vacancy.group)
    }

    /// The number of further offers that the lender wants, besides the `existing` ones: some beyond the usual
    /// where offers are missing.
    pub(crate) fn offer_capacity(&self, existing: usize, is_vacant: bool) -> usize {
        let extra = if is_vacant { VACANCY_EXTRA } else { 0 };
        (self.offers_max + extra).saturating_sub(existing)
    }

    /// The rest before the next visit, in milliseconds.
    pub(crate) fn rest_ms(&self, pace: &Pace, rng: &mut impl Rng) -> u64 {
        let usual = to_f64(pace.rest_ms) / self.parameters.visit_frequency;
        to_u64(usual * rng.random_range(0.4..1.6)).unwrap_or(pace.rest_ms)
    }
}

/// Draws a few groups that the lender can afford, active ones more likely, and includes some by the lender's number, so
/// that no book is left out.
fn preferred_groups(
    rng: &mut impl Rng,
    index: usize,
    character: &PersonaParameters,
    offers_max: usize,
    groups: &[DemoGroup],
) -> Vec<(GroupId, u32)> {
    const ASSIGNED_GROUPS: usize = 3;
    let (least, most) = character.principal_range;
    let is_affordable = |group: &DemoGroup| {
        let smallest = smallest_value(group);
        smallest >= least && smallest.get() / 2 <= most.get()
    };
    let mut open: Vec<&DemoGroup> = groups.iter().filter(|group| group.activity.weight() > 0).collect();
    let count = open.len();
    let assigned = (0..ASSIGNED_GROUPS)
        .filter_map(|number| open.get((index + number * count / ASSIGNED_GROUPS) % count.max(1)).copied());
    let mut chosen: Vec<&DemoGroup> = assigned.filter(|group| is_affordable(group)).collect();
    open.retain(|group| is_affordable(group) && chosen.iter().all(|known| known.group.id != group.group.id));
    let wanted = (offers_max + 1).min(10);
    while chosen.len() < wanted {
        let Ok(next) = open.choose_weighted(rng, |group| group.activity.weight()) else { break };
        let id = next.group.id;
        chosen.push(next);
        open.retain(|group| group.group.id != id);
    }
    chosen.iter().map(|group| (group.group.id, group.activity.weight())).collect()
}

/// The value at the start of the smallest collateral that can be lent against here.
fn smallest_value(group: &DemoGroup) -> Sats {
    if group.group.collateral == CollateralType::Inscription {
        return group.start_price.value_floor(domain::Quantity::inscriptions(1));
    }
    let fixed = group.group.sub_collections.iter().filter_map(|sub| match sub.bundle {
        domain::Bundle::Fixed(quantity) => Some(group.start_price.value_floor(quantity)),
        domain::Bundle::Open => None,
    });
    fixed.min().unwrap_or(Sats::ZERO)
}

/// A deposit for a few offers at once, in tenths of a bitcoin.
fn vault(rng: &mut impl Rng, character: &PersonaParameters) -> Sats {
    const TENTH: u64 = 10_000_000;
    let wanted = character.principal_range.1.get() * rng.random_range(3..=8);
    Sats::new((wanted / TENTH).clamp(1, 50) * TENTH)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::demo_market::DemoMarket;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn sixty_lenders_visit_every_open_book(seed: u64) {
            let market = DemoMarket::new(seed);
            let mut visitors: BTreeMap<GroupId, u32> = BTreeMap::new();
            for index in 0..market.lenders {
                let profile = Profile::draw(seed, index, &market.groups);
                prop_assert!((1..=12).contains(&profile.offers_max), "seed {}", seed);
                prop_assert!(!profile.preferred_groups.is_empty(), "seed {}: {:?} visits no group", seed, profile.persona);
                prop_assert_eq!(profile.wallet_seed, Profile::draw(seed, index, &market.groups).wallet_seed);
                for (group, _) in &profile.preferred_groups {
                    *visitors.entry(*group).or_default() += 1;
                }
            }
            for group in &market.groups {
                let count = visitors.get(&group.group.id).copied().unwrap_or_default();
                let wanted = if group.activity.weight() == 0 { 0..=0 } else { 1..=60 };
                prop_assert!(wanted.contains(&count), "seed {}: {} visitors of {}", seed, count, group.group.slug);
            }
        }

        #[test]
        fn caps_are_far_from_the_ceiling(seed: u64, index in 0_usize..200) {
            let market = DemoMarket::new(seed);
            let profile = Profile::draw(seed, index, &market.groups);
            for group in &market.groups {
                for sub in &group.group.sub_collections {
                    let cap = profile.cap_for(group, sub).basis_points();
                    prop_assert!((2_800..=7_900).contains(&cap), "seed {}: cap {}", seed, cap);
                }
            }
        }
    }
}
