//! Tests of the Satflow client, with responses from its documentation.

use serde_json::{Value, json};

use super::*;
use crate::http::scripted_server::{ScriptedResponse, start};
use crate::resilience::test_client::test_client;

/// The documented response for a collection, with this floor and number of listings.
fn stats(id: &str, floor: &Value, listed: u32) -> Value {
    json!({ "success": true, "data": {
        "floor": floor, "listedCount": listed, "volume1d": 1_952_270, "volume1dChange": -5_296_500,
        "volume1dChangePercent": "-73.0676", "volume7d": 53_091_493, "volume7dChange": -298_725_491,
        "volume7dChangePercent": "-84.9093", "volume30d": 798_790_872, "volume30dChange": 216_755_235,
        "volume30dChangePercent": "37.2409",
        "metadata": { "_id": "661596fa4c95df346861aabb", "id": id, "name": "NodeMonkes", "description": null,
            "image_url": null, "total_items": 10_000, "inscription_min": 83_522, "inscription_max": 111_319,
            "creator_tips_address": null, "creator_fees_enabled": false, "royalties": [], "category_attributes": [],
            "supportsLiquidiumLoans": true } } })
}

async fn quote(traded: TradedAsset, response: ScriptedResponse) -> Result<Option<Quote>, UpstreamError> {
    let (url, _) = start(move |asked| {
        assert_eq!(asked.line, "GET /collection-stats?collectionId=nodemonkes");
        response.clone()
    })
    .await;
    Satflow::new(test_client(&url)).quote(&traded).await
}

async fn nodemonkes(response: &Value) -> Result<Option<u64>, UpstreamError> {
    let found = quote(TradedAsset::Collection("nodemonkes".to_owned()), ScriptedResponse::ok(response)).await;
    found.map(|quote| quote.map(|quote| quote.price_scaled))
}

#[tokio::test]
async fn a_floor_is_whole_sats() {
    assert_eq!(nodemonkes(&stats("nodemonkes", &json!(4_726_300), 102)).await, Ok(Some(472_630_000_000_000)));
    for unclear in [json!(0.047_263), json!("0.047263"), json!(-5), json!("x"), json!(1e30)] {
        let found = nodemonkes(&stats("nodemonkes", &unclear, 102)).await;
        assert!(matches!(found, Err(UpstreamError::InvalidResponse(_))), "{unclear}: {found:?}");
    }
}

#[tokio::test]
async fn nothing_listed_is_no_price() {
    for (floor, listed) in [(json!(0), 0), (json!(null), 0), (json!(null), 3), (json!(4_726_300), 0)] {
        assert_eq!(nodemonkes(&stats("nodemonkes", &floor, listed)).await, Ok(None), "{floor}");
    }
    let unknown = ScriptedResponse::Body(404, json!({ "error": "Collection not found" }).to_string());
    assert_eq!(quote(TradedAsset::Collection("nodemonkes".to_owned()), unknown).await, Ok(None));
}

#[tokio::test]
async fn a_floor_is_of_the_collection_that_was_asked_for() {
    let other = stats("toads", &json!(4_726_300), 102);
    for wrong in [other, json!({ "success": false }), json!({ "success": true }), json!({ "data": { "floor": 1 } })] {
        let found = nodemonkes(&wrong).await;
        assert!(matches!(found, Err(UpstreamError::InvalidResponse(_))), "{wrong}: {found:?}");
    }
}

#[tokio::test]
async fn tokens_are_not_asked_for() {
    let (url, asked) = start(|_| ScriptedResponse::NoResponse).await;
    for token in [TradedAsset::Rune("DOGS".to_owned()), TradedAsset::Brc20("ordi".to_owned())] {
        assert_eq!(Satflow::new(test_client(&url)).quote(&token).await, Ok(None));
    }
    assert!(asked.lock().unwrap().is_empty());
}
