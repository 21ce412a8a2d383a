//! The keys that can spend a vault together.

use bitcoin::XOnlyPublicKey;
use thiserror::Error;

use crate::contract::transaction::key_set::{KEYS_MAX, KeySet, KeySetError};
use crate::contract::transaction::leaf::LeafSigner;

/// The maximum number of signers.
pub const SIGNERS_MAX: usize = KEYS_MAX;

/// The signers of a vault: how many of which keys, more than half of them, sign for each of its outputs.
///
/// One key is a script of its own, `pk(key)`; several are `multi_a(required,key,…)`, where the signature of an absent signer
/// is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultSigners {
    required: usize,
    keys: KeySet,
}

/// The reason why keys cannot be the signers of a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VaultSignersError {
    /// The keys are no set.
    #[error(transparent)]
    Keys(#[from] KeySetError),
    /// Half of the signatures or less are required, or more than there are keys. Two sets of signers that share none could
    /// each lend what the lender offered once.
    #[error("{required} of {keys} signers are required, and it must be more than half of them")]
    Required {
        /// The number of required signatures.
        required: usize,
        /// The number of keys.
        keys: usize,
    },
}

impl VaultSigners {
    /// Requires signatures by `required` of these keys, given in any order.
    ///
    /// # Errors
    /// [`VaultSignersError`].
    pub fn new(required: usize, keys: impl IntoIterator<Item = XOnlyPublicKey>) -> Result<Self, VaultSignersError> {
        let keys = KeySet::new(keys)?;
        let count = keys.keys().len();
        if (count / 2 + 1..=count).contains(&required) {
            Ok(Self { required, keys })
        } else {
            Err(VaultSignersError::Required { required, keys: count })
        }
    }

    /// The number of signatures that each payment requires.
    #[must_use]
    pub const fn required(&self) -> usize {
        self.required
    }

    /// The keys, in the order of the script.
    #[must_use]
    pub fn keys(&self) -> &[XOnlyPublicKey] {
        self.keys.keys()
    }

    /// The key, where there is only one.
    #[must_use]
    pub fn only(&self) -> Option<XOnlyPublicKey> {
        self.keys.only()
    }

    /// The script as a miniscript.
    pub(crate) fn miniscript(&self) -> String {
        if let Some(key) = self.only() {
            return format!("pk({key})");
        }
        let keys: Vec<String> = self.keys().iter().map(XOnlyPublicKey::to_string).collect();
        format!("multi_a({},{})", self.required, keys.join(","))
    }

    /// The signers in the order of the witness, which is the reverse of the script's.
    pub(crate) fn in_witness_order(&self) -> Vec<LeafSigner> {
        self.keys().iter().rev().copied().map(LeafSigner::with_default_sighash).collect()
    }
}

impl From<XOnlyPublicKey> for VaultSigners {
    /// A single signer.
    fn from(key: XOnlyPublicKey) -> Self {
        Self { required: 1, keys: key.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::transaction::key_set::tests::key;

    #[test]
    fn more_than_half_and_at_most_all_sign() {
        for (required, keys) in [(0, 1), (1, 2), (0, 3), (1, 3), (4, 3), (2, 4), (3, 7)] {
            let refused = VaultSignersError::Required { required, keys };
            assert_eq!(VaultSigners::new(required, (1..).take(keys).map(key)), Err(refused));
        }
        for (required, keys) in [(1, 1), (2, 2), (2, 3), (3, 4), (4, 7), (7, 7)] {
            let signers = VaultSigners::new(required, (1..).take(keys).map(key)).unwrap();
            assert_eq!((signers.required(), signers.keys().len()), (required, keys));
        }
        assert_eq!(VaultSigners::new(1, [key(1)]), Ok(VaultSigners::from(key(1))));
        assert_eq!(VaultSigners::new(1, []), Err(KeySetError::Count { found: 0 }.into()));
        assert_eq!(VaultSigners::new(2, [key(1), key(2), key(1)]), Err(KeySetError::Repeated(key(1)).into()));
    }
}
