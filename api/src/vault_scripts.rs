//! The addresses of vaults, derived from the keys in their ledgers.

use std::collections::HashMap;
use std::sync::Mutex;

use bitcoin::{Address, Network};
use domain::{UserId, VaultKeys};
use engine::VaultAddresses;
use engine::locks::MutexExt as _;
use lending::vaults::vault;

/// Derives the addresses of vaults on one network. The keys of a vault never change, so each address is cached.
#[derive(Debug)]
pub struct VaultScripts {
    network: Network,
    known: Mutex<HashMap<UserId, String>>,
}

impl VaultScripts {
    /// Builds the derivation for this network.
    #[must_use]
    pub fn new(network: Network) -> Self {
        Self { network, known: Mutex::default() }
    }

    fn derive(&self, user: UserId, keys: &VaultKeys) -> Option<String> {
        let script = vault::contract_of(user, keys).ok()?.output().script_pubkey();
        Some(Address::from_script(&script, self.network).ok()?.to_string())
    }
}

impl VaultAddresses for VaultScripts {
    fn vault_address(&self, user: UserId, keys: &VaultKeys) -> Option<String> {
        let mut known = self.known.lock_unpoisoned();
        if let Some(address) = known.get(&user) {
            return Some(address.clone());
        }
        let address = self.derive(user, keys)?;
        known.insert(user, address.clone());
        Some(address)
    }
}
