//! A client of Satflow's API: floor prices of inscription collections.
//!
//! Response formats follow its documentation: the content is in `data`, floors are whole sats. Volumes are reported for
//! a day, a week and a month but not in total, so none are used.

#[cfg(test)]
mod tests;

use serde::Deserialize;

use crate::best_in_slot::escaped;
use crate::capability::{Named, Prices, Quote, Told, Traded};
use crate::exact::Exact;
use crate::fallback::{Site, Trouble};
use crate::https::{Patience, Question};

/// A client of Satflow.
pub(crate) struct Satflow {
    site: Site,
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
    floor: Option<Exact>,
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
    pub(crate) const fn new(client: Site) -> Self {
        Self { site: client }
    }

    async fn quoted(&self, traded: &Traded) -> Result<Option<Quote>, Trouble> {
        let Traded::Collection(slug) = traded else { return Ok(None) };
        let path = format!("/collection-stats?collectionId={}", escaped(slug));
        let found: Option<Envelope<Stats>> = self.site.read(Question::get(path).with(Patience::Long)).await?;
        let Some(Envelope { success, data }) = found else { return Ok(None) };
        let Some(stats) = data.filter(|_| success) else { return Err(self.nonsense("no statistics in its answer")) };
        if stats.metadata.and_then(|metadata| metadata.id).is_some_and(|id| id != *slug) {
            return Err(self.nonsense("the response is for another collection"));
        }
        let Some(floor) = stats.floor.filter(|_| stats.listed_count != Some(0)) else { return Ok(None) };
        // A fraction would be an amount in bitcoin.
        if floor.is_fraction() {
            return Err(self.nonsense("a floor that is no whole number of sats"));
        }
        crate::price::quote(&floor, None).map_err(|error| self.site.blamed(error))
    }

    fn nonsense(&self, why: &str) -> Trouble {
        self.site.blamed(Trouble::nonsense(why))
    }
}

impl Named for Satflow {
    fn name(&self) -> &str {
        self.site.name()
    }
}

impl Prices for Satflow {
    fn quote<'a>(&'a self, traded: &'a Traded) -> Told<'a, Option<Quote>> {
        Box::pin(self.quoted(traded))
    }
}
