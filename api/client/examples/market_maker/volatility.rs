//! The volatility of the floor.

const DAY_MS: u64 = 86_400_000;
/// The largest number of prices that are kept.
const PRICES_MAX: usize = 2_000;

/// The floors of the past, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Floors(Vec<(u64, u64)>);

impl Floors {
    /// Adds a floor, in sats, at a time in unix milliseconds. Times that go back are left out.
    pub(crate) fn add(&mut self, at_ms: u64, sats: u64) {
        if sats == 0 || self.0.last().is_some_and(|(last, known)| *last >= at_ms || *known == sats) {
            return;
        }
        self.0.push((at_ms, sats));
        if self.0.len() > PRICES_MAX {
            self.0.remove(0);
        }
    }

    /// The realised volatility a day until now, in hundredths of a percent: the root of the mean of the squares of changes,
    /// rounded up. `None` while the floors are of less than `span_min_ms`.
    pub(crate) fn daily(&self, now_ms: u64, span_min_ms: u64) -> Option<u64> {
        let (first, _) = *self.0.first()?;
        let span_ms = now_ms.checked_sub(first).filter(|span| *span >= span_min_ms)?.max(1);
        let changes = self.0.windows(2).map(|pair| {
            let [(_, before), (_, after)] = [pair[0], pair[1]];
            let change = u128::from(before.abs_diff(after)) * 10_000 / u128::from(before);
            change.min(1_000_000).pow(2)
        });
        let sum: u128 = changes.sum();
        let daily = sum * u128::from(DAY_MS) / u128::from(span_ms);
        let root = daily.isqrt();
        u64::try_from(root + u128::from(root * root < daily)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: u64 = 3_600_000;

    #[test]
    fn the_volatility_is_the_root_of_the_mean_square() {
        let mut floors = Floors::default();
        assert_eq!(floors.daily(DAY_MS, HOUR_MS), None);
        floors.add(0, 1_000_000);
        assert_eq!(floors.daily(HOUR_MS - 1, HOUR_MS), None);
        assert_eq!(floors.daily(HOUR_MS, HOUR_MS), Some(0));
        floors.add(DAY_MS / 2, 1_030_000);
        floors.add(DAY_MS / 4, 5);
        floors.add(DAY_MS, 988_800);
        // 3 % and 4 % in one day, and nothing in the three days after it.
        assert_eq!(floors.daily(DAY_MS, HOUR_MS), Some(500));
        assert_eq!(floors.daily(4 * DAY_MS, HOUR_MS), Some(250));
    }
}
