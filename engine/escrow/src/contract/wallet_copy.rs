//! The text of a PSBT as wallets are given it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::Psbt;

/// A PSBT in base64 (BIP-174) in the one form that every supported wallet signs as it is meant.
///
/// Inputs spent by a script carry no merkle root. BIP-371 leaves it optional, and leaf and control block are all that a
/// script path needs; but OKX Wallet reads a root as a key path spend and signs the leaf with a tweaked key, and the next
/// key path input with the same tweak. What comes back is compared with the template, which has the root: an answer may
/// leave it out or state it, and any other root is refused.
#[must_use]
pub fn wallet_copy(psbt: &Psbt) -> String {
    let mut copy = psbt.clone();
    for input in copy.inputs.iter_mut().filter(|input| !input.tap_scripts.is_empty()) {
        input.tap_merkle_root = None;
    }
    STANDARD.encode(copy.serialize())
}
