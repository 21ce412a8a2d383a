//! The addresses of vaults, derived from the keys in their ledgers.

use std::collections::HashMap;
use std::sync::Mutex;

use bitcoin::{Address, Network};
use domain::{SignerKeys, UserId, VaultKeys};
use engine::VaultAddresses;
use engine::locks::MutexExt as _;
use lending::vaults::vault;

/// Derives the addresses of vaults on one network. Each address is cached with its signers, which a move changes; the lender's
/// key never changes.
#[derive(Debug)]
pub struct VaultScripts {
    network: Network,
    known: Mutex<HashMap<UserId, (SignerKeys, String)>>,
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
        if let Some((signers, address)) = known.get(&user)
            && *signers == keys.signers
        {
            return Some(address.clone());
        }
        let address = self.derive(user, keys)?;
        known.insert(user, (keys.signers.clone(), address.clone()));
        Some(address)
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::secp256k1::{Keypair, Secp256k1};

    use super::*;

    #[test]
    fn a_vault_that_was_moved_has_another_address() {
        let key = |byte| Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap().x_only_public_key().0;
        let keys = |signer| VaultKeys {
            signers: key(signer).serialize().into(),
            lender_key: key(9).serialize(),
            payment_address: "home".to_owned(),
        };
        let scripts = VaultScripts::new(Network::Regtest);
        let before = scripts.vault_address(UserId(4), &keys(1)).unwrap();
        assert_eq!(scripts.vault_address(UserId(4), &keys(1)), Some(before.clone()));
        assert_ne!(scripts.vault_address(UserId(4), &keys(2)), Some(before));
    }
}
