//! Whether what marketplaces tell is a price.
//!
//! A price decides which offers are paused and what collateral is said to be worth, so no source alone sets one: it is
//! the median of several sources that tell about the same, none of them old, and a large move must be told again and
//! again before it is believed. An operator can let one source that is left alone go on under a wider guard: near the last
//! price that several agreed on it is believed, and beyond that only after many rounds.

#[cfg(test)]
mod tests;

use std::fmt;

use domain::{UnitPrice, UnixMs};

use crate::config::price_settings::{OneSource, PriceSettings};

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
    /// What one source alone may do; `None` for nothing.
    pub alone: Option<AloneRules>,
}

/// The wider guard around one source that is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AloneRules {
    /// How far it may move the price from the anchor, in basis points.
    pub move_bp_max: u64,
    /// How many rounds must tell of a larger move, or of a first price.
    pub rounds: u8,
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
            alone: (settings.one_source == OneSource::WiderGuard).then(|| AloneRules {
                move_bp_max: u64::from(settings.one_source_move_percent_max) * 100,
                rounds: settings.one_source_rounds,
            }),
        }
    }

    /// Whether a sample is not too old to count.
    #[must_use]
    pub const fn is_fresh(&self, sample: &Sample, now: UnixMs) -> bool {
        now.0.saturating_sub(sample.at.0) <= self.fresh_ms
    }

    /// How many rounds a move must be told in by so many sources.
    #[must_use]
    pub fn rounds_of(&self, is_alone: bool) -> u8 {
        match self.alone {
            Some(alone) if is_alone => alone.rounds,
            _ => self.jump_rounds,
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
    /// Whether one source alone tells of it. What several told begins anew when one is left, and the other way round.
    pub is_alone: bool,
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

/// What was believed before a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// The market's price.
    pub known: Option<UnitPrice>,
    /// The last price that several sources agreed on, or an operator set: the moves of one source alone are counted from
    /// it, so that it cannot walk away in small steps.
    pub anchor: Option<UnitPrice>,
    /// The move that waits to be believed.
    pub jump: Option<Jump>,
}

/// Judges what each source told last.
#[must_use]
pub fn judge(rules: &PriceRules, before: Before, samples: &[Sample], now: UnixMs) -> Verdict {
    let Before { known, anchor, jump } = before;
    let mut fresh: Vec<Sample> = samples.iter().filter(|sample| rules.is_fresh(sample, now)).copied().collect();
    fresh.sort_by_key(|sample| sample.price);
    let Some(middle) = median(&fresh) else { return Verdict::Hold(Hold::NoSource) };
    let needed = rules.sources_min;
    if fresh.len() < needed {
        return match (rules.alone, fresh.as_slice()) {
            (Some(alone), [one]) => judge_alone(alone, anchor, jump, *one, now),
            _ => Verdict::Hold(Hold::TooFewSources { found: fresh.len(), needed }),
        };
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
    let is_told_again = |since: UnixMs| about.iter().filter(|sample| sample.at > since).count() >= needed;
    let told = Jump { to: price, rounds: 1, at: now, is_alone: false };
    let jump = told_again(jump, told, rules.spread_bp_max, is_told_again);
    if jump.rounds >= rules.jump_rounds { take } else { Verdict::Hold(Hold::Jump(jump)) }
}

/// Judges what one source tells that is left alone.
fn judge_alone(alone: AloneRules, anchor: Option<UnitPrice>, jump: Option<Jump>, one: Sample, now: UnixMs) -> Verdict {
    let take = Verdict::Take { price: one.price, sources: 1 };
    if anchor.is_some_and(|anchor| is_within(one.price, anchor, alone.move_bp_max)) {
        return take;
    }
    let first = jump.filter(|jump| jump.is_alone && is_within(one.price, jump.to, alone.move_bp_max));
    // Every round must tell about what the first told: a price that keeps moving stays unbelieved.
    let to = first.map_or(one.price, |first| first.to);
    let told = Jump { to, rounds: 1, at: now, is_alone: true };
    let jump = told_again(first, told, alone.move_bp_max, |since| one.at > since);
    if jump.rounds >= alone.rounds { take } else { Verdict::Hold(Hold::Jump(jump)) }
}

/// The move with this round counted, if it is the one that waits; only what was asked again since confirms it.
fn told_again(earlier: Option<Jump>, told: Jump, spread_bp: u64, is_told_again: impl Fn(UnixMs) -> bool) -> Jump {
    let same = |jump: &Jump| jump.is_alone == told.is_alone && is_within(told.to, jump.to, spread_bp);
    match earlier.filter(same) {
        Some(jump) if is_told_again(jump.at) => Jump { rounds: jump.rounds.saturating_add(1), ..told },
        Some(jump) => jump,
        None => told,
    }
}

/// The anchor after a round: what several agreed on, or one told often enough to be believed beyond its bounds.
#[must_use]
pub fn anchor_after(rules: &PriceRules, anchor: Option<UnitPrice>, verdict: &Verdict) -> Option<UnitPrice> {
    let Verdict::Take { price, sources } = *verdict else { return anchor };
    let stays = |anchor: &UnitPrice| {
        sources < rules.sources_min && rules.alone.is_some_and(|alone| is_within(price, *anchor, alone.move_bp_max))
    };
    anchor.filter(stays).or(Some(price))
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
