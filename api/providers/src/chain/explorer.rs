//! A client of mempool.space, and of any explorer with Esplora's API.
//!
//! Response formats follow their documentation. Amounts are whole sats; fee rates are sats per virtual byte, with
//! decimals since nodes relay below one.

mod blocks;
mod rejection;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use bitcoin::consensus::encode::serialize_hex;
use bitcoin::constants::genesis_block;
use bitcoin::{BlockHash, Network, OutPoint, Script, Transaction, Txid};
use serde::Deserialize;
use tokio::sync::OnceCell;

use crate::capability::{Addresses, Fees, HasHeight, Named, RecommendedFees, UpstreamError, UpstreamFuture};
use crate::http::{HttpRequest, TimeoutClass};
use crate::parsing::address_script::address_of;
use crate::parsing::decimal::Decimal;
use crate::parsing::text::Text;
use crate::resilience::UpstreamClient;

pub(crate) use self::blocks::{Blocks, Spenders};

/// The maximum number of outputs in a list: explorers do not list more.
const OUTPUTS_MAX: usize = 50_000;
/// 10,000 sats per virtual byte, above any rate that was ever paid.
const FEE_RATE_MAX_MILLI: u64 = 10_000_000;
/// A node's messages for a transaction that it already has.
const KNOWN: [&str; 4] =
    ["txn-already-known", "txn-already-in-mempool", "already in block chain", "already in utxo set"];

/// An explorer's endpoint for fee rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeeEndpoint {
    /// `/v1/fees/recommended`, as of mempool.space.
    Recommended,
    /// `/fee-estimates`, as of Esplora.
    Estimates,
}

/// A client of one explorer.
pub(crate) struct Explorer {
    client: UpstreamClient,
    network: Network,
    fee_table: FeeEndpoint,
    is_of_network: OnceCell<()>,
}

/// The response of `/v1/fees/recommended`.
#[derive(Deserialize)]
struct Recommended {
    #[serde(rename = "fastestFee")]
    fastest: Decimal,
    #[serde(rename = "halfHourFee")]
    half_hour: Decimal,
    #[serde(rename = "hourFee")]
    hour: Decimal,
    #[serde(rename = "minimumFee")]
    minimum: Decimal,
}

/// An element of `/address/{address}/utxo`.
#[derive(Deserialize)]
struct Output {
    txid: Text<Txid>,
    vout: u32,
    status: Status,
}

#[derive(Deserialize)]
struct Status {
    confirmed: bool,
}

impl Explorer {
    pub(crate) fn new(client: UpstreamClient, network: Network, fee_table: FeeEndpoint) -> Self {
        Self { client, network, fee_table, is_of_network: OnceCell::new() }
    }

    /// Checks once that the explorer is of our network.
    async fn check_network(&self) -> Result<(), UpstreamError> {
        let ask = async || {
            let first: BlockHash = self.text("/block-height/0", TimeoutClass::Short).await?;
            let is_ours = first == genesis_block(self.network).block_hash();
            if is_ours { Ok(()) } else { Err(self.client.record_failure(UpstreamError::WrongNetwork)) }
        };
        self.is_of_network.get_or_try_init(ask).await.copied()
    }

    /// Returns a plain-text response, parsed.
    async fn text<T: std::str::FromStr>(&self, path: &str, class: TimeoutClass) -> Result<T, UpstreamError> {
        let body =
            self.client.send(HttpRequest::get(path).with_timeout(class)).await?.ok_or(UpstreamError::Status(404))?;
        let text = String::from_utf8_lossy(&body);
        text.trim()
            .parse()
            .map_err(|_| self.client.record_failure(UpstreamError::invalid_response(&format!("{path} is {text:?}"))))
    }

    async fn recommended(&self) -> Result<RecommendedFees, UpstreamError> {
        self.check_network().await?;
        let [fastest, half_hour, hour, minimum] = match self.fee_table {
            FeeEndpoint::Recommended => {
                let recommended: Recommended =
                    self.client.read_required(HttpRequest::get("/v1/fees/recommended")).await?;
                [recommended.fastest, recommended.half_hour, recommended.hour, recommended.minimum]
                    .map(|rate| milli(&rate))
            }
            FeeEndpoint::Estimates => {
                let estimates: BTreeMap<Text<u16>, Decimal> =
                    self.client.read_required(HttpRequest::get("/fee-estimates")).await?;
                // A rate that confirms within fewer blocks also confirms within more.
                let within = |blocks| estimates.range(..=Text(blocks)).next_back().and_then(|(_, rate)| milli(rate));
                [within(1), within(3), within(6), within(1_008)]
            }
        };
        let (Some(fastest_milli), Some(half_hour_milli), Some(hour_milli), Some(minimum_milli)) =
            (fastest, half_hour, hour, minimum)
        else {
            return Err(self.client.record_failure(UpstreamError::invalid_response("a fee rate out of range")));
        };
        if fastest_milli < half_hour_milli || half_hour_milli < hour_milli || hour_milli < minimum_milli {
            return Err(self
                .client
                .record_failure(UpstreamError::invalid_response("fee rates that rise with the confirmation target")));
        }
        Ok(RecommendedFees { fastest_milli, half_hour_milli, hour_milli, minimum_milli })
    }

    async fn confirmed_outputs(&self, owner: &Script) -> Result<Vec<OutPoint>, UpstreamError> {
        self.check_network().await?;
        let address = address_of(owner, self.network)?;
        let outputs: Vec<Output> =
            self.client.read_required(HttpRequest::get(format!("/address/{address}/utxo"))).await?;
        if outputs.len() > OUTPUTS_MAX {
            return Err(self.client.record_failure(UpstreamError::invalid_response(&format!(
                "{} outputs of one address",
                outputs.len()
            ))));
        }
        let confirmed = outputs.into_iter().filter(|output| output.status.confirmed);
        Ok(confirmed.map(|output| OutPoint::new(output.txid.0, output.vout)).collect())
    }

    async fn send(&self, transaction: &Transaction) -> Result<(), UpstreamError> {
        self.check_network().await?;
        let txid = transaction.compute_txid();
        let sent = match self.client.send(HttpRequest::text("/tx", serialize_hex(transaction))).await {
            Ok(sent) => sent.ok_or(UpstreamError::Status(404))?,
            Err(UpstreamError::Refused(why)) if KNOWN.iter().any(|known| why.to_lowercase().contains(known)) => {
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&sent);
        match text.trim().parse::<Txid>() {
            Ok(sent) if sent == txid => Ok(()),
            _ => Err(self
                .client
                .record_failure(UpstreamError::invalid_response(&format!("it sent {text:?} for {txid}")))),
        }
    }
}

/// Converts sats per virtual byte to thousandths, rounded up: never below the given rate.
fn milli(rate: &Decimal) -> Option<u64> {
    let floor = rate.scaled_floor(3)?;
    let is_exact = rate.scaled(3).is_some();
    let milli = u64::try_from(if is_exact { floor } else { floor + 1 }).ok()?;
    (1..=FEE_RATE_MAX_MILLI).contains(&milli).then_some(milli)
}

impl Named for Explorer {
    fn name(&self) -> &str {
        self.client.name()
    }
}

impl HasHeight for Explorer {
    fn height(&self) -> UpstreamFuture<'_, u32> {
        Box::pin(async {
            self.check_network().await?;
            self.text("/blocks/tip/height", TimeoutClass::Short).await
        })
    }
}

impl Fees for Explorer {
    fn fees(&self) -> UpstreamFuture<'_, RecommendedFees> {
        Box::pin(self.recommended())
    }
}

impl Addresses for Explorer {
    fn outputs_of<'a>(&'a self, owner: &'a Script) -> UpstreamFuture<'a, Vec<OutPoint>> {
        Box::pin(self.confirmed_outputs(owner))
    }
}
