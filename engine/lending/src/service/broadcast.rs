//! The broadcast of journaled transactions.

use bitcoin::Transaction;
use engine::chain::{Chain as _, ChainError};
use tracing::{Instrument as _, debug_span};

use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;

impl<P: Ports> LoanService<P> {
    /// Broadcasts journaled transactions. A failure is only logged: the watcher follows them on the chain.
    pub(crate) async fn broadcast_or_log(&self, transactions: &[Transaction]) {
        let sent = self.ports.chain().broadcast(transactions).instrument(debug_span!("broadcast")).await;
        if let (Err(error), Some(last)) = (&sent, transactions.last()) {
            let txid = last.compute_txid();
            match error {
                ChainError::Rejected(refusal) => tracing::warn!(%txid, %refusal, "the node refused a transaction"),
                error => tracing::warn!(%txid, %error, "the broadcast of a transaction failed; it is repeated"),
            }
        }
    }
}
