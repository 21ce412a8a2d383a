//! The decision whether prices from marketplaces are adopted.
//!
//! A price determines which offers are paused and the shown value of collateral, so no source sets one by itself. A price
//! is the median of several sources that agree, none of them too old, and a large move must be confirmed in further
//! rounds. An operator can let a single remaining source go on under a wider guard: near the last price on which
//! several sources agreed it is adopted, and beyond that only after many rounds.

#[cfg(test)]
mod tests;

use std::fmt;

use domain::{UnitPrice, UnixMs};

use crate::config::price_settings::{OneSource, PriceSettings};

/// The rules by which a price is adopted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceRules {
    /// The number of sources that must agree.
    pub sources_min: usize,
    /// The largest deviation from the median with which a price still agrees, in basis points.
    pub spread_bp_max: u64,
    /// The largest move that is adopted at once, in basis points.
    pub jump_bp_max: u64,
    /// The number of rounds that must confirm a larger move.
    pub jump_rounds: u8,
    /// The largest age of a sample, in milliseconds.
    pub fresh_ms: u64,
    /// The rules for a single source; `None` if it sets no price.
    pub single_source: Option<SingleSourceRules>,
}

/// The wider guard for a single remaining source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleSourceRules {
    /// The largest move from the anchor, in basis points.
    pub move_bp_max: u64,
    /// The number of rounds that must confirm a larger move, or a first price.
    pub rounds: u8,
}

impl PriceRules {
    /// Builds the rules from the settings.
    #[must_use]
    pub fn of(settings: &PriceSettings) -> Self {
        Self {
            sources_min: usize::from(settings.sources_min),
            spread_bp_max: u64::from(settings.spread_percent_max) * 100,
            jump_bp_max: u64::from(settings.jump_percent_max) * 100,
            jump_rounds: settings.jump_rounds,
            fresh_ms: u64::from(settings.fresh_s) * 1_000,
            single_source: (settings.one_source == OneSource::WiderGuard).then(|| SingleSourceRules {
                move_bp_max: u64::from(settings.one_source_move_percent_max) * 100,
                rounds: settings.one_source_rounds,
            }),
        }
    }

    /// Returns whether a sample is recent enough to count.
    #[must_use]
    pub const fn is_fresh(&self, sample: &Sample, now: UnixMs) -> bool {
        now.0.saturating_sub(sample.at.0) <= self.fresh_ms
    }

    /// Returns the number of rounds that must confirm a move, by one source alone or by several.
    #[must_use]
    pub fn rounds_of(&self, is_single_source: bool) -> u8 {
        match self.single_source {
            Some(alone) if is_single_source => alone.rounds,
            _ => self.jump_rounds,
        }
    }
}

/// The last price of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The price.
    pub price: UnitPrice,
    /// The time of the report.
    pub at: UnixMs,
}

/// A large move that is not confirmed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The new price.
    pub to: UnitPrice,
    /// The number of rounds that reported it.
    pub rounds: u8,
    /// The time of the last of them.
    pub at: UnixMs,
    /// Whether a single source reports it. Rounds of several sources do not count for a single one, nor the other way
    /// round.
    pub is_single_source: bool,
}

/// The reason why no price is adopted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldReason {
    /// No source has reported a price recently.
    NoSource,
    /// Too few sources have reported a price recently.
    TooFewSources {
        /// The number of sources that have.
        found: usize,
        /// The number required.
        needed: usize,
    },
    /// The sources disagree.
    Disagreement {
        /// The lowest price.
        low: UnitPrice,
        /// The highest price.
        high: UnitPrice,
    },
    /// The move is so large that further rounds must confirm it.
    Jump(Jump),
}

impl fmt::Display for HoldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSource => f.write_str("no marketplace has reported a price recently"),
            Self::TooFewSources { found, needed } => {
                write!(f, "too few marketplaces have reported a price recently ({found} of {needed} required)")
            }
            Self::Disagreement { .. } => f.write_str("the marketplaces disagree about the price"),
            Self::Jump(Jump { rounds, .. }) => {
                write!(f, "the price would jump; rounds that have confirmed it so far: {rounds}")
            }
        }
    }
}

/// The result of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceDecision {
    /// The price is adopted.
    Take {
        /// The price.
        price: UnitPrice,
        /// The number of sources that agree.
        sources: usize,
    },
    /// The last price stays.
    Hold(HoldReason),
}

/// The state before a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PriceState {
    /// The market's price.
    pub known: Option<UnitPrice>,
    /// The last price on which several sources agreed, or that an operator set: the moves of a single source are
    /// measured from it, so that it cannot drift away in small steps.
    pub anchor: Option<UnitPrice>,
    /// The move that waits for confirmation.
    pub jump: Option<Jump>,
}

/// Judges the last price of each source.
#[must_use]
pub fn judge(rules: &PriceRules, before: PriceState, samples: &[Sample], now: UnixMs) -> PriceDecision {
    let PriceState { known, anchor, jump } = before;
    let mut fresh: Vec<Sample> = samples.iter().filter(|sample| rules.is_fresh(sample, now)).copied().collect();
    fresh.sort_by_key(|sample| sample.price);
    let Some(middle) = median(&fresh) else { return PriceDecision::Hold(HoldReason::NoSource) };
    let needed = rules.sources_min;
    if fresh.len() < needed {
        return match (rules.single_source, fresh.as_slice()) {
            (Some(alone), [one]) => judge_alone(alone, anchor, jump, *one, now),
            _ => PriceDecision::Hold(HoldReason::TooFewSources { found: fresh.len(), needed }),
        };
    }
    let about: Vec<Sample> =
        fresh.iter().filter(|sample| is_within(sample.price, middle, rules.spread_bp_max)).copied().collect();
    if about.len() < needed || about.len() * 2 <= fresh.len() {
        let low = fresh.first().map_or(middle, |sample| sample.price);
        let high = fresh.last().map_or(middle, |sample| sample.price);
        return PriceDecision::Hold(HoldReason::Disagreement { low, high });
    }
    let (price, sources) = (median(&about).unwrap_or(middle), about.len());
    let take = PriceDecision::Take { price, sources };
    let Some(known) = known.filter(|known| !is_within(price, *known, rules.jump_bp_max)) else { return take };
    debug_assert_ne!(price, known);
    let is_confirmed = |since: UnixMs| about.iter().filter(|sample| sample.at > since).count() >= needed;
    let reported = Jump { to: price, rounds: 1, at: now, is_single_source: false };
    let jump = confirm_jump(jump, reported, rules.spread_bp_max, is_confirmed);
    if jump.rounds >= rules.jump_rounds { take } else { PriceDecision::Hold(HoldReason::Jump(jump)) }
}

/// Judges the price of a single remaining source.
fn judge_alone(
    alone: SingleSourceRules,
    anchor: Option<UnitPrice>,
    jump: Option<Jump>,
    one: Sample,
    now: UnixMs,
) -> PriceDecision {
    let take = PriceDecision::Take { price: one.price, sources: 1 };
    if anchor.is_some_and(|anchor| is_within(one.price, anchor, alone.move_bp_max)) {
        return take;
    }
    let first = jump.filter(|jump| jump.is_single_source && is_within(one.price, jump.to, alone.move_bp_max));
    // Every round must agree with the first one: a price that keeps moving is not adopted.
    let to = first.map_or(one.price, |first| first.to);
    let reported = Jump { to, rounds: 1, at: now, is_single_source: true };
    let jump = confirm_jump(first, reported, alone.move_bp_max, |since| one.at > since);
    if jump.rounds >= alone.rounds { take } else { PriceDecision::Hold(HoldReason::Jump(jump)) }
}

/// Returns the move with this round counted if it confirms the waiting one; only samples requested since then confirm
/// it.
fn confirm_jump(earlier: Option<Jump>, reported: Jump, spread_bp: u64, is_confirmed: impl Fn(UnixMs) -> bool) -> Jump {
    let same =
        |jump: &Jump| jump.is_single_source == reported.is_single_source && is_within(reported.to, jump.to, spread_bp);
    match earlier.filter(same) {
        Some(jump) if is_confirmed(jump.at) => Jump { rounds: jump.rounds.saturating_add(1), ..reported },
        Some(jump) => jump,
        None => reported,
    }
}

/// Returns the anchor after a round: a price on which several sources agreed, or that a single source confirmed often
/// enough beyond its bounds.
#[must_use]
pub fn anchor_after(rules: &PriceRules, anchor: Option<UnitPrice>, verdict: &PriceDecision) -> Option<UnitPrice> {
    let PriceDecision::Take { price, sources } = *verdict else { return anchor };
    let stays = |anchor: &UnitPrice| {
        sources < rules.sources_min
            && rules.single_source.is_some_and(|alone| is_within(price, *anchor, alone.move_bp_max))
    };
    anchor.filter(stays).or(Some(price))
}

/// The lower of the two middle prices if their number is even: collateral is never valued above the market.
fn median(sorted: &[Sample]) -> Option<UnitPrice> {
    sorted.get(sorted.len().checked_sub(1)? / 2).map(|sample| sample.price)
}

/// Returns whether a price deviates from another by at most `basis_points`.
fn is_within(price: UnitPrice, other: UnitPrice, basis_points: u64) -> bool {
    let away = u128::from(price.scaled().abs_diff(other.scaled())) * 10_000;
    away <= u128::from(other.scaled()) * u128::from(basis_points)
}
