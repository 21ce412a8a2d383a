//! The random walk of one price.

use domain::UnitPrice;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::demo_group::DemoGroup;
use crate::float_conversion::{to_f64, to_u64};
use crate::seeded::seeded_rng;

/// The lowest price, as a share of the first one: a little above 1 %, so that rounding stays above it too.
const SHARE_MIN: f64 = 0.010_5;
/// The highest price, as a multiple of the first one: a little below 20.
const SHARE_MAX: f64 = 19.8;
/// The rate of the reversion to the first price, for each day.
const REVERSION_PER_DAY: f64 = 0.06;
/// The rate at which the volatility returns to the usual one, for each day.
const VOLATILITY_REVERSION_PER_DAY: f64 = 0.8;
/// The long-term standard deviation of the logarithm of the volatility.
const VOLATILITY_DEVIATION: f64 = 0.45;
/// The limit of the logarithm of the volatility in either direction: a price may be three times as volatile as usual.
const VOLATILITY_MAX: f64 = 1.1;
/// The increase of the logarithm of the volatility by a jump.
const VOLATILITY_JUMP: f64 = 0.7;
/// The average duration of a trend, in days.
const TREND_DAYS: f64 = 9.0;
/// The strongest trend, as a move of the logarithm in a day.
const TREND_MAX: f64 = 0.009;
/// The time constant with which short-term noise decays, in minutes.
const NOISE_MINUTES: f64 = 4.0;
/// The amplitude of the short-term noise, as a share of the move of a day.
const NOISE_SHARE: f64 = 0.3;
/// The limit of the distance between a price and its walk, as a move of the logarithm.
const NOISE_MAX: f64 = 0.25;
/// The number of significant digits of a price.
const DIGITS: i32 = 4;

/// The price of one group, step by step: mean reversion, trends, a volatility that changes over time, and occasional
/// jumps. On top of the walk there is short-term noise that decays within minutes, so that the price visibly moves
/// within minutes and still moves no more than usual over a day.
#[derive(Clone, Debug)]
pub struct PriceWalk {
    rng: ChaCha8Rng,
    start: UnitPrice,
    /// The granularity of the price: floors are whole sats.
    grain: u64,
    deviation_per_day: f64,
    /// The logarithm of the price over its start.
    log_price: f64,
    /// The logarithm of the present volatility over the usual one.
    log_volatility: f64,
    trend_per_day: f64,
    /// The short-term deviation, as a move of the logarithm.
    noise: f64,
}

impl PriceWalk {
    /// Returns the walk of `group` at its start.
    #[must_use]
    pub fn new(group: &DemoGroup, seed: u64) -> Self {
        let rng = seeded_rng(seed, "price walk", group.group.slug.as_str());
        let is_floor = group.group.collateral == domain::CollateralType::Inscription;
        let mut walk = Self {
            rng,
            start: group.start_price,
            grain: if is_floor { UnitPrice::ONE_SAT } else { 1 },
            deviation_per_day: group.volatility.deviation_per_day(),
            log_price: 0.0,
            log_volatility: 0.0,
            trend_per_day: 0.0,
            noise: 0.0,
        };
        walk.draw_trend();
        walk
    }

    /// The current price.
    #[must_use]
    pub fn price(&self) -> UnitPrice {
        let log_price = within_bounds(self.log_price + self.noise);
        UnitPrice::from_scaled(quoted(to_f64(self.start.scaled()) * log_price.exp(), self.grain))
    }

    /// Continues from this price, or from as near to it as the bounds allow.
    pub fn resume(&mut self, price: UnitPrice) {
        self.noise = 0.0;
        self.move_to((to_f64(price.scaled().max(1)) / to_f64(self.start.scaled().max(1))).ln());
    }

    /// Advances the walk by that many `days` of the market's time.
    pub fn step(&mut self, days: f64) {
        if self.rng.random_bool((days / TREND_DAYS).clamp(0.0, 1.0)) {
            self.draw_trend();
        }
        let decay = (-VOLATILITY_REVERSION_PER_DAY * days).exp();
        let fresh = VOLATILITY_DEVIATION * (1.0 - decay * decay).sqrt();
        self.log_volatility =
            (self.log_volatility * decay + fresh * self.normal()).clamp(-VOLATILITY_MAX, VOLATILITY_MAX);
        let reversion = (-REVERSION_PER_DAY * days).exp();
        let deviation = self.deviation_per_day * self.log_volatility.exp() * days.sqrt();
        let change = deviation * self.normal();
        self.move_to(self.log_price * reversion + self.trend_per_day * days + change);
    }

    /// Jumps by between `least` and `most` of the logarithm, up or down, and raises the volatility.
    pub fn jump(&mut self, least: f64, most: f64) {
        let size = self.rng.random_range(least..most);
        let up = self.rng.random_bool(0.5);
        self.log_volatility = (self.log_volatility + VOLATILITY_JUMP).min(VOLATILITY_MAX);
        self.move_to(if up { self.log_price + size } else { self.log_price - size });
    }

    /// Advances the short-term noise by that many `minutes`; earlier deviations decay.
    pub fn step_noise(&mut self, minutes: f64) {
        let decay = (-minutes / NOISE_MINUTES).exp();
        let usual = NOISE_SHARE * self.deviation_per_day * (1.0 - decay * decay).sqrt();
        let change = usual * self.normal();
        self.set_noise(self.noise * decay + change);
    }

    /// Adds a short-term deviation of between `least` and `most` of the logarithm, up or down.
    pub fn shock(&mut self, least: f64, most: f64) {
        let size = self.rng.random_range(least..most);
        let up = self.rng.random_bool(0.5);
        self.set_noise(if up { self.noise + size } else { self.noise - size });
    }

    /// Draws whether an event of this probability happens.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability.clamp(0.0, 1.0))
    }

    fn draw_trend(&mut self) {
        self.trend_per_day = self.rng.random_range(-TREND_MAX..TREND_MAX);
    }

    fn move_to(&mut self, log_price: f64) {
        self.log_price = within_bounds(log_price);
    }

    fn set_noise(&mut self, noise: f64) {
        self.noise = noise.clamp(-NOISE_MAX, NOISE_MAX);
    }

    /// Draws a normally distributed number (Box and Muller).
    fn normal(&mut self) -> f64 {
        let (distance, angle): (f64, f64) = (self.rng.random_range(f64::MIN_POSITIVE..1.0), self.rng.random());
        (-2.0 * distance.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

fn within_bounds(log_price: f64) -> f64 {
    log_price.clamp(SHARE_MIN.ln(), SHARE_MAX.ln())
}

/// Rounds `scaled` to a few digits and to whole grains, at least one grain.
fn quoted(scaled: f64, grain: u64) -> u64 {
    let magnitude = scaled.max(1.0).log10().floor();
    let zeros = (0..20_i32).take_while(|zeros| f64::from(*zeros + DIGITS) <= magnitude).count();
    let step = 10_u64.checked_pow(u32::try_from(zeros).unwrap_or(0)).unwrap_or(1).max(grain);
    to_u64(scaled / to_f64(step)).unwrap_or(1).max(1).saturating_mul(step)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::catalogue::groups;

    fn in_bounds(start: UnitPrice, price: UnitPrice) -> bool {
        let share = to_f64(price.scaled()) / to_f64(start.scaled());
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
                    walk.shock(size, size * 2.0);
                }
                walk.step_noise(days);
                prop_assert!(in_bounds(group.start_price, walk.price()), "seed {}: {} from {}", seed, walk.price(), group.start_price);
            }
        }

        #[test]
        fn short_term_deviations_decay(seed: u64, group in 0_usize..40) {
            let group = &groups(seed)[group];
            let mut walk = PriceWalk::new(group, seed);
            walk.shock(0.1, 0.2);
            let startled = to_f64(walk.price().scaled()) / to_f64(group.start_price.scaled());
            prop_assert!(!(0.92..1.09).contains(&startled), "seed {}: {}", seed, startled);
            walk.step_noise(60.0);
            let later = to_f64(walk.price().scaled()) / to_f64(group.start_price.scaled());
            prop_assert!((0.9..1.1).contains(&later), "seed {}: {}", seed, later);
        }

        #[test]
        fn most_prices_stay_near_their_start_for_half_a_year(seed: u64) {
            let mut far = 0;
            for group in groups(seed) {
                let mut walk = PriceWalk::new(&group, seed);
                for _ in 0..180 {
                    walk.step(1.0);
                }
                let share = to_f64(walk.price().scaled()) / to_f64(group.start_price.scaled());
                far += u32::from(!(0.4..2.5).contains(&share));
            }
            prop_assert!(far <= 4, "seed {}: {} prices are far away", seed, far);
        }
    }
}
