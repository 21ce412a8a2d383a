//! The signers' keys in a vault's script.

use serde::{Deserialize, Serialize};

/// The keys of the signers, and how many of them sign each payment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SignerKeys {
    /// The number of signatures that each payment requires.
    pub required: u8,
    /// A key of each signer.
    pub keys: Vec<[u8; 32]>,
}

impl SignerKeys {
    /// The key, where there is one signer.
    #[must_use]
    pub fn only(&self) -> Option<[u8; 32]> {
        if let [key] = self.keys[..] { Some(key) } else { None }
    }
}

impl From<[u8; 32]> for SignerKeys {
    /// A single signer.
    fn from(key: [u8; 32]) -> Self {
        Self { required: 1, keys: vec![key] }
    }
}
