//! The change of a vault: one output, or several so that not all of the balance has to wait for the confirmation of one
//! transaction.

use bitcoin::{Amount, FeeRate, ScriptBuf, TxOut, Weight};
use thiserror::Error;

use crate::contract::transaction::template::fee_of;

/// The maximum number of outputs that one transaction pays to a vault.
pub const OUTPUTS_MAX: usize = 8;
/// The minimum value of an output that splitting creates.
pub const OUTPUT_VALUE_MIN: Amount = Amount::from_sat(500_000);
/// The minimum ratio of a split output's value to its cost.
const VALUE_TO_COST_MIN: u64 = 1_000;

/// The reason why the change cannot be split into this number of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{rest} can be split into 1 to {max} outputs at this fee rate, not {found}")]
pub struct SplitError {
    /// The amount to split.
    pub rest: Amount,
    /// The maximum number of outputs.
    pub max: usize,
    /// The requested number.
    pub found: usize,
}

/// The maximum number of outputs for an amount: one, or as many as have the minimum value each and are worth their
/// cost.
#[must_use]
pub fn outputs_max(amount: Amount, vault: &ScriptBuf, rate: FeeRate) -> usize {
    let cost = output_cost(vault, rate).unwrap_or(Amount::MAX_MONEY);
    let least = OUTPUT_VALUE_MIN.to_sat().max(cost.to_sat().saturating_mul(VALUE_TO_COST_MIN));
    let parts = amount.to_sat().checked_div(least).and_then(|parts| usize::try_from(parts).ok());
    parts.unwrap_or(OUTPUTS_MAX).clamp(1, OUTPUTS_MAX)
}

/// Splits an amount into outputs of one size, with the indivisible remainder in the first.
#[must_use]
pub fn outputs(amount: Amount, count: usize, vault: &ScriptBuf) -> Vec<TxOut> {
    let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
    let (each, left) = (amount.to_sat() / count, amount.to_sat() % count);
    let output = |sats: u64| TxOut { value: Amount::from_sat(sats), script_pubkey: vault.clone() };
    std::iter::once(output(each + left)).chain((1..count).map(|_| output(each))).collect()
}

/// Refuses a number of outputs that is not worth its cost.
pub(crate) fn check_count(rest: Amount, count: usize, vault: &ScriptBuf, rate: FeeRate) -> Result<(), SplitError> {
    let max = if rest == Amount::ZERO { 1 } else { outputs_max(rest, vault, rate) };
    if (1..=max).contains(&count) { Ok(()) } else { Err(SplitError { rest, max, found: count }) }
}

/// The fee that a transaction of this weight, with `count` outputs for the vault, pays for all of them but one.
pub(crate) fn split_cost(weight: Weight, count: usize, vault: &ScriptBuf, rate: FeeRate) -> Option<Amount> {
    let more = u64::try_from(count.saturating_sub(1)).ok()?;
    let spared = output_weight(vault).to_wu().checked_mul(more)?;
    let single = Weight::from_wu(weight.to_wu().checked_sub(spared)?);
    fee_of(weight, rate)?.checked_sub(fee_of(single, rate)?)
}

/// The cost of one more output.
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
    fn change_is_split_where_each_output_is_worth_its_cost() {
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
        fn a_split_conserves_the_amount_and_no_output_is_too_small(
            sats in 0..Amount::MAX_MONEY.to_sat(), sat_per_kwu in 0_u64..200_000, count in 1_usize..=OUTPUTS_MAX,
        ) {
            let (amount, vault, rate) = (Amount::from_sat(sats), vault(), FeeRate::from_sat_per_kwu(sat_per_kwu));
            let made = outputs(amount, count, &vault);
            prop_assert_eq!(made.len(), count);
            prop_assert_eq!(made.iter().map(|output| output.value).sum::<Amount>(), amount);
            if count > 1 && check_count(amount, count, &vault, rate).is_ok() {
                prop_assert!(made.iter().all(|output| output.value >= OUTPUT_VALUE_MIN));
                let weight = Weight::from_wu(2_000);
                let cost = split_cost(weight, count, &vault, rate).unwrap();
                prop_assert!(cost.to_sat() <= amount.to_sat() / VALUE_TO_COST_MIN + 1, "a thousandth at most");
            }
        }
    }
}
