//! A client of Ordiscan's API: inscriptions, rune balances and rune prices.
//!
//! Response formats follow its documentation: the content is in `data`, prices are sats with decimals.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use bitcoin::{Network, OutPoint, Script};
use engine::asset_index::InscriptionId;
use ordinals::Rune;
use serde::Deserialize;

use crate::capability::{
    InscriptionDetails, Inscriptions, Named, Prices, Quote, RuneBalance, RuneBalances, TradedAsset, UpstreamError,
    UpstreamFuture,
};
use crate::http::{HttpRequest, TimeoutClass, escaped};
use crate::parsing::address_script::{address_of, script_of};
use crate::parsing::decimal::Decimal;
use crate::parsing::rune_amount;
use crate::parsing::text::{Text, https_url, sanitized};
use crate::resilience::UpstreamClient;

/// A client of Ordiscan.
pub(crate) struct Ordiscan {
    client: UpstreamClient,
    network: Network,
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

/// The response of `/v1/inscription/{id}`.
#[derive(Deserialize)]
struct Inscription {
    #[serde(rename = "inscription_id")]
    id: Text<InscriptionId>,
    #[serde(rename = "owner_output")]
    output: Text<OutPoint>,
    #[serde(default, rename = "inscription_number")]
    number: Option<i64>,
    #[serde(default, rename = "owner_address")]
    owner: Option<String>,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default)]
    content_url: Option<String>,
    #[serde(default)]
    collection_slug: Option<String>,
}

/// An element of `/v1/address/{address}/runes`.
#[derive(Deserialize)]
struct RuneSum {
    /// Without spacers.
    name: Text<Rune>,
    /// In raw units.
    balance: Decimal,
}

/// The response of `/v1/rune/{name}/market`.
#[derive(Deserialize)]
struct RuneMarket {
    #[serde(default)]
    price_in_sats: Option<Decimal>,
}

impl Ordiscan {
    pub(crate) const fn new(client: UpstreamClient, network: Network) -> Self {
        Self { client, network }
    }

    async fn fetch_inscription(&self, id: InscriptionId) -> Result<Option<InscriptionDetails>, UpstreamError> {
        let found: Option<Envelope<Inscription>> =
            self.client.read(HttpRequest::get(format!("/v1/inscription/{id}"))).await?;
        let Some(Envelope { data: found }) = found else { return Ok(None) };
        if found.id.0 != id {
            return Err(self
                .client
                .record_failure(UpstreamError::invalid_response("the response is for another inscription")));
        }
        Ok(Some(InscriptionDetails {
            owner: found.owner.and_then(|address| script_of(&address, self.network)),
            number: found.number,
            content_type: found.content_type.as_deref().and_then(sanitized),
            content_uri: found.content_url.as_deref().and_then(https_url),
            collection_slug: found.collection_slug.as_deref().and_then(sanitized),
            ..InscriptionDetails::at(id, found.output.0)
        }))
    }

    async fn address_rune_balances(&self, owner: &Script) -> Result<Vec<RuneBalance>, UpstreamError> {
        let address = address_of(owner, self.network)?;
        let found: Option<Envelope<Vec<RuneSum>>> =
            self.client.read(HttpRequest::get(format!("/v1/address/{address}/runes"))).await?;
        let sums = found.map_or_else(Vec::new, |found| found.data).into_iter().map(|sum| {
            let raw = rune_amount::raw(&sum.balance);
            let raw = raw.ok_or_else(|| {
                self.client.record_failure(UpstreamError::invalid_response("a balance that is no whole number"))
            })?;
            Ok(RuneBalance { rune: sum.name.0, raw })
        });
        sums.collect()
    }

    async fn fetch_quote(&self, traded: &TradedAsset) -> Result<Option<Quote>, UpstreamError> {
        let TradedAsset::Rune(name) = traded else { return Ok(None) };
        let request = HttpRequest::get(format!("/v1/rune/{}/market", escaped(name))).with_timeout(TimeoutClass::Long);
        let found: Option<Envelope<RuneMarket>> = self.client.read(request).await?;
        let Some(price) = found.and_then(|found| found.data.price_in_sats) else { return Ok(None) };
        crate::prices::quote(&price, None).map_err(|error| self.client.record_failure(error))
    }
}

impl Named for Ordiscan {
    fn name(&self) -> &str {
        self.client.name()
    }
}

impl Inscriptions for Ordiscan {
    fn inscription(&self, inscription: InscriptionId) -> UpstreamFuture<'_, Option<InscriptionDetails>> {
        Box::pin(self.fetch_inscription(inscription))
    }
}

impl RuneBalances for Ordiscan {
    fn rune_balances<'a>(&'a self, owner: &'a Script, _: &'a BTreeSet<Rune>) -> UpstreamFuture<'a, Vec<RuneBalance>> {
        Box::pin(self.address_rune_balances(owner))
    }
}

impl Prices for Ordiscan {
    fn quote<'a>(&'a self, traded: &'a TradedAsset) -> UpstreamFuture<'a, Option<Quote>> {
        Box::pin(self.fetch_quote(traded))
    }
}
