//! Tests of the explorer as a chain, with responses from the sources of mempool's and Blockstream's electrs and of
//! mempool's server.

use bitcoin::absolute::LockTime;
use bitcoin::constants::genesis_block;
use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, Network, ScriptBuf, TxIn, Witness};
use engine::chain::{Chain as _, ChainError};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::*;
use crate::chain::explorer::tests::explorer;
use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};
use crate::{BitcoinCore, Credentials};

const GENESIS: &str = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206";
const OTHER: &str = "3333333333333333333333333333333333333333333333333333333333333333";

fn payment(sats: u64) -> Transaction {
    let output = TxOut { value: Amount::from_sat(sats), script_pubkey: ScriptBuf::from_bytes(vec![0x51]) };
    let input = TxIn { previous_output: OutPoint::new(Txid::all_zeros(), 7), ..TxIn::default() };
    Transaction { version: Version::TWO, lock_time: LockTime::ZERO, input: vec![input], output: vec![output] }
}

/// A block of these transactions, with a matching hash and no proof of work.
fn block_of(txdata: Vec<Transaction>) -> Block {
    let mut block = Block { txdata, ..genesis_block(Network::Regtest) };
    block.header.merkle_root = block.compute_merkle_root().unwrap();
    block
}

fn bytes_of(block: &Block) -> ScriptedResponse {
    let body = bitcoin::consensus::serialize(block);
    let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    ScriptedResponse::Bytes([head.into_bytes(), body].concat())
}

fn not_found() -> ScriptedResponse {
    ScriptedResponse::Body(404, "Transaction not found".to_owned())
}

/// Responses of an explorer that knows these paths and no others.
fn knows(
    table: Vec<(String, ScriptedResponse)>,
) -> impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static {
    move |asked| {
        let known = table.iter().find(|(line, _)| *line == asked.line);
        known.map_or_else(not_found, |(_, response)| response.clone())
    }
}

/// The responses for a transaction: its bytes, its status and the spender of its first output.
fn pages(transaction: &Transaction, status: &Value, outspend: &Value) -> Vec<(String, ScriptedResponse)> {
    let txid = transaction.compute_txid();
    vec![
        (format!("GET /tx/{txid}/hex"), ScriptedResponse::ok(&serialize_hex(transaction))),
        (format!("GET /tx/{txid}/status"), ScriptedResponse::ok(status)),
        (format!("GET /tx/{txid}/outspend/0"), ScriptedResponse::ok(outspend)),
        ("GET /blocks/tip/height".to_owned(), ScriptedResponse::ok("100")),
        ("GET /block-height/90".to_owned(), ScriptedResponse::ok(OTHER)),
        ("POST /txs/test".to_owned(), verdict(transaction, "txn-already-in-mempool")),
    ]
}

/// The verdict of the node on a transaction.
fn verdict(transaction: &Transaction, reason: &str) -> ScriptedResponse {
    let (txid, wtxid) = (transaction.compute_txid().to_string(), transaction.compute_wtxid().to_string());
    ScriptedResponse::ok(&json!([{ "txid": txid, "wtxid": wtxid, "allowed": false, "reject-reason": reason }]))
}

fn confirmed() -> Value {
    json!({ "confirmed": true, "block_height": 90, "block_hash": OTHER, "block_time": 1 })
}

fn free() -> Value {
    json!({ "spent": false })
}

#[tokio::test]
async fn blocks_of_an_explorer_are_read() {
    let info =
        json!({ "id": OTHER, "height": 7, "mediantime": 1_700_000_000, "tx_count": 1, "previousblockhash": null });
    let table = vec![
        ("GET /blocks/tip/hash".to_owned(), ScriptedResponse::ok(OTHER)),
        (format!("GET /block/{OTHER}"), ScriptedResponse::ok(&info)),
        ("GET /block-height/7".to_owned(), ScriptedResponse::ok(OTHER)),
    ];
    let found = explorer(knows(table)).await;
    let hash = OTHER.parse().unwrap();
    assert_eq!(found.tip().await, Ok(Tip { height: 7, hash, median_time_seconds: 1_700_000_000 }));
    assert_eq!((found.block_hash(7).await, found.block_hash(8).await), (Ok(Some(hash)), Ok(None)));
    assert_eq!(found.median_time(hash).await, Ok(Some(1_700_000_000)));
    let unknown = BlockHash::all_zeros();
    assert_eq!((found.median_time(unknown).await, found.transactions_of(unknown).await), (Ok(None), Ok(None)));
    for wrong in [json!({ "id": GENESIS, "height": 7, "mediantime": 7 }), json!({ "id": OTHER, "height": -1 })] {
        let inconsistent = explorer(move |_| ScriptedResponse::ok(&wrong)).await;
        assert!(matches!(inconsistent.median_time(hash).await, Err(UpstreamError::InvalidResponse(_))));
    }
}

#[tokio::test]
async fn a_block_is_checked_against_its_hash_and_its_commitments() {
    let transactions_of = async |asked: &Block, response: ScriptedResponse| {
        explorer(move |_| response.clone()).await.transactions_of(asked.block_hash()).await
    };
    let genesis = genesis_block(Network::Regtest);
    assert_eq!(transactions_of(&genesis, bytes_of(&genesis)).await, Ok(Some(genesis.txdata.clone())));
    let large = TxOut { value: Amount::ZERO, script_pubkey: ScriptBuf::from_bytes(vec![0x51; 3_990_000]) };
    let large = block_of(vec![Transaction { output: vec![large], ..payment(1) }]);
    assert_eq!(transactions_of(&large, bytes_of(&large)).await, Ok(Some(large.txdata.clone())), "four million bytes");
    let other = block_of(vec![payment(1)]);
    let more = Block { txdata: vec![payment(1), payment(2)], ..other.clone() };
    let mut stuffed = payment(1);
    stuffed.input[0].witness = Witness::from_slice(&[b"a witness that the block does not commit to"]);
    let stuffed = Block { txdata: vec![stuffed], ..other.clone() };
    for response in [bytes_of(&genesis), bytes_of(&more), bytes_of(&stuffed), ScriptedResponse::ok("no block")] {
        let shown = format!("{response:?}");
        let found = transactions_of(&other, response).await;
        assert!(matches!(found, Err(UpstreamError::InvalidResponse(_))), "{shown}: {found:?}");
    }
    assert!(matches!(transactions_of(&other, bytes_of(&other)).await, Ok(Some(_))), "the right block");
}

#[tokio::test]
async fn a_transaction_is_checked_against_its_id_and_its_block_against_the_best_chain() {
    let transaction = payment(1);
    let txid = transaction.compute_txid();
    let seen = async |table| explorer(knows(table)).await.transaction(txid).await;
    let found = |position| Ok(Some(KnownTransaction { transaction: transaction.clone(), position }));
    let waits = json!({ "confirmed": false });
    assert_eq!(seen(pages(&transaction, &waits, &free())).await, found(ChainPosition::InMempool));
    let place = ChainPosition::Confirmed { block: OTHER.parse().unwrap(), height: 90 };
    assert_eq!(seen(pages(&transaction, &confirmed(), &free())).await, found(place));
    assert_eq!(seen(Vec::new()).await, Ok(None));
    // After a reorg the explorer still shows it, but the node has dropped it.
    let mut forgotten = pages(&transaction, &waits, &free());
    for reason in ["bad-txns-inputs-missingorspent", "txn-mempool-conflict"] {
        forgotten[5].1 = verdict(&transaction, reason);
        assert_eq!(seen(forgotten.clone()).await, Ok(None), "{reason}");
        let outpoint = OutPoint::new(txid, 0);
        let found = explorer(knows(forgotten.clone())).await.unspent(outpoint, Spenders::All).await;
        assert_eq!(found, Ok(AsOf { height: Some(100), value: None }), "{reason}");
    }
    let mut inconsistent = pages(&transaction, &confirmed(), &free());
    inconsistent[0].1 = ScriptedResponse::ok(&serialize_hex(&payment(2)));
    assert!(matches!(seen(inconsistent).await, Err(UpstreamError::InvalidResponse(_))), "another transaction");
    let elsewhere = [
        json!({ "confirmed": true, "block_height": 90, "block_hash": GENESIS }),
        json!({ "confirmed": true, "block_height": 91, "block_hash": OTHER }),
        json!({ "confirmed": true }),
        json!({ "confirmed": true, "block_height": 90 }),
    ];
    for status in elsewhere {
        let found = seen(pages(&transaction, &status, &free())).await;
        assert!(matches!(found, Err(UpstreamError::InvalidResponse(_))), "{status}: {found:?}");
    }
}

#[tokio::test]
async fn an_output_is_unspent_until_a_transaction_of_the_given_kind_spends_it() {
    let transaction = payment(546);
    let outpoint = OutPoint::new(transaction.compute_txid(), 0);
    let spent =
        |is_confirmed: bool| json!({ "spent": true, "txid": OTHER, "vin": 0, "status": { "confirmed": is_confirmed } });
    let waits = json!({ "confirmed": false });
    let above = json!({ "confirmed": true, "block_height": 101, "block_hash": OTHER });
    for (status, outspend, all, in_blocks) in [
        (confirmed(), free(), Some(11), Some(11)),
        (above.clone(), free(), Some(1), Some(1)),
        (confirmed(), spent(false), None, Some(11)),
        (confirmed(), spent(true), None, None),
        (waits.clone(), free(), Some(0), None),
        (waits, spent(false), None, None),
    ] {
        for (spenders, expected) in [(Spenders::All, all), (Spenders::InBlocks, in_blocks)] {
            let found = explorer(knows(pages(&transaction, &status, &outspend))).await;
            let found = found.unspent(outpoint, spenders).await;
            let output = transaction.output[0].clone();
            let unspent = |confirmations| Unspent { output, confirmations, is_coinbase: false };
            let height = if status == above { 101 } else { 100 };
            let expected = AsOf { height: Some(height), value: expected.map(unspent) };
            assert_eq!(found, Ok(expected), "{status} {outspend} {spenders:?}");
        }
    }
    let unclear = explorer(knows(pages(&transaction, &confirmed(), &json!({ "spent": true })))).await;
    assert!(matches!(unclear.unspent(outpoint, Spenders::InBlocks).await, Err(UpstreamError::InvalidResponse(_))));
}

#[tokio::test]
async fn outputs_that_do_not_exist_or_are_unspendable_are_not_found() {
    let mut transaction = payment(1);
    transaction.output.push(TxOut { value: Amount::ZERO, script_pubkey: ScriptBuf::new_op_return([]) });
    let reward = Transaction { input: vec![TxIn::default()], ..payment(2) };
    let mut table = pages(&transaction, &confirmed(), &free());
    table.extend(pages(&reward, &confirmed(), &free()));
    let found = explorer(knows(table)).await;
    let of = async |txid: Txid, vout| found.unspent(OutPoint::new(txid, vout), Spenders::All).await.unwrap().value;
    for (txid, vout) in [(transaction.compute_txid(), 1), (transaction.compute_txid(), 2), (Txid::all_zeros(), 0)] {
        assert_eq!(of(txid, vout).await, None, "{txid}:{vout}");
    }
    assert!(!of(transaction.compute_txid(), 0).await.unwrap().is_coinbase);
    assert!(of(reward.compute_txid(), 0).await.unwrap().is_coinbase);
}

/// The outcomes of a broadcast that Core refuses with an error: from Core itself, and from an explorer that passes the
/// error on.
async fn both(code: i64, message: &'static str, passed_on: String) -> (Acceptance, Acceptance) {
    let (url, _) = start(move |asked| {
        let call: Value = serde_json::from_str(&asked.body).unwrap();
        let is_sent = call["method"] == "sendrawtransaction";
        let (code, message) =
            if is_sent { (code, message) } else { (-5, "No such mempool or blockchain transaction.") };
        ScriptedResponse::ok(&json!({ "id": call["id"], "error": { "code": code, "message": message } }))
    })
    .await;
    let password = SecretString::from("secret");
    let node = BitcoinCore::new(&url, Credentials::User { name: "lienbook".to_owned(), password }).unwrap();
    let own = [payment(1)];
    let open = TxRejection { txid: Txid::all_zeros(), reason: "left open".to_owned() };
    let directly = match node.broadcast(&own).await {
        Ok(()) => Ok(()),
        Err(ChainError::Rejected(refusal)) => Err(refusal),
        Err(_) => Err(open.clone()),
    };
    let explorer = explorer(move |asked| match asked.line.as_str() {
        "POST /tx" => ScriptedResponse::Body(400, passed_on.clone()),
        _ => not_found(),
    });
    (directly, explorer.await.submit(&own).await.unwrap_or(Err(open)))
}

#[tokio::test]
async fn a_refusal_has_the_reason_that_core_itself_gives() {
    for (code, message) in [
        (-26, "dust, tx with dust output must be 0-fee"),
        (-26, "min relay fee not met, 0 < 110"),
        (-26, "txn-mempool-conflict"),
        (
            -26,
            "mempool-script-verify-flag-failed (Invalid Schnorr signature), input 0 of 12ab (wtxid 34cd), spending 5:0",
        ),
        (-25, "bad-txns-inputs-missingorspent"),
        (-25, "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)"),
        (-25, "Mempool internal error"),
        (-22, "TX decode failed. Make sure the tx has at least one input."),
        (-27, "Transaction outputs already in utxo set"),
        (-28, "Loading block index..."),
    ] {
        let json = json!({ "code": code, "message": message });
        let text = format!("sendrawtransaction RPC error: {json}");
        let wrapped = json!({ "error": text }).to_string();
        for passed_on in [text, wrapped, format!("sendrawtransaction RPC error {code}: {message}")] {
            let (directly, explorer) = both(code, message, passed_on.clone()).await;
            assert_eq!(directly, explorer, "{passed_on}");
        }
    }
}

#[tokio::test]
async fn an_explorer_that_reports_no_reason_is_asked_for_it_by_a_test() {
    let txid = payment(1).compute_txid();
    let sent = async |tested: ScriptedResponse| {
        let found = explorer(move |asked| match asked.line.as_str() {
            "POST /tx" => ScriptedResponse::Body(400, "sendrawtransaction RPC error: {\"code\":-25}".to_owned()),
            "POST /txs/test" => tested.clone(),
            _ => not_found(),
        });
        found.await.submit(&[payment(1)]).await
    };
    let verdict = |reason: &str| json!([{ "txid": txid.to_string(), "allowed": false, "reject-reason": reason }]);
    let refused = |reason: &str| Ok(Err(TxRejection { txid, reason: reason.to_owned() }));
    assert_eq!(sent(ScriptedResponse::ok(&verdict("missing-inputs"))).await, refused(MISSING_INPUTS));
    assert_eq!(sent(ScriptedResponse::ok(&verdict("max feerate exceeded"))).await, refused("max-fee-exceeded"));
    assert!(matches!(sent(not_found()).await, Err(UpstreamError::Refused(_))), "it never reports the reason");
    let found = explorer(|_| ScriptedResponse::Body(400, "Failed to send raw transaction".to_owned())).await;
    assert!(matches!(found.submit(&[payment(1)]).await, Err(UpstreamError::Refused(_))), "not an error of the node");
}

#[tokio::test]
async fn a_transaction_in_a_block_counts_as_sent() {
    let own = [payment(1)];
    let mut table = pages(&own[0], &confirmed(), &free());
    let missing = json!({ "code": -25, "message": MISSING_INPUTS });
    table
        .push(("POST /tx".to_owned(), ScriptedResponse::Body(400, format!("sendrawtransaction RPC error: {missing}"))));
    assert_eq!(explorer(knows(table)).await.submit(&own).await, Ok(Ok(())));
    let known = "sendrawtransaction RPC error: {\"code\":-27}".to_owned();
    let table = vec![("POST /tx".to_owned(), ScriptedResponse::Body(400, known))];
    assert_eq!(explorer(knows(table)).await.submit(&own).await, Ok(Ok(())), "without a message");
}

#[tokio::test]
async fn a_package_is_tested_and_sent_with_the_results_of_core() {
    let package = [payment(1), payment(2)];
    let [first, second] = package.clone().map(|one| (one.compute_txid(), one.compute_wtxid().to_string()));
    let hexes = json!([serialize_hex(&package[0]), serialize_hex(&package[1])]).to_string();
    let server = |response: Value| {
        let hexes = hexes.clone();
        explorer(move |asked| {
            assert_eq!(asked.body, hexes);
            assert!(asked.headers.contains("content-type: application/json"));
            ScriptedResponse::ok(&response)
        })
    };
    let refused = |txid, reason: &str| Ok(Err(TxRejection { txid, reason: reason.to_owned() }));
    let yes = json!([
        { "txid": first.0.to_string(), "wtxid": first.1, "allowed": true, "vsize": 82, "fees": { "base": 0.00001 } },
        { "txid": second.0.to_string(), "wtxid": second.1, "allowed": true, "vsize": 82 },
    ]);
    assert_eq!(server(yes).await.test(&package).await, Ok(Ok(())));
    let no = json!([
        { "txid": first.0.to_string(), "allowed": true },
        { "txid": second.0.to_string(), "allowed": false, "reject-reason": "dust", "reject-details": "dust, of 1" },
    ]);
    assert_eq!(server(no).await.test(&package).await, refused(second.0, "dust"));
    let silent = json!([{ "txid": first.0.to_string(), "allowed": true }]);
    assert!(matches!(server(silent).await.test(&package).await, Err(UpstreamError::InvalidResponse(_))));
    let sent = |message: &str, error: Value| {
        let results = json!({ first.1.as_str(): { "txid": first.0.to_string() }, second.1.as_str(): error });
        server(json!({ "package_msg": message, "tx-results": results }))
    };
    assert_eq!(sent("success", json!({ "vsize": 82 })).await.submit(&package).await, Ok(Ok(())));
    let refusal = sent("transaction failed", json!({ "error": "min relay fee not met, 0 < 82" })).await;
    assert_eq!(refusal.submit(&package).await, refused(second.0, "min relay fee not met"));
    let too_many: Vec<Transaction> = (0..26).map(payment).collect();
    let unasked = explorer(|_| ScriptedResponse::NoResponse).await;
    let last = too_many[25].compute_txid();
    assert_eq!(unasked.test(&too_many).await, refused(last, "package-too-many-transactions"));
    assert_eq!(unasked.submit(&too_many).await, refused(last, "package-too-many-transactions"));
    assert_eq!((unasked.test(&[]).await, unasked.submit(&[]).await), (Ok(Ok(())), Ok(Ok(()))));
}

#[tokio::test]
async fn an_explorer_without_package_endpoints_reports_them_as_unknown() {
    let found = explorer(|_| ScriptedResponse::Body(404, "endpoint does not exist".to_owned())).await;
    let package = [payment(1), payment(2)];
    assert!(matches!(found.test(&package).await, Err(UpstreamError::Unknown(_))));
    assert!(matches!(found.submit(&package).await, Err(UpstreamError::Unknown(_))));
}

#[tokio::test]
async fn of_a_package_with_a_confirmed_parent_only_the_child_is_sent() {
    let package = [payment(1), payment(2)];
    let mut table = pages(&package[0], &confirmed(), &free());
    let results = json!({
        package[0].compute_wtxid().to_string(): { "error": "txn-already-known" },
        package[1].compute_wtxid().to_string(): { "error": "package-not-validated" },
    });
    let response = json!({ "package_msg": "transaction failed", "tx-results": results });
    table.push(("POST /txs/package".to_owned(), ScriptedResponse::ok(&response)));
    table.push(("POST /tx".to_owned(), ScriptedResponse::ok(&package[1].compute_txid())));
    assert_eq!(explorer(knows(table)).await.submit(&package).await, Ok(Ok(())));
}
