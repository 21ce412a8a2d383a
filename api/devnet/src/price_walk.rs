//! How one price wanders.

use domain::UnitPrice;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::demo_group::DemoGroup;
use crate::real::{real, whole};
use crate::seeded::seeded_stream;

/// The lowest price, as a share of the first one: a little above 1 %, so that rounding stays above it too.
const SHARE_MIN: f64 = 0.010_5;
/// The highest price, as a multiple of the first one: a little below 20.
const SHARE_MAX: f64 = 19.8;
/// How fast a price is drawn back to where it started, for each day away.
const HOMING_PER_DAY: f64 = 0.06;
/// How fast excitement and boredom fade, for each day.
const MOOD_FADES_PER_DAY: f64 = 0.8;
/// Standard deviation of the logarithm of the mood over a long time.
const MOOD_DEVIATION: f64 = 0.45;
/// The mood goes no further from its middle than this: the price may be three times as restless as usual.
const MOOD_MAX: f64 = 1.1;
/// How much a jump excites.
const JUMP_EXCITES: f64 = 0.7;
/// Trends last about this many days.
const TREND_DAYS: f64 = 9.0;
/// The strongest trend, as a move of the logarithm in a day.
const TREND_MAX: f64 = 0.009;
/// What strays within minutes is back after about so many.
const FLUTTER_MINUTES: f64 = 4.0;
/// How far a price strays within minutes, as a share of what it moves in a day.
const FLUTTER_SHARE: f64 = 0.3;
/// No price strays further from its walk, as a move of the logarithm.
const STRAY_MAX: f64 = 0.25;
/// Digits of a price that anybody quotes.
const DIGITS: i32 = 4;

/// The price of one group, one step after the other: drawn home, carried by a trend, more restless at some times than
/// at others, and now and then jumping. Around that it strays within minutes, and comes back, so that whoever watches
/// for minutes sees it move and whoever looks at a day sees no more than a day's moves.
#[derive(Clone, Debug)]
pub struct PriceWalk {
    rng: ChaCha8Rng,
    start: UnitPrice,
    /// No price is finer than this: floors are whole sats.
    grain: u64,
    deviation_per_day: f64,
    /// Logarithm of the price over its start.
    height: f64,
    /// Logarithm of how restless the price is, beside its usual restlessness.
    mood: f64,
    trend_per_day: f64,
    /// How far it has strayed, as a move of the logarithm.
    stray: f64,
}

impl PriceWalk {
    /// The walk of `group` at its start.
    #[must_use]
    pub fn new(group: &DemoGroup, seed: u64) -> Self {
        let rng = seeded_stream(seed, "price walk", group.group.slug.as_str());
        let is_floor = group.group.collateral == domain::CollateralType::Inscription;
        let mut walk = Self {
            rng,
            start: group.start_price,
            grain: if is_floor { UnitPrice::ONE_SAT } else { 1 },
            deviation_per_day: group.temper.deviation_per_day(),
            height: 0.0,
            mood: 0.0,
            trend_per_day: 0.0,
            stray: 0.0,
        };
        walk.turn();
        walk
    }

    /// The price where the walk stands.
    #[must_use]
    pub fn price(&self) -> UnitPrice {
        let height = within_bounds(self.height + self.stray);
        UnitPrice::from_scaled(quoted(real(self.start.scaled()) * height.exp(), self.grain))
    }

    /// Goes on from this price, or from as near to it as the bounds allow.
    pub fn resume(&mut self, price: UnitPrice) {
        self.stray = 0.0;
        self.move_to((real(price.scaled().max(1)) / real(self.start.scaled().max(1))).ln());
    }

    /// Walks on for that many `days` of the market's time.
    pub fn step(&mut self, days: f64) {
        if self.rng.random_bool((days / TREND_DAYS).clamp(0.0, 1.0)) {
            self.turn();
        }
        let fading = (-MOOD_FADES_PER_DAY * days).exp();
        let fresh = MOOD_DEVIATION * (1.0 - fading * fading).sqrt();
        self.mood = (self.mood * fading + fresh * self.normal()).clamp(-MOOD_MAX, MOOD_MAX);
        let homing = (-HOMING_PER_DAY * days).exp();
        let restless = self.deviation_per_day * self.mood.exp() * days.sqrt();
        let wandered = restless * self.normal();
        self.move_to(self.height * homing + self.trend_per_day * days + wandered);
    }

    /// Jumps by between `least` and `most` of the logarithm, up or down, and leaves the market excited.
    pub fn jump(&mut self, least: f64, most: f64) {
        let size = self.rng.random_range(least..most);
        let up = self.rng.random_bool(0.5);
        self.mood = (self.mood + JUMP_EXCITES).min(MOOD_MAX);
        self.move_to(if up { self.height + size } else { self.height - size });
    }

    /// Strays for that many `minutes`, and comes back from further away.
    pub fn flutter(&mut self, minutes: f64) {
        let fading = (-minutes / FLUTTER_MINUTES).exp();
        let usual = FLUTTER_SHARE * self.deviation_per_day * (1.0 - fading * fading).sqrt();
        let wandered = usual * self.normal();
        self.stray_to(self.stray * fading + wandered);
    }

    /// Strays at once by between `least` and `most` of the logarithm, up or down.
    pub fn startle(&mut self, least: f64, most: f64) {
        let size = self.rng.random_range(least..most);
        let up = self.rng.random_bool(0.5);
        self.stray_to(if up { self.stray + size } else { self.stray - size });
    }

    /// Whether something happens that happens with this probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability.clamp(0.0, 1.0))
    }

    fn turn(&mut self) {
        self.trend_per_day = self.rng.random_range(-TREND_MAX..TREND_MAX);
    }

    fn move_to(&mut self, height: f64) {
        self.height = within_bounds(height);
    }

    fn stray_to(&mut self, stray: f64) {
        self.stray = stray.clamp(-STRAY_MAX, STRAY_MAX);
    }

    /// A normally distributed number (Box and Muller).
    fn normal(&mut self) -> f64 {
        let (distance, angle): (f64, f64) = (self.rng.random_range(f64::MIN_POSITIVE..1.0), self.rng.random());
        (-2.0 * distance.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

fn within_bounds(height: f64) -> f64 {
    height.clamp(SHARE_MIN.ln(), SHARE_MAX.ln())
}

/// `scaled` rounded to a few digits and to whole grains, at least one grain.
fn quoted(scaled: f64, grain: u64) -> u64 {
    let magnitude = scaled.max(1.0).log10().floor();
    let zeros = (0..20_i32).take_while(|zeros| f64::from(*zeros + DIGITS) <= magnitude).count();
    let step = 10_u64.checked_pow(u32::try_from(zeros).unwrap_or(0)).unwrap_or(1).max(grain);
    whole(scaled / real(step)).unwrap_or(1).max(1).saturating_mul(step)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::catalogue::groups;

    fn in_bounds(start: UnitPrice, price: UnitPrice) -> bool {
        let share = real(price.scaled()) / real(start.scaled());
        (0.01..=20.0).contains(&share)
    }

    #[test]
    fn a_price_has_few_digits_and_floors_are_whole_sats() {
        for (scaled, grain, expected) in [
            (8_312_345.6, 1, 8_312_000),
            (215_049_999_999_999.0, UnitPrice::ONE_SAT, 215_000_000_000_000),
            (91_240_000_000.0, UnitPrice::ONE_SAT, 91_200_000_000),
            (1.0, UnitPrice::ONE_SAT, UnitPrice::ONE_SAT),
            (0.2, 1, 1),
        ] {
            assert_eq!(quoted(scaled, grain), expected, "{scaled}");
        }
    }

    proptest! {
        #[test]
        fn a_price_stays_in_bounds_however_it_is_pushed(
            seed: u64, group in 0_usize..40, steps in prop::collection::vec((0.000_1_f64..3.0, prop::option::of(0.01_f64..2.0)), 1..200),
        ) {
            let group = &groups(seed)[group];
            let mut walk = PriceWalk::new(group, seed);
            for (days, jump) in steps {
                walk.step(days);
                if let Some(size) = jump {
                    walk.jump(size, size * 2.0);
                    walk.startle(size, size * 2.0);
                }
                walk.flutter(days);
                prop_assert!(in_bounds(group.start_price, walk.price()), "seed {}: {} from {}", seed, walk.price(), group.start_price);
            }
        }

        #[test]
        fn what_strays_comes_back(seed: u64, group in 0_usize..40) {
            let group = &groups(seed)[group];
            let mut walk = PriceWalk::new(group, seed);
            walk.startle(0.1, 0.2);
            let startled = real(walk.price().scaled()) / real(group.start_price.scaled());
            prop_assert!(!(0.92..1.09).contains(&startled), "seed {}: {}", seed, startled);
            walk.flutter(60.0);
            let later = real(walk.price().scaled()) / real(group.start_price.scaled());
            prop_assert!((0.9..1.1).contains(&later), "seed {}: {}", seed, later);
        }

        #[test]
        fn half_a_year_leaves_most_prices_within_reach_of_their_start(seed: u64) {
            let mut far = 0;
            for group in groups(seed) {
                let mut walk = PriceWalk::new(&group, seed);
                for _ in 0..180 {
                    walk.step(1.0);
                }
                let share = real(walk.price().scaled()) / real(group.start_price.scaled());
                far += u32::from(!(0.4..2.5).contains(&share));
            }
            prop_assert!(far <= 4, "seed {}: {} prices ran away", seed, far);
        }
    }
}
