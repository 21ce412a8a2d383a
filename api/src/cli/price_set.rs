//! `lienbook price set`: sets a price.

use domain::UnitPrice;

use super::arguments::PriceSubcommand;
use super::operate;
use super::terminal::{say, table};
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::number::grouped;
use crate::operator::request::{Reply, Request};

/// Sets a price and prints it together with the previous one.
pub(super) fn run(settings: &Settings, act: &PriceSubcommand) -> Result<(), Failure> {
    let PriceSubcommand::Set { collection, sats } = act;
    let request = Request::SetPrice { collection: collection.clone(), price_scaled: sats.scaled() };
    match operate::execute(settings, request, "the price may be set or not; set it again")? {
        Reply::PriceSet { collection, before_scaled } => {
            say(format_args!("Set the price of {collection}"));
            let before =
                before_scaled.map_or_else(|| "none".to_owned(), |scaled| shown(UnitPrice::from_scaled(scaled)));
            say(table(&[("before", before), ("now", shown(*sats))]).trim_end());
            Ok(())
        }
        other => Err(operate::failure(other)),
    }
}

fn shown(price: UnitPrice) -> String {
    let (whole, fraction) = (price.scaled() / UnitPrice::ONE_SAT, price.scaled() % UnitPrice::ONE_SAT);
    let decimals = format!(".{fraction:08}");
    format!("{}{} sats", grouped(whole), decimals.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::price_argument::parse;

    #[test]
    fn a_price_may_be_a_part_of_a_sat() {
        for (text, scaled, again) in [
            ("1000000", 100_000_000_000_000, "1,000,000 sats"),
            ("0.083", 8_300_000, "0.083 sats"),
            ("0.00000001", 1, "0.00000001 sats"),
            ("50000000000", UnitPrice::MAX.scaled(), "50,000,000,000 sats"),
        ] {
            let price = parse(text).unwrap();
            assert_eq!((price.scaled(), shown(price).as_str()), (scaled, again));
        }
    }

    #[test]
    fn an_impossible_price_is_refused_with_the_bounds() {
        for text in ["0", "0.0", "-1", "50000000000.00000001", "99999999999999999999", "0.000000001", "much"] {
            let reason = parse(text).unwrap_err();
            assert!(reason.contains("50,000,000,000") && reason.contains("8 decimals"), "{text}: {reason}");
        }
    }
}
