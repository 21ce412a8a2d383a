//! The vault address port: the engine does not depend on the scripts behind the addresses.

use domain::{UserId, VaultKeys};

/// A source of vault addresses.
pub trait VaultAddresses: Send + Sync + 'static {
    /// The address of an open vault; `None` when no address can be derived from these keys.
    fn vault_address(&self, user: UserId, keys: &VaultKeys) -> Option<String>;
}

/// A source without addresses, for tests and tools.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoVaultAddresses;

impl VaultAddresses for NoVaultAddresses {
    fn vault_address(&self, _user: UserId, _keys: &VaultKeys) -> Option<String> {
        None
    }
}
