//! An indexer of the embedded chain, with `UniSat`'s API.

use bitcoin::{Address, Amount, Network, OutPoint, Script, ScriptBuf};
use devchain::EmbeddedChain;
use engine::asset_index::{AssetIndex as _, Brc20Index as _, InscriptionId, OutputAssets, TransferInscription};
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex as _;
use ordinals::{Rune, RuneId};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::fake_server::{FakeServer, Request, Response};

/// Raw units of a whole BRC-20 token.
const WHOLE: u128 = 1_000_000_000_000_000_000;

/// Starts an indexer of this chain, which is shared with the caller. Its runes have reserved names.
pub async fn indexer(chain: EmbeddedChain) -> FakeServer {
    indexer_on(TcpListener::bind("127.0.0.1:0").await.unwrap(), chain)
}

/// The same on a listener, which may be on another host of a test's network.
pub fn indexer_on(listener: TcpListener, chain: EmbeddedChain) -> FakeServer {
    FakeServer::start_on(listener, move |request| {
        let chain = chain.clone();
        async move { answer(&chain, &request).await }
    })
}

/// Answers a request; unknown paths are not found.
async fn answer(chain: &EmbeddedChain, request: &Request) -> Response {
    let path = request.path.split('?').next().unwrap_or_default();
    let Some(path) = path.strip_prefix("/v1/indexer/") else { return Response::not_found() };
    let height = chain.tip().await.unwrap().height;
    let found = match path.split('/').collect::<Vec<_>>().as_slice() {
        ["blockchain", "info"] => Some(json!({ "chain": "test", "blocks": height })),
        ["runes", "status"] => Some(json!({ "bestHeight": height })),
        ["brc20", "bestheight"] => Some(json!({ "height": height })),
        ["inscription", "info", id] => info(chain, id).await,
        ["utxo", txid, vout] => output(chain, &format!("{txid}:{vout}")).await,
        ["runes", "utxo", txid, vout, "balance"] => piles(chain, &format!("{txid}:{vout}")).await,
        ["address", address, "runes", "balance-list"] => sums(chain, address).await,
        ["address", address, "brc20", ticker, "info"] => balance(chain, address, ticker).await,
        ["brc20", ticker, "tx", txid, "history"] => history(chain, ticker, txid).await,
        ["address", address, "brc20", ticker, "transferable-inscriptions"] => unused(chain, address, ticker).await,
        _ => None,
    };
    let envelope = match found {
        Some(data) => json!({ "code": 0, "msg": "ok", "data": data }),
        None => json!({ "code": -1, "msg": "not found", "data": null }),
    };
    Response::ok(envelope.to_string())
}

fn script_of(address: &str) -> Option<ScriptBuf> {
    let address: Address<_> = address.parse().ok()?;
    Some(address.require_network(Network::Regtest).ok()?.script_pubkey())
}

fn address_of(script: &Script) -> String {
    Address::from_script(script, Network::Regtest).map_or_else(|_| String::new(), |address| address.to_string())
}

async fn info(chain: &EmbeddedChain, id: &str) -> Option<Value> {
    let id: InscriptionId = id.parse().ok()?;
    let (outpoint, offset) = chain.sat_point(id).await.unwrap()?;
    let output = chain.confirmed_unspent(outpoint).await.unwrap()?.output;
    let note = chain.transfer_inscription(id).await.unwrap();
    Some(json!({
        "inscriptionId": id.to_string(), "inscriptionNumber": 0, "address": address_of(&output.script_pubkey),
        "offset": offset.to_sat(), "contentType": chain.content_type_of(id),
        "utxo": { "txid": outpoint.txid.to_string(), "vout": outpoint.vout, "satoshi": output.value.to_sat() },
        "brc20": note.map(|note| json!({ "op": "transfer", "tick": note.ticker, "amt": decimal(note.amount) })),
    }))
}

async fn carried(chain: &EmbeddedChain, outpoint: OutPoint) -> Option<(OutputAssets, Amount)> {
    let carried = chain.assets_in(outpoint).await.unwrap()?;
    Some((carried, chain.confirmed_unspent(outpoint).await.unwrap()?.output.value))
}

async fn output(chain: &EmbeddedChain, place: &str) -> Option<Value> {
    let outpoint: OutPoint = place.parse().ok()?;
    let (carried, value) = carried(chain, outpoint).await?;
    let inscriptions = carried.inscriptions.iter().map(|inscribed| {
        json!({ "inscriptionId": inscribed.id.to_string(), "inscriptionNumber": 0, "offset": inscribed.offset.to_sat() })
    });
    Some(json!({
        "txid": outpoint.txid.to_string(), "vout": outpoint.vout, "satoshi": value.to_sat(), "height": 1,
        "isSpent": false, "inscriptions": inscriptions.collect::<Vec<_>>(),
    }))
}

fn pile((id, amount): (RuneId, u128)) -> Value {
    let name = Rune::reserved(id.block, id.tx);
    json!({ "runeid": id.to_string(), "rune": name.to_string(), "spacedRune": name.to_string(),
        "amount": amount.to_string(), "symbol": "x", "divisibility": 2 })
}

async fn piles(chain: &EmbeddedChain, place: &str) -> Option<Value> {
    let (carried, _) = carried(chain, place.parse().ok()?).await?;
    Some(carried.runes.into_iter().map(pile).collect())
}

async fn sums(chain: &EmbeddedChain, address: &str) -> Option<Value> {
    let mut sums = std::collections::BTreeMap::new();
    for outpoint in chain.outputs_of(&script_of(address)?).await.unwrap() {
        for (id, amount) in chain.assets_in(outpoint).await.unwrap().unwrap_or_default().runes {
            *sums.entry(id).or_insert(0) += amount;
        }
    }
    let detail: Vec<Value> = sums.into_iter().map(pile).collect();
    Some(json!({ "start": 0, "total": detail.len(), "detail": detail }))
}

async fn balance(chain: &EmbeddedChain, address: &str, ticker: &str) -> Option<Value> {
    let held = chain.balance(&script_of(address)?, ticker).await.unwrap();
    let (available, transferable) = (decimal(held.available), decimal(held.transferable));
    Some(json!({ "ticker": ticker, "availableBalance": available, "transferableBalance": transferable }))
}

async fn history(chain: &EmbeddedChain, ticker: &str, txid: &str) -> Option<Value> {
    let id = InscriptionId { txid: txid.parse().ok()?, index: 0 };
    let TransferInscription { amount, owner, .. } = chain.transfer_inscription(id).await.unwrap()?;
    let event = json!({ "ticker": ticker, "type": "inscribe-transfer", "valid": true, "inscriptionId": id.to_string(),
        "to": address_of(&owner), "amount": decimal(amount) });
    Some(json!({ "total": 1, "start": 0, "detail": [event] }))
}

async fn unused(chain: &EmbeddedChain, address: &str, ticker: &str) -> Option<Value> {
    let mut unused = Vec::new();
    for outpoint in chain.outputs_of(&script_of(address)?).await.unwrap() {
        for inscribed in chain.assets_in(outpoint).await.unwrap().unwrap_or_default().inscriptions {
            let note = chain.transfer_inscription(inscribed.id).await.unwrap();
            if let Some(note) = note.filter(|note| !note.is_used && note.ticker == ticker) {
                unused.push(
                    json!({ "inscriptionId": inscribed.id.to_string(), "data": { "amt": decimal(note.amount) } }),
                );
            }
        }
    }
    Some(json!({ "total": unused.len(), "start": 0, "detail": unused }))
}

/// Formats raw units as whole tokens.
fn decimal(raw: u128) -> String {
    format!("{}.{:018}", raw / WHOLE, raw % WHOLE)
}
