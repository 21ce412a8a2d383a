//! The commit of a signed order, and its broadcast.

use bitcoin::consensus::encode::serialize_hex;
use bitcoin::hashes::Hash as _;
use bitcoin::{Transaction, Txid};
use domain::{TrackedOrder, TransferOrderId, TransferOrderRejection, TransferOrderState, UserId};
use engine::Refusal;
use engine::chain::{Chain as _, ChainError};
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::signing::spent_output::InputPolicy;
use escrow::contract::transaction::coin::CoinKey;

use super::record::{RecordError, TransferOrderRecord};
use super::tracking::decode_transactions;
use super::{TransferOrderError, TransferOrderRequest};
use crate::lookups::lookup::LookupError;
use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;

impl<P: Ports> LoanService<P> {
    /// Verifies the commit that the user's wallet signed, and broadcasts commit and reveal; returns the reveal's txid.
    /// Idempotent. `ordinals` is the key that owns the balance.
    ///
    /// Both transactions are journaled before the first of them is broadcast. When the node does not answer they count
    /// as sent: [`LoanService::track_orders`] broadcasts them again until it does.
    ///
    /// # Errors
    /// [`TransferOrderError::NodeRefused`] also when the node refuses an order that is committed already; it may accept it later.
    pub async fn commit_order(
        &self,
        user: UserId,
        ordinals: &CoinKey,
        id: TransferOrderId,
        signed: &str,
    ) -> Result<Txid, TransferOrderError> {
        let order = self.market.order(id).await.filter(|order| order.order.user == user);
        let order = order.ok_or(Refusal::from(TransferOrderRejection::Unknown(id)))?;
        match &order.state {
            TransferOrderState::Prepared => {
                let both = self.finish_order(ordinals, &order, signed).await?;
                let reveal = both[1].compute_txid();
                let encoded = [serialize_hex(&both[0]), serialize_hex(&both[1])];
                self.market.commit_order(user, id, reveal.to_byte_array(), encoded).await?;
                self.broadcast_order(&both, reveal).await
            }
            TransferOrderState::Committed { reveal, transactions } => {
                let both = decode_transactions(transactions)?;
                self.broadcast_order(&both, Txid::from_byte_array(*reveal)).await
            }
            TransferOrderState::Revealed { reveal } => Ok(Txid::from_byte_array(*reveal)),
            TransferOrderState::Failed | TransferOrderState::Lapsed => {
                Err(Refusal::from(TransferOrderRejection::Ended(id)).into())
            }
        }
    }

    /// Checks everything that can be known before an order is committed irrevocably: the signatures are valid, coins
    /// and balance are still there, and the node would accept both transactions.
    async fn finish_order(
        &self,
        ordinals: &CoinKey,
        order: &TrackedOrder,
        signed: &str,
    ) -> Result<[Transaction; 2], TransferOrderError> {
        let (id, user) = (order.order.id, order.order.user);
        if order.order.expires_at <= self.market.now() {
            return Err(Refusal::from(TransferOrderRejection::Ended(id)).into());
        }
        let record = TransferOrderRecord::from_text(&order.order.record)?;
        let both = record.rebuild(&order.order)?;
        let signatures = both.commit.check_returned(signed, &[record.payment])?;
        let commit = both.commit.finish(&signatures, record.commit)?;
        let chain = self.ports.chain();
        if chain.transaction(record.commit).await?.is_some() {
            // The wallet has broadcast it by itself: without its reveal it would be useless.
            return Ok([commit, record.reveal]);
        }
        self.lookup().check(&both.commit, &InputPolicy::default()).await.map_err(TransferOrderError::of_inputs)?;
        let transfer = Brc20Transfer::new(&order.order.ticker, order.order.amount_raw).map_err(RecordError::from)?;
        let (payment, fee_rate) = (record.payment, record.fee_rate);
        let request = TransferOrderRequest { user, transfer, payment, ordinals: *ordinals, fee_rate };
        // Another unsigned order is no reason to refuse a signed one.
        let mut open = self.market.open_orders(user).await;
        open.retain(|other| other.state != TransferOrderState::Prepared);
        self.check_balance(&request, &open, &[]).await?;
        let both = [commit, record.reveal];
        chain.test_accept(&both).await?;
        Ok(both)
    }

    async fn broadcast_order(&self, both: &[Transaction; 2], reveal: Txid) -> Result<Txid, TransferOrderError> {
        match self.broadcast_both(both).await {
            Ok(()) => Ok(reveal),
            Err(ChainError::Rejected(refusal)) => Err(refusal.into()),
            Err(error) => {
                tracing::warn!(%reveal, %error, "the node did not answer the broadcast of an order");
                Ok(reveal)
            }
        }
    }
}

impl TransferOrderError {
    /// Distinguishes an input that has changed from a chain that does not answer.
    pub(super) fn of_inputs(error: LookupError) -> Self {
        match error {
            LookupError::Spent(error) => Self::Spent(error),
            other => Self::Lookup(other),
        }
    }
}
