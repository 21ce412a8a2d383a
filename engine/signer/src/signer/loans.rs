//! Loans: the pre-signed repayment, and the signature for the vault's outputs in the origination.

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::{Psbt, ScriptBuf};
use escrow::address::WalletAddress;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::loan::running_loan::PreSignatureError;

use super::{OwnVault, Signer};
use crate::entry::Entry;
use crate::ephemeral_key::EphemeralKey;
use crate::loan::{BuiltLoan, Payees, check_same};
use crate::outflow::Purpose;
use crate::refusal::Refusal;
use crate::request::{Answer, LoanRequest, PreparedLoan, SignLoan};
use crate::state::OpenVault;

impl Signer {
    /// Makes the repay key, signs with it, and destroys it. No money moves, and nothing is written: a loan that is
    /// never signed leaves no trace.
    pub(super) fn prepare_loan(&mut self, loan: &LoanRequest, now_ms: u64) -> Result<Answer, Refusal> {
        self.check_alone()?;
        let key = EphemeralKey::generate(&mut self.key_source);
        let repay_key = key.public_key();
        let beginning = self.check_new_loan(loan, repay_key.into(), now_ms)?;
        let payout = key.sign(&beginning.loan).map_err(bad_pre_signature)?;
        payout.check(&beginning.loan, &repay_key).map_err(bad_pre_signature)?;
        let (psbt, repay_proof) = (beginning.template.psbt, self.seed.repay_proof(repay_key));
        Ok(Answer::Prepared(Box::new(PreparedLoan { repay_key, repay_proof, payout: payout.into(), psbt })))
    }

    /// Signs for the vault's outputs. A repeated request for the same transaction gives the same signatures.
    pub(super) fn sign_loan(&mut self, asked: &SignLoan, now_ms: u64) -> Result<Answer, Refusal> {
        let SignLoan { loan, repay_key, repay_proof, payout, psbt } = asked;
        self.check_alone()?;
        if !is_same(*repay_proof, self.seed.repay_proof(*repay_key)) {
            return Err(Refusal::ForeignRepayKey);
        }
        let payout = PayoutSignatures::from(PayoutSignaturePair::from(*payout));
        self.sign_checked_loan(loan, (*repay_key).into(), &payout, psbt, now_ms)
    }

    /// Signs for the vault's outputs in a loan whose repay keys are known to be the signers'.
    pub(super) fn sign_checked_loan(
        &mut self,
        loan: &LoanRequest,
        repay: RepayKeys,
        payout: &PayoutSignatures,
        psbt: &Psbt,
        now_ms: u64,
    ) -> Result<Answer, Refusal> {
        let (vault, BuiltLoan { template, loan: running }) = self.check_loan(loan, repay, now_ms)?;
        check_same(&template, psbt)?;
        payout.check(&running).map_err(bad_pre_signature)?;
        let transaction = vault.outgoing(&template)?;
        let LoanRequest { lender_id, offer, loan_id, principal_sats, .. } = *loan;
        let signed = vault.sign(&template)?;
        let known = self.state.offer(lender_id, &offer)?;
        if !known.has_signed(transaction.txid) {
            known.check_time(now_ms / 1_000)?;
            self.check_delegated_sum(known, principal_sats, now_ms)?;
            let asked = (Purpose::Loan, transaction.sats);
            self.state.outflow.check(&self.policy.draft().limits, now_ms, lender_id, asked)?;
            self.record(now_ms, Entry::LoanSigned { lender_id, offer, loan_id, principal_sats, transaction })?;
        }
        Ok(Answer::Signed(signed))
    }

    /// Checks everything about a loan that was not signed before, and derives its origination.
    pub(super) fn check_new_loan(
        &mut self,
        loan: &LoanRequest,
        repay: RepayKeys,
        now_ms: u64,
    ) -> Result<BuiltLoan, Refusal> {
        let (vault, beginning) = self.check_loan(loan, repay, now_ms)?;
        let offer = self.state.offer(loan.lender_id, &loan.offer)?;
        offer.check_time(now_ms / 1_000)?;
        self.check_delegated_sum(offer, loan.principal_sats, now_ms)?;
        let asked = (Purpose::Loan, vault.outgoing(&beginning.template)?.sats);
        self.state.outflow.check(&self.policy.draft().limits, now_ms, loan.lender_id, asked)?;
        Ok(beginning)
    }

    /// Checks everything about a loan but the hour's limits, and derives its origination.
    fn check_loan(&self, loan: &LoanRequest, repay: RepayKeys, now_ms: u64) -> Result<(OwnVault, BuiltLoan), Refusal> {
        let open = self.state.vault(loan.lender_id)?;
        let offer = self.state.offer(loan.lender_id, &loan.offer)?;
        offer.check_usable(&self.policy.hash())?;
        self.check_delegated_loan(offer, loan)?;
        offer.check_borrower(&loan.borrower_payment, self.policy.draft().network)?;
        offer.check_term(loan.term, &self.sheet)?;
        loan.check_bounds(&self.policy, now_ms / 1_000)?;
        offer.check_use(loan.principal(), loan.pledged_amount()?, &loan.vault_inputs())?;
        let vault = self.own_vault(loan.lender_id, open)?;
        let payment = self.payment_script(open)?;
        let payees = Payees { vault: &vault.vault, payment: &payment, platform: self.policy.platform_script() };
        let beginning = loan.build(payees, repay)?;
        Ok((vault, beginning))
    }

    /// Returns the lender's payment script.
    pub(super) fn payment_script(&self, open: &OpenVault) -> Result<ScriptBuf, Refusal> {
        WalletAddress::parse(&open.payment_address, self.policy.draft().network)
            .map(|address| address.script_pubkey())
            .map_err(|error| Refusal::ImpossibleVault { reason: error.to_string() })
    }
}

/// Returns the refusal of a pre-signature.
pub(super) fn bad_pre_signature(error: PreSignatureError) -> Refusal {
    Refusal::BadPreSignature { reason: error.to_string() }
}

/// Compares the hashes of both, so that the timing reveals nothing about the proof.
fn is_same(found: sha256::Hash, expected: sha256::Hash) -> bool {
    let [found, expected] = [found, expected].map(|proof| sha256::Hash::hash(proof.as_byte_array()));
    found == expected
}
