//! Fee rates in requests and answers: sats per virtual byte, as a number.

use bitcoin::FeeRate;
use escrow::fee_rate::{self, DECIMALS};
use serde_json::{Number, json};

use super::api_error::ApiError;
use super::error_code::ErrorCode;

/// Parses sats per virtual byte, rounded up to a whole sat per `kWU`.
///
/// # Errors
/// [`ErrorCode::InvalidField`], which names the field.
pub fn parse(field: &str, number: &Number) -> Result<FeeRate, ApiError> {
    fee_rate::parse(&number.to_string()).ok_or_else(|| {
        let detail = format!("{field} must be sats for each virtual byte, with at most {DECIMALS} decimals");
        ApiError::new(ErrorCode::InvalidField, detail).with_values(json!({"field": field}))
    })
}

/// Returns the refusal of a rate outside of these limits.
#[must_use]
pub fn out_of_range(min: FeeRate, max: FeeRate) -> ApiError {
    let [min, max] = [min, max].map(fee_rate::number);
    let detail = format!("a fee rate is between {min} and {max} sats for each virtual byte");
    ApiError::new(ErrorCode::FeeRateOutOfRange, detail).with_values(json!({"min": min, "max": max}))
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
    }
}
