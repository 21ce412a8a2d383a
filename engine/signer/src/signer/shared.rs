//! Vaults that several signers share: this signer's key, its repay keys, and its part of a loan.

use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::vault::vault_signers::VaultSigners;

use super::Signer;
use super::loans::bad_pre_signature;
use crate::entry::SharedKeys;
use crate::identity::{AttestedKey, KeyPurpose};
use crate::loan::unbuildable;
use crate::pre_signed_loan::RepayShares;
use crate::refusal::Refusal;
use crate::request::shared::{PreparedShare, SharedRequest, SharedVault, SignSharedLoan};
use crate::request::{Answer, LoanRequest};
use crate::signer_set::SignerSet;

impl Signer {
    pub(super) fn answer_shared(&mut self, request: SharedRequest, now_ms: u64) -> Result<Answer, Refusal> {
        match request {
            SharedRequest::VaultKey { lender_id } => self.attested_vault_key(lender_id).map(Answer::Attested),
            SharedRequest::Vault { lender_id } => self.shared_vault(lender_id),
            SharedRequest::OpenVault { lender_id, lender, keys, signed } => {
                let required = self.signer_set()?.required();
                self.open_vault(lender_id, lender, Some(SharedKeys { required, keys }), signed, now_ms)
            }
            SharedRequest::RepayKey { loan_id } => self.make_repay_key(loan_id, now_ms),
            SharedRequest::PrepareLoan { loan, keys } => self.prepare_share(&loan, &keys, now_ms),
            SharedRequest::SignLoan(asked) => self.sign_shared_loan(*asked, now_ms),
        }
    }

    /// Refuses requests of a vault that this signer has alone.
    pub(super) fn check_alone(&self) -> Result<(), Refusal> {
        match self.policy.signers() {
            None => Ok(()),
            Some(set) => Err(Refusal::OtherSigners { required: set.required(), signers: set.identities().len() }),
        }
    }

    fn signer_set(&self) -> Result<&SignerSet, Refusal> {
        self.policy.signers().ok_or(Refusal::OtherSigners { required: 1, signers: 1 })
    }

    fn shared_vault(&self, lender_id: u64) -> Result<Answer, Refusal> {
        self.signer_set()?;
        let open = self.state.vault(lender_id)?;
        let keys = open.shared.as_ref().map(|signers| signers.keys().to_vec()).unwrap_or_default();
        Ok(Answer::SharedVault(SharedVault { lender: open.lender, keys, payment: self.payment_script(open)? }))
    }

    fn attested_vault_key(&self, lender_id: u64) -> Result<AttestedKey, Refusal> {
        self.signer_set()?;
        let purpose = KeyPurpose::Vault { network: self.policy.draft().network, lender_id };
        Ok(self.identity()?.attest(purpose, self.key(lender_id)?.public_key()))
    }

    /// Checks that there is an attested key of each signer, and that this signer's is the one that it would sign with.
    pub(super) fn check_shared_keys(&self, lender_id: u64, shared: &SharedKeys) -> Result<VaultSigners, Refusal> {
        let set = self.signer_set()?;
        let purpose = KeyPurpose::Vault { network: self.policy.draft().network, lender_id };
        let signers = set.vault_signers(purpose, &shared.keys)?;
        if signers.keys().contains(&self.key(lender_id)?.public_key()) {
            Ok(signers)
        } else {
            let expected = set.identities().len();
            Err(Refusal::ForeignKeys { expected, found: expected - 1 })
        }
    }

    /// Makes a repay key. Nothing is written: a key that is not used within a minute is destroyed.
    fn make_repay_key(&mut self, loan_id: u128, now_ms: u64) -> Result<Answer, Refusal> {
        self.signer_set()?;
        let purpose = self.repay_purpose(loan_id);
        let key = self.waiting_keys.make(&mut self.key_source, loan_id, now_ms);
        Ok(Answer::Attested(self.identity()?.attest(purpose, key)))
    }

    /// Signs with this signer's repay key for the escrow that has the keys of all, and destroys the key, also when the loan
    /// is refused.
    fn prepare_share(&mut self, loan: &LoanRequest, keys: &[AttestedKey], now_ms: u64) -> Result<Answer, Refusal> {
        let set = self.signer_set()?;
        set.check_repay_keys(self.repay_purpose(loan.loan_id), keys)?;
        let identity = self.identity()?.public_key();
        let own = keys.iter().find(|attested| attested.signer == identity).ok_or(Refusal::NoRepayKey)?;
        let key = self.waiting_keys.take(own.key, loan.loan_id, now_ms).ok_or(Refusal::NoRepayKey)?;
        let repay = RepayKeys::new(keys.iter().map(|attested| attested.key)).map_err(unbuildable)?;
        let beginning = self.check_new_loan(loan, repay, now_ms)?;
        let payout = key.sign(&beginning.loan).map_err(bad_pre_signature)?;
        payout.check(&beginning.loan, &own.key).map_err(bad_pre_signature)?;
        let psbt = beginning.template.psbt;
        Ok(Answer::PreparedShare(Box::new(PreparedShare { payout: payout.into(), psbt })))
    }

    /// Signs for the vault's outputs, once each repay key is attested and has signed the repayment.
    fn sign_shared_loan(&mut self, asked: SignSharedLoan, now_ms: u64) -> Result<Answer, Refusal> {
        let SignSharedLoan { loan, repay, psbt } = asked;
        let keys: Vec<AttestedKey> = repay.iter().map(|share| share.key).collect();
        self.signer_set()?.check_repay_keys(self.repay_purpose(loan.loan_id), &keys)?;
        let repay = RepayShares::Shared(repay);
        self.sign_checked_loan(&loan, repay.keys().map_err(unbuildable)?, &repay.payout(), &psbt, now_ms)
    }

    const fn repay_purpose(&self, loan_id: u128) -> KeyPurpose {
        KeyPurpose::Repay { network: self.policy.draft().network, loan_id }
    }
}
