//! Scripts and the addresses that upstreams write for them.

use bitcoin::address::NetworkUnchecked;
use bitcoin::{Address, Network, Script, ScriptBuf};

use crate::fallback::Trouble;

/// The script of an address, if it is one of this network.
pub(crate) fn script_of(address: &str, network: Network) -> Option<ScriptBuf> {
    let address: Address<NetworkUnchecked> = address.parse().ok()?;
    Some(address.require_network(network).ok()?.script_pubkey())
}

/// The address of a script, which upstreams are asked by.
pub(crate) fn address_of(owner: &Script, network: Network) -> Result<Address, Trouble> {
    Address::from_script(owner, network).map_err(|_| Trouble::Unknown("scripts without an address".to_owned()))
}
