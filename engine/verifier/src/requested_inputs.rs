//! The inputs that a wallet is asked to sign, beside the PSBT.

use bitcoin::{Address, Network};
use escrow::contract::transaction::lock::Signer;
use escrow::contract::transaction::template::Template;
use serde::Deserialize;

use crate::fault::{Fault, TransactionName};
use crate::own_keys::OwnKeys;

/// An input that a wallet is asked to sign, and how; as in the API.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct RequestedInput {
    /// The index of the input.
    pub index: usize,
    /// The address whose key signs it.
    pub address: String,
    /// The sighash type.
    pub sighash: u32,
    /// Whether the key stands in a script and signs as it is.
    pub disable_tweak_signer: bool,
}

/// Checks that exactly the signatures are requested that the template asks of this wallet.
///
/// # Errors
/// [`Fault::RequestedInputs`].
pub fn check(
    transaction: TransactionName,
    template: &Template,
    own: &OwnKeys,
    requested: &[RequestedInput],
    network: Network,
) -> Result<(), Fault> {
    let holder = own.all();
    let demanded = template.requested_signatures(&holder).filter_map(|(index, signer, key)| {
        // Every script of a wallet's key has an address.
        let address = Address::from_script(&key.script_pubkey(), network).ok()?.to_string();
        let disable_tweak_signer = matches!(signer, Signer::Leaf { .. });
        Some(RequestedInput { index, address, sighash: signer.sighash().to_u32(), disable_tweak_signer })
    });
    let mut demanded: Vec<RequestedInput> = demanded.collect();
    let mut requested = requested.to_vec();
    demanded.sort_unstable();
    requested.sort_unstable();
    if demanded == requested && !demanded.is_empty() { Ok(()) } else { Err(Fault::RequestedInputs { transaction }) }
}
