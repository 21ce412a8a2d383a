//! Magic Eden's API for Bitcoin: floors of collections and of runes.
//!
//! The shapes are those of its documentation. Floors were seen in sats and in bitcoin, so the unit is told from the
//! number, and a number that could be either is refused.

#[cfg(test)]
mod tests;

use serde::Deserialize;

use crate::best_in_slot::escaped;
use crate::capability::{Named, Prices, Quote, Told, Traded};
use crate::exact::Exact;
use crate::fallback::{Site, Trouble};
use crate::https::{Patience, Question};

/// No collection is traded for fewer sats, and none for as many bitcoin.
const COUNT_BOTH: u128 = 1_000;

/// Magic Eden.
pub(crate) struct MagicEden {
    site: Site,
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
    pub(crate) const fn new(site: Site) -> Self {
        Self { site }
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

impl Prices for MagicEden {
    fn quote<'a>(&'a self, traded: &'a Traded) -> Told<'a, Option<Quote>> {
        Box::pin(self.quoted(traded))
    }
}
