//! The acceptance of transactions by a node: results of `testmempoolaccept` and `submitpackage`, whether the node
//! answered directly or through an explorer.

mod reason;

use std::collections::HashMap;
use std::future::Future;

use bitcoin::{Transaction, Txid, Wtxid};
use engine::chain::TxRejection;
use serde::Deserialize;

use self::reason::{ALREADY_KNOWN, NOT_VALIDATED, reason};
use crate::parsing::text::Text;

pub(crate) use self::reason::{MISSING_INPUTS, TOO_MANY, code, refusal};

/// Core's own limit on the transactions of a package.
const PACKAGE_MAX: usize = 25;

/// A node's verdict on transactions: accepted, or the first one that is refused.
pub(crate) type Acceptance = Result<(), TxRejection>;

/// The result of `testmempoolaccept` for one transaction.
#[derive(Deserialize)]
pub(crate) struct MempoolAcceptResult {
    txid: Text<Txid>,
    /// Absent when the failure of another transaction made it irrelevant.
    allowed: Option<bool>,
    #[serde(rename = "reject-reason")]
    reject_reason: Option<String>,
    #[serde(rename = "package-error")]
    package_error: Option<String>,
}

/// The result of `submitpackage`.
#[derive(Deserialize)]
pub(crate) struct SubmitPackageResult {
    #[serde(rename = "package_msg")]
    message: String,
    #[serde(rename = "tx-results")]
    results: HashMap<Text<Wtxid>, PackageTxResult>,
}

/// The result of `submitpackage` for one transaction.
#[derive(Deserialize)]
struct PackageTxResult {
    error: Option<String>,
}

/// Returns the last txid of a package, which stands for the whole package; `None` for an empty one.
pub(crate) fn package_txid(package: &[Transaction]) -> Result<Option<Txid>, TxRejection> {
    let last = package.last().map(Transaction::compute_txid);
    match last {
        Some(txid) if package.len() > PACKAGE_MAX => Err(TxRejection { txid, reason: TOO_MANY.to_owned() }),
        _ => Ok(last),
    }
}

/// Combines the verdicts on a package.
///
/// # Errors
/// A text that says why the verdicts are inconsistent.
pub(crate) fn test_outcome(
    package: &[Transaction],
    last: Txid,
    verdicts: &[MempoolAcceptResult],
) -> Result<Acceptance, String> {
    if !package.iter().map(Transaction::compute_txid).eq(verdicts.iter().map(|verdict| verdict.txid.0)) {
        return Err("the results are for other transactions".to_owned());
    }
    for MempoolAcceptResult { txid, allowed, reject_reason, .. } in verdicts {
        if *allowed == Some(false) {
            let reason = reason(reject_reason.as_deref().unwrap_or_default());
            return Ok(Err(TxRejection { txid: txid.0, reason }));
        }
    }
    if let Some(error) = verdicts.iter().find_map(|verdict| verdict.package_error.as_deref()) {
        return Ok(Err(TxRejection { txid: last, reason: reason(error) }));
    }
    if verdicts.iter().all(|verdict| verdict.allowed == Some(true)) {
        Ok(Ok(()))
    } else {
        Err("a transaction has no result".to_owned())
    }
}

/// Returns the outcome of a submitted package.
///
/// # Errors
/// A text that says why the result is inconsistent.
pub(crate) fn submit_outcome(
    package: &[&Transaction],
    last: Txid,
    submitted: &SubmitPackageResult,
) -> Result<Acceptance, String> {
    let mut unseen = None;
    for transaction in package {
        let (txid, wtxid) = (transaction.compute_txid(), Text(transaction.compute_wtxid()));
        let result = submitted.results.get(&wtxid);
        let result = result.ok_or_else(|| format!("no result for {txid}"))?;
        match result.error.as_deref() {
            None => {}
            Some(NOT_VALIDATED) => unseen = unseen.or(Some(txid)),
            Some(error) => return Ok(Err(TxRejection { txid, reason: reason(error) })),
        }
    }
    match (submitted.message.as_str(), unseen) {
        ("success", None) => Ok(Ok(())),
        (message, _) => Ok(Err(TxRejection { txid: last, reason: reason(message) })),
    }
}

/// A service that relays transactions to a node.
pub(crate) trait Relay: Sync {
    /// The reason why there is no answer of the node.
    type Error: Send;

    /// Relays one transaction. One that is already in a block counts as accepted.
    fn send_one(&self, transaction: &Transaction) -> impl Future<Output = Result<Acceptance, Self::Error>> + Send;

    /// Relays several transactions as a package, where the fee rate of the whole counts; `last` is the last of them.
    fn send_package(
        &self,
        package: &[&Transaction],
        last: Txid,
    ) -> impl Future<Output = Result<Acceptance, Self::Error>> + Send;

    /// Returns whether the node has a transaction, in its mempool or in a block.
    fn has(&self, txid: Txid) -> impl Future<Output = Result<bool, Self::Error>> + Send;

    /// Relays the transactions of a package (parents before children) that the node does not have yet.
    fn relay(&self, package: &[Transaction]) -> impl Future<Output = Result<Acceptance, Self::Error>> + Send {
        async move {
            let last = match package_txid(package) {
                Ok(Some(last)) => last,
                Ok(None) => return Ok(Ok(())),
                Err(refusal) => return Ok(Err(refusal)),
            };
            let mut rest: Vec<&Transaction> = package.iter().collect();
            loop {
                let sent = match rest.as_slice() {
                    [] => return Ok(Ok(())),
                    [only] => self.send_one(only).await?,
                    several => self.send_package(several, last).await?,
                };
                let Err(refusal) = sent else { return Ok(sent) };
                // A transaction that is already in a block is refused as if its inputs were missing.
                let may_be_known = [MISSING_INPUTS, ALREADY_KNOWN].contains(&refusal.reason.as_str());
                if !may_be_known || !self.has(refusal.txid).await? {
                    return Ok(Err(refusal));
                }
                rest.retain(|transaction| transaction.compute_txid() != refusal.txid);
            }
        }
    }
}
