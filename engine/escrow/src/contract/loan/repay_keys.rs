//! The keys that pre-sign a loan's repayment.

use bitcoin::XOnlyPublicKey;

use crate::contract::transaction::key_set::{KEYS_MAX, KeySet, KeySetError};
use crate::contract::transaction::leaf::LeafSigner;
use crate::contract::transaction::template::PAYOUT_SIGHASH;

/// The maximum number of keys: one of each signer of a vault.
pub const REPAY_KEYS_MAX: usize = KEYS_MAX;

/// The repay keys of a loan, all of which pre-sign its repayment: the lender's key alone, or for an instant loan a
/// single-use key of each signer that lends from the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepayKeys(KeySet);

impl RepayKeys {
    /// Requires pre-signatures by all of these keys, given in any order.
    ///
    /// # Errors
    /// [`KeySetError`].
    pub fn new(keys: impl IntoIterator<Item = XOnlyPublicKey>) -> Result<Self, KeySetError> {
        KeySet::new(keys).map(Self)
    }

    /// The keys, in the order of the script.
    #[must_use]
    pub fn keys(&self) -> &[XOnlyPublicKey] {
        self.0.keys()
    }

    /// The key, where there is only one.
    #[must_use]
    pub fn only(&self) -> Option<XOnlyPublicKey> {
        self.0.only()
    }

    /// Whether this key is one of them.
    #[must_use]
    pub fn contains(&self, key: &XOnlyPublicKey) -> bool {
        self.keys().contains(key)
    }

    /// The script as a miniscript.
    pub(crate) fn miniscript(&self) -> String {
        let mut keys = self.keys().iter().rev();
        let last = keys.next().map(|key| format!("pk({key})")).unwrap_or_default();
        keys.fold(last, |following, key| format!("and_v(v:pk({key}),{following})"))
    }

    /// The signers in the order of the witness, which is the reverse of the script's.
    pub(crate) fn in_witness_order(&self) -> impl Iterator<Item = LeafSigner> + '_ {
        self.keys().iter().rev().map(|key| LeafSigner { key: *key, sighash: PAYOUT_SIGHASH })
    }
}

impl From<XOnlyPublicKey> for RepayKeys {
    /// A single key.
    fn from(key: XOnlyPublicKey) -> Self {
        Self(key.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::transaction::key_set::tests::key;

    #[test]
    fn every_key_but_the_last_is_verified_and_dropped() {
        let keys = RepayKeys::new([key(1), key(2), key(3)]).unwrap();
        let [one, two, three] = keys.keys() else { panic!("three keys") };
        assert_eq!(keys.miniscript(), format!("and_v(v:pk({one}),and_v(v:pk({two}),pk({three})))"));
        assert_eq!(RepayKeys::from(*one).miniscript(), format!("pk({one})"));
    }
}
