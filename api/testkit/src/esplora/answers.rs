//! The responses of the explorer.

use bitcoin::consensus::encode::{deserialize_hex, serialize, serialize_hex};
use bitcoin::{Address, BlockHash, Network, OutPoint, Transaction, Txid};
use devchain::EmbeddedChain;
use engine::chain::{Chain as _, ChainError, ChainPosition, TxRejection};
use engine::coin_index::CoinIndex as _;
use serde_json::{Value, json};

use super::super::fake_server::{Request, Response};

/// Answers a request; unknown paths are not found.
pub(super) async fn answer(chain: &EmbeddedChain, request: &Request) -> Response {
    let parts: Vec<&str> = request.path.trim_matches('/').split('/').collect();
    let found = match (request.method.as_str(), parts.as_slice()) {
        ("POST", ["tx"]) => return sent(chain, &request.body).await,
        ("POST", ["txs", "test"]) => return tested(chain, &request.body).await,
        ("POST", ["v1", "txs", "package"]) => return submitted(chain, &request.body).await,
        ("GET", ["v1", "fees", "recommended"]) => Some(Response::ok(fees(chain).await)),
        ("GET", ["blocks", "tip", which]) => tip(chain, which).await,
        ("GET", ["block-height", height]) => at_height(chain, height).await,
        ("GET", ["block", hash]) => block(chain, hash, false).await,
        ("GET", ["block", hash, "raw"]) => block(chain, hash, true).await,
        ("GET", ["tx", txid, "hex"]) => hex(chain, txid).await,
        ("GET", ["tx", txid, "status"]) => status(chain, txid).await,
        ("GET", ["tx", txid, "outspend", vout]) => outspend(chain, txid, vout).await,
        ("GET", ["address", address, "utxo"]) => outputs(chain, address).await,
        _ => None,
    };
    found.unwrap_or_else(Response::not_found)
}

/// Returns fee rates in sats per virtual byte, with three decimals.
async fn fees(chain: &EmbeddedChain) -> String {
    let mut rates = Vec::new();
    for (name, blocks) in [("fastestFee", 1), ("halfHourFee", 3), ("hourFee", 6), ("minimumFee", 1_008)] {
        let milli = chain.fee_rate(blocks).await.unwrap().to_sat_per_kwu() * 4;
        rates.push(format!("\"{name}\":{}.{:03}", milli / 1_000, milli % 1_000));
    }
    format!("{{{}}}", rates.join(","))
}

async fn tip(chain: &EmbeddedChain, which: &str) -> Option<Response> {
    let tip = chain.tip().await.unwrap();
    match which {
        "height" => Some(Response::ok(tip.height.to_string())),
        "hash" => Some(Response::ok(tip.hash.to_string())),
        _ => None,
    }
}

async fn at_height(chain: &EmbeddedChain, height: &str) -> Option<Response> {
    let hash = chain.block_hash(height.parse().ok()?).await.unwrap()?;
    Some(Response::ok(hash.to_string()))
}

async fn block(chain: &EmbeddedChain, hash: &str, is_raw: bool) -> Option<Response> {
    let hash: BlockHash = hash.parse().ok()?;
    let median_time = chain.median_time(hash).await.unwrap()?;
    let mut height = chain.tip().await.unwrap().height;
    while chain.block_hash(height).await.unwrap()? != hash {
        height = height.checked_sub(1)?;
    }
    let block = chain.block(height)?;
    if is_raw {
        return Some(Response::ok(serialize(&block)));
    }
    let info = json!({ "id": hash.to_string(), "height": height, "mediantime": median_time });
    Some(Response::ok(info.to_string()))
}

async fn hex(chain: &EmbeddedChain, txid: &str) -> Option<Response> {
    let seen = chain.transaction(txid.parse().ok()?).await.unwrap()?;
    Some(Response::ok(serialize_hex(&seen.transaction)))
}

async fn status(chain: &EmbeddedChain, txid: &str) -> Option<Response> {
    let seen = chain.transaction(txid.parse().ok()?).await.unwrap();
    let status = match seen.map(|seen| seen.position) {
        Some(ChainPosition::Confirmed { block, height }) => {
            json!({ "confirmed": true, "block_height": height, "block_hash": block.to_string(), "block_time": 1 })
        }
        Some(ChainPosition::InMempool) | None => json!({ "confirmed": false }),
    };
    Some(Response::ok(status.to_string()))
}

async fn outspend(chain: &EmbeddedChain, txid: &str, vout: &str) -> Option<Response> {
    let outpoint = OutPoint::new(txid.parse().ok()?, vout.parse().ok()?);
    let seen = chain.transaction(outpoint.txid).await.unwrap();
    let output = seen.as_ref().and_then(|seen| seen.transaction.output.get(usize::try_from(outpoint.vout).ok()?));
    // Unspendable outputs are in no UTXO set.
    let is_there = output.is_some_and(|output| !output.script_pubkey.is_op_return());
    let spent_in = |is_confirmed: bool| {
        let spender = "5".repeat(64);
        json!({ "spent": true, "txid": spender, "vin": 0, "status": { "confirmed": is_confirmed } })
    };
    let is_waiting = seen.as_ref().is_some_and(|seen| seen.position == ChainPosition::InMempool);
    let outspend = if !is_there || chain.unspent(outpoint).await.unwrap().is_some() {
        json!({ "spent": false })
    } else {
        spent_in(!is_waiting && chain.confirmed_unspent(outpoint).await.unwrap().is_none())
    };
    Some(Response::ok(outspend.to_string()))
}

async fn outputs(chain: &EmbeddedChain, address: &str) -> Option<Response> {
    let address: Address<_> = address.parse().ok()?;
    let owner = address.require_network(Network::Regtest).ok()?.script_pubkey();
    let mut outputs = Vec::new();
    for OutPoint { txid, vout } in chain.outputs_of(&owner).await.unwrap() {
        let unspent = chain.unspent(OutPoint { txid, vout }).await.unwrap();
        let sats = unspent.map(|unspent| unspent.output.value.to_sat());
        outputs.extend(sats.map(
            |value| json!({ "txid": txid.to_string(), "vout": vout, "value": value, "status": { "confirmed": true } }),
        ));
    }
    Some(Response::ok(Value::Array(outputs).to_string()))
}

async fn sent(chain: &EmbeddedChain, hex: &str) -> Response {
    const CALL: &str = "sendrawtransaction";
    let Ok(transaction) = deserialize_hex::<Transaction>(hex) else { return error(CALL, -22, "TX decode failed") };
    match chain.broadcast(std::slice::from_ref(&transaction)).await {
        Ok(()) => Response::ok(transaction.compute_txid().to_string()),
        Err(ChainError::Rejected(TxRejection { reason, .. })) => match reason.as_str() {
            "max-fee-exceeded" => {
                error(CALL, -25, "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)")
            }
            "TX decode failed" => error(CALL, -22, "TX decode failed"),
            "bad-txns-inputs-missingorspent" => error(CALL, -25, &reason),
            burn if burn.starts_with("Unspendable output") => error(CALL, -25, burn),
            // Core's message continues with details.
            _ => error(CALL, -26, &format!("{reason}, 0 < 110")),
        },
        Err(other) => error(CALL, -1, &other.to_string()),
    }
}

/// Parses a package; the error is a response.
fn package(body: &str) -> Result<Vec<Transaction>, Response> {
    let hexes: Vec<String> = serde_json::from_str(body).map_err(|error| Response::refusal(&error.to_string()))?;
    if hexes.len() > 25 {
        return Err(Response::refusal("Exceeded maximum of 25 transactions"));
    }
    let read = hexes.iter().map(|hex| deserialize_hex(hex)).collect::<Result<_, _>>();
    read.map_err(|_| error("testmempoolaccept", -22, "TX decode failed: 00 Make sure the tx has at least one input."))
}

/// Returns whether a reason concerns the package as a whole.
fn is_of_package(reason: &str) -> bool {
    reason.starts_with("package-") || reason == "conflict-in-package"
}

/// Returns the results for a package: for the transactions before the refused one, for itself, and for those after it.
fn each(package: &[Transaction], refused: Txid, results: [&Value; 3]) -> Vec<Value> {
    let at = package.iter().position(|transaction| transaction.compute_txid() == refused).unwrap();
    let which = |place: usize| match place.cmp(&at) {
        std::cmp::Ordering::Less => results[0].clone(),
        std::cmp::Ordering::Equal => results[1].clone(),
        std::cmp::Ordering::Greater => results[2].clone(),
    };
    let ids = package.iter().map(|transaction| (transaction.compute_txid(), transaction.compute_wtxid()));
    let named = ids.enumerate().map(|(place, (txid, wtxid))| {
        let mut one = which(place);
        one["txid"] = json!(txid.to_string());
        one["wtxid"] = json!(wtxid.to_string());
        one
    });
    named.collect()
}

async fn tested(chain: &EmbeddedChain, body: &str) -> Response {
    let package = match package(body) {
        Ok(package) => package,
        Err(response) => return response,
    };
    let Some(last) = package.last().map(Transaction::compute_txid) else { return Response::ok("[]") };
    let yes = json!({ "allowed": true, "vsize": 110 });
    let verdicts = match chain.test_accept(&package).await {
        Ok(()) => each(&package, last, [&yes, &yes, &yes]),
        Err(ChainError::Rejected(TxRejection { reason, .. })) if is_of_package(&reason) => {
            let error = json!({ "package-error": reason });
            each(&package, last, [&error, &error, &error])
        }
        Err(ChainError::Rejected(TxRejection { txid, reason })) => {
            each(&package, txid, [&yes, &json!({ "allowed": false, "reject-reason": reason }), &json!({})])
        }
        Err(other) => return error("testmempoolaccept", -1, &other.to_string()),
    };
    Response::ok(Value::Array(verdicts).to_string())
}

async fn submitted(chain: &EmbeddedChain, body: &str) -> Response {
    let package = match package(body) {
        Ok(package) => package,
        Err(response) => return response,
    };
    let Some(last) = package.last().map(Transaction::compute_txid) else {
        return error("submitpackage", -8, "Array must contain between 1 and 25 transactions.");
    };
    let (yes, unseen) = (json!({ "vsize": 110 }), json!({ "error": "package-not-validated" }));
    let (message, results) = match chain.broadcast(&package).await {
        Ok(()) => ("success".to_owned(), each(&package, last, [&yes, &yes, &yes])),
        Err(ChainError::Rejected(TxRejection { reason, .. })) if is_of_package(&reason) => {
            (reason, each(&package, last, [&unseen, &unseen, &unseen]))
        }
        Err(ChainError::Rejected(TxRejection { txid, reason })) => {
            let error = json!({ "error": format!("{reason}, 0 < 110") });
            ("transaction failed".to_owned(), each(&package, txid, [&yes, &error, &unseen]))
        }
        Err(other) => return error("submitpackage", -1, &other.to_string()),
    };
    let by_wtxid: serde_json::Map<String, Value> =
        results.into_iter().map(|one| (one["wtxid"].as_str().unwrap().to_owned(), one)).collect();
    Response::ok(json!({ "package_msg": message, "tx-results": by_wtxid }).to_string())
}

/// Returns a response with an error of the node behind the explorer.
fn error(call: &str, code: i64, message: &str) -> Response {
    Response::refusal(&format!("{call} RPC error: {}", json!({ "code": code, "message": message })))
}
