//! Tests of the `UniSat` client, with responses from its documentation.

use bitcoin::{ScriptBuf, WPubkeyHash, hashes::Hash as _};
use serde_json::{Value, json};

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
    ScriptedResponse::ok(&json!({ "code": 0, "msg": "ok", "data": data }))
}

/// The scripted responses of the server.
#[derive(Clone)]
struct Script {
    chain: Value,
    info: Value,
    history: Value,
    unused: Value,
}

impl Script {
    /// Responses for a valid, unused transfer inscription.
    fn of_note() -> Self {
        let event = json!({ "ticker": "Ordi", "type": "inscribe-transfer", "valid": true, "txid": TXID, "idx": 0,
            "vout": 0, "inscriptionNumber": 7, "inscriptionId": id().to_string(), "from": "", "to": OWNER,
            "satoshi": 546, "fee": 0, "amount": "1000.5", "height": 800_000 });
        Self {
            chain: json!({ "chain": "test", "blocks": 5, "headers": 5, "bestBlockHash": "00" }),
            info: json!({ "inscriptionId": id().to_string(), "inscriptionNumber": 7, "address": OWNER, "offset": 3,
                "contentType": "text/plain;charset=utf-8",
                "utxo": { "txid": TXID, "vout": 1, "satoshi": 546, "scriptPk": "0014" },
                "brc20": { "op": "transfer", "tick": "ordi", "amt": "1000.5", "decimal": "18" } }),
            history: json!({ "height": 800_001, "total": 1, "start": 0, "detail": [event] }),
            unused: json!({ "total": 1, "start": 0, "detail": [
                { "inscriptionId": id().to_string(), "inscriptionNumber": 7, "confirmations": 3,
                  "data": { "op": "transfer", "tick": "ordi", "amt": "1000.5" } }] }),
        }
    }

    async fn serve(self) -> Unisat {
        let (url, _) = start(move |asked: &ReceivedRequest| {
            let line = asked.line.as_str();
            if line.ends_with("/blockchain/info") {
                good(&self.chain)
            } else if line.contains("/inscription/info/") {
                good(&self.info)
            } else if line.contains("/history?type=inscribe-transfer") {
                assert!(line.starts_with(&format!("GET /v1/indexer/brc20/ordi/tx/{TXID}/")), "{line}");
                good(&self.history)
            } else if line.contains("/transferable-inscriptions?start=0&limit=100") {
                good(&self.unused)
            } else {
                ScriptedResponse::Body(404, String::new())
            }
        })
        .await;
        Unisat::new(test_client(&url), Network::Regtest)
    }

    async fn note(self) -> Result<Option<TransferInscription>, UpstreamError> {
        self.serve().await.note(id()).await.map(|note| note.value)
    }
}

async fn unisat_with(response: ScriptedResponse) -> Unisat {
    let (url, _) = start(move |asked| {
        if asked.line.ends_with("/blockchain/info") { good(&json!({ "chain": "regtest" })) } else { response.clone() }
    })
    .await;
    Unisat::new(test_client(&url), Network::Regtest)
}

#[tokio::test]
async fn a_transfer_inscription_is_unused_while_it_is_listed() {
    let amount = 1_000_500_000_000_000_000_000;
    let note = TransferInscription { ticker: "ordi".to_owned(), amount, owner: owner(), is_used: false };
    assert_eq!(Script::of_note().note().await, Ok(Some(note.clone())));
    let moved = Script { unused: json!({ "total": 0, "start": 0, "detail": [] }), ..Script::of_note() };
    assert_eq!(moved.note().await, Ok(Some(TransferInscription { is_used: true, ..note })));
}

#[tokio::test]
async fn an_invalid_transfer_inscription_is_none() {
    let plain = Script { info: json!({ "inscriptionId": id().to_string(), "utxo": null }), ..Script::of_note() };
    assert_eq!(plain.note().await, Ok(None));
    let mut mint = Script::of_note();
    mint.info["brc20"]["op"] = json!("mint");
    assert_eq!(mint.note().await, Ok(None));
    let mut invalid = Script::of_note();
    invalid.history["detail"][0]["valid"] = json!(false);
    assert_eq!(invalid.note().await, Ok(None));
    let unknown = Script { history: json!({ "total": 0, "detail": [] }), ..Script::of_note() };
    assert_eq!(unknown.note().await, Ok(None));
    assert_eq!(unisat_with(ScriptedResponse::Body(404, String::new())).await.note(id()).await.unwrap().value, None);
    let missing = ScriptedResponse::ok(&json!({ "code": -1, "msg": "inscription not found", "data": null }));
    assert_eq!(unisat_with(missing).await.note(id()).await.unwrap().value, None);
}

#[tokio::test]
async fn an_inconsistent_transfer_inscription_is_rejected() {
    type Change = fn(&mut Script);
    let changes: [(&str, Change); 8] = [
        ("another inscription", |it| it.info["inscriptionId"] = json!(format!("{TXID}i1"))),
        ("another ticker", |it| it.history["detail"][0]["ticker"] = json!("rats")),
        ("an owner of another network", |it| {
            it.history["detail"][0]["to"] = json!("bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqthhpq7");
        }),
        ("an owner that leads elsewhere", |it| it.history["detail"][0]["to"] = json!("../../x?y=")),
        ("a negative amount", |it| it.history["detail"][0]["amount"] = json!("-1")),
        ("an amount of 19 decimals", |it| it.history["detail"][0]["amount"] = json!("0.0000000000000000001")),
        ("an amount beyond 128 bits", |it| it.history["detail"][0]["amount"] = json!("9".repeat(30))),
        ("two amounts", |it| it.unused["detail"][0]["data"]["amt"] = json!("1000.6")),
    ];
    for (what, change) in changes {
        let mut script = Script::of_note();
        change(&mut script);
        let note = script.note().await;
        assert!(matches!(note, Err(UpstreamError::InvalidResponse(_))), "{what}: {note:?}");
    }
}

#[tokio::test]
async fn a_balance_is_the_confirmed_one() {
    let balance = json!({ "ticker": "ORDI", "overallBalance": "15", "transferableBalance": "2.5",
        "availableBalance": "12.5", "availableBalanceSafe": "10", "availableBalanceUnSafe": "2.5" });
    let read = async |balance: Value| {
        unisat_with(good(&balance)).await.balance(&owner(), "ordi").await.map(|balance| balance.value)
    };
    let whole = 1_000_000_000_000_000_000;
    let expected = Brc20Balance { available: 10 * whole, transferable: 5 * whole / 2 };
    assert_eq!(read(balance.clone()).await, Ok(expected));
    for (field, wrong) in [
        ("ticker", "rats"),
        ("availableBalanceSafe", "-1"),
        ("transferableBalance", "1e60"),
        ("transferableBalance", ""),
    ] {
        let mut wrong_balance = balance.clone();
        wrong_balance[field] = json!(wrong);
        assert!(matches!(read(wrong_balance).await, Err(UpstreamError::InvalidResponse(_))), "{field} {wrong}");
    }
    let refused = unisat_with(ScriptedResponse::ok(&json!({ "code": -1, "msg": "address invalid" }))).await;
    assert!(matches!(refused.balance(&owner(), "ordi").await, Err(UpstreamError::Refused(_))));
}

#[tokio::test]
async fn an_inscription_is_read_with_its_location() {
    let seen = Script::of_note().serve().await.inscription(id()).await.unwrap().unwrap();
    assert_eq!((seen.outpoint, seen.offset_sats), (OutPoint::new(TXID.parse().unwrap(), 1), Some(3)));
    assert_eq!((seen.owner, seen.output_sats, seen.number), (Some(owner()), Some(546), Some(7)));
}

#[tokio::test]
async fn an_indexer_of_mainnet_is_not_asked_about_a_test_network() {
    let real = Script { chain: json!({ "chain": "main" }), ..Script::of_note() };
    assert_eq!(real.note().await, Err(UpstreamError::WrongNetwork));
}

#[test]
fn a_ticker_is_escaped_in_a_path() {
    for (ticker, place) in [("ordi", "ordi"), ("..", "2e2e"), ("a/b?", "612f623f"), ("𝛑", "f09d9b91"), ("", "")] {
        assert_eq!(ticker_in_path(ticker), place);
    }
}
