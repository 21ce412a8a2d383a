//! The price history of a group: for each range of the chart, the last price of every step. Pure and bounded.

use std::collections::VecDeque;

use domain::{UnitPrice, UnixMs};

use crate::{
    PriceRange,
    wire::{Percent, PriceHistory as Chart, PriceNumber, PricePoint},
};

/// One range at its own resolution.
#[derive(Clone, Debug)]
struct Ring {
    range: PriceRange,
    /// The number of the step since 1970 and the last price in it; ascending. The first may lie before the range: it
    /// gives the price at the range's beginning.
    steps: VecDeque<(u64, UnitPrice)>,
}

/// The prices of one group over the last 90 days.
#[derive(Clone, Debug)]
pub(crate) struct PriceHistory {
    rings: [Ring; 4],
}

impl Default for PriceHistory {
    fn default() -> Self {
        Self { rings: PriceRange::ALL.map(|range| Ring { range, steps: VecDeque::new() }) }
    }
}

impl PriceHistory {
    /// Records a price. A price observed before the latest step is too late and changes nothing in that range.
    pub(crate) fn record(&mut self, price: UnitPrice, observed_at: UnixMs) {
        for ring in &mut self.rings {
            ring.record(price, observed_at);
        }
    }

    /// The chart of a range that ends now.
    pub(crate) fn chart(&self, range: PriceRange, now: UnixMs) -> Chart {
        self.ring(range).map_or_else(|| Chart { data: Vec::new(), price_change: None }, |ring| ring.chart(now))
    }

    /// The change of the price from the beginning of a range until now; `None` when only one price is known.
    pub(crate) fn change(&self, range: PriceRange, now: UnixMs) -> Option<Percent> {
        self.ring(range)?.change(now)
    }

    fn ring(&self, range: PriceRange) -> Option<&Ring> {
        self.rings.iter().find(|ring| ring.range == range)
    }
}

impl Ring {
    fn record(&mut self, price: UnitPrice, observed_at: UnixMs) {
        let step = observed_at.0 / self.range.step_ms();
        match self.steps.back_mut() {
            Some((latest, _)) if step < *latest => return,
            Some((latest, known)) if step == *latest => *known = price,
            _ => self.steps.push_back((step, price)),
        }
        let steps_in_range = self.range.length_ms() / self.range.step_ms();
        while self.steps.get(1).is_some_and(|(second, _)| second + steps_in_range <= step) {
            self.steps.pop_front();
        }
    }

    /// The position of the range's beginning among the steps, the number of its first step, and the price before it.
    fn beginning(&self, now: UnixMs) -> (usize, u64, Option<UnitPrice>) {
        let first = self.range.start(now).0 / self.range.step_ms();
        let place = self.steps.partition_point(|(step, _)| *step < first);
        let before = place.checked_sub(1).and_then(|place| self.steps.get(place)).map(|(_, price)| *price);
        (place, first, before)
    }

    fn change(&self, now: UnixMs) -> Option<Percent> {
        let (place, _, before) = self.beginning(now);
        let (_, latest) = self.steps.back()?;
        let from = match before {
            Some(price) => price,
            None if self.steps.len() > 1 => self.steps.get(place)?.1,
            None => return None,
        };
        Percent::change(from, *latest)
    }

    fn chart(&self, now: UnixMs) -> Chart {
        let point = |step: u64, price| PricePoint {
            date: UnixMs(step.saturating_mul(self.range.step_ms())),
            price: PriceNumber(price),
        };
        let (place, first, before) = self.beginning(now);
        let starts_later = self.steps.get(place).is_none_or(|(step, _)| *step > first);
        let carried = before.filter(|_| starts_later).map(|price| point(first, price));
        let inside = self.steps.range(place..).map(|(step, price)| point(*step, *price));
        Chart { data: carried.into_iter().chain(inside).collect(), price_change: self.change(now) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP_MS: u64 = 600_000;
    const START: u64 = 1_700_000_000_000 / 86_400_000 * 86_400_000;

    fn price(sats: u64) -> UnitPrice {
        UnitPrice::from_scaled(sats * UnitPrice::ONE_SAT)
    }

    fn at(step: u64) -> UnixMs {
        UnixMs(START + step * STEP_MS)
    }

    #[test]
    fn each_step_keeps_its_last_price_and_late_prices_change_nothing() {
        let mut history = PriceHistory::default();
        history.record(price(100), at(0));
        history.record(price(110), at(0).plus_ms(5));
        history.record(price(120), at(2));
        history.record(price(1), at(1));
        let chart = history.chart(PriceRange::Day, at(3));
        let points: Vec<_> = chart.data.iter().map(|point| (point.date, point.price.0)).collect();
        assert_eq!(points, [(at(0), price(110)), (at(2), price(120))]);
        assert_eq!(chart.price_change.map(Percent::hundredths), Some(909));
    }

    #[test]
    fn a_single_price_has_no_change() {
        let mut history = PriceHistory::default();
        assert_eq!(history.change(PriceRange::Day, at(0)), None);
        history.record(price(100), at(0));
        assert_eq!(history.change(PriceRange::Day, at(0)), None);
        // A day later the same price has held for the whole range.
        assert_eq!(history.change(PriceRange::Day, at(200)).map(Percent::hundredths), Some(0));
        assert_eq!(history.chart(PriceRange::Day, at(200)).data.len(), 1);
    }

    #[test]
    fn the_price_before_the_range_is_carried_to_its_beginning() {
        let mut history = PriceHistory::default();
        history.record(price(100), at(0));
        history.record(price(50), at(150));
        let chart = history.chart(PriceRange::Day, at(160));
        let points: Vec<_> = chart.data.iter().map(|point| (point.date, point.price.0)).collect();
        assert_eq!(points, [(at(16), price(100)), (at(150), price(50))]);
        assert_eq!(chart.price_change.map(Percent::hundredths), Some(-5_000));
    }

    #[test]
    fn memory_is_bounded_whatever_the_ticks() {
        let mut history = PriceHistory::default();
        for step in 0..50_000 {
            history.record(price(step + 1), at(step));
        }
        for ring in &history.rings {
            let steps = ring.range.length_ms() / ring.range.step_ms();
            assert!(u64::try_from(ring.steps.len()).unwrap() <= steps + 1, "{:?}", ring.range);
        }
        assert_eq!(history.chart(PriceRange::Quarter, at(49_999)).data.len(), 91);
    }
}
