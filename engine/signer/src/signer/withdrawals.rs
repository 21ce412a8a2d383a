//! Withdrawals to the lender, by a message of the lender.

use bitcoin::{Amount, FeeRate};
use escrow::action::Action;
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};

use super::Signer;
use crate::entry::Entry;
use crate::loan::{check_count, check_rate, check_same, unbuildable};
use crate::outflow::Purpose;
use crate::refusal::Refusal;
use crate::request::{Answer, WithdrawalRequest};
use crate::signed_text::VerifiedMessage;

impl Signer {
    /// Signs for the vault's outputs. A message is valid for one transaction, whose signatures can be requested again.
    pub(super) fn sign_withdrawal(&mut self, asked: WithdrawalRequest, now_ms: u64) -> Result<Answer, Refusal> {
        let WithdrawalRequest { lender_id, signed, vault_outputs, fee_rate_sat_per_kwu, back_outputs, psbt } = asked;
        let checked = self.check_lenders(lender_id, &signed, now_ms)?;
        let Action::Withdraw { sats, to, fee_max_sats, vault } = checked.action() else {
            return Err(Refusal::WrongAction { expected: "withdraw".to_owned() });
        };
        VerifiedMessage::check_policy(&self.policy, vault)?;
        let open = self.state.vault(lender_id)?;
        if *to != open.payment_address {
            let (registered, found) = (open.payment_address.clone(), to.clone());
            return Err(Refusal::WrongAddress { registered, found });
        }
        check_count(vault_outputs.len())?;
        check_rate(&self.policy, fee_rate_sat_per_kwu)?;
        let own = self.own_vault(lender_id, open)?;
        let outputs: Vec<_> = vault_outputs.iter().map(|output| (output.outpoint, output.value())).collect();
        let withdrawal = VaultWithdrawal {
            vault: &own.vault,
            outputs: &outputs,
            destination: &self.payment_script(open)?,
            share: Share::Part(Amount::from_sat(*sats)),
            fee_rate: FeeRate::from_sat_per_kwu(fee_rate_sat_per_kwu),
            change_outputs: usize::from(back_outputs),
        };
        let template = withdrawal.build().map_err(unbuildable)?;
        check_same(&template, &psbt)?;
        let transaction = own.outgoing(&template)?;
        let answer = own.sign(&template)?;
        if self.was_used(&checked, &signed)? {
            let envelope = checked.message.envelope();
            if self.state.transaction(&envelope.address, &envelope.nonce) != Some(transaction.txid) {
                return Err(Refusal::NonceUsed { nonce: envelope.nonce.clone() });
            }
        } else {
            check_fee(&template, *fee_max_sats)?;
            let asked = (Purpose::Withdrawal, transaction.sats);
            self.state.outflow.check(&self.policy.draft().limits, now_ms, lender_id, asked)?;
            self.record(now_ms, Entry::WithdrawalSigned { lender_id, signed, transaction })?;
        }
        Ok(Answer::Signed(answer))
    }
}

/// Checks the fee against what the lender signed. A message from before the fee limit existed is only valid for the
/// transaction that was signed by it then.
pub(super) fn check_fee(template: &Template, fee_max_sats: Option<u64>) -> Result<(), Refusal> {
    let max = fee_max_sats.ok_or(Refusal::NoFeeCeiling)?;
    let found = template.fee().ok_or_else(|| unbuildable("more comes out than goes in"))?.to_sat();
    if found > max { Err(Refusal::FeeAboveCeiling { max, found }) } else { Ok(()) }
}
