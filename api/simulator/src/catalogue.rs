//! The collections of the demo: invented names, plausible figures.

mod brc20s;
mod ordinals;
mod runes;

use std::str::FromStr as _;

use domain::{
    Bundle, CollateralType, CollectionGroup, GroupId, InterestRate, Sats, Slug, SubCollection, SubCollectionId,
    TermDays, UnitPrice,
};

use crate::demo_group::DemoGroup;
use crate::float_conversion::{to_f64, to_u64};
use crate::market_stats::MarketStats;
use crate::market_traits::{Activity, Volatility};
use crate::motif::Motif;
use crate::seeded::seeded_rng;

/// Returns every group of the demo, ordinals first. Identities and terms never change; `seed` draws the volumes.
pub(crate) fn groups(seed: u64) -> Vec<DemoGroup> {
    let drafts = ordinals::drafts().chain(runes::drafts()).chain(brc20s::drafts());
    (1..).map(GroupId).zip(drafts).map(|(id, draft)| draft.listed_as(id, seed)).collect()
}

/// A group before its id is assigned.
struct Draft {
    name: String,
    symbol: String,
    slug: String,
    collateral: CollateralType,
    start_price: UnitPrice,
    subs: Vec<SubDraft>,
    /// The usual sales volume of a month.
    usual_month: Sats,
    /// Simple interest for a year in percent, before the discount for long terms.
    yearly_percent: u32,
    points_multiplier: u16,
    motif: Motif,
    volatility: Volatility,
    activity: Activity,
    is_lending_allowed: bool,
}

/// A sub-collection before its id is assigned.
struct SubDraft {
    /// The part after the group's slug: `30d` or `50k`.
    suffix: String,
    term: TermDays,
    bundle: Bundle,
    manual: bool,
    instant: bool,
}

impl Draft {
    fn listed_as(self, id: GroupId, seed: u64) -> DemoGroup {
        let mut rng = seeded_rng(seed, "market stats", &self.slug);
        let stats = MarketStats::draw(self.usual_month, &mut rng);
        let sub_collections = (0..)
            .map(SubCollectionId)
            .zip(&self.subs)
            .map(|(sub_id, sub)| SubCollection {
                id: sub_id,
                slug: slug(&format!("{}-{}", self.slug, sub.suffix)),
                term: sub.term,
                interest: interest(self.yearly_percent, sub.term),
                bundle: sub.bundle,
                manual: sub.manual,
                instant: sub.instant,
            })
            .collect();
        let image = format!("/collection-images/{}.svg", self.slug);
        DemoGroup {
            group: CollectionGroup {
                id,
                slug: slug(&self.slug),
                name: self.name.into(),
                symbol: self.symbol.into(),
                // An invented collection has no page elsewhere, so its external link is its own picture.
                external_link: Some(image.clone()),
                image: image.into(),
                collateral: self.collateral,
                points_multiplier: self.points_multiplier,
                is_lending_allowed: self.is_lending_allowed,
                sub_collections,
            },
            start_price: self.start_price,
            stats,
            motif: self.motif,
            volatility: self.volatility,
            activity: self.activity,
        }
    }
}

/// Every text of the tables is a valid slug; a test reads them all.
fn slug(text: &str) -> Slug {
    Slug::from_str(text).expect("the catalogue holds valid slugs")
}

/// Interest for the whole term: it rises with the term, though a long loan costs a little less a day.
fn interest(yearly_percent: u32, term: TermDays) -> InterestRate {
    const STEP: u64 = 5;
    let years = f64::from(term.0) / 365.0;
    let discount = 1.0 - 0.18 * (f64::from(term.0) / 90.0);
    let basis_points = f64::from(yearly_percent) * 100.0 * years * discount;
    let steps = to_u64(basis_points / to_f64(STEP)).unwrap_or(1).max(1);
    InterestRate::from_basis_points(u32::try_from(steps * STEP).unwrap_or(u32::MAX))
}

/// Whole tokens in the usual abbreviation: 250k, 10m.
fn abbreviated(tokens: u64) -> String {
    match (tokens / 1_000_000, tokens % 1_000_000, tokens / 1_000, tokens % 1_000) {
        (millions, 0, ..) if millions > 0 => format!("{millions}m"),
        (.., thousands, 0) if thousands > 0 => format!("{thousands}k"),
        _ => tokens.to_string(),
    }
}

/// `tokens` whole tokens in raw units.
fn raw_units(tokens: u64, decimals: u8) -> u128 {
    u128::from(tokens) * 10_u128.pow(u32::from(decimals))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use domain::ProcessType;
    use proptest::prelude::*;

    use super::*;

    fn kind(group: &DemoGroup) -> &'static str {
        match group.group.collateral {
            CollateralType::Inscription => "ordinals",
            CollateralType::Rune { .. } => "runes",
            CollateralType::Brc20 { .. } => "brc-20",
        }
    }

    #[test]
    fn all_three_kinds_are_listed_and_names_are_unique() {
        let groups = groups(1);
        let count = |wanted| groups.iter().filter(|group| kind(group) == wanted).count();
        assert_eq!((count("ordinals"), count("runes"), count("brc-20")), (22, 11, 7));
        let mut seen = HashSet::new();
        for group in &groups {
            assert!(seen.insert(group.group.slug.to_string()), "{} is listed twice", group.group.slug);
            for sub in &group.group.sub_collections {
                assert!(seen.insert(sub.slug.to_string()), "{} is listed twice", sub.slug);
            }
        }
        assert_eq!(groups.iter().map(|group| &group.group.name).collect::<HashSet<_>>().len(), groups.len());
        assert_eq!(groups.iter().map(|group| &group.group.symbol).collect::<HashSet<_>>().len(), groups.len());
    }

    #[test]
    fn sub_collections_fit_their_kind() {
        for group in groups(1) {
            let subs = &group.group.sub_collections;
            assert!(subs.iter().zip(0..).all(|(sub, index)| sub.id.0 == index), "ids are not the index");
            for sub in subs {
                let shape = match sub.bundle {
                    Bundle::Fixed(quantity) => {
                        assert!(quantity.raw > 0 && quantity.decimals == group.group.collateral.decimals());
                        "fixed"
                    }
                    Bundle::Open => "open",
                };
                let allowed = match kind(&group) {
                    "ordinals" => [("fixed", true, true)].as_slice(),
                    "runes" => &[("fixed", true, false), ("open", false, true)],
                    _ => &[("fixed", true, false)],
                };
                assert!(allowed.contains(&(shape, sub.manual, sub.instant)), "{}", sub.slug);
            }
            for process in [ProcessType::Manual, ProcessType::Instant] {
                let taken: Vec<_> = subs.iter().filter(|sub| sub.accepts(process)).collect();
                assert_ne!(taken.len(), 1, "{} has a choice of one", group.group.slug);
                assert!(taken.len() <= 4);
            }
        }
    }

    #[test]
    fn interest_rises_with_the_term() {
        for group in groups(1) {
            for pair in group.group.sub_collections.windows(2) {
                if pair[0].term < pair[1].term {
                    assert!(pair[0].interest < pair[1].interest, "{}", group.group.slug);
                }
            }
            for sub in &group.group.sub_collections {
                let per_day = f64::from(sub.interest.basis_points()) / f64::from(sub.term.0);
                assert!((2.0..35.0).contains(&per_day), "{} asks {per_day} basis points a day", sub.slug);
            }
        }
    }

    #[test]
    fn prices_and_bundles_are_in_the_range_of_their_kind() {
        for group in groups(1) {
            let sats = to_f64(group.start_price.scaled()) / to_f64(UnitPrice::ONE_SAT);
            let range = match kind(&group) {
                "ordinals" => 80_000.0..=60_000_000.0,
                "runes" => 0.02..=400.0,
                _ => 0.5..=20_000.0,
            };
            assert!(range.contains(&sats), "{} costs {sats} sats", group.group.slug);
            for sub in &group.group.sub_collections {
                if let Bundle::Fixed(quantity) = sub.bundle {
                    let value = group.start_price.value_floor(quantity).get();
                    assert!((80_000..=60_000_000).contains(&value), "{} is worth {value} sats", sub.slug);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_longer_span_never_traded_less(seed: u64) {
            for group in groups(seed) {
                let stats = group.stats;
                prop_assert!(stats.day > Sats::ZERO, "seed {}", seed);
                prop_assert!(stats.day <= stats.week && stats.week <= stats.month && stats.month <= stats.total, "seed {}", seed);
            }
        }

        #[test]
        fn abbreviations_name_one_size_each(a in 1_u64..100_000_000, b in 1_u64..100_000_000) {
            prop_assert_eq!(abbreviated(a) == abbreviated(b), a == b);
        }
    }
}
