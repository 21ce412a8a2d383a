//! Tests of the Ordiscan client, with responses from its documentation.

use serde_json::{Value, json};

use super::*;
use crate::http::scripted_server::{ScriptedResponse, start};
use crate::resilience::test_client::test_client;

#[tokio::test]
async fn an_inscription_is_the_one_that_was_asked_for() {
    const TXID: &str = "2222222222222222222222222222222222222222222222222222222222222222";
    let seen = async |response: Value| {
        let (url, _) = start(move |asked| {
            assert_eq!(asked.line, format!("GET /v1/inscription/{TXID}i0"));
            ScriptedResponse::ok(&response)
        })
        .await;
        Ordiscan::new(test_client(&url), Network::Regtest).inscription(format!("{TXID}i0").parse().unwrap()).await
    };
    let data = json!({ "inscription_id": format!("{TXID}i0"), "inscription_number": 5, "owner_output": format!("{TXID}:2"),
        "owner_address": "bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202", "content_type": "text/plain",
        "content_url": "https://example.com/content", "collection_slug": "frogs" });
    let found = seen(json!({ "data": data })).await.unwrap().unwrap();
    assert_eq!((found.outpoint.vout, found.offset_sats, found.number), (2, None, Some(5)));
    assert_eq!((found.collection_slug.as_deref(), found.owner.is_some()), (Some("frogs"), true));
    let other = json!({ "inscription_id": format!("{TXID}i1"), "owner_output": format!("{TXID}:2") });
    for wrong in [json!({ "data": other }), json!({ "data": { "inscription_id": format!("{TXID}i0") } }), json!([])] {
        let found = seen(wrong.clone()).await;
        assert!(matches!(found, Err(UpstreamError::InvalidResponse(_))), "{wrong}: {found:?}");
    }
}

#[tokio::test]
async fn an_address_holds_runes_in_raw_units() {
    let read = async |balance: Value| {
        let (url, _) = start(move |asked| {
            assert_eq!(asked.line, "GET /v1/address/bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202/runes");
            ScriptedResponse::ok(&json!({ "data": [{ "name": "UNCOMMONGOODS", "balance": balance }] }))
        })
        .await;
        let owner = bitcoin::ScriptBuf::from_hex("00140000000000000000000000000000000000000000").unwrap();
        Ordiscan::new(test_client(&url), Network::Regtest).rune_balances(&owner, &BTreeSet::new()).await
    };
    let rune = "UNCOMMONGOODS".parse().unwrap();
    assert_eq!(read(json!("1000000")).await, Ok(vec![RuneBalance { rune, raw: 1_000_000 }]));
    for wrong in [json!("1.5"), json!(-1), json!(null)] {
        assert!(matches!(read(wrong.clone()).await, Err(UpstreamError::InvalidResponse(_))), "{wrong}");
    }
}
