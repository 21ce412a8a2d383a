//! Conversion between scripts and the addresses that upstreams use.

use bitcoin::address::NetworkUnchecked;
use bitcoin::{Address, Network, Script, ScriptBuf};

/// The error that a script has no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoAddress;

/// Returns the script of an address, if the address is of this network.
pub(crate) fn script_of(address: &str, network: Network) -> Option<ScriptBuf> {
    let address: Address<NetworkUnchecked> = address.parse().ok()?;
    Some(address.require_network(network).ok()?.script_pubkey())
}

/// Returns the address of a script, by which upstreams are queried.
pub(crate) fn address_of(owner: &Script, network: Network) -> Result<Address, NoAddress> {
    Address::from_script(owner, network).map_err(|_| NoAddress)
}
