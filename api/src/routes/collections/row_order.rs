//! The sort keys of the market tables.

use engine::wire::{Percent, Quotes, Row};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The process type of an offer.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Process {
    /// The lender counter-signs.
    Manual,
    /// The lender's vault funds the loan.
    Instant,
}

impl Process {
    /// Returns the summary of this process type.
    #[must_use]
    pub fn quotes(self, row: &Row) -> Option<&Quotes> {
        match self {
            Self::Manual => row.manual.as_ref(),
            Self::Instant => row.instant.as_ref(),
        }
    }
}

/// A sortable column.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SortBy {
    /// The name.
    Name,
    /// The best offer.
    Offer,
    /// The highest APY.
    Apy,
    /// The lowest interest.
    Interest,
    /// The best offer's term.
    Term,
    /// The best offer's current LTV.
    Ltv,
    /// The floor price or unit price.
    Floor,
    /// The total volume on the marketplaces.
    Volume,
    /// The price change within 24 hours.
    Change,
}

/// A row's value in the sorted column; texts are compared with texts, numbers with numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SortKey {
    /// A number in the unit of the column.
    Number(i64),
    /// A text.
    Text(String),
    /// The row has no such value.
    Missing,
}

impl SortKey {
    /// Returns the key of a row; where offers matter and no process type is given, manual offers are used, else instant
    /// ones.
    #[must_use]
    pub fn of(row: &Row, by: Option<SortBy>, process: Option<Process>) -> Self {
        let number = |value: Option<i64>| value.map_or(Self::Missing, Self::Number);
        let sats = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let quotes = match process {
            Some(process) => process.quotes(row),
            None => Process::Manual.quotes(row).or_else(|| Process::Instant.quotes(row)),
        };
        match by {
            None => Self::Missing,
            Some(SortBy::Name) => Self::Text(row.collection_name.to_lowercase()),
            Some(SortBy::Offer) => number(quotes.and_then(|quotes| quotes.best_offer).map(|best| sats(best.get()))),
            Some(SortBy::Apy) => number(quotes.map(|quotes| quotes.max_apy.hundredths())),
            Some(SortBy::Interest) => number(quotes.map(|quotes| quotes.min_interest.hundredths())),
            Some(SortBy::Term) => number(quotes.and_then(|quotes| quotes.term).map(i64::from)),
            Some(SortBy::Ltv) => number(quotes.and_then(|quotes| quotes.ltv).map(Percent::hundredths)),
            Some(SortBy::Floor) => number(row.unit_price.map(|price| sats(price.0.scaled()))),
            Some(SortBy::Volume) => number(row.market_volume_stats.map(|volumes| sats(volumes.total.get()))),
            Some(SortBy::Change) => number(row.price_change_stats.day.map(Percent::hundredths)),
        }
    }

    /// Whether the row has no such value.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        *self == Self::Missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_its_cursor() {
        for key in [SortKey::Number(-5), SortKey::Text("7".to_owned()), SortKey::Missing] {
            let text = serde_json::to_string(&key).unwrap();
            assert_eq!(serde_json::from_str::<SortKey>(&text).unwrap(), key);
        }
    }
}
