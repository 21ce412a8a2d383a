//! Ordiscan's API: prices of runes.
//!
//! The shapes are those of its documentation: what is asked for stands in `data`, prices are sats with decimals.

#[cfg(test)]
mod tests;

use serde::Deserialize;

use crate::best_in_slot::escaped;
use crate::capability::{Named, Prices, Quote, Told, Traded};
use crate::exact::Exact;
use crate::fallback::{Site, Trouble};
use crate::https::{Patience, Question};

/// Ordiscan.
pub(crate) struct Ordiscan {
    site: Site,
}

#[derive(Deserialize)]
struct Envelope {
    data: RuneMarket,
}

/// `/v1/rune/{name}/market`.
#[derive(Deserialize)]
struct RuneMarket {
    #[serde(default)]
    price_in_sats: Option<Exact>,
}

impl Ordiscan {
    pub(crate) const fn new(site: Site) -> Self {
        Self { site }
    }

    async fn quoted(&self, traded: &Traded) -> Result<Option<Quote>, Trouble> {
        let Traded::Rune(name) = traded else { return Ok(None) };
        let question = Question::get(format!("/v1/rune/{}/market", escaped(name))).with(Patience::Long);
        let found: Option<Envelope> = self.site.read(question).await?;
        let Some(price) = found.and_then(|found| found.data.price_in_sats) else { return Ok(None) };
        crate::price::quote(&price, None).map_err(|trouble| self.site.blamed(trouble))
    }
}

impl Named for Ordiscan {
    fn name(&self) -> &str {
        self.site.name()
    }
}

impl Prices for Ordiscan {
    fn quote<'a>(&'a self, traded: &'a Traded) -> Told<'a, Option<Quote>> {
        Box::pin(self.quoted(traded))
    }
}
