//! Where vaults are funded, as a port: the keys behind the addresses are none of the engine's business.

use domain::{UserId, WalletAddresses};

/// Derives the address of a lender's vault.
pub trait VaultAddresses: Send + Sync + 'static {
    /// The address, or `None` when it cannot be derived now.
    fn vault_address(&self, user: UserId, wallet: &WalletAddresses) -> Option<String>;
}

/// Vaults without addresses, for tests and tools.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoVaultAddresses;

impl VaultAddresses for NoVaultAddresses {
    fn vault_address(&self, _user: UserId, _wallet: &WalletAddresses) -> Option<String> {
        None
    }
}
