use std::time::{Duration, Instant};

use bitcoin::hashes::Hash as _;
use bitcoin::{TxIn, absolute, transaction::Version};
use secrecy::SecretString;
use serde_json::Value;

use super::*;
use crate::chain::acceptance::{MISSING_INPUTS, TOO_MANY};
use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};

fn credentials() -> Credentials {
    Credentials::User { name: "lienbook".to_owned(), password: SecretString::from("secret") }
}

/// A node that answers every call with the result or error of `respond`.
async fn node(respond: impl Fn(&str, &Value) -> Result<Value, (i64, String)> + Send + Sync + 'static) -> BitcoinCore {
    let answer = move |call: &Value| {
        let method = call["method"].as_str().unwrap();
        match respond(method, &call["params"]) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }),
            Err((code, message)) => {
                json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": code, "message": message } })
            }
        }
    };
    raw_node(move |asked| {
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        ScriptedResponse::ok(&match &body {
            Value::Array(calls) => Value::Array(calls.iter().rev().map(&answer).collect()),
            call => answer(call),
        })
    })
    .await
}

async fn raw_node(respond: impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static) -> BitcoinCore {
    let (url, _) = start(respond).await;
    BitcoinCore::new(&url, credentials()).unwrap()
}

fn payment(sats: u64) -> Transaction {
    let output = TxOut { value: Amount::from_sat(sats), script_pubkey: ScriptBuf::new_op_return([]) };
    Transaction {
        version: Version::TWO,
        lock_time: absolute::LockTime::ZERO,
        input: vec![TxIn::default()],
        output: vec![output],
    }
}

fn rpc_error(code: i64, message: &str) -> Result<Value, (i64, String)> {
    Err((code, message.to_owned()))
}

fn refusal_of(outcome: Result<(), ChainError>) -> (Txid, String) {
    match outcome {
        Err(ChainError::Rejected(TxRejection { txid, reason })) => (txid, reason),
        other => panic!("{other:?}"),
    }
}

const HASH: &str = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206";

#[tokio::test]
async fn the_tip_and_block_hashes_are_read() {
    let node = node(|method, params| match method {
        "getblockchaininfo" => Ok(json!({ "blocks": 7, "bestblockhash": HASH, "mediantime": 1_700_000_000 })),
        "getblockhash" if params[0] == 7 => Ok(json!(HASH)),
        "getblockhash" => rpc_error(-8, "Block height out of range"),
        _ => rpc_error(-32601, "Method not found"),
    })
    .await;
    let hash = HASH.parse().unwrap();
    assert_eq!(node.tip().await, Ok(Tip { height: 7, hash, median_time_seconds: 1_700_000_000 }));
    assert_eq!(node.block_hash(7).await, Ok(Some(hash)));
    assert_eq!(node.block_hash(8).await, Ok(None));
}

#[tokio::test]
async fn an_unspent_output_is_read_to_the_sat() {
    let node = raw_node(|asked| {
        let call: Value = serde_json::from_str(&asked.body).unwrap();
        assert_eq!((&call["method"], &call["params"][2]), (&json!("gettxout"), &json!(true)), "the mempool spends too");
        // As Core prints it: no float represents this number.
        let found =
            r#"{"confirmations":0,"value":20999999.97689999,"scriptPubKey":{"asm":"","hex":"6a00"},"coinbase":false}"#;
        let found = if call["params"][1] == 0 { found } else { "null" };
        ScriptedResponse::ok(&format!(r#"{{"jsonrpc":"2.0","result":{found},"id":{}}}"#, call["id"]))
    })
    .await;
    let outpoint = OutPoint::new(Txid::all_zeros(), 0);
    let output = TxOut { value: Amount::from_sat(2_099_999_997_689_999), script_pubkey: ScriptBuf::new_op_return([]) };
    let unspent = Unspent { output, confirmations: 0, is_coinbase: false };
    assert_eq!(node.unspent(outpoint).await, Ok(Some(unspent)));
    assert_eq!(node.unspent(OutPoint { vout: 1, ..outpoint }).await, Ok(None));
}

#[tokio::test]
async fn the_status_of_a_transaction_follows_the_best_chain() {
    let [waiting, confirmed, stale] = [1, 2, 3].map(payment);
    let known = [waiting.clone(), confirmed.clone(), stale.clone()];
    let stale_block = HASH.replace("0f", "1f");
    let block_of = [None, Some(HASH.to_owned()), Some(stale_block)];
    let node = node(move |method, params| {
        if method != "getrawtransaction" {
            let confirmations = if params[0] == HASH { 3 } else { -1 };
            return Ok(json!({ "hash": params[0], "height": 9, "confirmations": confirmations, "mediantime": 7 }));
        }
        let found = known.iter().position(|known| params[0] == known.compute_txid().to_string());
        match found {
            Some(at) => Ok(json!({ "hex": serialize_hex(&known[at]), "blockhash": block_of[at] })),
            None => {
                rpc_error(-5, "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.")
            }
        }
    })
    .await;
    let presence = |transaction: &Transaction| node.transaction(transaction.compute_txid());
    assert_eq!(presence(&waiting).await.unwrap().unwrap().position, ChainPosition::InMempool);
    let seen = presence(&confirmed).await.unwrap().unwrap();
    assert_eq!(seen.position, ChainPosition::Confirmed { block: HASH.parse().unwrap(), height: 9 });
    assert_eq!(seen.transaction, confirmed);
    assert_eq!(presence(&stale).await, Ok(None), "a reorg disconnected its block");
    assert_eq!(presence(&payment(4)).await, Ok(None));
}

#[tokio::test]
async fn a_node_without_a_transaction_index_is_an_error() {
    for message in [
        "No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries",
        "No such mempool transaction. Blockchain transactions are still in the process of being indexed",
    ] {
        let node = node(move |_, _| rpc_error(-5, message)).await;
        assert!(matches!(node.transaction(Txid::all_zeros()).await, Err(ChainError::Unreachable(_))));
    }
    let other = serialize_hex(&payment(1));
    let node = node(move |_, _| Ok(json!({ "hex": other }))).await;
    assert!(matches!(node.transaction(payment(2).compute_txid()).await, Err(ChainError::InvalidResponse(_))));
}

#[tokio::test]
async fn a_test_gives_the_first_refusal() {
    let package = [payment(1), payment(2)];
    let ids = package.clone().map(|transaction| transaction.compute_txid());
    let node_with_verdicts = |verdicts: [Value; 2]| {
        let verdicts: Vec<Value> = ids
            .iter()
            .zip(verdicts)
            .map(|(id, mut verdict)| {
                verdict["txid"] = json!(id.to_string());
                verdict
            })
            .collect();
        node(move |_, _| Ok(json!(verdicts)))
    };
    let yes = json!({ "allowed": true });
    let no = json!({ "allowed": false, "reject-reason": "dust", "reject-details": "dust, of 1" });
    assert_eq!(node_with_verdicts([yes.clone(), yes.clone()]).await.test_accept(&package).await, Ok(()));
    let refused = node_with_verdicts([yes.clone(), no.clone()]).await.test_accept(&package).await;
    assert_eq!(refusal_of(refused), (ids[1], "dust".to_owned()));
    let refused = node_with_verdicts([no, json!({})]).await.test_accept(&package).await;
    assert_eq!(refusal_of(refused), (ids[0], "dust".to_owned()));
    let error = json!({ "package-error": "package-not-sorted" });
    let refused = node_with_verdicts([error.clone(), error]).await.test_accept(&package).await;
    assert_eq!(refusal_of(refused), (ids[1], "package-not-sorted".to_owned()));
    let silent = node_with_verdicts([yes, json!({})]).await.test_accept(&package).await;
    assert!(matches!(silent, Err(ChainError::InvalidResponse(_))), "a missing verdict is no acceptance");
    let foreign = node(|_, _| Ok(json!([{ "txid": HASH, "allowed": true }]))).await.test_accept(&package[..1]).await;
    assert!(matches!(foreign, Err(ChainError::InvalidResponse(_))));
}

#[tokio::test]
async fn a_broadcast_is_either_refused_or_sent_or_unknown() {
    let transaction = payment(1);
    let txid = transaction.compute_txid();
    let own = std::slice::from_ref(&transaction);
    let nothing = |method: &str| match method {
        "getrawtransaction" => rpc_error(-5, "No such mempool or blockchain transaction."),
        _ => rpc_error(-25, "bad-txns-inputs-missingorspent"),
    };
    let missing = node(move |method, _| nothing(method)).await.broadcast(own).await;
    assert_eq!(refusal_of(missing), (txid, MISSING_INPUTS.to_owned()));
    let refused = node(|_, _| rpc_error(-26, "min relay fee not met, 0 < 110")).await.broadcast(own).await;
    assert_eq!(refusal_of(refused), (txid, "min relay fee not met".to_owned()));
    assert_eq!(
        node(|_, _| rpc_error(-27, "Transaction outputs already in utxo set")).await.broadcast(own).await,
        Ok(())
    );
    for unknown in [(-28, "Loading"), (-25, "Mempool internal error"), (-32603, "?"), (-37, "full")] {
        let outcome = node(move |_, _| rpc_error(unknown.0, unknown.1)).await.broadcast(own).await;
        assert!(matches!(outcome, Err(ChainError::Unreachable(_))), "{unknown:?}");
    }
    let sent = node(move |_, _| Ok(json!(txid.to_string()))).await.broadcast(own).await;
    assert_eq!(sent, Ok(()));
    let other = node(|_, _| Ok(json!(HASH))).await.broadcast(own).await;
    assert!(matches!(other, Err(ChainError::InvalidResponse(_))));
    let hex = serialize_hex(&transaction);
    let spent_since = node(move |method, params| match method {
        "getrawtransaction" => Ok(json!({ "hex": hex, "blockhash": HASH })),
        "getblockheader" => Ok(json!({ "hash": params[0], "height": 1, "confirmations": 2, "mediantime": 7 })),
        _ => nothing(method),
    });
    assert_eq!(spent_since.await.broadcast(own).await, Ok(()), "a block has it, and all its outputs are spent");
}

#[tokio::test]
async fn a_package_is_sent_as_a_whole_or_refused_with_a_reason() {
    let package = [payment(1), payment(2)];
    let ids = package.clone().map(|transaction| transaction.compute_txid());
    let wtxids = package.clone().map(|transaction| transaction.compute_wtxid().to_string());
    let submit = |message: &'static str, results: [Value; 2]| {
        let [first, second] = results;
        let results = json!({ wtxids[0].as_str(): first, wtxids[1].as_str(): second });
        node(move |_, _| Ok(json!({ "package_msg": message, "tx-results": results })))
    };
    let fine = json!({ "txid": ids[0].to_string(), "vsize": 100 });
    let skipped = json!({ "error": "package-not-validated" });
    assert_eq!(submit("success", [fine.clone(), fine.clone()]).await.broadcast(&package).await, Ok(()));
    let error = json!({ "error": "dust, tx with dust output must be 0-fee" });
    let refused = submit("transaction failed", [fine.clone(), error]).await.broadcast(&package).await;
    assert_eq!(refusal_of(refused), (ids[1], "dust".to_owned()));
    let refused =
        submit("package-too-large, 1 > 0", [skipped.clone(), skipped.clone()]).await.broadcast(&package).await;
    assert_eq!(refusal_of(refused), (ids[1], "package-too-large".to_owned()));
    let contradiction = submit("success", [fine, skipped]).await.broadcast(&package).await;
    assert_eq!(refusal_of(contradiction).0, ids[1]);
    let silent = node(|_, _| Ok(json!({ "package_msg": "success", "tx-results": {} }))).await.broadcast(&package).await;
    assert!(matches!(silent, Err(ChainError::InvalidResponse(_))));
    let many: Vec<Transaction> = (0..26).map(payment).collect();
    let unasked = node(|_, _| rpc_error(-1, "asked")).await;
    assert_eq!(refusal_of(unasked.broadcast(&many).await).1, TOO_MANY);
    assert_eq!(refusal_of(unasked.test_accept(&many).await).1, TOO_MANY);
    assert_eq!(unasked.broadcast(&[]).await, Ok(()));
}

#[tokio::test]
async fn only_the_unconfirmed_part_of_a_package_is_sent_again() {
    let package = [payment(1), payment(2)];
    let (parent, child) = (package[0].clone(), package[1].clone());
    let node = node(move |method, params| match method {
        "submitpackage" => Ok(json!({ "package_msg": "transaction failed", "tx-results": {
            parent.compute_wtxid().to_string(): { "error": "txn-already-known" },
            child.compute_wtxid().to_string(): { "error": "package-not-validated" },
        } })),
        "getrawtransaction" => Ok(json!({ "hex": serialize_hex(&parent), "blockhash": HASH })),
        "getblockheader" => Ok(json!({ "hash": params[0], "height": 1, "confirmations": 2, "mediantime": 7 })),
        "sendrawtransaction" => {
            assert_eq!(params[0], serialize_hex(&child));
            Ok(json!(child.compute_txid().to_string()))
        }
        _ => rpc_error(-32601, "Method not found"),
    });
    assert_eq!(node.await.broadcast(&package).await, Ok(()));
}

#[tokio::test]
async fn a_fee_rate_is_never_below_the_minimum_of_the_node() {
    let asked = |estimate: &'static str, mempool: &'static str, relay: &'static str| {
        raw_node(move |asked| {
            let calls: Vec<Value> = serde_json::from_str(&asked.body).unwrap();
            let answers = [
                format!(r#"{{"mempoolminfee": {mempool}, "minrelaytxfee": {relay}}}"#),
                format!("{{{estimate}\"blocks\": 2}}"),
            ];
            let ids = [&calls[1]["id"], &calls[0]["id"]];
            let replies: Vec<String> =
                ids.iter().zip(&answers).map(|(id, answer)| format!(r#"{{"id": {id}, "result": {answer}}}"#)).collect();
            ScriptedResponse::ok(&format!("[{}]", replies.join(",")))
        })
    };
    let of = |sats_per_kwu| Ok(FeeRate::from_sat_per_kwu(sats_per_kwu));
    // 0.00012345 BTC per 1,000 vB is 12,345 sats, 3,086.25 per 1,000 weight units.
    assert_eq!(asked(r#""feerate": 0.00012345, "#, "0.00000100", "0.00000100").await.fee_rate(6).await, of(3_087));
    assert_eq!(asked("", "0.00000100", "0.00000100").await.fee_rate(6).await, of(25), "it has seen too little");
    assert_eq!(asked("", "0.00000200", "0.00000100").await.fee_rate(0).await, of(50), "the mempool is full");
    assert_eq!(asked(r#""feerate": 0.00000001, "#, "0.00000100", "0.00000500").await.fee_rate(6).await, of(125));
}

#[tokio::test]
async fn truncated_or_invalid_responses_are_errors() {
    let outpoint = OutPoint::null();
    let good = r#"{"id":1,"result":null}"#;
    for (response, is_invalid) in [
        (ScriptedResponse::truncated(good), false),
        (ScriptedResponse::Bytes(Vec::new()), false),
        (ScriptedResponse::Bytes(b"no HTTP at all\r\n\r\n".to_vec()), false),
        (ScriptedResponse::Body(429, String::new()), false),
        (ScriptedResponse::Body(502, "<html>".to_owned()), false),
        (ScriptedResponse::Body(503, "Work queue depth exceeded".to_owned()), false),
        (ScriptedResponse::Body(504, good.replace("1,", "2,")), false),
        (ScriptedResponse::Body(401, good.to_owned()), false),
        (ScriptedResponse::ok("<html>"), true),
        (ScriptedResponse::ok(""), true),
        (ScriptedResponse::ok(&good[..good.len() - 1]), true),
        (ScriptedResponse::ok(r#"{"id":1}"#), true),
        (ScriptedResponse::ok(r#"{"id":2,"result":null}"#), true),
        (ScriptedResponse::ok(r#"{"id":null,"result":null}"#), true),
        (ScriptedResponse::ok(r#"{"id":1,"result":[]}"#), true),
        (ScriptedResponse::ok(r#"{"id":1,"result":{"confirmations":-1}}"#), true),
        (ScriptedResponse::Endless, true),
    ] {
        let shown = format!("{response:?}");
        let outcome = raw_node(move |_| response.clone()).await.unspent(outpoint).await;
        match outcome {
            Err(ChainError::InvalidResponse(_)) => assert!(is_invalid, "{shown}"),
            Err(ChainError::Unreachable(_)) => assert!(!is_invalid, "{shown}"),
            other => panic!("{shown}: {other:?}"),
        }
    }
    assert_eq!(
        raw_node(move |_| ScriptedResponse::ok(good)).await.unspent(outpoint).await,
        Ok(None),
        "the valid response"
    );
}

#[tokio::test]
async fn an_invalid_amount_is_rejected() {
    for value in ["-0.00000001", "21000000.00000001", "1e-8", "0.000000001", "\"1\"", "99999999999999999999", "NaN"] {
        let body = format!(
            r#"{{"id":1,"result":{{"confirmations":1,"value":{value},"scriptPubKey":{{"hex":""}},"coinbase":false}}}}"#
        );
        let outcome = raw_node(move |_| ScriptedResponse::ok(&body)).await.unspent(OutPoint::null()).await;
        assert!(matches!(outcome, Err(ChainError::InvalidResponse(_))), "{value}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_node_that_does_not_answer_times_out() {
    let (url, _) = start(|_| ScriptedResponse::NoResponse).await;
    let upstream = SelfHostedClient::new(&url, Duration::from_millis(200), 1_000).unwrap();
    let node = BitcoinCore { rpc: Rpc::new(upstream, credentials()) };
    let begun = Instant::now();
    assert!(matches!(node.broadcast(&[payment(1)]).await, Err(ChainError::Unreachable(_))));
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn the_cookie_is_read_for_each_request_and_never_shown() {
    let path = std::env::temp_dir().join(format!("lienbook-cookie-{}", std::process::id()));
    let (url, asked) = start(|asked| {
        let call: Value = serde_json::from_str(&asked.body).unwrap();
        ScriptedResponse::ok(&json!({ "id": call["id"], "result": HASH }))
    })
    .await;
    let node = BitcoinCore::new(&url, Credentials::Cookie(path.clone())).unwrap();
    assert!(matches!(node.block_hash(0).await, Err(ChainError::Unreachable(_))), "no cookie yet");
    for cookie in ["__cookie__:one", "__cookie__:two\n"] {
        std::fs::write(&path, cookie).unwrap();
        assert_eq!(node.block_hash(0).await, Ok(Some(HASH.parse().unwrap())));
    }
    std::fs::write(&path, "hush").unwrap();
    let error = node.block_hash(0).await.unwrap_err();
    assert!(!error.to_string().contains("hush"), "{error}");
    std::fs::remove_file(&path).unwrap();
    let asked = asked.lock().unwrap();
    // base64 of __cookie__:one and of __cookie__:two.
    for (asked, expected) in asked.iter().zip(["x19jb29raWVfxzpvbmu=", "x19jb29raWVfxzp0d28="]) {
        assert_eq!(asked.line, "POST /");
        assert!(asked.headers.contains(&format!("basic {}", expected.to_lowercase())), "{}", asked.headers);
    }
    assert_eq!(asked.len(), 2);
    assert!(!format!("{node:?} {:?}", credentials()).contains("secret"));
}

#[tokio::test]
async fn coins_of_a_script_are_read_to_the_sat_and_those_of_another_are_refused() {
    let found = |script: &str| {
        json!({
            "success": true, "txouts": 9, "height": 12, "total_amount": 0.5,
            "unspents": [{
                "txid": HASH, "vout": 3, "scriptPubKey": script, "amount": 0.5, "coinbase": false, "height": 11,
            }],
        })
    };
    let node = node(move |method, params| match (method, params[0].as_str()) {
        ("scantxoutset", Some("start")) if params[1][0]["desc"] == "raw(51)" => Ok(found("51")),
        ("scantxoutset", Some("start")) if params[1][0]["desc"] == "raw(52)" => Ok(found("51")),
        ("scantxoutset", Some("start")) => {
            rpc_error(-8, "Scan already in progress, use action \"abort\" or \"status\"")
        }
        ("gettxspendingprevout", None) => Ok(json!([{ "txid": HASH, "vout": 3, "spendingtxid": HASH }])),
        _ => rpc_error(-32601, "Method not found"),
    })
    .await;
    let script = |byte: u8| ScriptBuf::from_bytes(vec![byte]);
    let outpoint = OutPoint::new(HASH.parse().unwrap(), 3);
    let output = TxOut { value: Amount::from_sat(50_000_000), script_pubkey: script(0x51) };
    let unspent = Unspent { output, confirmations: 2, is_coinbase: false };
    assert_eq!(node.outputs_of(&script(0x51), |_| ()).await, Ok(vec![(outpoint, unspent)]));
    assert!(matches!(node.outputs_of(&script(0x52), |_| ()).await, Err(ChainError::InvalidResponse(_))));
    assert!(matches!(node.outputs_of(&script(0x53), |_| ()).await, Err(ChainError::Unreachable(_))));
    assert_eq!(node.mempool_spender(outpoint).await, Ok(Some(outpoint.txid)));
}
