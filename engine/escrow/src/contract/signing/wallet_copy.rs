//! The text of a PSBT for wallets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::Psbt;

/// A PSBT in base64 (BIP-174) in the one form that every supported wallet signs correctly.
///
/// Inputs spent by a script carry no merkle root. BIP-371 makes it optional, and leaf and control block suffice for a
/// script path; but OKX Wallet takes a root for a key path spend and signs the leaf with a tweaked key, and the next
/// key path input with the same tweak. The returned PSBT is compared with the template, which has the root: it may omit
/// the root or state the same, and any other root is refused.
///
#[must_use]
pub fn wallet_copy(psbt: &Psbt) -> String {
    let mut copy = psbt.clone();
    for input in copy.inputs.iter_mut().filter(|input| !input.tap_scripts.is_empty()) {
        input.tap_merkle_root = None;
    }
    STANDARD.encode(copy.serialize())
}
