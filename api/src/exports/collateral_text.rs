//! The collateral of a loan as text.

use engine::wire::{CollateralName, LoanView};

/// Returns the ids of the inscriptions, or the amount and name of the token.
#[must_use]
pub fn items(loan: &LoanView) -> Vec<String> {
    match loan.collateral_type {
        CollateralName::Inscription => loan.inscription_ids.clone(),
        CollateralName::Rune => vec![tokens(loan, loan.rune_name.as_deref())],
        CollateralName::Brc20 => vec![tokens(loan, loan.ticker.as_deref())],
    }
}

fn tokens(loan: &LoanView, name: Option<&str>) -> String {
    let raw = loan.fungible_amount.map_or(0, |amount| amount.0);
    let amount = whole(raw, loan.rune_decimals.unwrap_or(0));
    format!("{amount} {}", name.unwrap_or(&loan.collection_symbol))
}

/// Raw units as whole ones, without trailing zeros.
fn whole(raw: u128, decimals: u8) -> String {
    let decimals = usize::from(decimals);
    let digits = format!("{raw:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_units_are_written_as_whole_ones() {
        for (raw, decimals, text) in [
            (0, 0, "0"),
            (7, 0, "7"),
            (7, 2, "0.07"),
            (70, 2, "0.7"),
            (100_000_000, 2, "1000000"),
            (123_456, 5, "1.23456"),
            (u128::MAX, 38, "3.40282366920938463463374607431768211455"),
        ] {
            assert_eq!(whole(raw, decimals), text);
        }
    }
}
