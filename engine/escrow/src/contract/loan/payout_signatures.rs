//! The pre-signatures with which the borrower repays alone.

use bitcoin::XOnlyPublicKey;
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;

use super::payout_signature_pair::PayoutSignaturePair;
use super::running_loan::{PreSignatureError, RunningLoan};

/// The pre-signatures of a loan's repay keys, made before the loan begins and kept by each party that may have to end
/// it: a pair of each key, in the order of the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayoutSignatures {
    pairs: Vec<PayoutSignaturePair>,
}

impl PayoutSignatures {
    /// The pairs, in the order of the keys.
    #[must_use]
    pub fn pairs(&self) -> &[PayoutSignaturePair] {
        &self.pairs
    }

    /// The pair of the key, where there is only one.
    #[must_use]
    pub fn only(&self) -> Option<&PayoutSignaturePair> {
        if let [pair] = &self.pairs[..] { Some(pair) } else { None }
    }

    /// Checks that there is a pair of each repay key, and every signature.
    ///
    /// # Errors
    /// The first fault found; it names the key.
    pub fn check(&self, loan: &RunningLoan) -> Result<(), PreSignatureError> {
        let mut pairs = self.by_key(loan)?;
        pairs.try_for_each(|(key, pair)| pair.check(loan, key))
    }

    /// Each repay key, with its signature for this version.
    pub(super) fn of<'a>(
        &'a self,
        loan: &'a RunningLoan,
        version: Version,
    ) -> Result<Vec<(&'a XOnlyPublicKey, &'a Signature)>, PreSignatureError> {
        let signature = |(key, pair): (&'a XOnlyPublicKey, &'a PayoutSignaturePair)| {
            let signature = pair.of(version).ok_or(PreSignatureError::UnsignedVersion(version))?;
            Ok((key, signature))
        };
        self.by_key(loan)?.map(signature).collect()
    }

    /// Each repay key with its pair.
    fn by_key<'a>(
        &'a self,
        loan: &'a RunningLoan,
    ) -> Result<impl Iterator<Item = (&'a XOnlyPublicKey, &'a PayoutSignaturePair)>, PreSignatureError> {
        let (keys, found) = (loan.escrow.terms().repay.keys(), self.pairs.len());
        if let Some(key) = keys.get(found) {
            return Err(PreSignatureError::Missing(*key));
        }
        if found > keys.len() {
            return Err(PreSignatureError::TooMany { keys: keys.len(), found });
        }
        Ok(keys.iter().zip(&self.pairs))
    }
}

impl FromIterator<PayoutSignaturePair> for PayoutSignatures {
    /// The pairs of several keys, in the order of the keys.
    fn from_iter<I: IntoIterator<Item = PayoutSignaturePair>>(pairs: I) -> Self {
        Self { pairs: pairs.into_iter().collect() }
    }
}

impl From<PayoutSignaturePair> for PayoutSignatures {
    /// The pair of a single key.
    fn from(pair: PayoutSignaturePair) -> Self {
        Self { pairs: vec![pair] }
    }
}
