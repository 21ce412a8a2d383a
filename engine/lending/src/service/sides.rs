//! The inputs that a wallet is asked to sign, and how, alongside the PSBT.

use bitcoin::{Address, Network};
use escrow::contract::loan::payout_request::{PayoutRequest, PayoutRequestError};
use escrow::contract::signing::checked_template::CheckedTemplate;
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::lock::Signer;
use escrow::contract::transaction::template::Template;
use serde::Serialize;
use utoipa::ToSchema;

/// An input that a wallet signs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Side {
    /// The index of the input, from 0.
    pub index: usize,
    /// The address whose key signs it.
    pub address: String,
    /// The sighash type: 0 (all, taproot's default), 1 (all), 131 (its own output, whatever the inputs).
    pub sighash: u32,
    /// Whether the key stands in a script and signs as it is, untweaked (BIP-341).
    pub disable_tweak_signer: bool,
}

/// Returns the inputs that a wallet with these keys signs; a result that lacks one of these signatures is refused.
#[must_use]
pub fn sides(checked: &CheckedTemplate<'_>, holder: &[CoinKey], network: Network) -> Vec<Side> {
    asked(checked.template(), holder, network)
}

/// The same for a repayment that is signed beforehand, in one of its two versions.
pub fn payout_sides(
    request: &PayoutRequest<'_>,
    version: bitcoin::transaction::Version,
    network: Network,
) -> Result<Vec<Side>, PayoutRequestError> {
    let holder = [CoinKey::P2tr(request.signer()?)];
    Ok(asked(&request.build(version)?, &holder, network))
}

fn asked(template: &Template, holder: &[CoinKey], network: Network) -> Vec<Side> {
    let asked = template.requested_signatures(holder).filter_map(|(index, signer, key)| {
        // Every script of a wallet's key has an address.
        let address = Address::from_script(&key.script_pubkey(), network).ok()?.to_string();
        let disable_tweak_signer = matches!(signer, Signer::Leaf { .. });
        Some(Side { index, address, sighash: signer.sighash().to_u32(), disable_tweak_signer })
    });
    asked.collect()
}
