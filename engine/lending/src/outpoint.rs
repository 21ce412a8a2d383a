//! Outputs as the domain names them and as Bitcoin does.

use bitcoin::hashes::Hash as _;
use bitcoin::{OutPoint, Txid};
use domain::{Inscription, Outpoint};
use engine::asset_index::InscriptionId;

/// As the domain names it.
#[must_use]
pub fn to_domain(outpoint: OutPoint) -> Outpoint {
    Outpoint { txid: outpoint.txid.to_byte_array(), vout: outpoint.vout }
}

/// As Bitcoin names it.
#[must_use]
pub fn to_bitcoin(outpoint: Outpoint) -> OutPoint {
    OutPoint::new(Txid::from_byte_array(outpoint.txid), outpoint.vout)
}

/// An inscription as the domain names it.
#[must_use]
pub fn inscription(id: InscriptionId) -> Inscription {
    Inscription { txid: id.txid.to_byte_array(), index: id.index }
}
