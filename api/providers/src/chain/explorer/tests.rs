//! Tests of the explorer client, with responses from the documentation of mempool.space and Esplora.

use bitcoin::absolute::LockTime;
use bitcoin::transaction::Version;
use bitcoin::{ScriptBuf, WPubkeyHash, hashes::Hash as _};
use serde_json::{Value, json};

use super::*;
use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};
use crate::resilience::test_client::test_client;

const GENESIS: &str = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206";
const TXID: &str = "2222222222222222222222222222222222222222222222222222222222222222";

pub(super) async fn explorer(
    respond: impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static,
) -> Explorer {
    of(FeeEndpoint::Recommended, respond).await
}

async fn of(
    table: FeeEndpoint,
    respond: impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static,
) -> Explorer {
    let (url, _) = start(move |asked| match asked.line.as_str() {
        "GET /block-height/0" => ScriptedResponse::ok(GENESIS),
        _ => respond(asked),
    })
    .await;
    Explorer::new(test_client(&url), Network::Regtest, table)
}

fn owner() -> ScriptBuf {
    ScriptBuf::new_p2wpkh(&WPubkeyHash::all_zeros())
}

fn transaction() -> Transaction {
    Transaction { version: Version::TWO, lock_time: LockTime::ZERO, input: Vec::new(), output: Vec::new() }
}

#[tokio::test]
async fn fees_are_read_to_the_thousandth_of_a_sat() {
    let fees = json!({ "fastestFee": 12, "halfHourFee": 4.5, "hourFee": 1.0001, "economyFee": 1, "minimumFee": 0.1 });
    let advice = explorer(move |_| ScriptedResponse::ok(&fees)).await.fees().await;
    let expected =
        RecommendedFees { fastest_milli: 12_000, half_hour_milli: 4_500, hour_milli: 1_001, minimum_milli: 100 };
    assert_eq!(advice, Ok(expected));
    let estimates = json!({ "1": 87.882, "2": 87.882, "4": 68.285, "6": 10, "144": 1.027, "1008": 1.027 });
    let advice = of(FeeEndpoint::Estimates, move |_| ScriptedResponse::ok(&estimates)).await.fees().await;
    let expected =
        RecommendedFees { fastest_milli: 87_882, half_hour_milli: 87_882, hour_milli: 10_000, minimum_milli: 1_027 };
    assert_eq!(advice, Ok(expected));
}

#[tokio::test]
async fn implausible_fees_are_rejected() {
    let with = |field: &str, value: Value| {
        let mut response = json!({ "fastestFee": 12, "halfHourFee": 4, "hourFee": 2, "minimumFee": 1 });
        response[field] = value;
        response
    };
    for response in [
        with("fastestFee", json!(10_001)),
        with("fastestFee", json!(-1)),
        with("fastestFee", json!("many")),
        with("fastestFee", json!(3)),
        with("hourFee", json!(0)),
        with("hourFee", json!(5)),
        with("minimumFee", json!(3)),
        with("minimumFee", json!(null)),
        json!({}),
    ] {
        let shown = response.to_string();
        let advice = explorer(move |_| ScriptedResponse::ok(&response)).await.fees().await;
        assert!(matches!(advice, Err(UpstreamError::InvalidResponse(_))), "{shown}: {advice:?}");
    }
}

#[tokio::test]
async fn an_address_lists_confirmed_outputs() {
    let output = |vout: Value, is_confirmed: bool| {
        json!({ "txid": TXID, "vout": vout, "value": 546,
            "status": { "confirmed": is_confirmed, "block_height": 100, "block_hash": GENESIS, "block_time": 1 } })
    };
    let outputs = json!([output(json!(1), true), output(json!(0), false)]);
    let found = explorer(move |asked| {
        assert_eq!(asked.line, "GET /address/bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202/utxo");
        ScriptedResponse::ok(&outputs)
    })
    .await;
    let found = found.outputs_of(&owner()).await;
    assert_eq!(found, Ok(vec![OutPoint::new(TXID.parse().unwrap(), 1)]));
    for wrong in
        [json!([output(json!(-1), true)]), json!([output(json!(4_294_967_296_u64), true)]), json!({}), json!([{}])]
    {
        let found = explorer(move |_| ScriptedResponse::ok(&wrong)).await;
        assert!(matches!(found.outputs_of(&owner()).await, Err(UpstreamError::InvalidResponse(_))));
    }
    let nameless = ScriptBuf::from_bytes(vec![0x51]);
    assert!(matches!(
        explorer(|_| ScriptedResponse::NoResponse).await.outputs_of(&nameless).await,
        Err(UpstreamError::Unknown(_))
    ));
}

#[tokio::test]
async fn only_a_bare_number_is_a_height() {
    let height = async |text: &'static str| explorer(move |_| ScriptedResponse::ok(text)).await.height().await;
    assert_eq!(height("871234").await, Ok(871_234));
    assert_eq!(height("871234\n").await, Ok(871_234));
    for wrong in ["", "-1", "4294967296", "1.5", "<html>", "{}"] {
        assert!(matches!(height(wrong).await, Err(UpstreamError::InvalidResponse(_))), "{wrong}");
    }
}

#[tokio::test]
async fn a_transaction_is_sent_or_refused_and_its_txid_checked() {
    let txid = transaction().compute_txid().to_string();
    let sent = async |response: ScriptedResponse| explorer(move |_| response.clone()).await.send(&transaction()).await;
    assert_eq!(sent(ScriptedResponse::ok(&txid)).await, Ok(()));
    let refusal = |reason: &str| {
        ScriptedResponse::Body(400, format!("sendrawtransaction RPC error: {{\"code\":-26,\"message\":\"{reason}\"}}"))
    };
    assert_eq!(sent(refusal("txn-already-in-mempool")).await, Ok(()));
    assert_eq!(sent(refusal("Transaction already in block chain")).await, Ok(()));
    assert!(matches!(sent(refusal("dust")).await, Err(UpstreamError::Refused(why)) if why.contains("dust")));
    assert!(matches!(sent(ScriptedResponse::ok(TXID)).await, Err(UpstreamError::InvalidResponse(_))));
    assert!(matches!(sent(ScriptedResponse::Body(500, String::new())).await, Err(UpstreamError::Status(500))));
}

#[tokio::test]
async fn another_network_is_detected_before_any_other_request() {
    let (url, asked) = start(|_| ScriptedResponse::ok(TXID)).await;
    let explorer = Explorer::new(test_client(&url), Network::Regtest, FeeEndpoint::Recommended);
    assert_eq!(explorer.fees().await, Err(UpstreamError::WrongNetwork));
    assert_eq!(explorer.outputs_of(&owner()).await, Err(UpstreamError::WrongNetwork));
    assert_eq!(explorer.send(&transaction()).await, Err(UpstreamError::WrongNetwork));
    assert!(asked.lock().unwrap().iter().all(|asked| asked.line == "GET /block-height/0"));
}
