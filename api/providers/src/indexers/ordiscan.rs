//! A client of Ordiscan's API: inscriptions and rune balances. Its prices are in `prices`.
//!
//! Response formats follow its documentation: the content is in `data`.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use bitcoin::{Network, OutPoint, Script};
use engine::asset_index::InscriptionId;
use ordinals::Rune;
use serde::Deserialize;

use crate::capability::{
    InscriptionDetails, Inscriptions, Named, RuneBalance, RuneBalances, UpstreamError, UpstreamFuture,
};
use crate::http::HttpRequest;
use crate::parsing::address_script::{address_of, script_of};
use crate::parsing::decimal::Decimal;
use crate::parsing::rune_amount;
use crate::parsing::text::{Text, https_url, sanitized};
use crate::resilience::UpstreamClient;

/// A client of Ordiscan.
pub(crate) struct Ordiscan {
    pub(crate) client: UpstreamClient,
    network: Network,
}

/// The envelope of every response.
#[derive(Deserialize)]
pub(crate) struct Envelope<T> {
    pub(crate) data: T,
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
