//! A set of keys that one script names.

use bitcoin::XOnlyPublicKey;
use thiserror::Error;

/// The maximum number of keys.
pub const KEYS_MAX: usize = 7;

/// One to seven different keys in ascending order, so that a set of them has one script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySet(Vec<XOnlyPublicKey>);

/// The reason why keys are no set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeySetError {
    /// No key, or too many.
    #[error("a script has 1 to {KEYS_MAX} keys, not {found}")]
    Count {
        /// The number of keys.
        found: usize,
    },
    /// A key occurs twice, so that one signer would count as two.
    #[error("the key {0} occurs twice")]
    Repeated(XOnlyPublicKey),
}

impl KeySet {
    /// The set of these keys, given in any order.
    ///
    /// # Errors
    /// [`KeySetError`].
    pub fn new(keys: impl IntoIterator<Item = XOnlyPublicKey>) -> Result<Self, KeySetError> {
        let mut keys: Vec<XOnlyPublicKey> = keys.into_iter().collect();
        if !(1..=KEYS_MAX).contains(&keys.len()) {
            return Err(KeySetError::Count { found: keys.len() });
        }
        keys.sort_unstable_by_key(XOnlyPublicKey::serialize);
        match keys.windows(2).find(|pair| pair.first() == pair.last()) {
            Some(pair) => Err(KeySetError::Repeated(pair[0])),
            None => Ok(Self(keys)),
        }
    }

    /// The keys, in the order of the script.
    #[must_use]
    pub fn keys(&self) -> &[XOnlyPublicKey] {
        &self.0
    }

    /// The key, where there is only one.
    #[must_use]
    pub fn only(&self) -> Option<XOnlyPublicKey> {
        if let [key] = self.0[..] { Some(key) } else { None }
    }
}

impl From<XOnlyPublicKey> for KeySet {
    /// A single key.
    fn from(key: XOnlyPublicKey) -> Self {
        Self(vec![key])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use bitcoin::secp256k1::{Keypair, Secp256k1};
    use proptest::prelude::*;

    use super::*;

    /// The key of this secret.
    pub(crate) fn key(byte: u8) -> XOnlyPublicKey {
        Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap().x_only_public_key().0
    }

    #[test]
    fn impossible_sets_are_refused() {
        let of = |count: u8| KeySet::new((1..=count).map(key));
        assert_eq!(of(0), Err(KeySetError::Count { found: 0 }));
        assert_eq!(of(8), Err(KeySetError::Count { found: 8 }));
        assert_eq!(KeySet::new([key(1), key(2), key(1)]), Err(KeySetError::Repeated(key(1))));
        assert_eq!(of(1), Ok(KeySet::from(key(1))));
        assert_eq!((of(7).unwrap().only(), of(1).unwrap().only()), (None, Some(key(1))));
    }

    proptest! {
        #[test]
        fn the_order_in_which_keys_are_given_does_not_matter(
            mut keys in proptest::sample::subsequence((1..=20_u8).collect::<Vec<_>>(), 1..=KEYS_MAX).prop_shuffle()
        ) {
            let one = KeySet::new(keys.iter().copied().map(key)).unwrap();
            prop_assert!(one.keys().windows(2).all(|pair| pair[0].serialize() < pair[1].serialize()));
            keys.sort_unstable();
            prop_assert_eq!(KeySet::new(keys.into_iter().map(key)).unwrap(), one);
        }
    }
}
