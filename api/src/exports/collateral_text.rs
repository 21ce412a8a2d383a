//! The collateral of a loan as text.

use domain::Quantity;
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
    let amount = Quantity::tokens(raw, loan.rune_decimals.unwrap_or(0));
    format!("{amount} {}", name.unwrap_or(&loan.collection_symbol))
}
