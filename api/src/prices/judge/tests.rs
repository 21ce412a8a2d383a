//! Tests of the decision whether prices are adopted.

use proptest::prelude::*;

use super::*;

const NOW: UnixMs = UnixMs(1_000_000_000);
const RULES: PriceRules = PriceRules {
    sources_min: 2,
    spread_bp_max: 2_000,
    jump_bp_max: 2_500,
    jump_rounds: 3,
    fresh_ms: 900_000,
    single_source: None,
};

fn price(scaled: u64) -> UnitPrice {
    UnitPrice::from_scaled(scaled)
}

fn samples_at(prices: &[u64], at: UnixMs) -> Vec<Sample> {
    prices.iter().map(|scaled| Sample { price: price(*scaled), at }).collect()
}

fn market(known: u64, jump: Option<Jump>) -> PriceState {
    PriceState { known: Some(price(known)), anchor: Some(price(known)), jump }
}

fn first(prices: &[u64]) -> PriceDecision {
    judge(&RULES, PriceState::default(), &samples_at(prices, NOW), NOW)
}

fn take(scaled: u64, sources: usize) -> PriceDecision {
    PriceDecision::Take { price: price(scaled), sources }
}

#[test]
fn a_price_is_the_median_of_the_sources_that_agree() {
    assert_eq!(first(&[100, 110]), take(100, 2));
    assert_eq!(first(&[90, 100, 110]), take(100, 3));
    assert_eq!(first(&[100, 104, 5_000]), take(100, 2), "an outlier is ignored");
    assert_eq!(first(&[1, 100, 104]), take(100, 2));
}

#[test]
fn no_single_source_sets_a_price() {
    assert_eq!(first(&[]), PriceDecision::Hold(HoldReason::NoSource));
    assert_eq!(first(&[100]), PriceDecision::Hold(HoldReason::TooFewSources { found: 1, needed: 2 }));
    let split = |low, high| PriceDecision::Hold(HoldReason::Disagreement { low: price(low), high: price(high) });
    assert_eq!(first(&[100, 200]), split(100, 200));
    assert_eq!(first(&[100, 101, 200, 201]), split(100, 201), "two against two");
    assert_eq!(first(&[1, 100, 10_000]), split(1, 10_000));
}

#[test]
fn old_samples_do_not_count() {
    let old = UnixMs(NOW.0 - RULES.fresh_ms - 1);
    let samples = [samples_at(&[100], NOW), samples_at(&[100, 100], old)].concat();
    let verdict = judge(&RULES, market(100, None), &samples, NOW);
    assert_eq!(verdict, PriceDecision::Hold(HoldReason::TooFewSources { found: 1, needed: 2 }));
    assert_eq!(
        judge(&RULES, PriceState::default(), &samples_at(&[100], old), NOW),
        PriceDecision::Hold(HoldReason::NoSource)
    );
}

/// Rounds a minute apart, in each of which all sources report anew.
fn rounds(known: u64, prices: &[u64]) -> Vec<PriceDecision> {
    let mut jump = None;
    let round = |(index, scaled): (usize, &u64)| {
        let now = UnixMs(NOW.0 + 60_000 * u64::try_from(index).unwrap());
        let verdict = judge(&RULES, market(known, jump), &samples_at(&[*scaled, *scaled], now), now);
        jump = match verdict {
            PriceDecision::Hold(HoldReason::Jump(jump)) => Some(jump),
            _ => None,
        };
        verdict
    };
    prices.iter().enumerate().map(round).collect()
}

#[test]
fn a_large_move_is_adopted_in_its_third_round() {
    assert_eq!(rounds(100, &[125]), [take(125, 2)], "a move within bounds");
    let found = rounds(100, &[50, 50, 52]);
    assert!(matches!(found[0], PriceDecision::Hold(HoldReason::Jump(Jump { rounds: 1, .. }))), "{found:?}");
    assert!(matches!(found[1], PriceDecision::Hold(HoldReason::Jump(Jump { rounds: 2, .. }))), "{found:?}");
    assert_eq!(found[2], take(52, 2));
    let found = rounds(100, &[50, 50, 200, 50, 50]);
    assert!(found.iter().all(|verdict| matches!(verdict, PriceDecision::Hold(_))), "the price wavers: {found:?}");
    let found = rounds(100, &[50, 50, 100, 50, 50]);
    assert_eq!(found[2], take(100, 2));
    assert!(
        matches!(found[4], PriceDecision::Hold(HoldReason::Jump(Jump { rounds: 2, .. }))),
        "it starts again: {found:?}"
    );
}

#[test]
fn a_sample_that_is_not_renewed_does_not_confirm_itself() {
    let samples = samples_at(&[50, 50], NOW);
    let mut jump = None;
    for minute in 0..10 {
        let now = UnixMs(NOW.0 + 60_000 * minute);
        let verdict = judge(&RULES, market(100, jump), &samples, now);
        let PriceDecision::Hold(HoldReason::Jump(found)) = verdict else { panic!("{verdict:?}") };
        assert_eq!(found.rounds, 1);
        jump = Some(found);
    }
}

const ALONE: SingleSourceRules = SingleSourceRules { move_bp_max: 1_000, rounds: 5 };
const GUARDED: PriceRules = PriceRules { single_source: Some(ALONE), ..RULES };

/// Rounds of a single source, a minute apart, from an anchor: the verdicts, and the anchor after each.
fn alone(anchor: Option<u64>, prices: &[u64]) -> Vec<(PriceDecision, Option<UnitPrice>)> {
    let anchor = anchor.map(price);
    let mut before = PriceState { known: anchor, anchor, jump: None };
    let round = |(index, scaled): (usize, &u64)| {
        let now = UnixMs(NOW.0 + 60_000 * u64::try_from(index).unwrap());
        let verdict = judge(&GUARDED, before, &samples_at(&[*scaled], now), now);
        before.anchor = anchor_after(&GUARDED, before.anchor, &verdict);
        before.jump = match verdict {
            PriceDecision::Hold(HoldReason::Jump(jump)) => Some(jump),
            _ => None,
        };
        if let PriceDecision::Take { price, .. } = verdict {
            before.known = Some(price);
        }
        (verdict, before.anchor)
    };
    prices.iter().enumerate().map(round).collect()
}

#[test]
fn a_single_source_near_the_anchor_is_adopted_if_the_operator_permits_it() {
    let one = samples_at(&[105], NOW);
    let held = PriceDecision::Hold(HoldReason::TooFewSources { found: 1, needed: 2 });
    assert_eq!(judge(&RULES, market(100, None), &one, NOW), held);
    assert_eq!(judge(&GUARDED, market(100, None), &one, NOW), take(105, 1));
    let stays = alone(Some(100), &[110, 90, 110]);
    assert_eq!(stays, [110, 90, 110].map(|scaled| (take(scaled, 1), Some(price(100)))));
    assert!(matches!(
        alone(Some(100), &[111])[0].0,
        PriceDecision::Hold(HoldReason::Jump(Jump { is_single_source: true, .. }))
    ));
}

#[test]
fn beyond_its_bounds_a_single_source_is_adopted_after_many_rounds() {
    let found = alone(Some(100), &[50, 51, 50, 49]);
    assert!(found.iter().all(|(verdict, _)| matches!(verdict, PriceDecision::Hold(HoldReason::Jump(_)))), "{found:?}");
    let found = alone(Some(100), &[50, 51, 50, 49, 52]);
    assert_eq!(found[4], (take(52, 1), Some(price(52))), "and is the anchor from then on");
    let drifting = alone(Some(100), &[50, 47, 44, 41, 38, 36]);
    assert!(drifting.iter().all(|(verdict, _)| matches!(verdict, PriceDecision::Hold(_))), "{drifting:?}");
    let first = alone(None, &[50, 50, 50, 50, 50]);
    assert!(
        matches!(first[3].0, PriceDecision::Hold(HoldReason::Jump(Jump { rounds: 4, .. }))),
        "no first price either"
    );
    assert_eq!(first[4].0, take(50, 1));
}

#[test]
fn rounds_of_several_sources_do_not_count_for_one_nor_the_other_way_round() {
    let minute = |index: u64| UnixMs(NOW.0 + 60_000 * index);
    let jump = |rounds, is_single_source| Jump { to: price(50), rounds, at: NOW, is_single_source };
    let of_one = judge(&GUARDED, market(100, Some(jump(4, true))), &samples_at(&[50, 50], minute(1)), minute(1));
    assert!(
        matches!(of_one, PriceDecision::Hold(HoldReason::Jump(Jump { rounds: 1, is_single_source: false, .. }))),
        "{of_one:?}"
    );
    let of_several = judge(&GUARDED, market(100, Some(jump(2, false))), &samples_at(&[50], minute(1)), minute(1));
    assert!(
        matches!(of_several, PriceDecision::Hold(HoldReason::Jump(Jump { rounds: 1, is_single_source: true, .. }))),
        "{of_several:?}"
    );
}

#[test]
fn two_sources_that_disagree_are_not_a_single_source() {
    let split = PriceDecision::Hold(HoldReason::Disagreement { low: price(100), high: price(200) });
    assert_eq!(judge(&GUARDED, market(100, None), &samples_at(&[100, 200], NOW), NOW), split);
}

fn prices() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![1_u64..1_000, 1_u64..=UnitPrice::MAX.scaled()], 0..9)
}

proptest! {
    #[test]
    fn a_price_that_is_taken_has_a_majority_near_it(scaled in prices()) {
        if let PriceDecision::Take { price, sources } = first(&scaled) {
            prop_assert!(sources >= 2 && sources * 2 > scaled.len());
            prop_assert!(scaled.contains(&price.scaled()));
        }
    }

    #[test]
    fn no_dishonest_minority_moves_the_price_out_of_the_honest_range(
        honest in 1_000_u64..1_000_000_000, extra_bp in prop::collection::vec(0_u64..1_000, 2..7),
        lies in prop::collection::vec(1_u64..=UnitPrice::MAX.scaled(), 0..6),
    ) {
        let truths: Vec<u64> = extra_bp.iter().map(|bp| honest + honest * bp / 10_000).collect();
        let lies = &lies[..lies.len().min(truths.len() - 1)];
        let (low, high) = (*truths.iter().min().unwrap(), *truths.iter().max().unwrap());
        match first(&[&truths, lies].concat()) {
            PriceDecision::Take { price, .. } => prop_assert!((low..=high).contains(&price.scaled())),
            PriceDecision::Hold(_) => prop_assert!(false, "the majority agrees"),
        }
    }

    #[test]
    fn no_single_round_moves_the_price_too_far(known in 1_u64..=UnitPrice::MAX.scaled(), scaled in prices()) {
        let verdict = judge(&RULES, market(known, None), &samples_at(&scaled, NOW), NOW);
        if let PriceDecision::Take { price: taken, .. } = verdict {
            prop_assert!(is_within(taken, price(known), RULES.jump_bp_max));
        }
    }

    #[test]
    fn a_single_source_cannot_drift_away_from_the_anchor(
        anchor in 1_000_u64..1_000_000_000, steps_bp in prop::collection::vec(0_u64..=2_000, 0..60),
    ) {
        // Each round reports up to a tenth more or less than the one before.
        let mut reported = anchor;
        let prices: Vec<u64> = steps_bp.iter().map(|bp| {
            reported = (reported * (9_000 + bp) / 10_000).max(1);
            reported
        }).collect();
        let mut near = price(anchor);
        let mut rounds_beyond = 0_u8;
        for (verdict, after) in alone(Some(anchor), &prices) {
            match verdict {
                PriceDecision::Take { price, .. } if is_within(price, near, ALONE.move_bp_max) => {
                    prop_assert_eq!(after, Some(near), "the anchor stays");
                    rounds_beyond = 0;
                }
                PriceDecision::Take { price, .. } => {
                    prop_assert!(rounds_beyond + 1 >= ALONE.rounds, "after {} rounds", rounds_beyond);
                    prop_assert_eq!(after, Some(price));
                    (near, rounds_beyond) = (price, 0);
                }
                PriceDecision::Hold(_) => rounds_beyond = rounds_beyond.saturating_add(1),
            }
        }
    }

    #[test]
    fn the_guard_for_a_single_source_does_not_affect_several(
        known in 1_u64..=UnitPrice::MAX.scaled(), scaled in prices(), anchor in 1_u64..=UnitPrice::MAX.scaled(),
    ) {
        let before = PriceState { anchor: Some(price(anchor)), ..market(known, None) };
        let (plain, guarded) =
            (judge(&RULES, before, &samples_at(&scaled, NOW), NOW), judge(&GUARDED, before, &samples_at(&scaled, NOW), NOW));
        prop_assert!(scaled.len() == 1 || plain == guarded);
        if let PriceDecision::Take { price, sources: 2.. } = plain {
            prop_assert_eq!(anchor_after(&GUARDED, before.anchor, &plain), Some(price));
        }
    }
}
