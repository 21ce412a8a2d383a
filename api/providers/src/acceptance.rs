//! What a node makes of transactions that it is offered, whoever passes its words on.

mod reason;

use std::collections::HashMap;
use std::future::Future;

use bitcoin::{Transaction, Txid, Wtxid};
use engine::chain::NodeRefusal;
use serde::Deserialize;

use self::reason::{ALREADY_KNOWN, NOT_VALIDATED, reason};
use crate::text::Text;

pub(crate) use self::reason::{MISSING_INPUTS, TOO_MANY, code, refusal};

/// Core's own bound.
const PACKAGE_MAX: usize = 25;

/// A node's word on transactions: whether it takes them, else the first that it does not take.
pub(crate) type Acceptance = Result<(), NodeRefusal>;

/// `testmempoolaccept`, of one transaction.
#[derive(Deserialize)]
pub(crate) struct Verdict {
    txid: Text<Txid>,
    /// Absent when another transaction's failure made it moot.
    allowed: Option<bool>,
    #[serde(rename = "reject-reason")]
    reject_reason: Option<String>,
    #[serde(rename = "package-error")]
    package_error: Option<String>,
}

/// `submitpackage`.
#[derive(Deserialize)]
pub(crate) struct Submitted {
    #[serde(rename = "package_msg")]
    message: String,
    #[serde(rename = "tx-results")]
    results: HashMap<Text<Wtxid>, SubmittedOne>,
}

/// `submitpackage`, of one transaction.
#[derive(Deserialize)]
struct SubmittedOne {
    error: Option<String>,
}

/// The last of a package, which stands for all of it; `None` for an empty one.
pub(crate) fn bounded(package: &[Transaction]) -> Result<Option<Txid>, NodeRefusal> {
    let last = package.last().map(Transaction::compute_txid);
    match last {
        Some(txid) if package.len() > PACKAGE_MAX => Err(NodeRefusal { txid, reason: TOO_MANY.to_owned() }),
        _ => Ok(last),
    }
}

/// What verdicts on a package come to.
///
/// # Errors
/// Why they make no sense.
pub(crate) fn tested(package: &[Transaction], last: Txid, verdicts: &[Verdict]) -> Result<Acceptance, String> {
    if !package.iter().map(Transaction::compute_txid).eq(verdicts.iter().map(|verdict| verdict.txid.0)) {
        return Err("it judges other transactions".to_owned());
    }
    for Verdict { txid, allowed, reject_reason, .. } in verdicts {
        if *allowed == Some(false) {
            let reason = reason(reject_reason.as_deref().unwrap_or_default());
            return Ok(Err(NodeRefusal { txid: txid.0, reason }));
        }
    }
    if let Some(error) = verdicts.iter().find_map(|verdict| verdict.package_error.as_deref()) {
        return Ok(Err(NodeRefusal { txid: last, reason: reason(error) }));
    }
    if verdicts.iter().all(|verdict| verdict.allowed == Some(true)) {
        Ok(Ok(()))
    } else {
        Err("it does not judge every transaction".to_owned())
    }
}

/// What became of a package that was sent.
///
/// # Errors
/// Why that makes no sense.
pub(crate) fn submitted(package: &[&Transaction], last: Txid, submitted: &Submitted) -> Result<Acceptance, String> {
    let mut unseen = None;
    for transaction in package {
        let (txid, wtxid) = (transaction.compute_txid(), Text(transaction.compute_wtxid()));
        let result = submitted.results.get(&wtxid);
        let result = result.ok_or_else(|| format!("it says nothing of {txid}"))?;
        match result.error.as_deref() {
            None => {}
            Some(NOT_VALIDATED) => unseen = unseen.or(Some(txid)),
            Some(error) => return Ok(Err(NodeRefusal { txid, reason: reason(error) })),
        }
    }
    match (submitted.message.as_str(), unseen) {
        ("success", None) => Ok(Ok(())),
        (message, _) => Ok(Err(NodeRefusal { txid: last, reason: reason(message) })),
    }
}

/// Somebody who sends transactions on.
pub(crate) trait Relay: Sync {
    /// Why there is no word of the node.
    type Trouble: Send;

    /// Sends one transaction on. A block that has it already is no refusal.
    fn send_one(&self, transaction: &Transaction) -> impl Future<Output = Result<Acceptance, Self::Trouble>> + Send;

    /// Sends several on, each judged by what all of them pay; `last` is the last of them.
    fn send_package(
        &self,
        package: &[&Transaction],
        last: Txid,
    ) -> impl Future<Output = Result<Acceptance, Self::Trouble>> + Send;

    /// Whether it has a transaction, waiting or in a block.
    fn has(&self, txid: Txid) -> impl Future<Output = Result<bool, Self::Trouble>> + Send;

    /// Sends on whatever it has not yet of a package of parents before children.
    fn relay(&self, package: &[Transaction]) -> impl Future<Output = Result<Acceptance, Self::Trouble>> + Send {
        async move {
            let last = match bounded(package) {
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
                // What a block has already is refused as if its inputs were missing.
                let may_be_known = [MISSING_INPUTS, ALREADY_KNOWN].contains(&refusal.reason.as_str());
                if !may_be_known || !self.has(refusal.txid).await? {
                    return Ok(Err(refusal));
                }
                rest.retain(|transaction| transaction.compute_txid() != refusal.txid);
            }
        }
    }
}
