//! The signers that share the vaults, by their identities.

use std::collections::BTreeSet;

use bitcoin::XOnlyPublicKey;
use escrow::contract::vault::vault_signers::{VaultSigners, VaultSignersError};
use serde::{Deserialize, Serialize};

use crate::as_text;
use crate::identity::{AttestedKey, KeyPurpose};
use crate::refusal::Refusal;

/// The signers as they are configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignerSetDraft {
    /// The number of signers that sign each payment.
    pub required: usize,
    /// The identity of each, in any order.
    #[serde(with = "as_text::list")]
    pub identities: Vec<XOnlyPublicKey>,
}

/// A validated set: `required` of these identities, more than half of them, sign each payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignerSet(VaultSigners);

impl SignerSet {
    /// Validates a draft.
    ///
    /// # Errors
    /// [`VaultSignersError`], whose keys are the identities here.
    pub fn new(draft: &SignerSetDraft) -> Result<Self, VaultSignersError> {
        VaultSigners::new(draft.required, draft.identities.iter().copied()).map(Self)
    }

    /// Returns the number of signers that sign each payment.
    #[must_use]
    pub const fn required(&self) -> usize {
        self.0.required()
    }

    /// Returns the identities in ascending order.
    #[must_use]
    pub fn identities(&self) -> &[XOnlyPublicKey] {
        self.0.keys()
    }

    /// Returns the signers of a lender's vault, by a key of each signer.
    ///
    /// # Errors
    /// [`Refusal::ForeignKeys`] unless there is exactly one attested key of each, [`Refusal::ImpossibleVault`].
    pub fn vault_signers(&self, purpose: KeyPurpose, keys: &[AttestedKey]) -> Result<VaultSigners, Refusal> {
        let known = self.check_keys(purpose, keys)?;
        if known != self.identities().len() {
            return Err(Refusal::ForeignKeys { expected: self.identities().len(), found: known });
        }
        VaultSigners::new(self.required(), keys.iter().map(|attested| attested.key))
            .map_err(|error| Refusal::ImpossibleVault { reason: error.to_string() })
    }

    /// Checks that keys are attested by `required` different signers.
    ///
    /// # Errors
    /// [`Refusal::ForeignKeys`].
    pub fn check_repay_keys(&self, purpose: KeyPurpose, keys: &[AttestedKey]) -> Result<(), Refusal> {
        match self.check_keys(purpose, keys)? {
            found if found == self.required() => Ok(()),
            found => Err(Refusal::ForeignKeys { expected: self.required(), found }),
        }
    }

    /// Returns whether a signer of this set attests a key.
    #[must_use]
    pub fn attests(&self, purpose: KeyPurpose, key: &AttestedKey) -> bool {
        self.identities().contains(&key.signer) && key.is_attested(purpose)
    }

    /// Returns the number of keys, each attested by another signer of this set.
    fn check_keys(&self, purpose: KeyPurpose, keys: &[AttestedKey]) -> Result<usize, Refusal> {
        let expected = self.identities().len();
        if keys.len() > expected {
            return Err(Refusal::ForeignKeys { expected, found: keys.len() });
        }
        let is_own = |attested: &&AttestedKey| self.attests(purpose, attested);
        let signers: BTreeSet<_> = keys.iter().filter(is_own).map(|attested| attested.signer).collect();
        if signers.len() == keys.len() {
            Ok(signers.len())
        } else {
            Err(Refusal::ForeignKeys { expected, found: signers.len() })
        }
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::Network;
    use bitcoin::secp256k1::{Keypair, Secp256k1};

    use super::*;
    use crate::identity::Identity;

    fn identity(byte: u8) -> Identity {
        Identity::new(Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap())
    }

    #[test]
    fn a_vault_has_one_attested_key_of_each_signer() {
        let signers: Vec<Identity> = (1..=4).map(identity).collect();
        let identities = signers.iter().take(3).map(Identity::public_key).collect();
        let set = SignerSet::new(&SignerSetDraft { required: 2, identities }).unwrap();
        let purpose = KeyPurpose::Vault { network: Network::Regtest, lender_id: 4 };
        let key = |signer: usize, byte: u8| signers[signer].attest(purpose, identity(byte).public_key());
        let vault = set.vault_signers(purpose, &[key(0, 11), key(1, 12), key(2, 13)]).unwrap();
        assert_eq!((vault.required(), vault.keys().len()), (2, 3));
        let foreign = |found| Err(Refusal::ForeignKeys { expected: 3, found });
        assert_eq!(set.vault_signers(purpose, &[key(0, 11), key(1, 12)]), foreign(2));
        assert_eq!(set.vault_signers(purpose, &[key(0, 11), key(1, 12), key(3, 13)]), foreign(2));
        assert_eq!(set.vault_signers(purpose, &[key(0, 11), key(1, 12), key(1, 13)]), foreign(2));
        assert_eq!(set.vault_signers(purpose, &[key(0, 11), key(1, 12), key(2, 13), key(2, 13)]), foreign(4));
        let unattested = AttestedKey { key: identity(14).public_key(), ..key(2, 13) };
        assert_eq!(set.vault_signers(purpose, &[key(0, 11), key(1, 12), unattested]), foreign(2));
        let same = set.vault_signers(purpose, &[key(0, 11), key(1, 12), key(2, 12)]);
        assert!(matches!(same, Err(Refusal::ImpossibleVault { .. })), "{same:?}");
    }

    #[test]
    fn a_loan_has_repay_keys_of_as_many_signers_as_sign() {
        let signers: Vec<Identity> = (1..=3).map(identity).collect();
        let identities = signers.iter().map(Identity::public_key).collect();
        let set = SignerSet::new(&SignerSetDraft { required: 2, identities }).unwrap();
        let purpose = KeyPurpose::Repay { network: Network::Regtest, loan_id: 7 };
        let key = |signer: usize| signers[signer].attest(purpose, identity(20).public_key());
        assert_eq!(set.check_repay_keys(purpose, &[key(0), key(2)]), Ok(()));
        for (keys, found) in [(vec![key(1)], 1), (vec![key(0), key(1), key(2)], 3)] {
            assert_eq!(set.check_repay_keys(purpose, &keys), Err(Refusal::ForeignKeys { expected: 2, found }));
        }
        assert!(set.check_repay_keys(purpose, &[key(0), key(0)]).is_err());
        assert!(
            set.check_repay_keys(KeyPurpose::Repay { network: Network::Regtest, loan_id: 8 }, &[key(0), key(1)])
                .is_err()
        );
    }
}
