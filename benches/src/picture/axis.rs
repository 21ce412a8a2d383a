//! A logarithmic axis between two powers of ten.

/// An axis from a power of ten to another one, and its place on the picture.
pub(super) struct Axis {
    /// The decimal logarithms of its ends.
    ends: [f64; 2],
    places: [f64; 2],
}

impl Axis {
    /// The axis that shows all these positive values from `first` to `last`.
    pub(super) fn over(values: impl Iterator<Item = f64> + Clone, first: f64, last: f64) -> Self {
        let logarithms = values.filter(|value| *value > 0.0).map(f64::log10);
        let (low, high) =
            logarithms.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (value.min(low), value.max(high)));
        let ends = if low > high { [0.0, 1.0] } else { [low.floor(), high.ceil().max(low.floor() + 1.0)] };
        Self { ends, places: [first, last] }
    }

    /// The place of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        let ([low, high], [first, last]) = (self.ends, self.places);
        let share = (value.max(f64::MIN_POSITIVE).log10() - low) / (high - low);
        first + share.clamp(0.0, 1.0) * (last - first)
    }

    /// The places and texts of the powers of ten.
    pub(super) fn ticks(&self, text: impl Fn(f64) -> String) -> Vec<(f64, String)> {
        let [low, high] = self.ends;
        let mut ticks = Vec::new();
        let mut power = low;
        while power <= high {
            let value = 10_f64.powf(power);
            ticks.push((self.place(value), text(value)));
            power += 1.0;
        }
        ticks
    }
}

/// Formats a power of ten, such as `100k`.
pub(super) fn short_count(value: f64) -> String {
    match value {
        0.0..1e3 => format!("{value:.0}"),
        1e3..1e6 => format!("{:.0}k", value / 1e3),
        _ => format!("{:.0}M", value / 1e6),
    }
}

/// Formats a power of ten of nanoseconds, such as `100 µs`.
pub(super) fn short_time(value: f64) -> String {
    match value {
        0.0..1e3 => format!("{value:.0} ns"),
        1e3..1e6 => format!("{:.0} µs", value / 1e3),
        1e6..1e9 => format!("{:.0} ms", value / 1e6),
        _ => format!("{:.0} s", value / 1e9),
    }
}
