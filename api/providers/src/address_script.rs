//! Scripts from the addresses that upstreams write.

use bitcoin::address::NetworkUnchecked;
use bitcoin::{Address, Network, ScriptBuf};

/// The script of an address, if it is one of this network.
pub(crate) fn script_of(address: &str, network: Network) -> Option<ScriptBuf> {
    let address: Address<NetworkUnchecked> = address.parse().ok()?;
    Some(address.require_network(network).ok()?.script_pubkey())
}
