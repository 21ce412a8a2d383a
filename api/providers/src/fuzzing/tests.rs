//! The corpus, replayed against the subject.

use bitcoin::consensus::encode::serialize_hex;
use fuzz_testkit::Corpus;
use serde_json::{Value, json};

use super::questions::{COUNT, inscription, owner, transaction, txid};
use super::*;

const GENESIS: &str = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206";
const ADDRESS: &str = "bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202";

fn seed(selector: u8, answers: &[Value]) -> Vec<u8> {
    let text = |answer: &Value| answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
    let answers: Vec<String> = answers.iter().map(text).collect();
    [&[selector], answers.join("\u{1e}").as_bytes()].concat()
}

fn reply(id: u64, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn node_seeds() -> Vec<Vec<u8>> {
    let own = transaction();
    let tip = json!({ "blocks": 7, "bestblockhash": GENESIS, "mediantime": 1_700_000_000 });
    let output = json!({ "confirmations": 3, "value": 0.5, "scriptPubKey": { "hex": "6a00" }, "coinbase": false });
    let accepted = json!([{ "txid": own.compute_txid().to_string(), "allowed": true }]);
    let (estimate, mempool) =
        (json!({ "feerate": 0.000_12, "blocks": 3 }), json!({ "mempoolminfee": 0.000_01, "minrelaytxfee": 0.000_01 }));
    let [first, second] = [1, 2];
    vec![
        seed(0, &[reply(first, &tip)]),
        seed(1, &[reply(first, &json!(GENESIS))]),
        seed(2, &[reply(first, &output)]),
        seed(3, &[reply(first, &json!({ "hex": serialize_hex(&own) }))]),
        seed(6, &[reply(first, &accepted)]),
        seed(7, &[json!([reply(second, &mempool), reply(first, &estimate)])]),
    ]
}

fn ord_seeds() -> Vec<Vec<u8>> {
    let (place, rune) = (format!("{}:0", txid()), json!({ "UNCOMMON•GOODS": { "amount": 5, "divisibility": 0 } }));
    let output = json!({ "outpoint": place, "value": 10_000, "indexed": true, "inscriptions": [inscription().to_string()],
        "runes": rune });
    let known = json!({ "id": inscription().to_string(), "satpoint": format!("{place}:7"), "number": 5 });
    let etching = json!({ "id": "1:0", "entry": { "spaced_rune": "UNCOMMON•GOODS", "divisibility": 0 } });
    let status = json!({ "chain": "regtest", "inscription_index": true, "rune_index": true, "address_index": true });
    vec![
        seed(10, &[output, json!([known]), etching.clone(), json!(200)]),
        seed(11, &[known]),
        seed(12, &[etching, json!(200)]),
        seed(13, &[json!({ "outputs": [place], "runes_balances": [] })]),
        seed(15, &[status]),
    ]
}

fn explorer_seeds() -> Vec<Vec<u8>> {
    let fees = json!({ "fastestFee": 12, "halfHourFee": 4.5, "hourFee": 2.0001, "minimumFee": 0.1 });
    let estimates = json!({ "1": 87.882, "2": 87.882, "3": 70, "6": 10, "144": 1.027, "1008": 1.027 });
    let unspent = json!([{ "txid": txid().to_string(), "vout": 1, "status": { "confirmed": true } }]);
    let genesis = json!(GENESIS);
    vec![seed(16, &[genesis.clone(), fees]), seed(17, &[genesis.clone(), estimates]), seed(18, &[genesis, unspent])]
}

fn indexer_seeds() -> Vec<Vec<u8>> {
    let unisat = |data: &Value| json!({ "code": 0, "msg": "ok", "data": data });
    let best_in_slot = |data: &Value| json!({ "data": data, "block_height": 800_000 });
    let (id, network) = (inscription().to_string(), json!({ "chain": "regtest" }));
    let balance = json!({ "ticker": "ordi", "availableBalance": "1000.5", "transferableBalance": "7", "overallBalance": "1007.5" });
    let event = json!({ "ticker": "ordi", "type": "inscribe-transfer", "valid": true, "inscriptionId": id, "to": ADDRESS,
        "amount": "1000.5" });
    let info = json!({ "inscriptionId": id, "inscriptionNumber": 7, "address": ADDRESS, "offset": 3,
        "utxo": { "txid": txid().to_string(), "vout": 1, "satoshi": 546 },
        "brc20": { "op": "transfer", "tick": "ordi", "amt": "1000.5" } });
    let unused = json!({ "detail": [{ "inscriptionId": id, "data": { "amt": "1000.5" } }] });
    let transfer = json!({ "transfer_info": { "is_valid": true, "ticker": "ordi", "original_ticker": "ordi",
        "amount": "100.000000000000000000", "is_used": false } });
    let inscribed = json!([{ "inscription_id": id, "event_type": "transfer-inscribe", "event": { "tick": "ordi",
        "amount": "100000000000000000000", "source_pkScript": owner().to_hex_string() } }]);
    let described = json!({ "data": { "inscription_id": id, "inscription_number": 5, "owner_output": format!("{}:2", txid()),
        "owner_address": ADDRESS, "content_type": "text/plain", "collection_slug": "frogs" } });
    let history = json!({ "detail": [event] });
    vec![
        seed(24, &[unisat(&network), unisat(&balance)]),
        seed(25, &[unisat(&network), unisat(&info), unisat(&history), unisat(&unused)]),
        seed(26, &[unisat(&network), unisat(&info)]),
        seed(30, &[best_in_slot(&transfer), best_in_slot(&inscribed)]),
        seed(34, &[described]),
        seed(35, &[json!({ "data": [{ "name": "UNCOMMONGOODS", "balance": "1000000" }] })]),
    ]
}

fn other_seeds() -> Vec<Vec<u8>> {
    let floor = json!({ "success": true, "data": { "floor": 4_726_300, "listedCount": 102,
        "metadata": { "id": "nodemonkes" } } });
    let chat = json!({ "id": 5, "type": "private" });
    let updates = json!({ "ok": true, "result": [
        { "update_id": 1, "message": { "chat": chat, "text": "/start abc" } },
        { "update_id": 2, "my_chat_member": { "chat": chat, "new_chat_member": { "status": "kicked" } } },
    ] });
    let verified = json!({ "success": true, "error-codes": [], "hostname": "lienbook.example", "action": "offer" });
    vec![seed(36, &[floor]), seed(40, &[updates]), seed(COUNT - 1, &[verified])]
}

#[test]
fn answers_are_refused_in_one_line_or_lead_to_one_result() {
    let seeds = [node_seeds(), ord_seeds(), explorer_seeds(), indexer_seeds(), other_seeds()].concat();
    Corpus::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus"), "upstream_answer").replay(upstream_answer, &seeds);
}
