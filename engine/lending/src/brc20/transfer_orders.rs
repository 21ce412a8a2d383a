//! Orders of BRC-20 transfer inscriptions: they turn a part of an available balance into collateral that a loan can
//! take.
//!
//! [`LoanService::prepare_order`] looks everything up, builds commit and reveal, signs the reveal with a key that is
//! destroyed before the commit leaves the server, journals the order and returns the commit.
//! [`LoanService::commit_order`] verifies the user's signatures, journals both finished transactions, and only then
//! broadcasts them. [`LoanService::track_orders`] queries the chain for them, broadcasts again what is missing, and is
//! called at each new block: after a crash at any point the next call continues. [`LoanService::pending_orders`] lists
//! those not yet usable.

mod commit;
mod order_error;
mod pending;
mod prepare;
mod record;
mod reveal_key;
mod tracking;

use bitcoin::{FeeRate, Txid};
use domain::{TransferOrderId, UnixMs, UserId};
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::transaction::coin::CoinKey;

use crate::service::sides::Side;

pub use order_error::TransferOrderError;
pub use pending::PendingOrder;
pub use record::RecordError;
pub use tracking::TransferOrdersTracked;

/// The time to sign an order, in milliseconds.
pub const SIGNING_MS: u64 = 15 * 60 * 1_000;

/// A request for a transfer inscription.
#[derive(Clone, Debug)]
pub struct TransferOrderRequest {
    /// The user.
    pub user: UserId,
    /// The transfer inscription.
    pub transfer: Brc20Transfer,
    /// The key of the coins that pay for it, and of the change.
    pub payment: CoinKey,
    /// The key that owns the balance and receives the transfer inscription.
    pub ordinals: CoinKey,
    /// The fee rate of both transactions.
    pub fee_rate: FeeRate,
}

/// An order that waits for a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedOrder {
    /// Its id.
    pub order: TransferOrderId,
    /// The time at which it lapses.
    pub expires_at: UnixMs,
    /// The commit, a PSBT in base64.
    pub transaction: String,
    /// The inputs that the wallet signs.
    pub sides: Vec<Side>,
    /// The fees of both transactions.
    pub fees: bitcoin::Amount,
    /// The txid of the reveal.
    pub reveal: Txid,
}
