//! The preparation of a loan by several signers, in two rounds: the repay keys must be in the escrow before its outpoint
//! exists, to which their signatures commit.

use std::time::Duration;

use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::{Vault, VaultTerms};
use tokio::time::timeout;

use super::votes::Votes;
use super::{Outcome, Quorum, warn};
use crate::identity::{AttestedKey, KeyPurpose};
use crate::loan::Payees;
use crate::policy::PolicyText;
use crate::request::shared::{PreparedShare, PreparedShared, RepaySignatures, SharedRequest};
use crate::request::{Answer, LoanRequest, Request};
use crate::vault_signer::{SignerError, VaultSigner};

/// The time for which a signer is waited for that has made a repay key; then the loan is prepared with another one.
const PRE_SIGNING_WAIT: Duration = Duration::from_secs(2);

impl<S: VaultSigner> Quorum<S> {
    /// Makes a repay key at each of the first signers that answer, as many as sign a payment.
    async fn repay_keys(
        &self,
        policy: &PolicyText,
        loan_id: u128,
        failed: &[usize],
    ) -> Result<Vec<(usize, AttestedKey)>, SignerError> {
        let purpose = KeyPurpose::Repay { network: policy.network, loan_id };
        let asked: Vec<usize> = self.all().into_iter().filter(|place| !failed.contains(place)).collect();
        let mut outcomes = self.send(&asked, &Request::Shared(SharedRequest::RepayKey { loan_id }), false);
        let (mut keys, mut votes) = (Vec::new(), Votes::new(self.0.members.len(), self.0.required));
        while let Some((place, outcome)) = outcomes.recv().await {
            match outcome {
                Ok(Answer::Attested(key)) => {
                    let is_new = keys.iter().all(|(_, other): &(usize, AttestedKey)| other.signer != key.signer);
                    if is_new && policy.signers.attests(purpose, &key) {
                        keys.push((place, key));
                    } else {
                        warn(place, "its repay key is not attested");
                        votes.push(Err(SignerError::Nonsense));
                    }
                    if keys.len() == self.0.required {
                        return Ok(keys);
                    }
                }
                other => {
                    if let Some(Err(error)) = votes.push(other) {
                        return Err(error);
                    }
                }
            }
        }
        Err(votes.error(0))
    }

    /// Has these signers sign the repayment, each of whose signatures is checked; on failure returns the one that failed.
    async fn pre_sign(
        &self,
        payees: Payees<'_>,
        loan: &LoanRequest,
        keys: &[(usize, AttestedKey)],
    ) -> Result<Answer, (Option<usize>, SignerError)> {
        let repay = RepayKeys::new(keys.iter().map(|(_, key)| key.key)).map_err(|_| (None, SignerError::Nonsense))?;
        let built = loan.build(payees, repay).map_err(|refusal| (None, refusal.into()))?;
        let attested = keys.iter().map(|(_, key)| *key).collect();
        let request = SharedRequest::PrepareLoan { loan: Box::new(loan.clone()), keys: attested };
        let places: Vec<usize> = keys.iter().map(|(place, _)| *place).collect();
        let mut outcomes = self.send(&places, &Request::Shared(request), false);
        let mut shares = Vec::with_capacity(keys.len());
        while let Some((place, outcome)) = timeout(PRE_SIGNING_WAIT, outcomes.recv()).await.unwrap_or(None) {
            let failed = |error| (Some(place), error);
            let PreparedShare { payout, psbt } = match outcome {
                Ok(Answer::PreparedShare(share)) => *share,
                Ok(Answer::Refused(refusal)) => return Err(failed(refusal.into())),
                Ok(_) => return Err(failed(SignerError::Nonsense)),
                Err(error) => return Err(failed(error)),
            };
            let (_, key) = *keys.iter().find(|(of, _)| *of == place).ok_or(failed(SignerError::Nonsense))?;
            let is_valid = PayoutSignaturePair::from(payout).check(&built.loan, &key.key).is_ok();
            if !is_valid || psbt != built.template.psbt {
                warn(place, "its signatures are not valid for the repayment");
                return Err(failed(SignerError::Nonsense));
            }
            shares.push(RepaySignatures { key, payout });
        }
        let has_signed = |key: &AttestedKey| shares.iter().any(|share: &RepaySignatures| share.key == *key);
        if let Some((place, _)) = keys.iter().find(|(_, key)| !has_signed(key)) {
            return Err((Some(*place), SignerError::Unanswered { reason: "it did not sign in time".to_owned() }));
        }
        Ok(Answer::PreparedShared(Box::new(PreparedShared { repay: shares, psbt: built.template.psbt })))
    }

    /// Has a loan prepared, with other signers when one of those that made keys fails.
    pub(super) async fn prepare_loan(&self, loan: &LoanRequest) -> Outcome {
        let policy = self.policy_text().await?;
        let lender_id = loan.lender_id;
        let known = Request::Shared(SharedRequest::Vault { lender_id });
        let (known, first) =
            tokio::join!(self.equal_answer(&known, self.0.required), self.repay_keys(&policy, loan.loan_id, &[]));
        let (Answer::SharedVault(known), mut keys) = (known?, first?) else { return Err(SignerError::Nonsense) };
        let signers = VaultSigners::new(self.0.required, known.keys).map_err(|_| SignerError::Nonsense)?;
        let terms = VaultTerms { lender_id, signers, lender: known.lender };
        let vault = Vault::new(terms).map_err(|_| SignerError::Nonsense)?;
        let payees = Payees { vault: &vault, payment: &known.payment, platform: &policy.platform };
        let mut failed = Vec::new();
        loop {
            let error = match self.pre_sign(payees, loan, &keys).await {
                Ok(prepared) => return Ok(prepared),
                Err((None, error)) => return Err(error),
                Err((Some(place), error)) => {
                    failed.push(place);
                    error
                }
            };
            // With the others, as long as they are enough.
            keys = self.repay_keys(&policy, loan.loan_id, &failed).await.map_err(|_| error)?;
        }
    }
}
