//! Vaults as entries of the journal's ledger, until they are outputs on the chain.

use bitcoin::Network;
use domain::{UserId, WalletAddresses};
use engine::VaultAddresses;

/// Names vaults after their owners: there is no output to pay to, the operator credits what arrives.
#[derive(Clone, Copy, Debug, Default)]
pub struct LedgerVaults;

impl VaultAddresses for LedgerVaults {
    fn vault_address(&self, user: UserId, _wallet: &WalletAddresses) -> Option<String> {
        Some(address_of(user))
    }
}

/// The address of a user's vault, which instant offers must name.
#[must_use]
pub fn address_of(user: UserId) -> String {
    format!("ledger:{user}")
}

/// The hash of the policy that vaults on this network are spent by (`canisterId`).
#[must_use]
pub fn signer_id(network: Network) -> String {
    let policy = format!("lienbook ledger vault: loans of signed offers, withdrawals by signed request, {network}");
    blake3::hash(policy.as_bytes()).to_hex().to_string()
}
