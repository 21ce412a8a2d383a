//! The keys that pre-sign a loan's repayment.

use bitcoin::XOnlyPublicKey;
use thiserror::Error;

use crate::contract::transaction::leaf::LeafSigner;
use crate::contract::transaction::template::PAYOUT_SIGHASH;
use crate::contract::vault::vault_signers::SIGNERS_MAX;

/// The maximum number of keys: one of each signer of a vault.
pub const REPAY_KEYS_MAX: usize = SIGNERS_MAX;

/// The repay keys of a loan, all of which pre-sign its repayment: the lender's key alone, or for an instant loan a
/// single-use key of each signer that lends from the vault.
///
/// The keys are in ascending order, so that a set of them has one script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepayKeys {
    keys: Vec<XOnlyPublicKey>,
}

/// The reason why keys cannot be the repay keys of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RepayKeysError {
    /// There is no key, or there are too many.
    #[error("a loan has 1 to {REPAY_KEYS_MAX} repay keys, not {found}")]
    Count {
        /// The number of keys.
        found: usize,
    },
    /// A key occurs twice, so that one signer would count as two.
    #[error("the repay key {0} occurs twice")]
    Repeated(XOnlyPublicKey),
}

impl RepayKeys {
    /// Requires pre-signatures by all of these keys, given in any order.
    ///
    /// # Errors
    /// [`RepayKeysError`].
    pub fn new(keys: impl IntoIterator<Item = XOnlyPublicKey>) -> Result<Self, RepayKeysError> {
        let mut keys: Vec<XOnlyPublicKey> = keys.into_iter().collect();
        if !(1..=REPAY_KEYS_MAX).contains(&keys.len()) {
            return Err(RepayKeysError::Count { found: keys.len() });
        }
        keys.sort_unstable_by_key(XOnlyPublicKey::serialize);
        match keys.windows(2).find(|pair| pair.first() == pair.last()) {
            Some(pair) => Err(RepayKeysError::Repeated(pair[0])),
            None => Ok(Self { keys }),
        }
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

    /// Whether this key is one of them.
    #[must_use]
    pub fn contains(&self, key: &XOnlyPublicKey) -> bool {
        self.keys.contains(key)
    }

    /// The script as a miniscript.
    pub(crate) fn miniscript(&self) -> String {
        let mut keys = self.keys.iter().rev();
        let last = keys.next().map(|key| format!("pk({key})")).unwrap_or_default();
        keys.fold(last, |following, key| format!("and_v(v:pk({key}),{following})"))
    }

    /// The signers in the order of the witness, which is the reverse of the script's.
    pub(crate) fn in_witness_order(&self) -> impl Iterator<Item = LeafSigner> + '_ {
        self.keys.iter().rev().map(|key| LeafSigner { key: *key, sighash: PAYOUT_SIGHASH })
    }
}

impl From<XOnlyPublicKey> for RepayKeys {
    /// A single key.
    fn from(key: XOnlyPublicKey) -> Self {
        Self { keys: vec![key] }
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
        let of = |count: u8| RepayKeys::new((1..=count).map(key));
        assert_eq!(of(0), Err(RepayKeysError::Count { found: 0 }));
        assert_eq!(of(8), Err(RepayKeysError::Count { found: 8 }));
        assert_eq!(RepayKeys::new([key(1), key(2), key(1)]), Err(RepayKeysError::Repeated(key(1))));
        assert_eq!(of(1), Ok(RepayKeys::from(key(1))));
        assert_eq!(of(7).unwrap().only(), None);
    }

    #[test]
    fn every_key_but_the_last_is_verified_and_dropped() {
        let keys = RepayKeys::new([key(1), key(2), key(3)]).unwrap();
        let [one, two, three] = keys.keys() else { panic!("three keys") };
        assert_eq!(keys.miniscript(), format!("and_v(v:pk({one}),and_v(v:pk({two}),pk({three})))"));
        assert_eq!(RepayKeys::from(*one).miniscript(), format!("pk({one})"));
    }

    proptest! {
        #[test]
        fn the_order_in_which_keys_are_given_does_not_matter(
            mut keys in proptest::sample::subsequence((1..=20_u8).collect::<Vec<_>>(), 1..=REPAY_KEYS_MAX).prop_shuffle()
        ) {
            let one = RepayKeys::new(keys.iter().copied().map(key)).unwrap();
            prop_assert!(one.keys().windows(2).all(|pair| pair[0].serialize() < pair[1].serialize()));
            keys.sort_unstable();
            prop_assert_eq!(RepayKeys::new(keys.into_iter().map(key)).unwrap(), one);
        }
    }
}
