//! Fee bumps: children of the signer's own unconfirmed transactions.

use bitcoin::Amount;
use escrow::contract::vault::fee_bump::{FeeBump, FeeBumpError};

use super::Signer;
use crate::entry::Entry;
use crate::loan::{check_same, unbuildable};
use crate::outflow::Purpose;
use crate::refusal::Refusal;
use crate::request::{Answer, FeeBumpRequest};

impl Signer {
    /// Signs for one change output of a loan or withdrawal that it signed before, which goes back to the same vault
    /// minus the fee. Each of them gets one child: a request for another one is refused with the one that was signed.
    pub(super) fn bump_fee(&mut self, asked: &FeeBumpRequest, now_ms: u64) -> Result<Answer, Refusal> {
        let FeeBumpRequest { lender_id, vault_output, fee_sats, psbt } = asked;
        let (lender_id, spent) = (*lender_id, vault_output.outpoint);
        let own = self.own_vault(lender_id, self.state.vault(lender_id)?)?;
        let output = (spent, vault_output.value());
        let bump = FeeBump { vault: &own.vault, output, fee: Amount::from_sat(*fee_sats) };
        let template = bump.build().map_err(|error| match error {
            FeeBumpError::FeeTooHigh { max, found } => {
                Refusal::FeeBumpTooHigh { max: max.to_sat(), found: found.to_sat() }
            }
            other => unbuildable(other),
        })?;
        check_same(&template, psbt)?;
        let transaction = own.outgoing(&template)?;
        let answer = own.sign(&template)?;
        if !self.state.fee_bumps.is_signed(now_ms, lender_id, (spent, transaction.txid))? {
            self.state.fee_bumps.check(now_ms, lender_id, transaction.sats)?;
            let asked = (Purpose::FeeBump, transaction.sats);
            self.state.outflow.check(&self.policy.draft().limits, now_ms, lender_id, asked)?;
            self.record(now_ms, Entry::FeeBumpSigned { lender_id, transaction })?;
        }
        Ok(Answer::Signed(answer))
    }
}
