//! Bitcoin Core as the node, over JSON-RPC.

mod btc;
mod credentials;
mod fee_source;
mod responses;
mod rpc;
#[cfg(test)]
mod tests;
mod utxo_scan;

use bitcoin::consensus::encode::{deserialize_hex, serialize_hex};
use bitcoin::{Amount, Block, BlockHash, FeeRate, OutPoint, ScriptBuf, Transaction, TxOut, Txid};
use engine::chain::{Chain, ChainError, ChainPosition, KnownTransaction, Tip, TxRejection, Unspent};
use serde_json::json;

use self::responses::{ChainInfo, Estimate, Header, MempoolInfo, Output, RawTransaction};
use self::rpc::{Rpc, RpcError};
use crate::chain::acceptance::{
    Acceptance, MempoolAcceptResult, Relay, SubmitPackageResult, code, package_txid, refusal, submit_outcome,
    test_outcome,
};
use crate::http::{SetupError, TIME_LIMIT, TIP_TIME_LIMIT};
use crate::parsing::text::{Text, excerpt};
use crate::resilience::SelfHostedClient;
use crate::resilience::UpstreamEnvironment;

pub use self::credentials::Credentials;

/// The largest response is a transaction that fills a block, which Core prints twice in hexadecimal.
const ANSWER_BYTES_MAX: usize = 32_000_000;
/// The longest confirmation target of `estimatesmartfee`, in blocks.
const BLOCKS_AHEAD_MAX: u16 = 1_008;

/// A Bitcoin Core node, version 28 or later, with `txindex=1`.
///
/// A broadcast without an answer is [`ChainError::Unreachable`], and its outcome is read from the chain. Failed calls
/// are repeated only after [`Self::with_resilience`].
#[derive(Debug)]
pub struct BitcoinCore {
    rpc: Rpc,
}

/// A node's fee estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeEstimate {
    /// The estimate from the transactions it has seen; `None` while it has seen too few.
    pub estimate: Option<FeeRate>,
    /// The minimum fee rate that it accepts now.
    pub minimum: FeeRate,
}

impl BitcoinCore {
    /// Creates a client of the node whose JSON-RPC listens at `url`, such as `http://127.0.0.1:8332`.
    pub fn new(url: &str, credentials: Credentials) -> Result<Self, SetupError> {
        let upstream = SelfHostedClient::new(url, TIME_LIMIT, ANSWER_BYTES_MAX)?;
        Ok(Self { rpc: Rpc::new(upstream, credentials) })
    }

    /// Adds metrics, retries after short failures, and a circuit breaker.
    #[must_use]
    pub fn with_resilience(self, environment: &UpstreamEnvironment) -> Self {
        Self { rpc: self.rpc.with_resilience(environment) }
    }

    /// Returns the fee rate for a confirmation within `within_blocks`, and the minimum that is accepted at all.
    ///
    /// # Errors
    /// As [`Chain::fee_rate`].
    pub async fn fee_estimate(&self, within_blocks: u16) -> Result<FeeEstimate, ChainError> {
        let estimate = ("estimatesmartfee", json!([within_blocks.clamp(1, BLOCKS_AHEAD_MAX)]));
        let calls = [estimate, ("getmempoolinfo", json!([]))];
        let (estimate, mempool) = self.rpc.call_batch::<Estimate, MempoolInfo>(calls).await.map_err(call_error)?;
        let (estimate, mempool) = (estimate.map_err(call_error)?, mempool.map_err(call_error)?);
        Ok(FeeEstimate { estimate: estimate.fee_rate.map(|rate| rate_of(rate.0)), minimum: mempool.minimum() })
    }

    /// Returns an unspent output, with or without the effects of the mempool.
    async fn output(&self, outpoint: OutPoint, with_mempool: bool) -> Result<Option<Unspent>, ChainError> {
        let asked = json!([outpoint.txid.to_string(), outpoint.vout, with_mempool]);
        let output: Option<Output> = self.rpc.call("gettxout", asked).await.map_err(call_error)?;
        let Some(Output { confirmations, value, script, coinbase }) = output else { return Ok(None) };
        let script_pubkey = ScriptBuf::from_hex(&script.hex)
            .map_err(|error| ChainError::InvalidResponse(excerpt(&error.to_string())))?;
        let output = TxOut { value: value.0, script_pubkey };
        Ok(Some(Unspent { output, confirmations, is_coinbase: coinbase }))
    }
}

impl Relay for BitcoinCore {
    type Error = ChainError;

    async fn send_one(&self, transaction: &Transaction) -> Result<Acceptance, ChainError> {
        let txid = transaction.compute_txid();
        match self.rpc.call::<Text<Txid>>("sendrawtransaction", json!([serialize_hex(transaction)])).await {
            Ok(Text(sent)) if sent == txid => Ok(Ok(())),
            Ok(Text(sent)) => Err(ChainError::InvalidResponse(format!("it sent {sent} for {txid}"))),
            Err(RpcError::ErrorResponse { code: code::ALREADY_IN_CHAIN, .. }) => Ok(Ok(())),
            Err(error) => refused(error, txid).map(Err),
        }
    }

    async fn send_package(&self, package: &[&Transaction], last: Txid) -> Result<Acceptance, ChainError> {
        let hexes: Vec<String> = package.iter().map(serialize_hex).collect();
        match self.rpc.call::<SubmitPackageResult>("submitpackage", json!([hexes])).await {
            Ok(result) => submit_outcome(package, last, &result).map_err(ChainError::InvalidResponse),
            Err(error) => refused(error, last).map(Err),
        }
    }

    async fn has(&self, txid: Txid) -> Result<bool, ChainError> {
        Ok(self.transaction(txid).await?.is_some())
    }
}

impl Chain for BitcoinCore {
    async fn tip(&self) -> Result<Tip, ChainError> {
        let info = self.rpc.call_within("getblockchaininfo", json!([]), TIP_TIME_LIMIT).await;
        let info: ChainInfo = info.map_err(call_error)?;
        let ChainInfo { blocks: height, best_block: Text(hash), median_time_seconds } = info;
        Ok(Tip { height, hash, median_time_seconds })
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        match self.rpc.call::<Text<BlockHash>>("getblockhash", json!([height])).await {
            Ok(Text(hash)) => Ok(Some(hash)),
            Err(RpcError::ErrorResponse { code: code::INVALID_PARAMETER, .. }) => Ok(None),
            Err(error) => Err(call_error(error)),
        }
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        self.output(outpoint, true).await
    }

    async fn confirmed_unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        self.output(outpoint, false).await
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        match self.rpc.call::<Header>("getblockheader", json!([block.to_string()])).await {
            Ok(header) if header.hash.0 == block => Ok(Some(header.median_time_seconds)),
            Ok(header) => Err(ChainError::InvalidResponse(format!("it gives block {} for {block}", header.hash.0))),
            Err(RpcError::ErrorResponse { code: code::NOT_FOUND, .. }) => Ok(None),
            Err(error) => Err(call_error(error)),
        }
    }

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        let hex: String = match self.rpc.call("getblock", json!([block.to_string(), 0])).await {
            Ok(hex) => hex,
            Err(RpcError::ErrorResponse { code: code::NOT_FOUND, .. }) => return Ok(None),
            Err(error) => return Err(call_error(error)),
        };
        let found: Block =
            deserialize_hex(&hex).map_err(|error| ChainError::InvalidResponse(excerpt(&error.to_string())))?;
        if found.block_hash() != block || !found.check_merkle_root() {
            return Err(ChainError::InvalidResponse(format!("it gives another block for {block}")));
        }
        Ok(Some(found.txdata))
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, ChainError> {
        let raw = match self.rpc.call::<RawTransaction>("getrawtransaction", json!([txid.to_string(), 1])).await {
            Ok(raw) => raw,
            Err(RpcError::ErrorResponse { code: code::NOT_FOUND, message }) => return not_found(&message),
            Err(error) => return Err(call_error(error)),
        };
        let transaction: Transaction =
            deserialize_hex(&raw.hex).map_err(|error| ChainError::InvalidResponse(excerpt(&error.to_string())))?;
        if transaction.compute_txid() != txid {
            return Err(ChainError::InvalidResponse(format!("it gives {} for {txid}", transaction.compute_txid())));
        }
        let Some(Text(block)) = raw.block else {
            return Ok(Some(KnownTransaction { transaction, position: ChainPosition::InMempool }));
        };
        let header: Header = self.rpc.call("getblockheader", json!([block.to_string()])).await.map_err(call_error)?;
        if header.hash.0 != block {
            return Err(ChainError::InvalidResponse(format!("it gives block {} for {block}", header.hash.0)));
        }
        // `txindex` keeps blocks that a reorg disconnected.
        let is_on_best_chain = header.confirmations > 0;
        let position = ChainPosition::Confirmed { block, height: header.height };
        Ok(is_on_best_chain.then_some(KnownTransaction { transaction, position }))
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<(), ChainError> {
        let Some(last) = package_txid(package)? else { return Ok(()) };
        let hexes: Vec<String> = package.iter().map(serialize_hex).collect();
        let acceptance = match self.rpc.call::<Vec<MempoolAcceptResult>>("testmempoolaccept", json!([hexes])).await {
            Ok(verdicts) => test_outcome(package, last, &verdicts).map_err(ChainError::InvalidResponse)?,
            Err(error) => Err(refused(error, last)?),
        };
        Ok(acceptance?)
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        Ok(self.relay(package).await??)
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        // A node that has seen too few transactions gives no estimate: then its minimum is used.
        let FeeEstimate { estimate, minimum } = self.fee_estimate(within_blocks).await?;
        Ok(estimate.map_or(minimum, |rate| rate.max(minimum)))
    }
}

impl MempoolInfo {
    fn minimum(&self) -> FeeRate {
        rate_of(self.min_fee_rate.0.max(self.min_relay_fee_rate.0))
    }
}

/// Converts sats per 1,000 virtual bytes to a quarter per 1,000 weight units, rounded up: never below the node's rate.
fn rate_of(per_kvb: Amount) -> FeeRate {
    FeeRate::from_sat_per_kwu(per_kvb.to_sat().div_ceil(4))
}

/// Interprets that a transaction was not found. A node without `txindex` finds no confirmed one, so there it is an
/// error and not `None`.
fn not_found(message: &str) -> Result<Option<KnownTransaction>, ChainError> {
    if message.starts_with("No such mempool or blockchain transaction") {
        return Ok(None);
    }
    Err(ChainError::Unreachable(format!("it has no index of all transactions (txindex=1): {}", excerpt(message))))
}

/// Maps an error of a call that cannot be refused.
fn call_error(error: RpcError) -> ChainError {
    match error {
        RpcError::Unreachable(why) => ChainError::Unreachable(why),
        RpcError::InvalidResponse(why) => ChainError::InvalidResponse(why),
        RpcError::ErrorResponse { code, message } => {
            ChainError::Unreachable(format!("it says {} ({code})", excerpt(&message)))
        }
    }
}

/// Returns the refusal that an error of a submission means, if it is one.
fn refused(error: RpcError, txid: Txid) -> Result<TxRejection, ChainError> {
    let reason = match &error {
        RpcError::ErrorResponse { code, message } => refusal(*code, message),
        _ => None,
    };
    reason.map(|reason| TxRejection { txid, reason }).ok_or_else(|| call_error(error))
}
