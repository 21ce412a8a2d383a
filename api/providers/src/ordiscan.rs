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

use crate::address_script::{address_of, script_of};
use crate::best_in_slot::escaped;
use crate::capability::{Inscriptions, Named, Prices, Quote, RuneBalance, RuneBalances, Sighting, Told, Traded};
use crate::exact::Exact;
use crate::fallback::{Site, Trouble};
use crate::https::{Patience, Question};
use crate::rune_amount;
use crate::text::{Text, shown, web_address};

/// A client of Ordiscan.
pub(crate) struct Ordiscan {
    site: Site,
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
    balance: Exact,
}

/// The response of `/v1/rune/{name}/market`.
#[derive(Deserialize)]
struct RuneMarket {
    #[serde(default)]
    price_in_sats: Option<Exact>,
}

impl Ordiscan {
    pub(crate) const fn new(client: Site, network: Network) -> Self {
        Self { site: client, network }
    }

    async fn seen(&self, id: InscriptionId) -> Result<Option<Sighting>, Trouble> {
        let found: Option<Envelope<Inscription>> =
            self.site.read(Question::get(format!("/v1/inscription/{id}"))).await?;
        let Some(Envelope { data: found }) = found else { return Ok(None) };
        if found.id.0 != id {
            return Err(self.site.blamed(Trouble::nonsense("the response is for another inscription")));
        }
        Ok(Some(Sighting {
            owner: found.owner.and_then(|address| script_of(&address, self.network)),
            number: found.number,
            content_type: found.content_type.as_deref().and_then(shown),
            content_uri: found.content_url.as_deref().and_then(web_address),
            collection_slug: found.collection_slug.as_deref().and_then(shown),
            ..Sighting::at(id, found.output.0)
        }))
    }

    async fn sums(&self, owner: &Script) -> Result<Vec<RuneBalance>, Trouble> {
        let address = address_of(owner, self.network)?;
        let found: Option<Envelope<Vec<RuneSum>>> =
            self.site.read(Question::get(format!("/v1/address/{address}/runes"))).await?;
        let sums = found.map_or_else(Vec::new, |found| found.data).into_iter().map(|sum| {
            let raw = rune_amount::raw(&sum.balance);
            let raw = raw.ok_or_else(|| self.site.blamed(Trouble::nonsense("a balance that is no whole number")))?;
            Ok(RuneBalance { rune: sum.name.0, raw })
        });
        sums.collect()
    }

    async fn quoted(&self, traded: &Traded) -> Result<Option<Quote>, Trouble> {
        let Traded::Rune(name) = traded else { return Ok(None) };
        let request = Question::get(format!("/v1/rune/{}/market", escaped(name))).with(Patience::Long);
        let found: Option<Envelope<RuneMarket>> = self.site.read(request).await?;
        let Some(price) = found.and_then(|found| found.data.price_in_sats) else { return Ok(None) };
        crate::price::quote(&price, None).map_err(|error| self.site.blamed(error))
    }
}

impl Named for Ordiscan {
    fn name(&self) -> &str {
        self.site.name()
    }
}

impl Inscriptions for Ordiscan {
    fn sighting(&self, inscription: InscriptionId) -> Told<'_, Option<Sighting>> {
        Box::pin(self.seen(inscription))
    }
}

impl RuneBalances for Ordiscan {
    fn rune_balances<'a>(&'a self, owner: &'a Script, _: &'a BTreeSet<Rune>) -> Told<'a, Vec<RuneBalance>> {
        Box::pin(self.sums(owner))
    }
}

impl Prices for Ordiscan {
    fn quote<'a>(&'a self, traded: &'a Traded) -> Told<'a, Option<Quote>> {
        Box::pin(self.quoted(traded))
    }
}
