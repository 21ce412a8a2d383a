//! Conversions of outputs between the domain's types and Bitcoin's.

use bitcoin::hashes::Hash as _;
use bitcoin::{OutPoint, Txid};
use domain::Outpoint;

/// Converts to the domain's type.
#[must_use]
pub fn to_domain(outpoint: OutPoint) -> Outpoint {
    Outpoint { txid: outpoint.txid.to_byte_array(), vout: outpoint.vout }
}

/// Converts to Bitcoin's type.
#[must_use]
pub fn to_bitcoin(outpoint: Outpoint) -> OutPoint {
    OutPoint::new(Txid::from_byte_array(outpoint.txid), outpoint.vout)
}
