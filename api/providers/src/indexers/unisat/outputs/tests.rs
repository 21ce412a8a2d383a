//! Tests of `UniSat`'s outputs, with responses from its documentation.

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, Network, ScriptBuf, WPubkeyHash};
use serde_json::{Value, json};

use super::*;
use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};
use crate::resilience::test_client::test_client;

const TXID: &str = "2222222222222222222222222222222222222222222222222222222222222222";

fn outpoint() -> OutPoint {
    format!("{TXID}:1").parse().unwrap()
}

fn owner() -> ScriptBuf {
    ScriptBuf::new_p2wpkh(&WPubkeyHash::all_zeros())
}

/// The scripted responses of the server.
#[derive(Clone)]
struct Script {
    blocks: u32,
    runes_height: u32,
    output: Value,
    piles: Value,
    sums: Value,
    etchings: Value,
}

impl Script {
    /// An output with an inscription and two runes.
    fn of_output() -> Self {
        let pile = |id: &str, name: &str, amount: &str| {
            json!({ "amount": amount, "runeid": id, "rune": name.replace('•', ""), "spacedRune": name, "symbol": "x",
                "divisibility": 5 })
        };
        let piles =
            vec![pile("840000:22", "SATOSHI•NAKAMOTO", &u128::MAX.to_string()), pile("1:0", "UNCOMMON•GOODS", "7")];
        let etching = |id: &str, name: &str| json!({ "runeid": id, "rune": name.replace('•', ""), "spacedRune": name, "divisibility": 8, "number": 1 });
        Self {
            blocks: 800_000,
            runes_height: 799_999,
            output: json!({ "txid": TXID, "vout": 1, "satoshi": 10_000, "scriptPk": "0014", "height": 700_000,
                "idx": 3, "isOpInRBF": false, "isSpent": false, "inscriptions": [
                    { "inscriptionId": format!("{TXID}i1"), "inscriptionNumber": 8, "moved": true, "offset": 9_999 },
                    { "inscriptionId": format!("{TXID}i0"), "inscriptionNumber": 7, "moved": true, "offset": 3 }] }),
            sums: json!({ "start": 0, "total": 2, "detail": piles }),
            piles: json!(piles),
            etchings: json!({ "total": 2, "start": 0, "detail": [
                etching("840000:23", "SATOSHI•NAKAMOTO•JR"), etching("840000:22", "SATOSHI•NAKAMOTO")] }),
        }
    }

    async fn serve(self) -> UnisatOutputs {
        let (url, _) = start(move |asked: &ReceivedRequest| {
            let found = match asked.line.as_str() {
                "GET /v1/indexer/blockchain/info" => &json!({ "chain": "test", "blocks": self.blocks }),
                "GET /v1/indexer/runes/status" => &json!({ "bestHeight": self.runes_height, "runes": 100 }),
                "GET /v1/indexer/runes/info-list?rune=SATOSHINAKAMOTO&start=0&limit=100" => &self.etchings,
                line if line == format!("GET /v1/indexer/utxo/{TXID}/1") => &self.output,
                line if line == format!("GET /v1/indexer/runes/utxo/{TXID}/1/balance") => &self.piles,
                line if line.contains("/runes/balance-list?start=0&limit=100") => &self.sums,
                line => panic!("{line}"),
            };
            ScriptedResponse::ok(&json!({ "code": 0, "msg": "ok", "data": found }))
        })
        .await;
        UnisatOutputs(Arc::new(Unisat::new(test_client(&url), Network::Regtest)))
    }

    async fn carried(self) -> Result<Option<OutputAssets>, UpstreamError> {
        self.serve().await.carried_by(outpoint()).await
    }
}

#[tokio::test]
async fn an_output_carries_inscriptions_by_their_sats_and_runes_by_their_ids() {
    let inscribed = |index, offset| Inscribed {
        id: InscriptionId { txid: TXID.parse().unwrap(), index },
        offset: Amount::from_sat(offset),
    };
    let runes = vec![(RuneId { block: 1, tx: 0 }, 7), (RuneId { block: 840_000, tx: 22 }, u128::MAX)];
    let carried = OutputAssets { inscriptions: vec![inscribed(0, 3), inscribed(1, 9_999)], runes: runes.clone() };
    assert_eq!(Script::of_output().carried().await, Ok(Some(carried)));
    let found = Script::of_output().serve().await.runes_in(outpoint()).await;
    assert_eq!(found, Ok(AsOf { height: None, value: runes }));
}

#[tokio::test]
async fn unconfirmed_and_spent_outputs_are_not_found() {
    for (field, value) in [("height", json!(4_194_303)), ("isSpent", json!(true))] {
        let mut script = Script::of_output();
        script.output[field] = value;
        assert_eq!(script.carried().await, Ok(None), "{field}");
    }
    let unknown = Script { output: Value::Null, ..Script::of_output() };
    assert_eq!(unknown.carried().await, Ok(None));
}

#[tokio::test]
async fn an_unknown_output_is_not_an_output_without_runes() {
    let unknown = Script { piles: Value::Null, ..Script::of_output() };
    assert!(matches!(unknown.carried().await, Err(UpstreamError::Unknown(_))));
    let nothing = Script { piles: json!([]), ..Script::of_output() };
    assert_eq!(nothing.carried().await.unwrap().unwrap().runes, []);
    let behind = Script { runes_height: 699_999, ..Script::of_output() };
    assert_eq!(behind.carried().await, Err(UpstreamError::Behind { height: 699_999, wanted: 700_000 }));
}

#[tokio::test]
async fn an_inconsistent_output_is_rejected() {
    type Change = fn(&mut Script);
    let changes: [(&str, Change); 7] = [
        ("another output", |it| it.output["vout"] = json!(2)),
        ("an inscription beyond its output", |it| it.output["inscriptions"][0]["offset"] = json!(10_000)),
        ("no list of inscriptions", |it| it.output["inscriptions"] = Value::Null),
        ("thousands of inscriptions", |it| {
            let one = it.output["inscriptions"][0].clone();
            it.output["inscriptions"] = json!(vec![one; 1_001]);
        }),
        ("whole units", |it| it.piles[0]["amount"] = json!("1.5")),
        ("a negative amount", |it| it.piles[0]["amount"] = json!("-1")),
        ("an amount beyond 128 bits", |it| it.piles[0]["amount"] = json!("9".repeat(40))),
    ];
    for (what, change) in changes {
        let mut script = Script::of_output();
        change(&mut script);
        let carried = script.carried().await;
        assert!(matches!(carried, Err(UpstreamError::InvalidResponse(_))), "{what}: {carried:?}");
    }
}

#[tokio::test]
async fn the_height_is_the_lower_one_of_both_indexers() {
    assert_eq!(Script::of_output().serve().await.height().await, Ok(799_999));
    let ahead = Script { runes_height: 800_005, ..Script::of_output() };
    assert_eq!(ahead.serve().await.height().await, Ok(800_000));
}

#[tokio::test]
async fn a_rune_is_found_by_its_exact_name() {
    let unisat = Script::of_output().serve().await;
    let name: SpacedRune = "SATOSHI•NAKAMOTO".parse().unwrap();
    let entry = RuneEntry { id: RuneId { block: 840_000, tx: 22 }, name, divisibility: 8 };
    assert_eq!(unisat.rune(name).await, Ok(Some(entry)));
    let none = Script { etchings: json!({ "total": 0, "start": 0, "detail": [] }), ..Script::of_output() };
    assert_eq!(none.serve().await.rune(name).await, Ok(None));
}

#[tokio::test]
async fn balances_are_raw_units_by_the_letters_of_a_rune() {
    let balances = Script::of_output().serve().await.rune_balances(&owner(), &BTreeSet::new()).await.unwrap();
    let of = |name: &str, raw| RuneBalance { rune: name.parse().unwrap(), raw };
    assert_eq!(balances, [of("SATOSHINAKAMOTO", u128::MAX), of("UNCOMMONGOODS", 7)]);
}
