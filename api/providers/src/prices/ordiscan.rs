//! Prices of runes on Ordiscan, in sats with decimals.

use serde::Deserialize;

use crate::capability::{Prices, Quote, TradedAsset, UpstreamError, UpstreamFuture};
use crate::http::{HttpRequest, TimeoutClass, escaped};
use crate::indexers::{Ordiscan, OrdiscanEnvelope};
use crate::parsing::decimal::Decimal;
use crate::prices::quote;

/// The response of `/v1/rune/{name}/market`.
#[derive(Deserialize)]
struct RuneMarket {
    #[serde(default)]
    price_in_sats: Option<Decimal>,
}

impl Ordiscan {
    async fn fetch_quote(&self, traded: &TradedAsset) -> Result<Option<Quote>, UpstreamError> {
        let TradedAsset::Rune(name) = traded else { return Ok(None) };
        let request = HttpRequest::get(format!("/v1/rune/{}/market", escaped(name))).with_timeout(TimeoutClass::Long);
        let found: Option<OrdiscanEnvelope<RuneMarket>> = self.client.read(request).await?;
        let Some(price) = found.and_then(|found| found.data.price_in_sats) else { return Ok(None) };
        quote(&price, None).map_err(|error| self.client.record_failure(error))
    }
}

impl Prices for Ordiscan {
    fn quote<'a>(&'a self, traded: &'a TradedAsset) -> UpstreamFuture<'a, Option<Quote>> {
        Box::pin(self.fetch_quote(traded))
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::Network;
    use serde_json::{Value, json};

    use super::*;
    use crate::http::scripted_server::{ScriptedResponse, start};
    use crate::resilience::test_client::test_client;

    async fn price(response: Value) -> Result<Option<u64>, UpstreamError> {
        let (url, _) = start(move |asked| {
            assert_eq!(asked.line, "GET /v1/rune/DOGS/market");
            ScriptedResponse::ok(&response)
        })
        .await;
        let quote =
            Ordiscan::new(test_client(&url), Network::Regtest).quote(&TradedAsset::Rune("DOGS".to_owned())).await;
        quote.map(|quote| quote.map(|quote| quote.price_scaled))
    }

    #[tokio::test]
    async fn a_rune_has_a_price_in_sats() {
        let market =
            |price: Value| json!({ "data": { "price_in_sats": price, "price_in_usd": 0.002, "market_cap_in_btc": 9 } });
        assert_eq!(price(market(json!(3.25))).await, Ok(Some(325_000_000)));
        assert_eq!(price(market(json!(8.3e-2))).await, Ok(Some(8_300_000)));
        assert_eq!(price(market(json!(null))).await, Ok(None));
        assert_eq!(price(market(json!(0))).await, Ok(None));
        for wrong in
            [market(json!(-1)), market(json!("many")), market(json!(1e20)), json!({ "error": "none" }), json!([])]
        {
            let found = price(wrong.clone()).await;
            assert!(matches!(found, Err(UpstreamError::InvalidResponse(_))), "{wrong}: {found:?}");
        }
    }

    #[tokio::test]
    async fn only_runes_have_prices() {
        let ordiscan = Ordiscan::new(test_client("http://127.0.0.1:1"), Network::Regtest);
        assert_eq!(ordiscan.quote(&TradedAsset::Collection("frogs".to_owned())).await, Ok(None));
    }
}
