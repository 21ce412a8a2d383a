//! Fee rates in requests and answers: sats per virtual byte, as a number.

use bitcoin::FeeRate;
use serde_json::{Number, json};

use super::api_error::ApiError;
use super::error_code::ErrorCode;
use crate::decimal;

/// The decimals of a fee rate: three, as there are a thousand bytes in a `kvB`.
pub const DECIMALS: u8 = 3;
/// The number of `kWU` in a `kvB`.
const KWU_OF_KVB: u64 = 4;

/// Parses sats per virtual byte with at most three decimals, rounded up to a whole sat per `kWU`.
///
/// # Errors
/// [`ErrorCode::InvalidField`], which names the field.
pub fn parse(field: &str, number: &Number) -> Result<FeeRate, ApiError> {
    let per_kvb = decimal::parse_scaled(&number.to_string(), DECIMALS).and_then(|scaled| u64::try_from(scaled).ok());
    let per_kvb = per_kvb.ok_or_else(|| {
        let detail = format!("{field} must be sats for each virtual byte, with at most 3 decimals");
        ApiError::new(ErrorCode::InvalidField, detail).with_values(json!({"field": field}))
    })?;
    Ok(FeeRate::from_sat_per_kwu(per_kvb.div_ceil(KWU_OF_KVB)))
}

/// Returns the refusal of a rate outside of these limits.
#[must_use]
pub fn out_of_range(min: FeeRate, max: FeeRate) -> ApiError {
    let [min, max] = [min, max].map(shown);
    let detail = format!("a fee rate is between {min} and {max} sats for each virtual byte");
    ApiError::new(ErrorCode::FeeRateOutOfRange, detail).with_values(json!({"min": min, "max": max}))
}

/// Returns a rate in sats per virtual byte, without trailing zeros.
#[must_use]
pub fn shown(rate: FeeRate) -> String {
    let per_kvb = rate.to_sat_per_kwu().saturating_mul(KWU_OF_KVB);
    let text = format!("{}.{:03}", per_kvb / 1_000, per_kvb % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fee_rate_is_read_exactly_and_rounded_up() {
        for (text, per_kwu) in [("1", 250), ("0.1", 25), ("12.5", 3_125), ("1.001", 251), ("30.0", 7_500), ("0", 0)] {
            let number: Number = serde_json::from_str(text).unwrap();
            assert_eq!(parse("feeRate", &number).unwrap().to_sat_per_kwu(), per_kwu, "{text}");
        }
        for text in ["-1", "1.0001", "1e300", "18446744073709551615"] {
            let number: Number = serde_json::from_str(text).unwrap();
            assert!(parse("feeRate", &number).is_err(), "{text}");
        }
        assert_eq!([25, 3_125, 125_000].map(|kwu| shown(FeeRate::from_sat_per_kwu(kwu))), ["0.1", "12.5", "500"]);
    }
}
