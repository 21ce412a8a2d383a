//! Whether what marketplaces tell is a price.
//!
//! A price decides which offers are paused and what collateral is said to be worth, so nobody alone can set one: it is
//! the median of several sources that tell about the same, none of them old, and a large move must be told again and
//! again before it is believed.

use std::fmt;

use domain::{UnitPrice, UnixMs};

use crate::config::price_settings::PriceSettings;

/// When a price is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceRules {
    /// How many sources must tell about the same.
    pub sources_min: usize,
    /// How far from the median is about the same, in basis points.
    pub spread_bp_max: u64,
    /// How far a price may move at once, in basis points.
    pub jump_bp_max: u64,
    /// How many rounds must tell of a larger move.
    pub jump_rounds: u8,
    /// How old a sample may be, in milliseconds.
    pub fresh_ms: u64,
}

impl PriceRules {
    /// Those of the settings.
    #[must_use]
    pub fn of(settings: &PriceSettings) -> Self {
        Self {
            sources_min: usize::from(settings.sources_min),
            spread_bp_max: u64::from(settings.spread_percent_max) * 100,
            jump_bp_max: u64::from(settings.jump_percent_max) * 100,
            jump_rounds: settings.jump_rounds,
            fresh_ms: u64::from(settings.fresh_s) * 1_000,
        }
    }
}

/// What one source told last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The price.
    pub price: UnitPrice,
    /// When it was told.
    pub at: UnixMs,
}

/// A large move that is not believed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// To which price.
    pub to: UnitPrice,
    /// In how many rounds it was told.
    pub rounds: u8,
    /// When the last of them was.
    pub at: UnixMs,
}

/// Why no price is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Nobody told anything lately.
    NoSource,
    /// Too few told anything lately.
    TooFewSources {
        /// How many did.
        found: usize,
        /// How many must.
        needed: usize,
    },
    /// They do not tell about the same.
    Disagreement {
        /// The lowest.
        low: UnitPrice,
        /// The highest.
        high: UnitPrice,
    },
    /// It moved so far that it must be told again.
    Jump(Jump),
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSource => f.write_str("no marketplace told a price lately"),
            Self::TooFewSources { found, needed } => {
                write!(f, "too few marketplaces told a price lately ({found} of the {needed} that must)")
            }
            Self::Disagreement { .. } => f.write_str("marketplaces do not tell about the same price"),
            Self::Jump(Jump { rounds, .. }) => {
                write!(f, "the price would jump, and was told {rounds} times so far")
            }
        }
    }
}

/// What comes of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The price.
    Take {
        /// How much.
        price: UnitPrice,
        /// How many sources tell about the same.
        sources: usize,
    },
    /// The last price stays.
    Hold(Hold),
}

/// Judges what each source told last. `known` is the market's price, `jump` the move that waits to be believed.
#[must_use]
pub fn judge(
    rules: &PriceRules,
    known: Option<UnitPrice>,
    jump: Option<Jump>,
    samples: &[Sample],
    now: UnixMs,
) -> Verdict {
    let is_fresh = |sample: &&Sample| now.0.saturating_sub(sample.at.0) <= rules.fresh_ms;
    let mut fresh: Vec<Sample> = samples.iter().filter(is_fresh).copied().collect();
    fresh.sort_by_key(|sample| sample.price);
    let Some(middle) = median(&fresh) else { return Verdict::Hold(Hold::NoSource) };
    let needed = rules.sources_min;
    if fresh.len() < needed {
        return Verdict::Hold(Hold::TooFewSources { found: fresh.len(), needed });
    }
    let about: Vec<Sample> =
        fresh.iter().filter(|sample| is_within(sample.price, middle, rules.spread_bp_max)).copied().collect();
    if about.len() < needed || about.len() * 2 <= fresh.len() {
        let low = fresh.first().map_or(middle, |sample| sample.price);
        let high = fresh.last().map_or(middle, |sample| sample.price);
        return Verdict::Hold(Hold::Disagreement { low, high });
    }
    let (price, sources) = (median(&about).unwrap_or(middle), about.len());
    let take = Verdict::Take { price, sources };
    let Some(known) = known.filter(|known| !is_within(price, *known, rules.jump_bp_max)) else { return take };
    debug_assert_ne!(price, known);
    // Only who was asked again since confirms it.
    let earlier = jump.filter(|jump| is_within(price, jump.to, rules.spread_bp_max));
    let is_told_again = |since: UnixMs| about.iter().filter(|sample| sample.at > since).count() >= needed;
    let jump = match earlier {
        Some(jump) if is_told_again(jump.at) => Jump { to: price, rounds: jump.rounds.saturating_add(1), at: now },
        Some(jump) => jump,
        None => Jump { to: price, rounds: 1, at: now },
    };
    if jump.rounds >= rules.jump_rounds { take } else { Verdict::Hold(Hold::Jump(jump)) }
}

/// The lower of the two in the middle where there are two: collateral is never valued above the market.
fn median(sorted: &[Sample]) -> Option<UnitPrice> {
    sorted.get(sorted.len().checked_sub(1)? / 2).map(|sample| sample.price)
}

/// Whether a price is at most so many basis points of another away from it.
fn is_within(price: UnitPrice, other: UnitPrice, basis_points: u64) -> bool {
    let away = u128::from(price.scaled().abs_diff(other.scaled())) * 10_000;
    away <= u128::from(other.scaled()) * u128::from(basis_points)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: UnixMs = UnixMs(1_000_000_000);
    const RULES: PriceRules =
        PriceRules { sources_min: 2, spread_bp_max: 2_000, jump_bp_max: 2_500, jump_rounds: 3, fresh_ms: 900_000 };

    fn price(scaled: u64) -> UnitPrice {
        UnitPrice::from_scaled(scaled)
    }

    fn told(prices: &[u64], at: UnixMs) -> Vec<Sample> {
        prices.iter().map(|scaled| Sample { price: price(*scaled), at }).collect()
    }

    fn first(prices: &[u64]) -> Verdict {
        judge(&RULES, None, None, &told(prices, NOW), NOW)
    }

    fn take(scaled: u64, sources: usize) -> Verdict {
        Verdict::Take { price: price(scaled), sources }
    }

    #[test]
    fn a_price_is_the_median_of_those_who_tell_about_the_same() {
        assert_eq!(first(&[100, 110]), take(100, 2));
        assert_eq!(first(&[90, 100, 110]), take(100, 3));
        assert_eq!(first(&[100, 104, 5_000]), take(100, 2), "one who tells something else is not heard");
        assert_eq!(first(&[1, 100, 104]), take(100, 2));
    }

    #[test]
    fn nobody_alone_sets_a_price() {
        assert_eq!(first(&[]), Verdict::Hold(Hold::NoSource));
        assert_eq!(first(&[100]), Verdict::Hold(Hold::TooFewSources { found: 1, needed: 2 }));
        let split = |low, high| Verdict::Hold(Hold::Disagreement { low: price(low), high: price(high) });
        assert_eq!(first(&[100, 200]), split(100, 200));
        assert_eq!(first(&[100, 101, 200, 201]), split(100, 201), "two against two");
        assert_eq!(first(&[1, 100, 10_000]), split(1, 10_000));
    }

    #[test]
    fn what_was_told_long_ago_does_not_count() {
        let old = UnixMs(NOW.0 - RULES.fresh_ms - 1);
        let samples = [told(&[100], NOW), told(&[100, 100], old)].concat();
        let verdict = judge(&RULES, Some(price(100)), None, &samples, NOW);
        assert_eq!(verdict, Verdict::Hold(Hold::TooFewSources { found: 1, needed: 2 }));
        assert_eq!(judge(&RULES, None, None, &told(&[100], old), NOW), Verdict::Hold(Hold::NoSource));
    }

    /// Rounds a minute apart, each of which asks everybody anew.
    fn rounds(known: u64, prices: &[u64]) -> Vec<Verdict> {
        let mut jump = None;
        let round = |(index, scaled): (usize, &u64)| {
            let now = UnixMs(NOW.0 + 60_000 * u64::try_from(index).unwrap());
            let verdict = judge(&RULES, Some(price(known)), jump, &told(&[*scaled, *scaled], now), now);
            jump = match verdict {
                Verdict::Hold(Hold::Jump(jump)) => Some(jump),
                _ => None,
            };
            verdict
        };
        prices.iter().enumerate().map(round).collect()
    }

    #[test]
    fn a_large_move_is_believed_in_its_third_round() {
        assert_eq!(rounds(100, &[125]), [take(125, 2)], "a move within bounds");
        let found = rounds(100, &[50, 50, 52]);
        assert!(matches!(found[0], Verdict::Hold(Hold::Jump(Jump { rounds: 1, .. }))), "{found:?}");
        assert!(matches!(found[1], Verdict::Hold(Hold::Jump(Jump { rounds: 2, .. }))), "{found:?}");
        assert_eq!(found[2], take(52, 2));
        let found = rounds(100, &[50, 50, 200, 50, 50]);
        assert!(found.iter().all(|verdict| matches!(verdict, Verdict::Hold(_))), "it wavers: {found:?}");
        let found = rounds(100, &[50, 50, 100, 50, 50]);
        assert_eq!(found[2], take(100, 2));
        assert!(matches!(found[4], Verdict::Hold(Hold::Jump(Jump { rounds: 2, .. }))), "it begins anew: {found:?}");
    }

    #[test]
    fn what_nobody_tells_again_is_not_told_twice() {
        let samples = told(&[50, 50], NOW);
        let mut jump = None;
        for minute in 0..10 {
            let now = UnixMs(NOW.0 + 60_000 * minute);
            let verdict = judge(&RULES, Some(price(100)), jump, &samples, now);
            let Verdict::Hold(Hold::Jump(found)) = verdict else { panic!("{verdict:?}") };
            assert_eq!(found.rounds, 1);
            jump = Some(found);
        }
    }

    fn prices() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(prop_oneof![1_u64..1_000, 1_u64..=UnitPrice::MAX.scaled()], 0..9)
    }

    proptest! {
        #[test]
        fn a_price_that_is_taken_has_a_majority_near_it(scaled in prices()) {
            if let Verdict::Take { price, sources } = first(&scaled) {
                prop_assert!(sources >= 2 && sources * 2 > scaled.len());
                prop_assert!(scaled.contains(&price.scaled()));
            }
        }

        #[test]
        fn no_minority_of_liars_moves_it_out_of_what_the_others_tell(
            honest in 1_000_u64..1_000_000_000, extra_bp in prop::collection::vec(0_u64..1_000, 2..7),
            lies in prop::collection::vec(1_u64..=UnitPrice::MAX.scaled(), 0..6),
        ) {
            let truths: Vec<u64> = extra_bp.iter().map(|bp| honest + honest * bp / 10_000).collect();
            let lies = &lies[..lies.len().min(truths.len() - 1)];
            let (low, high) = (*truths.iter().min().unwrap(), *truths.iter().max().unwrap());
            match first(&[&truths, lies].concat()) {
                Verdict::Take { price, .. } => prop_assert!((low..=high).contains(&price.scaled())),
                Verdict::Hold(_) => prop_assert!(false, "the majority agrees"),
            }
        }

        #[test]
        fn no_single_round_moves_it_further_than_allowed(known in 1_u64..=UnitPrice::MAX.scaled(), scaled in prices()) {
            let verdict = judge(&RULES, Some(price(known)), None, &told(&scaled, NOW), NOW);
            if let Verdict::Take { price: taken, .. } = verdict {
                prop_assert!(is_within(taken, price(known), RULES.jump_bp_max));
            }
        }
    }
}
