//! A client of Satflow's API: floor prices of inscription collections.
//!
//! Response formats follow its documentation: the content is in `data`, floors are whole sats. Volumes are reported for
//! a day, a week and a month but not in total, so none are used.

#[cfg(test)]
mod tests;

use serde::Deserialize;

use crate::capability::{Named, Prices, Quote, TradedAsset, UpstreamError, UpstreamFuture};
use crate::http::{HttpRequest, TimeoutClass, escaped};
use crate::parsing::decimal::Decimal;
use crate::prices::quote;
use crate::resilience::UpstreamClient;

/// A client of Satflow.
pub(crate) struct Satflow {
    client: UpstreamClient,
}

#[derive(Deserialize)]
struct Envelope<T> {
    #[serde(default)]
    success: bool,
    data: Option<T>,
}

/// The response of `/collection-stats?collectionId=`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    #[serde(default)]
    floor: Option<Decimal>,
    #[serde(default)]
    listed_count: Option<u64>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

/// The identity of the collection.
#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    id: Option<String>,
}

impl Satflow {
    pub(crate) const fn new(client: UpstreamClient) -> Self {
        Self { client }
    }

    async fn fetch_quote(&self, traded: &TradedAsset) -> Result<Option<Quote>, UpstreamError> {
        let TradedAsset::Collection(slug) = traded else { return Ok(None) };
        let path = format!("/collection-stats?collectionId={}", escaped(slug));
        let found: Option<Envelope<Stats>> =
            self.client.read(HttpRequest::get(path).with_timeout(TimeoutClass::Long)).await?;
        let Some(Envelope { success, data }) = found else { return Ok(None) };
        let Some(stats) = data.filter(|_| success) else {
            return Err(self.invalid_response("no statistics in its answer"));
        };
        if stats.metadata.and_then(|metadata| metadata.id).is_some_and(|id| id != *slug) {
            return Err(self.invalid_response("the response is for another collection"));
        }
        let Some(floor) = stats.floor.filter(|_| stats.listed_count != Some(0)) else { return Ok(None) };
        // A fraction would be an amount in bitcoin.
        if floor.is_fraction() {
            return Err(self.invalid_response("a floor that is no whole number of sats"));
        }
        quote(&floor, None).map_err(|error| self.client.record_failure(error))
    }

    fn invalid_response(&self, why: &str) -> UpstreamError {
        self.client.record_failure(UpstreamError::invalid_response(why))
    }
}

impl Named for Satflow {
    fn name(&self) -> &str {
        self.client.name()
    }
}

impl Prices for Satflow {
    fn quote<'a>(&'a self, traded: &'a TradedAsset) -> UpstreamFuture<'a, Option<Quote>> {
        Box::pin(self.fetch_quote(traded))
    }
}
