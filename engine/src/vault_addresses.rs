//! Where vaults are funded, as a port: the scripts behind the addresses are none of the engine's business.

use domain::{UserId, VaultKeys};

/// Derives the address of a lender's vault.
pub trait VaultAddresses: Send + Sync + 'static {
    /// The address of an open vault, or `None` when there can be none of these keys.
    fn vault_address(&self, user: UserId, keys: &VaultKeys) -> Option<String>;
}

/// Vaults without addresses, for tests and tools.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoVaultAddresses;

impl VaultAddresses for NoVaultAddresses {
    fn vault_address(&self, _user: UserId, _keys: &VaultKeys) -> Option<String> {
        None
    }
}
