//! Prices and volumes on Best in Slot, in sats.

use domain::Sats;
use engine::wire::Volumes;
use serde::Deserialize;

use crate::capability::{Prices, Quote, TradedAsset, UpstreamError, UpstreamFuture};
use crate::http::{HttpRequest, TimeoutClass, escaped};
use crate::indexers::BestInSlot;
use crate::parsing::decimal::Decimal;
use crate::prices::quote;

/// `/collection/market_info`.
#[derive(Deserialize)]
struct CollectionMarket {
    /// Sats; `null` when nothing is listed.
    floor_price: Option<Decimal>,
}

/// `/brc20/market_info` and `/runes/market_info`.
#[derive(Deserialize)]
struct TokenMarket {
    /// Sats for a whole token; `null` when nothing is listed.
    #[serde(rename = "min_listed_unit_price", alias = "min_listed_unit_price_in_sats")]
    unit_price: Option<Decimal>,
}

/// `/…/sales_info`, in sats.
#[derive(Deserialize)]
struct Sales {
    #[serde(rename = "vol_1d")]
    day: Decimal,
    #[serde(rename = "vol_7d")]
    week: Decimal,
    #[serde(rename = "vol_30d")]
    month: Decimal,
    #[serde(rename = "vol_total")]
    total: Decimal,
}

impl BestInSlot {
    async fn fetch_quote(&self, traded: &TradedAsset) -> Result<Option<Quote>, UpstreamError> {
        let (group, query) = match traded {
            TradedAsset::Collection(slug) => ("collection", format!("slug={}", escaped(slug))),
            TradedAsset::Rune(name) => ("runes", format!("rune_name={}", escaped(name))),
            TradedAsset::Brc20(ticker) => ("brc20", format!("ticker={}", escaped(ticker))),
        };
        let market = HttpRequest::get(format!("/{group}/market_info?{query}")).with_timeout(TimeoutClass::Long);
        let price = match traded {
            TradedAsset::Collection(_) => {
                self.read::<CollectionMarket>(market).await?.and_then(|found| found.value.floor_price)
            }
            TradedAsset::Rune(_) | TradedAsset::Brc20(_) => {
                self.read::<TokenMarket>(market).await?.and_then(|found| found.value.unit_price)
            }
        };
        let Some(price) = price else { return Ok(None) };
        let sales = HttpRequest::get(format!("/{group}/sales_info?{query}")).with_timeout(TimeoutClass::Long);
        // A price without volumes is still a price.
        let volumes = match self.read::<Sales>(sales).await {
            Ok(Some(sales)) => volumes(&sales.value),
            Ok(None) | Err(_) => None,
        };
        quote(&price, volumes).map_err(|error| self.client.record_failure(error))
    }
}

impl Prices for BestInSlot {
    fn quote<'a>(&'a self, traded: &'a TradedAsset) -> UpstreamFuture<'a, Option<Quote>> {
        Box::pin(self.fetch_quote(traded))
    }
}

/// Converts the sales volume of each period to sats; `None` when one exceeds the range.
fn volumes(sales: &Sales) -> Option<Volumes> {
    let sats = |volume: &Decimal| {
        let sats = volume.scaled_floor(0).and_then(|sats| u64::try_from(sats).ok());
        sats.map(Sats::new)
    };
    Some(Volumes {
        total: sats(&sales.total)?,
        day: sats(&sales.day)?,
        week: sats(&sales.week)?,
        month: sats(&sales.month)?,
    })
}

#[cfg(test)]
mod tests {
    use bitcoin::Network;
    use serde_json::{Value, json};

    use super::*;
    use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};
    use crate::resilience::test_client::test_client;

    fn good(data: &Value) -> ScriptedResponse {
        ScriptedResponse::ok(&json!({ "data": data, "block_height": 800_000 }))
    }

    async fn server(respond: impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static) -> BestInSlot {
        let (url, _) = start(respond).await;
        BestInSlot::new(test_client(&url), Network::Regtest)
    }

    #[tokio::test]
    async fn a_price_comes_with_volumes_where_they_are_available() {
        let quote = async |traded: TradedAsset, market: Value, sales: ScriptedResponse| {
            let server =
                server(move |asked| if asked.line.contains("market_info") { good(&market) } else { sales.clone() });
            server.await.quote(&traded).await
        };
        let frogs = || TradedAsset::Collection("frogs".to_owned());
        let sales = json!({ "vol_1d": "140485613", "vol_7d": 5, "vol_30d": 6, "vol_total": "49541749144" });
        let market = json!({ "listed_count": 3, "floor_price": 20_706_000 });
        let found = quote(frogs(), market.clone(), good(&sales)).await.unwrap().unwrap();
        let [total, day, week, month] = [49_541_749_144, 140_485_613, 5, 6].map(Sats::new);
        assert_eq!(found.volumes, Some(Volumes { total, day, week, month }));
        assert_eq!(found.price_scaled, 2_070_600_000_000_000);
        let silent = quote(frogs(), market, ScriptedResponse::Body(500, String::new())).await.unwrap().unwrap();
        assert_eq!((silent.price_scaled, silent.volumes), (2_070_600_000_000_000, None));
        let nothing = quote(frogs(), json!({ "floor_price": null }), good(&sales)).await;
        assert_eq!(nothing, Ok(None));
        let ordi = json!({ "min_listed_unit_price": 68_999.990_909_090_9 });
        let found = quote(TradedAsset::Brc20("ordi".to_owned()), ordi, good(&sales)).await.unwrap().unwrap();
        assert_eq!(found.price_scaled, 6_899_999_090_909);
        let dogs = json!({ "min_listed_unit_price_in_sats": 3_308.5, "min_listed_unit_price_unisat": 3_308.5 });
        let found = quote(TradedAsset::Rune("DOGS".to_owned()), dogs, good(&sales)).await.unwrap().unwrap();
        assert_eq!(found.price_scaled, 330_850_000_000);
    }
}
