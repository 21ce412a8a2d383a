//! Magic Eden's API for Bitcoin: inscriptions, floors of collections and of runes.
//!
//! The shapes are those of its documentation. Floors were seen in sats and in bitcoin, so the unit is told from the
//! number, and a number that could be either is refused.

#[cfg(test)]
mod tests;

use bitcoin::Network;
use engine::asset_index::InscriptionId;
use ordinals::SatPoint;
use serde::Deserialize;
use serde_json::Value;

use crate::address_script::script_of;
use crate::best_in_slot::escaped;
use crate::capability::{Attribute, Inscriptions, Named, Prices, Quote, Sighting, Told, Traded};
use crate::exact::Exact;
use crate::fallback::{Site, Trouble};
use crate::https::{Patience, Question};
use crate::text::{Text, shown, shown_value, web_address};

/// More attributes of an inscription are not shown.
const ATTRIBUTES_MAX: usize = 32;
/// No collection is traded for fewer sats, and none for as many bitcoin.
const COUNT_BOTH: u128 = 1_000;

/// Magic Eden.
pub(crate) struct MagicEden {
    site: Site,
    network: Network,
}

/// `/v2/ord/btc/tokens`.
#[derive(Deserialize)]
struct Tokens {
    tokens: Vec<Token>,
}

/// An inscription.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Token {
    id: Text<InscriptionId>,
    location: Text<SatPoint>,
    #[serde(default)]
    inscription_number: Option<i64>,
    #[serde(default)]
    owner: Option<String>,
    #[serde(default)]
    output_value: Option<u64>,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default, rename = "contentURI")]
    content_uri: Option<String>,
    #[serde(default)]
    collection_symbol: Option<String>,
    /// What it belongs to, and what its collection says of it: written by whoever made that, and read as far as it goes.
    #[serde(default)]
    collection: Value,
    #[serde(default)]
    meta: Value,
}

/// `/v2/ord/btc/stat`.
#[derive(Deserialize)]
struct Stat {
    #[serde(default)]
    symbol: Option<String>,
    #[serde(default, rename = "floorPrice")]
    floor: Option<Exact>,
}

/// `/v2/ord/btc/runes/market/{ticker}/info`.
#[derive(Deserialize)]
struct RuneMarket {
    #[serde(default, rename = "floorUnitPrice")]
    floor: Option<UnitFloor>,
}

/// Sats for a whole token, told twice.
#[derive(Deserialize)]
struct UnitFloor {
    value: Exact,
    #[serde(default)]
    formatted: Option<Exact>,
}

impl MagicEden {
    pub(crate) const fn new(site: Site, network: Network) -> Self {
        Self { site, network }
    }

    async fn seen(&self, id: InscriptionId) -> Result<Option<Sighting>, Trouble> {
        let found: Option<Tokens> = self.site.read(Question::get(format!("/v2/ord/btc/tokens?tokenIds={id}"))).await?;
        let mut tokens = found.map_or_else(Vec::new, |found| found.tokens);
        let Some(token) = tokens.pop() else { return Ok(None) };
        if token.id.0 != id || !tokens.is_empty() {
            return Err(self.site.blamed(Trouble::nonsense("it tells of another inscription")));
        }
        let place = token.location.0;
        Ok(Some(Sighting {
            offset_sats: Some(place.offset),
            owner: token.owner.and_then(|address| script_of(&address, self.network)),
            number: token.inscription_number,
            output_sats: token.output_value,
            content_type: token.content_type.as_deref().and_then(shown),
            content_uri: token.content_uri.as_deref().and_then(web_address),
            name: shown_value(&token.meta["name"]),
            collection_slug: token.collection_symbol.as_deref().and_then(shown),
            collection_name: shown_value(&token.collection["name"]),
            attributes: attributes(&token.meta["attributes"]),
            ..Sighting::at(id, place.outpoint)
        }))
    }

    async fn quoted(&self, traded: &Traded) -> Result<Option<Quote>, Trouble> {
        let sats = match traded {
            Traded::Collection(symbol) => self.floor_of(symbol).await?,
            Traded::Rune(name) => self.unit_floor_of(name).await?,
            Traded::Brc20(_) => return Ok(None),
        };
        let Some(sats) = sats else { return Ok(None) };
        crate::price::quote(&sats, None).map_err(|trouble| self.site.blamed(trouble))
    }

    async fn floor_of(&self, symbol: &str) -> Result<Option<Exact>, Trouble> {
        let path = format!("/v2/ord/btc/stat?collectionSymbol={}", escaped(symbol));
        let found: Option<Stat> = self.site.read(Question::get(path).with(Patience::Long)).await?;
        let Some(Stat { symbol: named, floor: Some(floor) }) = found else { return Ok(None) };
        if named.is_some_and(|named| named != symbol) {
            return Err(self.site.blamed(Trouble::nonsense("it tells of another collection")));
        }
        in_sats(floor).map(Some).map_err(|trouble| self.site.blamed(trouble))
    }

    async fn unit_floor_of(&self, name: &str) -> Result<Option<Exact>, Trouble> {
        let path = format!("/v2/ord/btc/runes/market/{}/info", escaped(name));
        let found: Option<RuneMarket> = self.site.read(Question::get(path).with(Patience::Long)).await?;
        let Some(UnitFloor { value, formatted }) = found.and_then(|found| found.floor) else { return Ok(None) };
        let is_same = formatted.is_none_or(|formatted| formatted.scaled_floor(8) == value.scaled_floor(8));
        if !is_same {
            return Err(self.site.blamed(Trouble::nonsense("a unit price in units that it does not tell")));
        }
        Ok(Some(value))
    }
}

/// Those that are a name and a value.
fn attributes(said: &Value) -> Vec<Attribute> {
    let listed = said.as_array().map_or(&[][..], Vec::as_slice).iter();
    let pairs = listed.filter_map(|said| {
        Some(Attribute { name: shown_value(&said["trait_type"])?, value: shown_value(&said["value"])? })
    });
    pairs.take(ATTRIBUTES_MAX).collect()
}

/// A floor in sats, whichever unit it was told in.
fn in_sats(floor: Exact) -> Result<Exact, Trouble> {
    let refused = || Trouble::nonsense("a floor that may be sats or bitcoin");
    let whole = floor.scaled_floor(0).ok_or_else(refused)?;
    if whole == 0 && floor.scaled(0) == Some(0) {
        return Ok(floor);
    }
    match (floor.is_fraction(), whole >= COUNT_BOTH) {
        (false, true) => Ok(floor),
        // Sats have no decimals in a listing, and bitcoin has eight.
        (true, false) => floor.scaled(8).and_then(|sats| Exact::parse(&sats.to_string())).ok_or_else(refused),
        (false, false) | (true, true) => Err(refused()),
    }
}

impl Named for MagicEden {
    fn name(&self) -> &str {
        self.site.name()
    }
}

impl Inscriptions for MagicEden {
    fn sighting(&self, inscription: InscriptionId) -> Told<'_, Option<Sighting>> {
        Box::pin(self.seen(inscription))
    }
}

impl Prices for MagicEden {
    fn quote<'a>(&'a self, traded: &'a Traded) -> Told<'a, Option<Quote>> {
        Box::pin(self.quoted(traded))
    }
}
