//! Prices on `UniSat`'s marketplace, in sats with decimals.

use serde::Deserialize;
use serde_json::json;

use crate::capability::{Prices, Quote, TradedAsset, UpstreamError, UpstreamFuture};
use crate::http::{HttpRequest, TimeoutClass};
use crate::indexers::Unisat;
use crate::parsing::decimal::Decimal;
use crate::prices::quote;

/// The response of `/v3/market/collection/auction/collection_statistic`.
#[derive(Deserialize)]
struct Statistic {
    /// In sats; 0 or absent when nothing is listed.
    #[serde(default, rename = "floorPrice")]
    floor_price: Option<Decimal>,
}

/// The response of `/v3/market/{brc20,runes}/auction/…_types_specified`.
#[derive(Deserialize)]
struct Market {
    /// Sats for a whole token.
    #[serde(default, rename = "curPrice")]
    price: Option<Decimal>,
}

impl Unisat {
    async fn fetch_quote(&self, traded: &TradedAsset) -> Result<Option<Quote>, UpstreamError> {
        let market = |path: &str, body: serde_json::Value| {
            HttpRequest::json(path.to_owned(), body.to_string()).with_timeout(TimeoutClass::Long)
        };
        let price = match traded {
            TradedAsset::Collection(id) => {
                let asked = market("/v3/market/collection/auction/collection_statistic", json!({ "collectionId": id }));
                self.read::<Statistic>(asked).await?.and_then(|found| found.floor_price)
            }
            TradedAsset::Rune(name) => {
                let body = json!({ "tick": name, "timeType": "day1" });
                let asked = market("/v3/market/runes/auction/runes_types_specified", body);
                self.read::<Market>(asked).await?.and_then(|found| found.price)
            }
            TradedAsset::Brc20(ticker) => {
                let body = json!({ "tick": ticker, "timeType": "day1" });
                let asked = market("/v3/market/brc20/auction/brc20_types_specified", body);
                self.read::<Market>(asked).await?.and_then(|found| found.price)
            }
        };
        let Some(price) = price else { return Ok(None) };
        quote(&price, None).map_err(|error| self.client.record_failure(error))
    }
}

impl Prices for Unisat {
    fn quote<'a>(&'a self, traded: &'a TradedAsset) -> UpstreamFuture<'a, Option<Quote>> {
        Box::pin(self.fetch_quote(traded))
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::Network;
    use serde_json::Value;

    use super::*;
    use crate::http::scripted_server::{ScriptedResponse, start};
    use crate::resilience::test_client::test_client;

    fn good(data: &Value) -> ScriptedResponse {
        ScriptedResponse::ok(&json!({ "code": 0, "msg": "ok", "data": data }))
    }

    #[tokio::test]
    async fn floors_and_unit_prices_are_sats() {
        let market = |path: &'static str, body: &'static str, data: Value| async move {
            let (url, _) = start(move |asked| {
                assert_eq!(asked.line, format!("POST /v3/market/{path}"));
                assert_eq!(asked.body, body);
                good(&data)
            })
            .await;
            Unisat::new(test_client(&url), Network::Regtest)
        };
        let price = async |unisat: Unisat, traded: TradedAsset| {
            unisat.quote(&traded).await.map(|quote| quote.map(|quote| quote.price_scaled))
        };
        let floor = json!({ "floorPrice": 2_500_000, "listed": 3 });
        let frogs = market("collection/auction/collection_statistic", r#"{"collectionId":"frogs"}"#, floor).await;
        assert_eq!(price(frogs, TradedAsset::Collection("frogs".to_owned())).await, Ok(Some(250_000_000_000_000)));
        let nothing = market("collection/auction/collection_statistic", r#"{"collectionId":"frogs"}"#, json!({})).await;
        assert_eq!(price(nothing, TradedAsset::Collection("frogs".to_owned())).await, Ok(None));
        let body = r#"{"tick":"ordi","timeType":"day1"}"#;
        let ordi = market("brc20/auction/brc20_types_specified", body, json!({ "curPrice": 66_821.445 })).await;
        assert_eq!(price(ordi, TradedAsset::Brc20("ordi".to_owned())).await, Ok(Some(6_682_144_500_000)));
        let wrong_balance = market("brc20/auction/brc20_types_specified", body, json!({ "curPrice": 1e30 })).await;
        assert!(matches!(
            price(wrong_balance, TradedAsset::Brc20("ordi".to_owned())).await,
            Err(UpstreamError::InvalidResponse(_))
        ));
        let body = r#"{"tick":"DOGS","timeType":"day1"}"#;
        let dogs = market("runes/auction/runes_types_specified", body, json!({ "curPrice": "0.083" })).await;
        assert_eq!(price(dogs, TradedAsset::Rune("DOGS".to_owned())).await, Ok(Some(8_300_000)));
    }
}
