//! The keys that can spend a vault together.

use bitcoin::XOnlyPublicKey;
use thiserror::Error;

use crate::contract::transaction::leaf::LeafSigner;

/// The maximum number of keys.
pub const SIGNERS_MAX: usize = 7;

/// The signers of a vault: how many of which keys, more than half of them, sign for each of its outputs.
///
/// The keys are in ascending order, so that a set of them has one script. One key is a script of its own, `pk(key)`;
/// several are `multi_a(required,key,…)`, where the signature of an absent signer is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultSigners {
    required: usize,
    keys: Vec<XOnlyPublicKey>,
}

/// The reason why keys cannot be the signers of a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VaultSignersError {
    /// There is no key, or there are too many.
    #[error("a vault has 1 to {SIGNERS_MAX} signers, not {found}")]
    Count {
        /// The number of keys.
        found: usize,
    },
    /// Half of the signatures or less are required, or more than there are keys. Two sets of signers that share none could
    /// each lend what the lender offered once.
    #[error("{required} of {keys} signers are required, and it must be more than half of them")]
    Required {
        /// The number of required signatures.
        required: usize,
        /// The number of keys.
        keys: usize,
    },
    /// A key occurs twice, so that one signer would count as two.
    #[error("the key {0} occurs twice")]
    Repeated(XOnlyPublicKey),
}

impl VaultSigners {
    /// Requires signatures by `required` of these keys, given in any order.
    ///
    /// # Errors
    /// [`VaultSignersError`].
    pub fn new(required: usize, keys: impl IntoIterator<Item = XOnlyPublicKey>) -> Result<Self, VaultSignersError> {
        let mut keys: Vec<XOnlyPublicKey> = keys.into_iter().collect();
        if !(1..=SIGNERS_MAX).contains(&keys.len()) {
            return Err(VaultSignersError::Count { found: keys.len() });
        }
        if !(keys.len() / 2 + 1..=keys.len()).contains(&required) {
            return Err(VaultSignersError::Required { required, keys: keys.len() });
        }
        keys.sort_unstable_by_key(XOnlyPublicKey::serialize);
        match keys.windows(2).find(|pair| pair.first() == pair.last()) {
            Some(pair) => Err(VaultSignersError::Repeated(pair[0])),
            None => Ok(Self { required, keys }),
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
        &self.keys
    }

    /// The key, where there is only one.
    #[must_use]
    pub fn only(&self) -> Option<XOnlyPublicKey> {
        if let [key] = self.keys[..] { Some(key) } else { None }
    }

    /// The script as a miniscript.
    pub(crate) fn miniscript(&self) -> String {
        if let Some(key) = self.only() {
            return format!("pk({key})");
        }
        let keys: Vec<String> = self.keys.iter().map(XOnlyPublicKey::to_string).collect();
        format!("multi_a({},{})", self.required, keys.join(","))
    }

    /// The signers in the order of the witness, which is the reverse of the script's.
    pub(crate) fn in_witness_order(&self) -> Vec<LeafSigner> {
        self.keys.iter().rev().copied().map(LeafSigner::with_default_sighash).collect()
    }
}

impl From<XOnlyPublicKey> for VaultSigners {
    /// A single signer.
    fn from(key: XOnlyPublicKey) -> Self {
        Self { required: 1, keys: vec![key] }
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::secp256k1::{Keypair, Secp256k1};
    use proptest::prelude::*;

    use super::*;

    fn key(byte: u8) -> XOnlyPublicKey {
        Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap().x_only_public_key().0
    }

    #[test]
    fn impossible_sets_are_refused() {
        let of = |required, count: u8| VaultSigners::new(required, (1..=count).map(key));
        assert_eq!(of(1, 0), Err(VaultSignersError::Count { found: 0 }));
        assert_eq!(of(1, 8), Err(VaultSignersError::Count { found: 8 }));
        for (required, keys) in [(0, 1), (1, 2), (0, 3), (1, 3), (4, 3), (2, 4), (3, 7)] {
            let refused = VaultSignersError::Required { required, keys };
            assert_eq!(VaultSigners::new(required, (1..).take(keys).map(key)), Err(refused));
        }
        assert_eq!(VaultSigners::new(2, [key(1), key(2), key(1)]), Err(VaultSignersError::Repeated(key(1))));
        assert_eq!(of(1, 1), Ok(VaultSigners::from(key(1))));
    }

    proptest! {
        #[test]
        fn the_order_in_which_keys_are_given_does_not_matter(
            mut keys in proptest::sample::subsequence((1..=20_u8).collect::<Vec<_>>(), 1..=SIGNERS_MAX).prop_shuffle()
        ) {
            let required = keys.len();
            let one = VaultSigners::new(required, keys.iter().copied().map(key)).unwrap();
            keys.sort_unstable();
            prop_assert_eq!(VaultSigners::new(required, keys.into_iter().map(key)).unwrap(), one);
        }
    }
}
