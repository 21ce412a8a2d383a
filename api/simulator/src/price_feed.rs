//! The prices of the whole market: their history and their simulated course.

use domain::{GroupId, UnitPrice, UnixMs};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::demo_group::DemoGroup;
use crate::float_conversion::{to_f64, to_u64};
use crate::price_walk::PriceWalk;
use crate::seeded::seeded_rng;

/// One minute in milliseconds.
const MINUTE_MS: u64 = 60_000;
/// One hour in milliseconds.
const HOUR_MS: u64 = 60 * MINUTE_MS;
/// One day in milliseconds.
const DAY_MS: u64 = 24 * HOUR_MS;

/// The spans and steps of the charts, longest first.
const CHARTS: [(u64, u64); 4] =
    [(90 * DAY_MS, DAY_MS), (30 * DAY_MS, 8 * HOUR_MS), (7 * DAY_MS, 2 * HOUR_MS), (DAY_MS, 10 * MINUTE_MS)];

/// The frequency of jumps of one price in the past, for each day.
const PAST_JUMPS_PER_DAY: f64 = 0.1;
/// The average time between two jumps in the whole market.
const JUMP_EVERY_MS: u64 = 2 * MINUTE_MS;
/// The shortest time between two moves of one price.
const INTERVAL_MS_MIN: u64 = 2_000;
/// The longest time between two moves of one price.
const INTERVAL_MS_MAX: u64 = 15_000;

/// A price of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PricePoint {
    /// The time.
    pub at: UnixMs,
    /// The floor or unit price.
    pub price: UnitPrice,
}

/// A price change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceTick {
    /// The group.
    pub group: GroupId,
    /// The new floor or unit price.
    pub price: UnitPrice,
    /// The time of the observation.
    pub observed_at: UnixMs,
}

/// The prices of all groups. It has no clock: the caller passes the time.
#[derive(Clone, Debug)]
pub struct PriceFeed {
    groups: Vec<GroupFeed>,
}

#[derive(Clone, Debug)]
struct GroupFeed {
    group: GroupId,
    walk: PriceWalk,
    history: Vec<PricePoint>,
    price: UnitPrice,
    rng: ChaCha8Rng,
    /// The usual time between two moves of this price.
    rest_ms: u64,
    moved_at: UnixMs,
    due: UnixMs,
    /// The probability that a move is a jump.
    jump_probability: f64,
}

impl PriceFeed {
    /// Simulates the last 90 days of all prices up to `now`.
    pub(crate) fn start(groups: &[DemoGroup], seed: u64, now: UnixMs) -> Self {
        let count = to_f64(u64::try_from(groups.len().max(1)).unwrap_or(1));
        let start = |group: &DemoGroup| GroupFeed::start(group, count, seed, now);
        Self { groups: groups.iter().map(start).collect() }
    }

    /// The history of a group, oldest first: 90 days in steps of 24 hours, of which the last 30 in steps of 8 hours,
    /// the last 7 of 2 hours and the last one of 10 minutes. The times are unique, and the last one is the start's
    /// `now`.
    #[must_use]
    pub fn history(&self, group: GroupId) -> &[PricePoint] {
        self.groups.iter().find(|feed| feed.group == group).map_or(&[], |feed| &feed.history)
    }

    /// The latest price of every group.
    #[must_use]
    pub fn prices(&self) -> Vec<(GroupId, UnitPrice)> {
        self.groups.iter().map(|feed| (feed.group, feed.price)).collect()
    }

    /// Continues a group's price from its last price in an earlier run of the market.
    pub fn resume(&mut self, group: GroupId, price: UnitPrice) {
        for feed in self.groups.iter_mut().filter(|feed| feed.group == group) {
            feed.walk.resume(price);
            feed.price = price;
        }
    }

    /// The time at which the next price moves; `now` if one is overdue, or if there are no groups.
    #[must_use]
    pub fn next_due(&self, now: UnixMs) -> UnixMs {
        self.groups.iter().map(|feed| feed.due).min().map_or(now, |due| due.max(now))
    }

    /// Returns the prices that have moved by `now`, at most one tick for each group.
    ///
    /// A group rests 2 to 15 seconds between two ticks; ticks missed by a caller that paused longer are not made up
    /// for.
    pub fn next_ticks(&mut self, now: UnixMs) -> Vec<PriceTick> {
        self.groups.iter_mut().filter_map(|feed| feed.tick(now)).collect()
    }
}

impl GroupFeed {
    fn start(group: &DemoGroup, groups: f64, seed: u64, now: UnixMs) -> Self {
        let mut walk = PriceWalk::new(group, seed);
        let history = simulate_history(&mut walk, now);
        let price = walk.price();
        let mut rng = seeded_rng(seed, "price rhythm", group.group.slug.as_str());
        let rest_ms = rng.random_range(3_500..11_000);
        let jump_probability = to_f64(rest_ms) / to_f64(JUMP_EVERY_MS) / groups;
        let due = now.plus_ms(rng.random_range(INTERVAL_MS_MIN..=INTERVAL_MS_MAX));
        Self { group: group.group.id, walk, history, price, rng, rest_ms, moved_at: now, due, jump_probability }
    }

    fn tick(&mut self, now: UnixMs) -> Option<PriceTick> {
        if self.due > now {
            return None;
        }
        let rest = to_u64(to_f64(self.rest_ms) * self.rng.random_range(0.55..1.4)).unwrap_or(INTERVAL_MS_MAX);
        self.due = now.plus_ms(rest.clamp(INTERVAL_MS_MIN, INTERVAL_MS_MAX));
        advance(&mut self.walk, now.0.saturating_sub(self.moved_at.0));
        self.moved_at = now;
        // A demo is watched for minutes, in which prices should jump visibly; such a jump decays and does not show in
        // the charts of days.
        if self.walk.happens(self.jump_probability) {
            self.walk.shock(0.04, 0.12);
        }
        let price = self.walk.price();
        if price == self.price {
            return None;
        }
        self.price = price;
        Some(PriceTick { group: self.group, price, observed_at: now })
    }
}

/// Advances the walk and the short-term noise of a price by `elapsed_ms`.
fn advance(walk: &mut PriceWalk, elapsed_ms: u64) {
    walk.step(to_f64(elapsed_ms) / to_f64(DAY_MS));
    walk.step_noise(to_f64(elapsed_ms) / to_f64(MINUTE_MS));
}

/// Simulates the last 90 days, coarse steps first.
fn simulate_history(walk: &mut PriceWalk, now: UnixMs) -> Vec<PricePoint> {
    let mut ages: Vec<u64> = CHARTS.iter().flat_map(|(span, step)| (0..=span / step).map(move |n| n * step)).collect();
    ages.sort_unstable_by(|a, b| b.cmp(a));
    ages.dedup();
    // A time before 90 days after the Unix epoch has a shorter history.
    ages.retain(|age| *age <= now.0);
    let mut points: Vec<PricePoint> = Vec::with_capacity(ages.len());
    for age in ages {
        let at = UnixMs(now.0 - age);
        if let Some(previous) = points.last() {
            let days = to_f64(at.0 - previous.at.0) / to_f64(DAY_MS);
            advance(walk, at.0 - previous.at.0);
            if walk.happens(PAST_JUMPS_PER_DAY * days) {
                walk.jump(0.05, 0.2);
            }
        }
        points.push(PricePoint { at, price: walk.price() });
    }
    points
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::demo_market::DemoMarket;

    const NOW: UnixMs = UnixMs(1_800_000_000_000);

    /// Runs the feed for `duration_ms`, as a server would.
    fn run(feed: &mut PriceFeed, from: UnixMs, duration_ms: u64) -> Vec<PriceTick> {
        let (mut now, mut ticks) = (from, Vec::new());
        while now < from.plus_ms(duration_ms) {
            now = feed.next_due(now);
            ticks.extend(feed.next_ticks(now));
        }
        ticks
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn the_same_seed_gives_the_same_prices(seed: u64) {
            let market = DemoMarket::new(seed);
            let (mut one, mut other) = (market.price_feed(NOW), DemoMarket::new(seed).price_feed(NOW));
            for group in &market.groups {
                prop_assert_eq!(one.history(group.group.id), other.history(group.group.id), "seed {}", seed);
            }
            prop_assert_eq!(run(&mut one, NOW, 60_000), run(&mut other, NOW, 60_000), "seed {}", seed);
            let mut third = DemoMarket::new(seed ^ 1).price_feed(NOW);
            prop_assert_ne!(run(&mut one, NOW, 60_000), run(&mut third, NOW, 60_000), "seed {}", seed);
        }

        #[test]
        fn history_has_every_step_of_every_chart_once(seed: u64, now in 90 * DAY_MS..=4_000_000_000_000) {
            let market = DemoMarket::new(seed);
            let feed = market.price_feed(UnixMs(now));
            for group in &market.groups {
                let history = feed.history(group.group.id);
                prop_assert!(history.windows(2).all(|pair| pair[0].at < pair[1].at), "seed {}", seed);
                prop_assert_eq!(history.last().map(|point| point.at), Some(UnixMs(now)));
                let times: Vec<u64> = history.iter().map(|point| now - point.at.0).collect();
                for (span, step) in CHARTS {
                    prop_assert!((0..=span / step).all(|n| times.contains(&(n * step))), "seed {}", seed);
                }
                prop_assert_eq!(times.len(), 145 + 72 + 69 + 60);
                prop_assert!(history.iter().all(|point| in_bounds(group, point.price)), "seed {}", seed);
            }
        }

        #[test]
        fn live_prices_move_at_their_intervals_and_within_bounds(seed: u64) {
            let market = DemoMarket::new(seed);
            let mut feed = market.price_feed(NOW);
            let mut last: BTreeMap<GroupId, (UnixMs, UnitPrice)> =
                feed.prices().into_iter().map(|(group, price)| (group, (NOW, price))).collect();
            let ticks = run(&mut feed, NOW, 20 * MINUTE_MS);
            for tick in &ticks {
                let (at, price) = last[&tick.group];
                prop_assert!(tick.observed_at.0 - at.0 >= INTERVAL_MS_MIN, "seed {}", seed);
                prop_assert_ne!(tick.price, price);
                prop_assert!(in_bounds(market.group(tick.group).unwrap(), tick.price), "seed {}", seed);
                last.insert(tick.group, (tick.observed_at, tick.price));
            }
            prop_assert!(ticks.windows(2).all(|pair| pair[0].observed_at <= pair[1].observed_at), "seed {}", seed);
            // 40 groups at 3.5 to 11 seconds each: 4 to 8 ticks a second.
            prop_assert!((4_000..12_000).contains(&ticks.len()), "seed {}: {} ticks", seed, ticks.len());
        }
    }

    #[test]
    fn half_an_hour_of_live_prices_moves_no_more_than_half_an_hour_of_the_past() {
        let spread = |prices: &[f64]| {
            let least = prices.iter().copied().fold(f64::INFINITY, f64::min);
            prices.iter().copied().fold(0.0, f64::max) / least - 1.0
        };
        let (mut past, mut watched) = (0.0, 0.0);
        for seed in 0..10 {
            let market = DemoMarket::new(seed);
            let mut feed = market.price_feed(NOW);
            let half_hour = |group| feed.history(group).iter().rev().take(4).map(|point| to_f64(point.price.scaled()));
            past += market.groups.iter().map(|demo| spread(&half_hour(demo.group.id).collect::<Vec<_>>())).sum::<f64>();
            let mut last: BTreeMap<GroupId, Vec<f64>> = BTreeMap::new();
            for minute in [0, 10, 20] {
                run(&mut feed, NOW.plus_ms(minute * MINUTE_MS), 10 * MINUTE_MS);
                for (group, price) in feed.prices() {
                    last.entry(group).or_default().push(to_f64(price.scaled()));
                }
            }
            watched += last.values().map(|prices| spread(prices)).sum::<f64>();
        }
        let ratio = watched / past;
        assert!((0.4..2.0).contains(&ratio), "{ratio}: a demo's own minutes would stand out in the chart of a day");
    }

    #[test]
    fn somewhere_a_price_jumps_every_couple_of_minutes() {
        let mut jumps = 0;
        for seed in 0..10 {
            let mut feed = DemoMarket::new(seed).price_feed(NOW);
            let mut last: BTreeMap<GroupId, UnitPrice> = feed.prices().into_iter().collect();
            for tick in run(&mut feed, NOW, 20 * MINUTE_MS) {
                let before = last.insert(tick.group, tick.price).map_or(1.0, |price| to_f64(price.scaled()));
                jumps += u32::from(!(0.965..1.035).contains(&(to_f64(tick.price.scaled()) / before)));
            }
        }
        // 200 minutes of the market.
        assert!((60..300).contains(&jumps), "{jumps} jumps");
    }

    fn in_bounds(group: &DemoGroup, price: UnitPrice) -> bool {
        let start = group.start_price.scaled();
        price.scaled() >= start / 100 && price.scaled() <= start.saturating_mul(20)
    }

    #[test]
    fn no_price_moves_before_it_is_due() {
        let mut feed = DemoMarket::new(3).price_feed(NOW);
        assert!(feed.next_ticks(NOW.plus_ms(INTERVAL_MS_MIN - 1)).is_empty());
        let due = feed.next_due(NOW);
        assert!(feed.next_ticks(UnixMs(due.0 - 1)).is_empty());
        let first = feed.next_ticks(due);
        assert!(first.len() <= 2 && feed.next_ticks(due).is_empty());
    }

    #[test]
    fn a_market_resumes_from_its_last_prices() {
        let market = DemoMarket::new(3);
        let mut feed = market.price_feed(NOW);
        for demo in &market.groups {
            let left = UnitPrice::from_scaled(demo.start_price.scaled() * 2);
            feed.resume(demo.group.id, left);
            assert!(feed.prices().contains(&(demo.group.id, left)));
        }
        for tick in run(&mut feed, NOW, 30_000) {
            let start = to_f64(market.group(tick.group).unwrap().start_price.scaled());
            assert!((1.5..2.6).contains(&(to_f64(tick.price.scaled()) / start)), "{tick:?}");
        }
    }

    #[test]
    fn a_time_near_the_epoch_has_a_short_history() {
        let market = DemoMarket::new(3);
        let feed = market.price_feed(UnixMs(5));
        assert_eq!(feed.history(market.groups[0].group.id).len(), 1);
        assert!(feed.history(GroupId(999)).is_empty());
    }
}
