//! The requests of every client.

use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::sync::Arc;

use bitcoin::absolute::LockTime;
use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, BlockHash, Network, OutPoint, ScriptBuf, Transaction, TxIn, TxOut, Txid, WPubkeyHash};
use engine::asset_index::{AssetIndex, InscriptionId};
use engine::chain::Chain as _;
use secrecy::SecretString;

use crate::capability::{
    Addresses, Assets as _, Brc20 as _, Fees as _, Inscriptions as _, Prices as _, Quote, RuneBalances as _,
    Runes as _, TradedAsset, UpstreamError,
};
use crate::chain::{Blocks as _, Explorer, FeeEndpoint, Spenders};
use crate::indexers::{BestInSlot, Ordiscan, Unisat, UnisatOutputs};
use crate::prices::Satflow;
use crate::resilience::{UpstreamClient, UpstreamClientConfig, UpstreamMetrics};
use crate::{BitcoinCore, Credentials, OrdServer, Telegram, Turnstile, UpstreamEnvironment};

const NETWORK: Network = Network::Regtest;
/// The address is never connected to.
const URL: &str = "http://127.0.0.1:9";
/// The number of requests.
pub(super) const COUNT: u8 = 42;

/// Makes one request, and returns the answer or the error as text.
pub(super) async fn ask(selector: u8) -> Result<String, String> {
    let (txid, block) = (txid(), BlockHash::from_byte_array([0x33; 32]));
    let (outpoint, owner, id) = (OutPoint::new(txid, 0), owner(), inscription());
    let runes = || BTreeSet::from(["UNCOMMONGOODS".parse().unwrap()]);
    let unisat = || Unisat::new(client(), NETWORK);
    let outputs = || UnisatOutputs(Arc::new(unisat()));
    let best_in_slot = || BestInSlot::new(client(), NETWORK);
    let ordiscan = || Ordiscan::new(client(), NETWORK);
    let collection = || TradedAsset::Collection("nodemonkes".to_owned());
    let rune = || TradedAsset::Rune("UNCOMMONGOODS".to_owned());
    let token = || TradedAsset::Brc20("ordi".to_owned());
    match selector % COUNT {
        0 => shown(core().tip().await),
        1 => shown(core().block_hash(7).await),
        2 => shown(core().unspent(outpoint).await),
        3 => shown(core().transaction(transaction().compute_txid()).await),
        4 => shown(core().median_time(block).await),
        5 => shown(core().block_transactions(block).await),
        6 => shown(core().test_accept(&[transaction()]).await),
        7 => shown(core().fee_estimate(3).await.map(|estimate| (estimate.estimate, estimate.minimum))),
        8 => shown(core().broadcast(&[transaction(), transaction()]).await),
        9 => shown(core().outputs_of(&owner, |_| ()).await),
        10 => shown(ord().assets_in(outpoint).await),
        11 => shown(ord().sat_point(id).await),
        12 => shown(AssetIndex::rune(&ord(), "UNCOMMON•GOODS".parse().unwrap()).await),
        13 => shown(Addresses::outputs_of(&ord(), &owner).await),
        14 => shown(ord().rune_balances(&owner, &runes()).await),
        15 => shown(ord().check().await),
        16 => shown(explorer(FeeEndpoint::Recommended).fees().await),
        17 => shown(explorer(FeeEndpoint::Estimates).fees().await),
        18 => shown(explorer(FeeEndpoint::Estimates).outputs_of(&owner).await),
        19 => shown(explorer(FeeEndpoint::Estimates).tip().await),
        20 => shown(explorer(FeeEndpoint::Estimates).transactions_of(block).await),
        21 => shown(explorer(FeeEndpoint::Estimates).transaction(transaction().compute_txid()).await),
        22 => shown(explorer(FeeEndpoint::Estimates).unspent(outpoint, Spenders::All).await),
        23 => shown(explorer(FeeEndpoint::Estimates).submit(&[transaction()]).await),
        24 => shown(unisat().balance(&owner, "ordi").await),
        25 => shown(unisat().note(id).await),
        26 => shown(unisat().inscription(id).await),
        27 => shown(outputs().carried_by(outpoint).await),
        28 => shown(outputs().rune_balances(&owner, &runes()).await),
        29 => shown(best_in_slot().balance(&owner, "ordi").await),
        30 => shown(best_in_slot().note(id).await),
        31 => shown(best_in_slot().inscription(id).await),
        32 => shown(best_in_slot().runes_in(outpoint).await),
        33 => shown(best_in_slot().rune_balances(&owner, &runes()).await),
        34 => shown(ordiscan().inscription(id).await),
        35 => shown(ordiscan().rune_balances(&owner, &runes()).await),
        36 => quoted(Satflow::new(client()).quote(&collection()).await),
        37 => quoted(unisat().quote(&token()).await),
        38 => quoted(best_in_slot().quote(&collection()).await),
        39 => quoted(ordiscan().quote(&rune()).await),
        40 => shown(telegram().updates(0).await),
        _ => shown(turnstile().verify("token", IpAddr::V4(Ipv4Addr::LOCALHOST)).await),
    }
}

fn shown<T: Debug, E: Display>(result: Result<T, E>) -> Result<String, String> {
    result.map(|answer| format!("{answer:?}")).map_err(|error| error.to_string())
}

/// The same of a price, which is positive.
fn quoted(result: Result<Option<Quote>, UpstreamError>) -> Result<String, String> {
    if let Ok(Some(quote)) = &result {
        assert!(quote.price_scaled > 0);
    }
    shown(result)
}

pub(super) fn txid() -> Txid {
    Txid::from_byte_array([0x22; 32])
}

pub(super) fn inscription() -> InscriptionId {
    format!("{}i0", txid()).parse().unwrap()
}

pub(super) fn owner() -> ScriptBuf {
    ScriptBuf::new_p2wpkh(&WPubkeyHash::all_zeros())
}

pub(super) fn transaction() -> Transaction {
    let output = TxOut { value: Amount::from_sat(1_000), script_pubkey: owner() };
    let (input, output) = (vec![TxIn::default()], vec![output]);
    Transaction { version: Version::TWO, lock_time: LockTime::ZERO, input, output }
}

fn client() -> UpstreamClient {
    let metrics = UpstreamMetrics::new().unwrap();
    let environment = UpstreamEnvironment::new(NETWORK, Arc::new(|| 0), metrics);
    let config =
        UpstreamClientConfig { name: "it".to_owned(), url: URL.to_owned(), key: None, per_minute: NonZeroU32::MAX };
    UpstreamClient::new(config, &environment).unwrap()
}

fn core() -> BitcoinCore {
    let credentials = Credentials::User { name: "lienbook".to_owned(), password: SecretString::from("secret") };
    BitcoinCore::new(URL, credentials).unwrap()
}

fn ord() -> OrdServer {
    OrdServer::new(URL, NETWORK).unwrap()
}

fn explorer(fees: FeeEndpoint) -> Explorer {
    Explorer::new(client(), NETWORK, fees)
}

fn telegram() -> Telegram {
    Telegram::new(URL, &SecretString::from("123456:AAbb-_0")).unwrap()
}

fn turnstile() -> Turnstile {
    Turnstile::new(URL, SecretString::from("secret"), vec!["lienbook.example".to_owned()], "offer").unwrap()
}
