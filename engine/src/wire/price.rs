//! Prices over time.

use domain::{UnitPrice, UnixMs};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use super::Percent;

/// A price in sats per whole unit as a number, for charts; fractional where a token costs less than a sat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceNumber(pub UnitPrice);

impl Serialize for PriceNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let scaled = self.0.scaled();
        if scaled.is_multiple_of(UnitPrice::ONE_SAT) {
            return serializer.serialize_u64(scaled / UnitPrice::ONE_SAT);
        }
        // The decimal text is exact, so this is the nearest float.
        let number: f64 = self.0.to_string().parse().map_err(serde::ser::Error::custom)?;
        serializer.serialize_f64(number)
    }
}

/// One point of a price chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PricePoint {
    /// The start of the step.
    #[schema(value_type = u64)]
    pub date: UnixMs,
    /// The last price in that step.
    #[schema(value_type = f64)]
    pub price: PriceNumber,
}

/// A price chart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceHistory {
    /// The points, oldest first, at most one per step; steps without a trade are omitted.
    pub data: Vec<PricePoint>,
    /// The change from the beginning of the range until now; `null` when only one price is known.
    #[schema(value_type = Option<f64>, required)]
    pub price_change: Option<Percent>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_a_plain_number() {
        let json = |scaled| serde_json::to_string(&PriceNumber(UnitPrice::from_scaled(scaled))).unwrap();
        assert_eq!(json(250_000_000_000_000), "2500000");
        assert_eq!(json(8_300_000), "0.083");
    }
}
