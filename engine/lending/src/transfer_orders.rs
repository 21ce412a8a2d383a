//! Orders of transfer notes: what somebody has of a BRC-20 token becomes a note that a loan can take.
//!
//! [`Desk::prepare_order`] looks everything up, builds commit and reveal, signs the reveal with a key that is destroyed
//! before anybody sees the commit, journals the order and hands the commit out. [`Desk::commit_order`] takes the person's
//! signatures, journals both finished transactions, and only then sends them. [`Desk::follow_orders`] asks the chain what
//! became of them, sends again what is not there, and is called at each new block: whatever the server dies in between,
//! the next call goes on where it stopped. [`Desk::pending_orders`] is what nobody can use yet.

mod commit;
mod follow;
mod order_error;
mod pending;
mod prepare;
mod record;
mod reveal_key;

use bitcoin::{FeeRate, Txid};
use domain::{OrderId, UnixMs, UserId};
use escrow::contract::brc20_transfer::Brc20Transfer;
use escrow::contract::coin::CoinKey;

use crate::sides::Side;

pub use follow::OrdersFollowed;
pub use order_error::OrderError;
pub use pending::PendingOrder;
pub use record::RecordError;

/// How long somebody has to sign an order.
pub const SIGNING_MS: u64 = 15 * 60 * 1_000;

/// A note that somebody wants.
#[derive(Clone, Debug)]
pub struct OrderRequest {
    /// Who.
    pub user: UserId,
    /// The note.
    pub transfer: Brc20Transfer,
    /// What spends the coins that pay for it, and where the rest goes.
    pub payment: CoinKey,
    /// Whose balance it is, and where the note lands.
    pub home: CoinKey,
    /// What both transactions pay.
    pub fee_rate: FeeRate,
}

/// An order that waits for a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedOrder {
    /// Its number.
    pub order: OrderId,
    /// When it lapses.
    pub expires_at: UnixMs,
    /// The commit, a PSBT in base64.
    pub transaction: String,
    /// What the wallet signs.
    pub sides: Vec<Side>,
    /// What the miners get of both transactions.
    pub fees: bitcoin::Amount,
    /// The transaction that will reveal the note.
    pub reveal: Txid,
}
