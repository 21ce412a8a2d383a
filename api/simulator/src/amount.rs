//! Round amounts of principal and of tokens.

use domain::{Ltv, Quantity, Sats, UnitPrice};

/// The smallest step of an amount, in sats: five decimals of a bitcoin.
pub(crate) const STEP: u64 = 1_000;

/// The highest principal of one offer: 20 BTC.
pub(crate) const PRINCIPAL_MAX: Sats = Sats::new(2_000_000_000);

/// The usual rounding step for amounts of this size, in sats: about half a percent, and a round number.
pub(crate) const fn usual_step(principal: Sats) -> u64 {
    match principal.get() {
        0..400_000 => STEP,
        400_000..1_500_000 => 5 * STEP,
        1_500_000..6_000_000 => 10 * STEP,
        6_000_000..25_000_000 => 50 * STEP,
        _ => 100 * STEP,
    }
}

/// The round amount at or below `ltv` of `value`.
pub(crate) fn principal_at(value: Sats, ltv: Ltv) -> Sats {
    let exact = u128::from(value.get()) * u128::from(ltv.basis_points()) / 10_000;
    let exact = u64::try_from(exact).unwrap_or(u64::MAX);
    let step = usual_step(Sats::new(exact));
    Sats::new(exact / step * step)
}

/// The least round amount that quotes more than `competitor` for this quantity.
pub(crate) fn principal_above(competitor: UnitPrice, quantity: Quantity) -> Sats {
    let even = competitor.value_floor(quantity).get();
    let step = usual_step(Sats::new(even));
    let mut principal = even / step * step;
    // `even` is rounded down twice, so one or two steps are enough.
    for _ in 0..3 {
        if UnitPrice::quoted(Sats::new(principal), quantity) > competitor {
            break;
        }
        principal = principal.saturating_add(step);
    }
    Sats::new(principal)
}

/// The quantity that `principal` is lent against at about `ltv`: whole tokens with two digits, rounded up, so that the
/// LTV is never higher.
pub(crate) fn tokens_for(principal: Sats, ltv: Ltv, price: UnitPrice, decimals: u8) -> Option<Quantity> {
    let value = u128::from(principal.get()).checked_mul(10_000)?.div_ceil(u128::from(ltv.basis_points().max(1)));
    let whole = value.checked_mul(u128::from(UnitPrice::ONE_SAT))?.div_ceil(u128::from(price.scaled().max(1))).max(1);
    let mut unit = 1_u128;
    while whole / unit >= 100 {
        unit = unit.checked_mul(10)?;
    }
    let rounded = whole.div_ceil(unit).checked_mul(unit)?;
    let raw = rounded.checked_mul(10_u128.checked_pow(u32::from(decimals))?)?;
    Some(Quantity::tokens(raw, decimals))
}

/// Raw units of a decimal number of whole tokens.
pub(crate) fn tokens_of(text: &str, decimals: u8) -> Option<u128> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let missing = usize::from(decimals).checked_sub(part.len())?;
    let scale = |digits: &str, places: usize| -> Option<u128> {
        let value: u128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        value.checked_mul(10_u128.checked_pow(u32::try_from(places).ok()?)?)
    };
    scale(whole, usize::from(decimals))?.checked_add(scale(part, missing)?)
}

/// The LTV of `principal` against `quantity` at this price.
pub(crate) fn ltv(price: UnitPrice, principal: Sats, quantity: Quantity) -> Ltv {
    price.ltv_of(UnitPrice::quoted(principal, quantity))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tokens_are_read_to_the_last_raw_unit_or_not_at_all() {
        for (text, decimals, raw) in [
            ("12", 0, Some(12)),
            ("1.5", 2, Some(150)),
            ("0.00000001", 8, Some(1)),
            (".5", 1, Some(5)),
            ("1.234", 2, None),
            ("one", 2, None),
            ("-1", 2, None),
            ("9", 38, None),
        ] {
            assert_eq!(tokens_of(text, decimals), raw, "{text}");
        }
    }

    proptest! {
        #[test]
        fn tokens_are_read_as_they_are_shown(raw in 0..=u128::MAX / 10, decimals in 0_u8..=18) {
            prop_assert_eq!(tokens_of(&Quantity::tokens(raw, decimals).to_string(), decimals), Some(raw));
        }

        #[test]
        fn an_amount_is_round_and_not_above_its_ltv(value in 80_000_u64..6_000_000_000, share in 100_u32..=9_800) {
            let share = Ltv::from_basis_points(share);
            let price = UnitPrice::from_scaled(value * UnitPrice::ONE_SAT);
            let one = Quantity::inscriptions(1);
            let principal = principal_at(Sats::new(value), share);
            prop_assert_eq!(principal.get() % STEP, 0);
            prop_assert!(ltv(price, principal, one) <= share);
        }

        #[test]
        fn outbidding_takes_at_most_two_steps(competitor in 1_000_u64..2_000_000_000, raw in 1_u128..10_000_000_000, decimals in 0_u8..=8) {
            let quantity = Quantity::tokens(raw, decimals);
            let quote = UnitPrice::quoted(Sats::new(competitor), quantity);
            prop_assume!(quote.scaled() < u64::MAX / 2);
            let principal = principal_above(quote, quantity);
            prop_assert!(UnitPrice::quoted(principal, quantity) > quote);
            prop_assert_eq!(principal.get() % STEP, 0);
            prop_assert!(principal.get() - competitor <= 2 * usual_step(Sats::new(competitor)));
        }

        #[test]
        fn tokens_keep_the_ltv_and_are_round(
            principal in 50_u64..2_000_000, share in 1_000_u32..=9_000, price in 1_000_000_u64..100_000_000_000, decimals in 0_u8..=18,
        ) {
            let (principal, share, price) = (Sats::new(principal * STEP), Ltv::from_basis_points(share), UnitPrice::from_scaled(price));
            let quantity = tokens_for(principal, share, price, decimals).unwrap();
            prop_assert!(ltv(price, principal, quantity) <= share);
            let whole = quantity.raw / quantity.raw_per_whole().unwrap();
            let digits = whole.to_string();
            prop_assert!(digits.len() <= 2 || digits[2..].bytes().all(|digit| digit == b'0'), "{}", whole);
        }
    }
}
