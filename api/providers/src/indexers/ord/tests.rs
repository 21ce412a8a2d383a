use serde_json::{Value, json};

use super::*;
use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};

const OUTPOINT: &str = "1111111111111111111111111111111111111111111111111111111111111111:0";
const ONE: &str = "2222222222222222222222222222222222222222222222222222222222222222i0";
const TWO: &str = "3333333333333333333333333333333333333333333333333333333333333333i1";

fn outpoint() -> OutPoint {
    OUTPOINT.parse().unwrap()
}

async fn server(respond: impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static) -> OrdServer {
    let (url, _) = start(respond).await;
    OrdServer::new(&url, Network::Regtest).unwrap()
}

/// An output as ord returns it.
fn output(inscriptions: &Value, runes: &Value) -> Value {
    json!({
        "address": null, "confirmations": 3, "indexed": true, "inscriptions": inscriptions, "outpoint": OUTPOINT,
        "runes": runes, "sat_ranges": null, "script_pubkey": "6a", "spent": false, "value": 10_000,
    })
}

fn rune(name: &str, id: &str, divisibility: u8) -> Value {
    json!({ "entry": { "spaced_rune": name, "divisibility": divisibility }, "id": id, "mintable": false, "parent": null })
}

fn json_response(found: Option<Value>) -> ScriptedResponse {
    found.map_or_else(|| ScriptedResponse::Body(404, "not found".to_owned()), |found| ScriptedResponse::ok(&found))
}

/// A server with one output and what belongs to it.
fn of_output(
    output: Value,
    places: Value,
    runes: Vec<Value>,
) -> impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static {
    move |asked| {
        assert!(asked.headers.contains("accept: application/json"), "{}", asked.headers);
        json_response(match asked.line.as_str() {
            "GET /blockheight" => Some(json!(200)),
            "POST /inscriptions" => Some(places.clone()),
            line if line == format!("GET /output/{OUTPOINT}") => Some(output.clone()),
            line => runes
                .iter()
                .find(|rune| {
                    let name: SpacedRune = rune["entry"]["spaced_rune"].as_str().unwrap().parse().unwrap();
                    line == format!("GET /rune/{}", name.rune)
                })
                .cloned(),
        })
    }
}

#[tokio::test]
async fn the_content_of_an_output_is_read_exactly() {
    // The largest possible amount, as ord prints it: no float represents it.
    let most = u128::MAX.to_string();
    let runes = format!(
        r#"{{"AAAA•BBBB": {{"amount": {most}, "divisibility": 38, "symbol": "x"}}, "CCCC": {{"amount": 1, "divisibility": 0, "symbol": null}}}}"#
    );
    let body =
        output(&json!([TWO, ONE]), &json!(null)).to_string().replace(r#""runes":null"#, &format!(r#""runes":{runes}"#));
    let places = json!([
        { "id": TWO, "satpoint": format!("{OUTPOINT}:9999") },
        { "id": ONE, "satpoint": format!("{OUTPOINT}:7") },
    ]);
    let known = vec![rune("AAAA•BBBB", "150:3", 38), rune("CCCC", "100:1", 0)];
    let rest = of_output(Value::Null, places, known);
    let (url, asked) = start(move |asked| match asked.line.as_str() {
        line if line.starts_with("GET /output/") => ScriptedResponse::ok(&body),
        _ => rest(asked),
    })
    .await;
    let ord = OrdServer::new(&url, Network::Regtest).unwrap();
    let expected = OutputAssets {
        inscriptions: vec![
            Inscribed { id: ONE.parse().unwrap(), offset: Amount::from_sat(7) },
            Inscribed { id: TWO.parse().unwrap(), offset: Amount::from_sat(9_999) },
        ],
        runes: vec![(RuneId { block: 100, tx: 1 }, 1), (RuneId { block: 150, tx: 3 }, u128::MAX)],
    };
    for _ in 0..2 {
        assert_eq!(ord.assets_in(outpoint()).await, Ok(Some(expected.clone())));
    }
    let asked = asked.lock().unwrap();
    let times = |line: &str| asked.iter().filter(|asked| asked.line == line).count();
    assert_eq!(times("GET /rune/CCCC"), 1, "etched 100 blocks ago: nothing changes it");
    assert_eq!(times("GET /rune/AAAABBBB"), 2, "a reorg may give it another id");
    let both = json!([TWO, ONE]).to_string();
    assert!(asked.iter().any(|asked| asked.body == both));
}

#[tokio::test]
async fn an_output_unknown_to_ord_is_not_plain() {
    let empty = (json!([]), json!({}));
    let mut unknown = output(&empty.0, &empty.1);
    let plain = server(of_output(unknown.clone(), json!([]), vec![])).await;
    assert_eq!(plain.assets_in(outpoint()).await, Ok(Some(OutputAssets::default())));
    assert!(plain.assets_in(outpoint()).await.unwrap().unwrap().is_plain());
    unknown["indexed"] = json!(false);
    let server_of = |output: Value| server(of_output(output, json!([]), vec![]));
    assert_eq!(server_of(unknown).await.assets_in(outpoint()).await, Ok(None), "no block has it");
    assert_eq!(server(|_| json_response(None)).await.assets_in(outpoint()).await, Ok(None));
    for (inscriptions, runes) in [(Value::Null, empty.1), (empty.0, Value::Null)] {
        let blind = server_of(output(&inscriptions, &runes)).await.assets_in(outpoint()).await;
        assert!(matches!(blind, Err(AssetError::Unreachable(_))), "it does not index them");
    }
}

#[tokio::test]
async fn an_inconsistent_output_is_rejected() {
    let place = |id: &str, at: String| json!({ "id": id, "satpoint": at });
    let here = |id: &str| place(id, format!("{OUTPOINT}:0"));
    let pile = |divisibility: u8| json!({ "CCCC": { "amount": 5, "divisibility": divisibility, "symbol": null } });
    let mut foreign = output(&json!([]), &json!({}));
    foreign["outpoint"] = json!(OUTPOINT.replace(":0", ":1"));
    let crowd: Vec<String> = (0..=INSCRIPTIONS_MAX).map(|index| format!("{}i{index}", "4".repeat(64))).collect();
    let one = output(&json!([ONE]), &json!({}));
    let known = vec![rune("CCCC", "100:1", 0)];
    for (why, output, places, runes) in [
        ("another output", foreign, json!([]), vec![]),
        ("too many inscriptions", output(&json!(crowd), &json!({})), json!([]), vec![]),
        ("no place", one.clone(), json!([]), vec![]),
        ("another inscription", one.clone(), json!([here(TWO)]), vec![]),
        ("two places", one.clone(), json!([here(ONE), here(ONE)]), vec![]),
        ("elsewhere", one.clone(), json!([place(ONE, OUTPOINT.replace(":0", ":1:0"))]), vec![]),
        ("beyond the output", one, json!([place(ONE, format!("{OUTPOINT}:10000"))]), vec![]),
        ("a rune that it does not know", output(&json!([]), &pile(0)), json!([]), vec![]),
        ("two opinions of decimals", output(&json!([]), &pile(2)), json!([]), known.clone()),
        (
            "a negative amount",
            output(&json!([]), &json!({ "CCCC": { "amount": -1, "divisibility": 0 } })),
            json!([]),
            known.clone(),
        ),
        (
            "half a unit",
            output(&json!([]), &json!({ "CCCC": { "amount": 0.5, "divisibility": 0 } })),
            json!([]),
            known.clone(),
        ),
        (
            "an amount as a text",
            output(&json!([]), &json!({ "CCCC": { "amount": "5", "divisibility": 0 } })),
            json!([]),
            known,
        ),
        ("no inscription id", output(&json!(["x"]), &json!({})), json!([]), vec![]),
    ] {
        let outcome = server(of_output(output, places, runes)).await.assets_in(outpoint()).await;
        assert!(matches!(outcome, Err(AssetError::InvalidResponse(_))), "{why}: {outcome:?}");
    }
}

#[tokio::test]
async fn an_inscription_is_located_at_its_sat_point() {
    let zero = format!("{}:0", "0".repeat(64));
    let null = format!("{}:{}", "0".repeat(64), u32::MAX);
    for (id, at, expected) in [
        (ONE, format!("{OUTPOINT}:600"), Ok(Some((outpoint(), Amount::from_sat(600))))),
        (ONE, format!("{null}:5"), Ok(None)),
        (ONE, format!("{zero}:0"), Ok(None)),
        (TWO, format!("{OUTPOINT}:600"), Err(())),
        (ONE, OUTPOINT.to_owned(), Err(())),
        (ONE, format!("{OUTPOINT}:-1"), Err(())),
    ] {
        let answer = json!({ "id": id, "satpoint": at.as_str(), "value": null });
        let found = server(move |asked| {
            assert_eq!(asked.line, format!("GET /inscription/{ONE}"));
            ScriptedResponse::ok(&answer)
        })
        .await
        .sat_point(ONE.parse().unwrap())
        .await;
        match (&found, expected) {
            (Err(AssetError::InvalidResponse(_)), Err(())) => {}
            (found, expected) => assert_eq!(found.clone().map_err(|_| ()), expected, "{at}"),
        }
    }
    assert_eq!(server(|_| json_response(None)).await.sat_point(ONE.parse().unwrap()).await, Ok(None));
}

#[tokio::test]
async fn a_rune_is_identified_by_its_letters() {
    let asked_for: SpacedRune = "AA•AA".parse().unwrap();
    let of = |answer: Value| server(of_output(Value::Null, json!([]), vec![answer]));
    let entry = of(rune("A•AAA", "5:1", 2)).await.rune(asked_for).await.unwrap().unwrap();
    assert_eq!((entry.name.to_string().as_str(), entry.divisibility), ("A•AAA", 2));
    assert_eq!(entry.id, RuneId { block: 5, tx: 1 });
    assert_eq!(of(rune("BBBB", "5:1", 2)).await.rune(asked_for).await, Ok(None));
    let deep = of(rune("AAAA", "5:1", 39)).await.rune(asked_for).await;
    assert!(matches!(deep, Err(AssetError::InvalidResponse(_))), "no rune has 39 decimals");
    let other = server(|_| ScriptedResponse::ok(&rune("BBBB", "5:1", 2))).await.rune(asked_for).await;
    assert!(matches!(other, Err(AssetError::InvalidResponse(_))), "another rune");
}

#[tokio::test]
async fn truncated_or_invalid_responses_are_errors() {
    for (response, is_invalid) in [
        (ScriptedResponse::truncated("7"), false),
        (ScriptedResponse::Bytes(Vec::new()), false),
        (ScriptedResponse::Body(404, String::new()), false),
        (ScriptedResponse::Body(429, "7".to_owned()), false),
        (ScriptedResponse::Body(500, "7".to_owned()), false),
        (ScriptedResponse::Body(502, "<html>".to_owned()), false),
        (ScriptedResponse::Body(504, "7".to_owned()), false),
        (ScriptedResponse::Bytes(b"HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 1\r\n\r\n7".to_vec()), false),
        (ScriptedResponse::ok("<html>"), true),
        (ScriptedResponse::ok(""), true),
        (ScriptedResponse::ok("-7"), true),
        (ScriptedResponse::ok("7.5"), true),
        (ScriptedResponse::ok("4294967296"), true),
        (ScriptedResponse::Endless, true),
    ] {
        let shown = format!("{response:?}");
        match AssetIndex::height(&server(move |_| response.clone()).await).await {
            Err(AssetError::InvalidResponse(_)) => assert!(is_invalid, "{shown}"),
            Err(AssetError::Unreachable(_)) => assert!(!is_invalid, "{shown}"),
            other => panic!("{shown}: {other:?}"),
        }
    }
    assert_eq!(AssetIndex::height(&server(|_| ScriptedResponse::ok("7")).await).await, Ok(7), "the valid response");
}

#[tokio::test]
async fn the_outputs_of_a_script_are_listed_in_order_and_bounded() {
    let owner = bitcoin::ScriptBuf::new_p2wpkh(&bitcoin::WPubkeyHash::from_byte_array([7; 20]));
    let address = Address::from_script(&owner, Network::Regtest).unwrap();
    let at = |vout: usize| OutPoint { vout: vout.try_into().unwrap(), ..outpoint() };
    let listing = |vouts: Vec<usize>| {
        let outputs: Vec<String> = vouts.into_iter().map(|vout| at(vout).to_string()).collect();
        let answer = json!({ "outputs": outputs, "inscriptions": [], "sat_balance": 5, "runes_balances": [] });
        let line = format!("GET /address/{address}");
        server(move |asked| {
            assert_eq!(asked.line, line);
            ScriptedResponse::ok(&answer)
        })
    };
    assert_eq!(listing(vec![]).await.outputs_of(&owner).await, Ok(vec![]));
    assert_eq!(listing(vec![2, 0, 2, 1]).await.outputs_of(&owner).await, Ok(vec![at(0), at(1), at(2)]));
    let listed = listing((0..=LISTED_MAX).rev().collect()).await.outputs_of(&owner).await.unwrap();
    assert_eq!(listed, (0..LISTED_MAX).map(at).collect::<Vec<_>>());
    let wrong = server(|_| ScriptedResponse::ok(&json!({ "outputs": ["x:0"] }))).await.outputs_of(&owner).await;
    assert!(matches!(wrong, Err(AssetError::InvalidResponse(_))), "{wrong:?}");
    let error = server(|_| json_response(None)).await.outputs_of(&owner).await.unwrap_err().to_string();
    assert!(error.contains("--index-addresses"), "{error}");
    let bare = listing(vec![]).await.outputs_of(Script::from_bytes(&[0x51])).await;
    assert!(matches!(bare, Err(AssetError::Unreachable(_))), "it has no address");
}

#[tokio::test]
async fn an_ord_without_an_index_reports_the_missing_option() {
    type Change = fn(&mut Value);
    let status = |change: Change| {
        let mut status = json!({
            "address_index": true, "blessed_inscriptions": 0, "chain": "regtest", "height": 7,
            "inscription_index": true, "rune_index": true, "sat_index": false, "transaction_index": false,
        });
        change(&mut status);
        server(move |asked| {
            assert_eq!(asked.line, "GET /status");
            ScriptedResponse::ok(&status)
        })
    };
    assert_eq!(status(|_| {}).await.check().await, Ok(()));
    let cases: [(Change, &str); 4] = [
        (|status| status["address_index"] = json!(false), "--index-addresses"),
        (|status| status["rune_index"] = json!(false), "--index-runes"),
        (|status| status["inscription_index"] = json!(false), "--no-index-inscriptions"),
        (|status| status["chain"] = json!("mainnet"), "blocks of mainnet, not of regtest"),
    ];
    for (change, word) in cases {
        let line = status(change).await.check().await.unwrap_err().to_string();
        assert!(line.contains(word), "{line}");
    }
}

#[tokio::test]
async fn inscriptions_are_described_a_hundred_per_request_without_lost_ones() {
    let id =
        |number: usize| InscriptionId { txid: Txid::from_byte_array([7; 32]), index: u32::try_from(number).unwrap() };
    let (url, asked) = start(move |asked| {
        let ids: Vec<String> = serde_json::from_str(&asked.body).unwrap();
        let lost = format!("{}:0:0", "0".repeat(64));
        let found = ids.iter().map(|name| {
            let place = if name.ends_with("i5") { lost.clone() } else { format!("{OUTPOINT}:7") };
            json!({ "id": name, "satpoint": place, "number": -3, "content_type": "image/png", "value": 546,
                "address": "bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202" })
        });
        ScriptedResponse::ok(&Value::Array(found.collect()))
    })
    .await;
    let ids: Vec<InscriptionId> = (0..250).map(id).collect();
    let seen = OrdServer::new(&url, Network::Regtest).unwrap().inscriptions(&ids).await.unwrap();
    assert_eq!(seen.len(), 249);
    assert!(seen.iter().map(|seen| seen.id).eq(ids.iter().copied().filter(|one| one.index != 5)));
    assert_eq!((seen[0].outpoint, seen[0].offset_sats, seen[0].output_sats), (outpoint(), Some(7), Some(546)));
    assert_eq!((seen[0].number, seen[0].content_type.as_deref()), (Some(-3), Some("image/png")));
    assert!(seen[0].owner.is_some());
    let sizes: Vec<usize> = asked.lock().unwrap().iter().map(|asked| asked.body.matches('i').count()).collect();
    assert_eq!(sizes, [100, 100, 50]);
}

#[tokio::test]
async fn a_response_about_other_inscriptions_is_rejected() {
    let other = server(|_| ScriptedResponse::ok(&json!([{ "id": TWO, "satpoint": format!("{OUTPOINT}:7") }]))).await;
    assert!(matches!(other.inscriptions(&[ONE.parse().unwrap()]).await, Err(AssetError::InvalidResponse(_))));
}

#[tokio::test]
async fn balances_of_runes_are_counted_in_raw_units() {
    let owner = bitcoin::ScriptBuf::from_hex("00140000000000000000000000000000000000000000").unwrap();
    let read = async |balances: Value| {
        let ord = server(move |asked| {
            json_response(match asked.line.as_str() {
                "GET /blockheight" => Some(json!(200)),
                "GET /rune/AAAABBBB" => Some(rune("AAAA•BBBB", "150:3", 5)),
                line if line.starts_with("GET /address/bcrt1q") => Some(json!({
                    "outputs": [], "inscriptions": [], "sat_balance": 0, "runes_balances": balances.clone(),
                })),
                _ => None,
            })
        });
        let wanted = ["AAAABBBB", "CCCC"].map(|name| name.parse().unwrap()).into();
        crate::capability::RuneBalances::rune_balances(&ord.await, &owner, &wanted).await
    };
    let of = |raw| Ok(vec![RuneBalance { rune: "AAAABBBB".parse().unwrap(), raw }]);
    assert_eq!(read(json!([["AAAA•BBBB", "12.00003", "x"]])).await, of(1_200_003));
    assert_eq!(read(json!([["AAAA•BBBB", "12", null]])).await, of(1_200_000));
    assert_eq!(read(json!([])).await, Ok(Vec::new()));
    assert_eq!(read(json!([["DDDD", "1", "x"]])).await, Ok(Vec::new()), "it was not asked for");
    for wrong in [json!([["AAAA•BBBB", "0.000001", "x"]]), json!([["CCCC", "1", "x"]])] {
        assert!(
            matches!(read(wrong.clone()).await, Err(crate::capability::UpstreamError::InvalidResponse(_))),
            "{wrong}"
        );
    }
    let unkept = read(Value::Null).await.unwrap_err().to_string();
    assert!(unkept.contains("--index-runes"), "{unkept}");
}
