//! Transfer inscriptions that are ordered and not yet usable.

use bitcoin::Txid;
use bitcoin::hashes::Hash as _;
use domain::{TransferOrderId, TransferOrderState, UserId};

use super::TransferOrderError;
use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;

/// A committed transfer inscription that cannot be used yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingOrder {
    /// The order.
    pub order: TransferOrderId,
    /// Its ticker, in lower case.
    pub ticker: String,
    /// Its amount in raw units of 18 decimals.
    pub amount_raw: u128,
    /// The txid of its reveal.
    pub reveal: Txid,
}

impl<P: Ports> LoanService<P> {
    /// Returns a user's committed transfer inscriptions that the indexer has not read yet, by order.
    pub async fn pending_orders(&self, user: UserId) -> Result<Vec<PendingOrder>, TransferOrderError> {
        let mut pending = Vec::new();
        for open in self.market.open_orders(user).await {
            let TransferOrderState::Committed { reveal, .. } = open.state else { continue };
            if !self.is_indexed(reveal).await? {
                let (order, ticker, amount_raw) = (open.order.id, open.order.ticker, open.order.amount_raw);
                pending.push(PendingOrder { order, ticker, amount_raw, reveal: Txid::from_byte_array(reveal) });
            }
        }
        Ok(pending)
    }
}
