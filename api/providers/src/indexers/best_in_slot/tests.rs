//! Tests of the Best in Slot client, with responses from its documentation.

use bitcoin::OutPoint;
use serde_json::json;

use super::*;
use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};
use crate::resilience::test_client::test_client;

const TXID: &str = "2222222222222222222222222222222222222222222222222222222222222222";
const OWNER: &str = "bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202";

fn id() -> InscriptionId {
    format!("{TXID}i0").parse().unwrap()
}

fn owner() -> ScriptBuf {
    ScriptBuf::new_p2wpkh(&WPubkeyHash::all_zeros())
}

fn good(data: &Value) -> ScriptedResponse {
    ScriptedResponse::ok(&json!({ "data": data, "block_height": 800_000 }))
}

async fn server(respond: impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static) -> BestInSlot {
    let (url, _) = start(respond).await;
    BestInSlot::new(test_client(&url), Network::Regtest)
}

fn single_info() -> Value {
    json!({ "transfer_info": { "is_valid": true, "ticker": "ordi", "original_ticker": "ordi",
            "amount": "100.000000000000000000", "is_used": false },
        "mint_info": { "is_valid": false }, "deploy_info": { "is_valid": false } })
}

fn events() -> Value {
    json!([
        { "inscription_id": format!("{TXID}i1"), "event_type": "deploy-inscribe", "event": { "tick": "other" } },
        { "inscription_id": id().to_string(), "event_type": "transfer-inscribe",
          "event": { "tick": "ordi", "amount": "100000000000000000000", "source_wallet": OWNER,
            "source_pkScript": owner().to_hex_string() } },
    ])
}

async fn note(info: Value, events: Value) -> Result<AsOf<Option<TransferInscription>>, UpstreamError> {
    let server = server(move |asked| {
        if asked.line == format!("GET /brc20/single_info?inscription_id={}", id()) {
            good(&info)
        } else {
            assert_eq!(asked.line, format!("GET /brc20/event_from_txid?txid={TXID}"));
            good(&events)
        }
    });
    server.await.note(id()).await
}

#[tokio::test]
async fn a_transfer_inscription_belongs_to_the_owner_it_was_inscribed_to() {
    let expected = TransferInscription {
        ticker: "ordi".to_owned(),
        amount: 100_000_000_000_000_000_000,
        owner: owner(),
        is_used: false,
    };
    let height = Some(800_000);
    assert_eq!(note(single_info(), events()).await, Ok(AsOf { height, value: Some(expected.clone()) }));
    let mut used = single_info();
    used["transfer_info"]["is_used"] = json!(true);
    let expected = TransferInscription { is_used: true, ..expected };
    assert_eq!(note(used, events()).await, Ok(AsOf { height, value: Some(expected) }));
    let mut invalid = single_info();
    invalid["transfer_info"] =
        json!({ "is_valid": false, "ticker": null, "original_ticker": null, "amount": null, "is_used": null });
    assert_eq!(note(invalid, events()).await, Ok(AsOf { height, value: None }));
}

#[tokio::test]
async fn an_inconsistent_transfer_inscription_is_rejected() {
    let info_with = |field: &str, value: Value| {
        let mut info = single_info();
        info["transfer_info"][field] = value;
        info
    };
    let event_with = |field: &str, value: Value| {
        let mut events = events();
        events[1]["event"][field] = value;
        events
    };
    for (info, events) in [
        (info_with("ticker", json!("rats")), events()),
        (info_with("ticker", json!(null)), events()),
        (info_with("amount", json!("99")), events()),
        (info_with("amount", json!("-100")), events()),
        (info_with("amount", json!(null)), events()),
        (info_with("is_used", json!(null)), events()),
        (single_info(), event_with("amount", json!("1"))),
        (single_info(), event_with("tick", json!("rats"))),
        (single_info(), event_with("source_pkScript", json!("zz"))),
        (single_info(), event_with("source_pkScript", json!(""))),
        (single_info(), event_with("source_pkScript", json!(null))),
        (single_info(), json!([])),
    ] {
        let shown = format!("{info} {events}");
        let note = note(info, events).await;
        assert!(matches!(note, Err(UpstreamError::InvalidResponse(_))), "{shown}: {note:?}");
    }
}

#[tokio::test]
async fn a_balance_is_of_its_ticker_and_block() {
    let balance = |ticker: &str, available: &str| {
        json!({ "ticker": ticker, "overall_balance": "3", "available_balance": available,
            "transferrable_balance": "0.5", "image_url": "" })
    };
    let read = async |balances: Value| {
        let server = server(move |asked| {
            assert_eq!(asked.line, format!("GET /brc20/wallet_balances?address={OWNER}"));
            good(&balances)
        });
        server.await.balance(&owner(), "ORDI").await
    };
    let value = Brc20Balance { available: 2_500_000_000_000_000_000, transferable: 500_000_000_000_000_000 };
    let found = read(json!([balance("rats", "9"), balance("ordi", "2.5")])).await;
    assert_eq!(found, Ok(AsOf { height: Some(800_000), value }));
    assert_eq!(read(json!([])).await.unwrap().value, Brc20Balance::default());
    for wrong in [json!([balance("ordi", "1"), balance("Ordi", "2")]), json!([balance("ordi", "-1")]), json!({})] {
        assert!(matches!(read(wrong).await, Err(UpstreamError::InvalidResponse(_))));
    }
}

#[tokio::test]
async fn every_response_names_its_block() {
    let height = async |response: ScriptedResponse| server(move |_| response.clone()).await.height().await;
    assert_eq!(height(good(&json!([]))).await, Ok(800_000));
    for wrong in [json!([]), json!({ "data": [] }), json!({ "data": [], "block_height": -1 })] {
        assert!(
            matches!(height(ScriptedResponse::ok(&wrong)).await, Err(UpstreamError::InvalidResponse(_))),
            "{wrong}"
        );
    }
}

#[tokio::test]
async fn an_inscription_is_read_with_its_location() {
    let seen = server(|_| {
        good(&json!({ "inscription_id": id().to_string(), "inscription_number": -7, "slug": "frogs",
            "inscription_name": "Frog \u{7}#8", "collection_name": "Paper Frogs",
            "satpoint": format!("{TXID}:1:3"), "output_value": 546, "owner_wallet_addr": OWNER,
            "mime_type": "image/png", "content_url": "https://example.com/content" }))
    });
    let seen = seen.await.inscription(id()).await.unwrap().unwrap();
    let outpoint = OutPoint::new(TXID.parse().unwrap(), 1);
    let expected = InscriptionDetails {
        offset_sats: Some(3),
        owner: Some(owner()),
        number: Some(-7),
        output_sats: Some(546),
        content_type: Some("image/png".to_owned()),
        content_uri: Some("https://example.com/content".to_owned()),
        name: Some("Frog #8".to_owned()),
        collection_slug: Some("frogs".to_owned()),
        collection_name: Some("Paper Frogs".to_owned()),
        ..InscriptionDetails::at(id(), outpoint)
    };
    assert_eq!(seen, expected);
    let other = server(|_| good(&json!({ "inscription_id": format!("{TXID}i1"), "satpoint": format!("{TXID}:1:3") })));
    assert!(matches!(other.await.inscription(id()).await, Err(UpstreamError::InvalidResponse(_))));
}

fn rune_output(outpoint: &str) -> Value {
    json!({ "pkscript": "0014", "wallet_addr": OWNER, "output": outpoint, "rune_ids": ["840000:22", "1:0"],
        "balances": [u128::MAX.to_string(), "7"], "spent": false, "rune_names": ["SATOSHINAKAMOTO", "UNCOMMONGOODS"],
        "spaced_rune_names": ["SATOSHI•NAKAMOTO", "UNCOMMON•GOODS"], "decimals": [8, 0] })
}

#[tokio::test]
async fn an_output_holds_runes_in_raw_units() {
    let outpoint: OutPoint = format!("{TXID}:1").parse().unwrap();
    let read = async |response: Value| {
        let best_in_slot = server(move |asked| {
            assert_eq!(asked.line, format!("GET /runes/output_info?output={TXID}:1"));
            good(&response)
        });
        best_in_slot.await.runes_in(outpoint).await
    };
    let sound = rune_output(&outpoint.to_string());
    let held = vec![(RuneId { block: 1, tx: 0 }, 7), (RuneId { block: 840_000, tx: 22 }, u128::MAX)];
    assert_eq!(read(sound.clone()).await, Ok(AsOf { height: Some(800_000), value: held }));
    let nothing = Ok(AsOf { height: Some(800_000), value: Vec::new() });
    assert_eq!(read(json!({})).await, nothing);
    let mut spent = sound.clone();
    spent["spent"] = json!(true);
    assert_eq!(read(spent).await, nothing);
    let mut short = sound.clone();
    short["balances"] = json!(["7"]);
    let mut whole = sound;
    whole["balances"][0] = json!("1.5");
    for wrong in [rune_output(&format!("{TXID}:2")), short, whole] {
        assert!(matches!(read(wrong.clone()).await, Err(UpstreamError::InvalidResponse(_))), "{wrong}");
    }
}

#[tokio::test]
async fn a_wallet_holds_runes_in_raw_units() {
    let best_in_slot = server(|asked| {
        assert_eq!(asked.line, format!("GET /runes/wallet_balances?address={OWNER}"));
        good(&json!([{ "pkscript": "0014", "wallet_addr": OWNER, "rune_id": "840000:22",
            "total_balance": "4120000000000", "rune_name": "SATOSHINAKAMOTO", "spaced_rune_name": "SATOSHI•NAKAMOTO",
            "decimals": 8, "avg_unit_price_in_sats": 3422.7, "min_listed_unit_price_in_sats": null }]))
    });
    let balances = best_in_slot.await.rune_balances(&owner(), &BTreeSet::new()).await;
    let rune = "SATOSHINAKAMOTO".parse().unwrap();
    assert_eq!(balances, Ok(vec![RuneBalance { rune, raw: 4_120_000_000_000 }]));
}
