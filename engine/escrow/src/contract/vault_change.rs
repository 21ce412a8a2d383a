//! The rest of a vault's outputs on its way back: in one output, or in several so that not all of them wait for the next
//! block that one of them has to wait for.

use bitcoin::{Amount, FeeRate, ScriptBuf, TxOut, Weight};
use thiserror::Error;

use super::template::fee_of;

/// The most outputs in which money goes to a vault at once.
pub const OUTPUTS_MAX: usize = 8;
/// No output smaller than this is made by splitting.
pub const PART_MIN: Amount = Amount::from_sat(500_000);
/// What is split off holds so many times what its output costs.
const PART_WORTH: u64 = 1_000;

/// Why the rest does not go back in so many outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{rest} goes back in 1 to {max} outputs at this fee rate, not in {found}")]
pub struct SplitError {
    /// What goes back.
    pub rest: Amount,
    /// The most outputs.
    pub max: usize,
    /// How many were asked for.
    pub found: usize,
}

/// In how many outputs so much can go to a vault: one, or as many as hold enough each and are worth their cost.
#[must_use]
pub fn outputs_max(amount: Amount, vault: &ScriptBuf, rate: FeeRate) -> usize {
    let cost = output_cost(vault, rate).unwrap_or(Amount::MAX_MONEY);
    let least = PART_MIN.to_sat().max(cost.to_sat().saturating_mul(PART_WORTH));
    let parts = amount.to_sat().checked_div(least).and_then(|parts| usize::try_from(parts).ok());
    parts.unwrap_or(OUTPUTS_MAX).clamp(1, OUTPUTS_MAX)
}

/// The outputs in which so much goes to a vault: of one size, what cannot be divided in the first.
#[must_use]
pub fn outputs(amount: Amount, count: usize, vault: &ScriptBuf) -> Vec<TxOut> {
    let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
    let (each, left) = (amount.to_sat() / count, amount.to_sat() % count);
    let output = |sats: u64| TxOut { value: Amount::from_sat(sats), script_pubkey: vault.clone() };
    std::iter::once(output(each + left)).chain((1..count).map(|_| output(each))).collect()
}

/// Refuses a number of outputs that is not worth it.
pub(crate) fn check_count(rest: Amount, count: usize, vault: &ScriptBuf, rate: FeeRate) -> Result<(), SplitError> {
    let max = if rest == Amount::ZERO { 1 } else { outputs_max(rest, vault, rate) };
    if (1..=max).contains(&count) { Ok(()) } else { Err(SplitError { rest, max, found: count }) }
}

/// What a transaction of this weight, which has so many outputs for the vault, pays for all of them but one.
pub(crate) fn split_cost(weight: Weight, count: usize, vault: &ScriptBuf, rate: FeeRate) -> Option<Amount> {
    let more = u64::try_from(count.saturating_sub(1)).ok()?;
    let spared = output_weight(vault).to_wu().checked_mul(more)?;
    let single = Weight::from_wu(weight.to_wu().checked_sub(spared)?);
    fee_of(weight, rate)?.checked_sub(fee_of(single, rate)?)
}

/// What one output more costs.
#[must_use]
pub fn output_cost(vault: &ScriptBuf, rate: FeeRate) -> Option<Amount> {
    fee_of(output_weight(vault), rate)
}

fn output_weight(vault: &ScriptBuf) -> Weight {
    TxOut { value: Amount::ZERO, script_pubkey: vault.clone() }.weight()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vault() -> ScriptBuf {
        ScriptBuf::from_bytes([&[0x51, 0x20][..], &[7; 32]].concat())
    }

    #[test]
    fn money_is_split_where_each_part_is_worth_its_output() {
        let vault = vault();
        for (sats, sat_per_vb, parts) in [
            (0, 1, 1),
            (999_999, 1, 1),
            (1_000_000, 1, 2),
            (4_000_000, 1, 8),
            (4_000_000, 10, 8),
            (4_000_000, 20, 4),
            (4_000_000, 100, 1),
            (100_000_000, 100, 8),
        ] {
            let rate = FeeRate::from_sat_per_vb_u32(sat_per_vb);
            assert_eq!(outputs_max(Amount::from_sat(sats), &vault, rate), parts, "{sats} at {sat_per_vb}");
        }
        assert_eq!(outputs_max(Amount::MAX_MONEY, &vault, FeeRate::MAX), 1);
        let (rest, rate) = (Amount::from_sat(1_250_000), FeeRate::BROADCAST_MIN);
        for found in [0, 3] {
            assert_eq!(check_count(rest, found, &vault, rate), Err(SplitError { rest, max: 2, found }));
        }
    }

    proptest! {
        #[test]
        fn no_sat_is_lost_or_made_and_no_part_is_too_small(
            sats in 0..Amount::MAX_MONEY.to_sat(), sat_per_kwu in 0_u64..200_000, count in 1_usize..=OUTPUTS_MAX,
        ) {
            let (amount, vault, rate) = (Amount::from_sat(sats), vault(), FeeRate::from_sat_per_kwu(sat_per_kwu));
            let made = outputs(amount, count, &vault);
            prop_assert_eq!(made.len(), count);
            prop_assert_eq!(made.iter().map(|output| output.value).sum::<Amount>(), amount);
            if count > 1 && check_count(amount, count, &vault, rate).is_ok() {
                prop_assert!(made.iter().all(|output| output.value >= PART_MIN));
                let weight = Weight::from_wu(2_000);
                let cost = split_cost(weight, count, &vault, rate).unwrap();
                prop_assert!(cost.to_sat() <= amount.to_sat() / PART_WORTH + 1, "a thousandth at most");
            }
        }
    }
}
