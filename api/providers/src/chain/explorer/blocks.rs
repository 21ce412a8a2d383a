//! The chain interface of a node, provided by an explorer.
//!
//! Everything that has a hash is checked against it: a transaction against its id, a block against its hash, its merkle
//! root and its witness commitment. The rest is trusted: which block is at which height and its time, which block has a
//! transaction, what is in the mempool, and what is spent.

#[cfg(test)]
mod tests;

use bitcoin::consensus::encode::{deserialize, deserialize_hex, serialize_hex};
use bitcoin::{Block, BlockHash, OutPoint, Transaction, TxOut, Txid};
use engine::chain::{ChainPosition, KnownTransaction, Tip, TxRejection, Unspent};
use futures_util::future::try_join;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::rejection::Rejection;
use super::{Explorer, FeeEndpoint};
use crate::capability::{AsOf, Fees, HasHeight, UpstreamError, UpstreamFuture};
use crate::chain::acceptance::{
    Acceptance, MISSING_INPUTS, MempoolAcceptResult, Relay, SubmitPackageResult, package_txid, submit_outcome,
    test_outcome,
};
use crate::http::{HttpRequest, TimeoutClass};
use crate::parsing::text::Text;

/// A node's reject reasons for a transaction in its mempool.
const IN_MEMPOOL: [&str; 2] = ["txn-already-in-mempool", "txn-same-nonwitness-data-in-mempool"];
/// Outputs with longer scripts are in no UTXO set.
const SCRIPT_BYTES_MAX: usize = 10_000;

/// The transactions that count as spending an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spenders {
    /// Transactions in blocks and in the mempool.
    All,
    /// Transactions in blocks only.
    InBlocks,
}

/// A source of blocks and transactions that also relays transactions.
pub(crate) trait Blocks: HasHeight + Fees {
    /// Returns its tip.
    fn tip(&self) -> UpstreamFuture<'_, Tip>;

    /// Returns the block at a height; `None` above its tip.
    fn block_hash(&self, height: u32) -> UpstreamFuture<'_, Option<BlockHash>>;

    /// Returns a block's median time past, in Unix seconds; `None` for an unknown block.
    fn median_time(&self, block: BlockHash) -> UpstreamFuture<'_, Option<u32>>;

    /// Returns the transactions of a block; `None` for an unknown block.
    fn transactions_of(&self, block: BlockHash) -> UpstreamFuture<'_, Option<Vec<Transaction>>>;

    /// Returns a transaction, unconfirmed or confirmed.
    fn transaction(&self, txid: Txid) -> UpstreamFuture<'_, Option<KnownTransaction>>;

    /// Returns an output that is unspent by the given kind of spender, as of its tip.
    fn unspent(&self, outpoint: OutPoint, spenders: Spenders) -> UpstreamFuture<'_, AsOf<Option<Unspent>>>;

    /// Returns whether its node would accept these transactions; sends nothing.
    fn test<'a>(&'a self, package: &'a [Transaction]) -> UpstreamFuture<'a, Acceptance>;

    /// Submits these transactions to its node. One that it already has counts as accepted.
    fn submit<'a>(&'a self, package: &'a [Transaction]) -> UpstreamFuture<'a, Acceptance>;
}

/// The response of `/block/{hash}`.
#[derive(Deserialize)]
struct BlockInfo {
    id: Text<BlockHash>,
    height: u32,
    #[serde(rename = "mediantime")]
    median_time_seconds: u32,
}

/// The response of `/tx/{txid}/status`.
#[derive(Deserialize)]
struct Status {
    confirmed: bool,
    #[serde(rename = "block_height")]
    height: Option<u32>,
    #[serde(rename = "block_hash")]
    block: Option<Text<BlockHash>>,
}

/// The response of `/tx/{txid}/outspend/{vout}`.
#[derive(Deserialize)]
struct Outspend {
    spent: bool,
    /// The status of the spending transaction.
    status: Option<Status>,
}

impl Explorer {
    /// Returns a plain-text response, parsed; `None` for 404.
    async fn text_of<T: std::str::FromStr>(&self, path: &str, class: TimeoutClass) -> Result<Option<T>, UpstreamError> {
        match self.text(path, class).await {
            Ok(value) => Ok(Some(value)),
            Err(UpstreamError::Status(404)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn invalid_response(&self, why: &str) -> UpstreamError {
        self.client.record_failure(UpstreamError::invalid_response(why))
    }

    async fn info_of(&self, block: BlockHash) -> Result<Option<BlockInfo>, UpstreamError> {
        let info: Option<BlockInfo> = self.client.read(HttpRequest::get(format!("/block/{block}"))).await?;
        match info {
            Some(info) if info.id.0 != block => {
                Err(self.invalid_response(&format!("it gives block {} for {block}", info.id.0)))
            }
            info => Ok(info),
        }
    }

    async fn best_block(&self) -> Result<Tip, UpstreamError> {
        self.check_network().await?;
        let hash = self.text("/blocks/tip/hash", TimeoutClass::Short).await?;
        // A reorg may have disconnected it since.
        let BlockInfo { height, median_time_seconds, .. } =
            self.info_of(hash).await?.ok_or_else(|| UpstreamError::Unknown(format!("its own best block {hash}")))?;
        Ok(Tip { height, hash, median_time_seconds })
    }

    async fn hash_at(&self, height: u32) -> Result<Option<BlockHash>, UpstreamError> {
        self.check_network().await?;
        self.text_of(&format!("/block-height/{height}"), TimeoutClass::Normal).await
    }

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, UpstreamError> {
        self.check_network().await?;
        // A block may have four million bytes.
        let request = HttpRequest::get(format!("/block/{block}/raw")).with_timeout(TimeoutClass::Long);
        let Some(bytes) = self.client.send(request).await? else { return Ok(None) };
        let found: Block = deserialize(&bytes).map_err(|error| self.invalid_response(&error.to_string()))?;
        if found.block_hash() != block || !found.check_merkle_root() || !found.check_witness_commitment() {
            return Err(self.invalid_response(&format!("it gives another block for {block}")));
        }
        Ok(Some(found.txdata))
    }

    async fn raw_transaction(&self, txid: Txid) -> Result<Option<Transaction>, UpstreamError> {
        let hex: Option<String> = self.text_of(&format!("/tx/{txid}/hex"), TimeoutClass::Normal).await?;
        let Some(hex) = hex else { return Ok(None) };
        let found: Transaction = deserialize_hex(&hex).map_err(|error| self.invalid_response(&error.to_string()))?;
        if found.compute_txid() != txid {
            return Err(self.invalid_response(&format!("it gives {} for {txid}", found.compute_txid())));
        }
        Ok(Some(found))
    }

    async fn status_of(&self, txid: Txid) -> Result<Option<(BlockHash, u32)>, UpstreamError> {
        let status: Status = self.client.read_required(HttpRequest::get(format!("/tx/{txid}/status"))).await?;
        match status {
            Status { confirmed: false, .. } => Ok(None),
            Status { block: Some(Text(block)), height: Some(height), .. } => Ok(Some((block, height))),
            _ => Err(self.invalid_response(&format!("it has {txid} in a block and does not say in which"))),
        }
    }

    async fn find_transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, UpstreamError> {
        self.check_network().await?;
        let Some(transaction) = self.raw_transaction(txid).await? else { return Ok(None) };
        let Some((block, height)) = self.status_of(txid).await? else {
            let is_in_mempool = self.is_in_mempool(&transaction).await?;
            return Ok(is_in_mempool.then_some(KnownTransaction { transaction, position: ChainPosition::InMempool }));
        };
        if self.hash_at(height).await? != Some(block) {
            return Err(
                self.invalid_response(&format!("it has {txid} in block {block}, which is not at height {height}"))
            );
        }
        Ok(Some(KnownTransaction { transaction, position: ChainPosition::Confirmed { block, height } }))
    }

    /// Returns whether an unconfirmed transaction is in the mempool. An explorer also shows transactions that its node
    /// dropped after a reorg disconnected their block, so the node itself is asked.
    async fn is_in_mempool(&self, transaction: &Transaction) -> Result<bool, UpstreamError> {
        let verdict = self.test_accept(std::slice::from_ref(transaction)).await?;
        Ok(verdict.is_err_and(|refusal| IN_MEMPOOL.contains(&refusal.reason.as_str())))
    }

    /// Returns whether an output is spent by the given kind of spender.
    async fn is_spent(&self, outpoint: OutPoint, spenders: Spenders) -> Result<bool, UpstreamError> {
        let OutPoint { txid, vout } = outpoint;
        let outspend: Outspend =
            self.client.read_required(HttpRequest::get(format!("/tx/{txid}/outspend/{vout}"))).await?;
        match (outspend, spenders) {
            (Outspend { spent, .. }, Spenders::All) => Ok(spent),
            (Outspend { spent: false, .. }, Spenders::InBlocks) => Ok(false),
            (Outspend { status: Some(status), .. }, Spenders::InBlocks) => Ok(status.confirmed),
            _ => Err(self.invalid_response(&format!("it has {outpoint} spent and does not say where"))),
        }
    }

    async fn output(&self, outpoint: OutPoint, spenders: Spenders) -> Result<AsOf<Option<Unspent>>, UpstreamError> {
        self.check_network().await?;
        let (tip, transaction) = try_join(self.height(), self.raw_transaction(outpoint.txid)).await?;
        let nothing = Ok(AsOf { height: Some(tip), value: None });
        let Some(transaction) = transaction else { return nothing };
        let Some(output) = output_at(outpoint, &transaction).filter(may_be_spent) else {
            return nothing;
        };
        let (place, is_spent) = try_join(self.status_of(outpoint.txid), self.is_spent(outpoint, spenders)).await?;
        let is_there = match spenders {
            _ if place.is_some() => true,
            Spenders::InBlocks => false,
            Spenders::All => self.is_in_mempool(&transaction).await?,
        };
        if is_spent || !is_there {
            return nothing;
        }
        // A block that arrived since the tip was read is the tip.
        let tip = place.map_or(tip, |(_, height)| tip.max(height));
        let confirmations = place.map_or(0, |(_, height)| tip.saturating_sub(height).saturating_add(1));
        let unspent = Unspent { output, confirmations, is_coinbase: transaction.is_coinbase() };
        Ok(AsOf { height: Some(tip), value: Some(unspent) })
    }

    /// Posts transactions and parses the response; an error of the node is a refusal or an upstream error.
    async fn post_package<T: DeserializeOwned>(
        &self,
        path: &str,
        package: &[&Transaction],
        last: Txid,
    ) -> Result<Result<T, TxRejection>, UpstreamError> {
        let hexes: Vec<String> = package.iter().map(serialize_hex).collect();
        let body =
            serde_json::to_string(&hexes).map_err(|error| UpstreamError::invalid_response(&error.to_string()))?;
        let response = match self.client.read(HttpRequest::json(path, body.clone())).await {
            // mempool.space has another path for it.
            Ok(None) if self.fee_table == FeeEndpoint::Recommended => {
                self.client.read(HttpRequest::json(format!("/v1{path}"), body)).await
            }
            response => response,
        };
        match response {
            Ok(Some(response)) => Ok(Ok(response)),
            Ok(None) => Err(UpstreamError::Unknown(format!("{path}, to which packages are sent"))),
            Err(UpstreamError::Refused(message)) => {
                let refusal = Rejection::parse(&message).and_then(|rejection| rejection.refusal(last));
                refusal.map(Err).ok_or(UpstreamError::Refused(message))
            }
            Err(error) => Err(error),
        }
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<Acceptance, UpstreamError> {
        let last = match package_txid(package) {
            Ok(Some(last)) => last,
            Ok(None) => return Ok(Ok(())),
            Err(refusal) => return Ok(Err(refusal)),
        };
        self.check_network().await?;
        let offered: Vec<&Transaction> = package.iter().collect();
        match self.post_package::<Vec<MempoolAcceptResult>>("/txs/test", &offered, last).await? {
            Ok(verdicts) => test_outcome(package, last, &verdicts).map_err(|why| self.invalid_response(&why)),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// Returns the reason why a transaction was refused, from a test, for explorers that report none on submission.
    async fn refusal_reason(&self, transaction: &Transaction) -> Option<TxRejection> {
        let refusal = self.test_accept(std::slice::from_ref(transaction)).await.ok()?.err()?;
        // The one reason that Core words differently in a test.
        let is_missing = refusal.reason == "missing-inputs";
        Some(if is_missing { TxRejection { reason: MISSING_INPUTS.to_owned(), ..refusal } } else { refusal })
    }
}

impl Relay for Explorer {
    type Error = UpstreamError;

    async fn send_one(&self, transaction: &Transaction) -> Result<Acceptance, UpstreamError> {
        let message = match self.send(transaction).await {
            Ok(()) => return Ok(Ok(())),
            Err(UpstreamError::Refused(message)) => message,
            Err(error) => return Err(error),
        };
        let Some(rejection) = Rejection::parse(&message) else { return Err(UpstreamError::Refused(message)) };
        if rejection.is_of_known() {
            return Ok(Ok(()));
        }
        let refusal = if rejection.has_no_message() {
            self.refusal_reason(transaction).await
        } else {
            rejection.refusal(transaction.compute_txid())
        };
        refusal.map(Err).ok_or(UpstreamError::Refused(message))
    }

    async fn send_package(&self, package: &[&Transaction], last: Txid) -> Result<Acceptance, UpstreamError> {
        self.check_network().await?;
        match self.post_package::<SubmitPackageResult>("/txs/package", package, last).await? {
            Ok(response) => submit_outcome(package, last, &response).map_err(|why| self.invalid_response(&why)),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    async fn has(&self, txid: Txid) -> Result<bool, UpstreamError> {
        Ok(self.find_transaction(txid).await?.is_some())
    }
}

impl Blocks for Explorer {
    fn tip(&self) -> UpstreamFuture<'_, Tip> {
        Box::pin(self.best_block())
    }

    fn block_hash(&self, height: u32) -> UpstreamFuture<'_, Option<BlockHash>> {
        Box::pin(self.hash_at(height))
    }

    fn median_time(&self, block: BlockHash) -> UpstreamFuture<'_, Option<u32>> {
        Box::pin(async move {
            self.check_network().await?;
            Ok(self.info_of(block).await?.map(|info| info.median_time_seconds))
        })
    }

    fn transactions_of(&self, block: BlockHash) -> UpstreamFuture<'_, Option<Vec<Transaction>>> {
        Box::pin(self.block_transactions(block))
    }

    fn transaction(&self, txid: Txid) -> UpstreamFuture<'_, Option<KnownTransaction>> {
        Box::pin(self.find_transaction(txid))
    }

    fn unspent(&self, outpoint: OutPoint, spenders: Spenders) -> UpstreamFuture<'_, AsOf<Option<Unspent>>> {
        Box::pin(self.output(outpoint, spenders))
    }

    fn test<'a>(&'a self, package: &'a [Transaction]) -> UpstreamFuture<'a, Acceptance> {
        Box::pin(self.test_accept(package))
    }

    fn submit<'a>(&'a self, package: &'a [Transaction]) -> UpstreamFuture<'a, Acceptance> {
        Box::pin(self.relay(package))
    }
}

fn output_at(outpoint: OutPoint, transaction: &Transaction) -> Option<TxOut> {
    transaction.output.get(usize::try_from(outpoint.vout).ok()?).cloned()
}

/// Nodes keep no output that is provably unspendable.
fn may_be_spent(output: &TxOut) -> bool {
    !output.script_pubkey.is_op_return() && output.script_pubkey.len() <= SCRIPT_BYTES_MAX
}
