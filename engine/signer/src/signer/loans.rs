//! Loans: the pre-signed repayment, and the signature for the vault's outputs in the origination.

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::{ScriptBuf, XOnlyPublicKey};
use escrow::address::WalletAddress;
use escrow::contract::loan::payout_signatures::PayoutSignatures;

use super::{OwnVault, Signer};
use crate::entry::Entry;
use crate::ephemeral_key::EphemeralKey;
use crate::loan::{BuiltLoan, Payee, check_same};
use crate::outflow::Purpose;
use crate::refusal::Refusal;
use crate::request::{Answer, LoanRequest, PreparedLoan, SignLoan};
use crate::state::OpenVault;

impl Signer {
    /// Makes the repay key, signs with it, and destroys it. No money moves, and nothing is written: a loan that is
    /// never signed leaves no trace.
    pub(super) fn prepare_loan(&mut self, loan: &LoanRequest, now_ms: u64) -> Result<Answer, Refusal> {
        let key = EphemeralKey::generate();
        let repay_key = key.public_key();
        let (vault, beginning) = self.check_loan(loan, repay_key, now_ms)?;
        let offer = self.state.offer(loan.lender_id, &loan.offer)?;
        offer.check_time(now_ms / 1_000)?;
        self.check_delegated_sum(offer, loan.principal_sats, now_ms)?;
        let asked = (Purpose::Loan, vault.outgoing(&beginning.template)?.sats);
        self.state.outflow.check(&self.policy.draft().limits, now_ms, loan.lender_id, asked)?;
        let bad = |error: escrow::contract::loan::running_loan::PreSignatureError| Refusal::BadPreSignature {
            reason: error.to_string(),
        };
        let payout = key.sign(&beginning.loan).map_err(bad)?;
        payout.check(&beginning.loan, &repay_key).map_err(bad)?;
        let (psbt, repay_proof) = (beginning.template.psbt, self.seed.repay_proof(repay_key));
        Ok(Answer::Prepared(Box::new(PreparedLoan { repay_key, repay_proof, payout: payout.into(), psbt })))
    }

    /// Signs for the vault's outputs. A repeated request for the same transaction gives the same signatures.
    pub(super) fn sign_loan(&mut self, asked: &SignLoan, now_ms: u64) -> Result<Answer, Refusal> {
        let SignLoan { loan, repay_key, repay_proof, payout, psbt } = asked;
        if !is_same(*repay_proof, self.seed.repay_proof(*repay_key)) {
            return Err(Refusal::ForeignRepayKey);
        }
        let (vault, BuiltLoan { template, loan: running }) = self.check_loan(loan, *repay_key, now_ms)?;
        check_same(&template, psbt)?;
        PayoutSignatures::from(*payout)
            .check(&running)
            .map_err(|error| Refusal::BadPreSignature { reason: error.to_string() })?;
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

    /// Checks everything about a loan but the hour's limits, and derives its origination.
    fn check_loan(
        &self,
        loan: &LoanRequest,
        repay: XOnlyPublicKey,
        now_ms: u64,
    ) -> Result<(OwnVault, BuiltLoan), Refusal> {
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
        let payee = Payee { vault: &vault.vault, payment: &payment };
        let beginning = loan.build(&self.policy, payee, repay)?;
        Ok((vault, beginning))
    }

    /// Returns the lender's payment script.
    pub(super) fn payment_script(&self, open: &OpenVault) -> Result<ScriptBuf, Refusal> {
        WalletAddress::parse(&open.payment_address, self.policy.draft().network)
            .map(|address| address.script_pubkey())
            .map_err(|error| Refusal::ImpossibleVault { reason: error.to_string() })
    }
}

/// Compares the hashes of both, so that the timing reveals nothing about the proof.
fn is_same(found: sha256::Hash, expected: sha256::Hash) -> bool {
    let [found, expected] = [found, expected].map(|proof| sha256::Hash::hash(proof.as_byte_array()));
    found == expected
}
