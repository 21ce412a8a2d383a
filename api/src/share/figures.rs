//! Formatting of amounts in previews.

use bitcoin::{Amount, Denomination};
use domain::{Sats, UnitPrice};
use engine::wire::Percent;

/// The decimals of a unit price.
const UNIT_PRICE_DECIMALS: usize = 8;

/// Formats an amount in bitcoin, with all its decimals.
#[must_use]
pub fn btc(sats: Sats) -> String {
    let exact = Amount::from_sat(sats.get()).to_string_in(Denomination::Bitcoin);
    format!("{} BTC", trimmed(&exact))
}

/// Formats a price in sats per whole token, with all its decimals.
#[must_use]
pub fn unit_price(price: UnitPrice) -> String {
    let (whole, rest) = (price.scaled() / UnitPrice::ONE_SAT, price.scaled() % UnitPrice::ONE_SAT);
    format!("{} sats", trimmed(&format!("{whole}.{rest:0UNIT_PRICE_DECIMALS$}")))
}

/// Formats a percentage with at most two decimals.
#[must_use]
pub fn percent(percent: Percent) -> String {
    let hundredths = percent.hundredths();
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    format!("{sign}{} %", trimmed(&format!("{whole}.{rest:02}")))
}

/// Formats a number of days.
#[must_use]
pub fn days(term: u16) -> String {
    if term == 1 { "1 day".to_owned() } else { format!("{term} days") }
}

/// Removes trailing zeros.
fn trimmed(decimal: &str) -> &str {
    if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_decimals_they_need_and_no_more() {
        assert_eq!(btc(Sats::new(5_123_000)), "0.05123 BTC");
        assert_eq!(btc(Sats::new(1)), "0.00000001 BTC");
        assert_eq!(btc(Sats::new(200_000_000)), "2 BTC");
        assert_eq!(btc(Sats::ZERO), "0 BTC");
        assert_eq!(unit_price(UnitPrice::from_scaled(12 * UnitPrice::ONE_SAT + 50_000_000)), "12.5 sats");
        assert_eq!(unit_price(UnitPrice::from_scaled(1)), "0.00000001 sats");
        assert_eq!(percent(Percent::from_hundredths(410)), "4.1 %");
        assert_eq!(percent(Percent::from_hundredths(-5)), "-0.05 %");
        assert_eq!(percent(Percent::from_hundredths(10_000)), "100 %");
        assert_eq!((days(1), days(30)), ("1 day".to_owned(), "30 days".to_owned()));
    }
}
