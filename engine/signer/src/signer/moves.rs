//! Moves of whole vaults to other signers, by a message of the lender.

use bitcoin::{Address, FeeRate, Script};
use escrow::action::Action;
use escrow::address::{AddressKind, WalletAddress};
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};

use super::Signer;
use super::withdrawals::check_fee;
use crate::entry::Entry;
use crate::loan::{check_count, check_rate, check_same, unbuildable};
use crate::outflow::Purpose;
use crate::refusal::Refusal;
use crate::request::{Answer, MoveRequest};
use crate::signed_text::VerifiedMessage;
use crate::state::OpenVault;

impl Signer {
    /// Signs for the vault's outputs, all of which goes to the address in the message less a fee that it bounds. A message
    /// is valid for one transaction, whose signatures can be requested again. Once one is signed, nothing else is signed
    /// for the vault than later moves to the same address.
    pub(super) fn sign_move(&mut self, asked: MoveRequest, now_ms: u64) -> Result<Answer, Refusal> {
        let MoveRequest { lender_id, signed, vault_outputs, fee_rate_sat_per_kwu, psbt } = asked;
        let open = self.state.vault_ever(lender_id)?;
        let checked = signed.check(&self.policy, now_ms / 1_000)?;
        let Action::MoveVault { from_vault, to, fee_max_sats, payment_address, vault } = checked.action() else {
            return Err(Refusal::WrongAction { expected: "move vault".to_owned() });
        };
        let address = &checked.message.envelope().address;
        if *address != open.ordinals_address {
            return Err(Refusal::ForeignAddress { address: address.clone() });
        }
        VerifiedMessage::check_policy(&self.policy, from_vault)?;
        if vault == from_vault {
            return Err(Refusal::ImpossibleVault { reason: "it would move to the same signers".to_owned() });
        }
        let destination = self.move_destination(lender_id, open, to)?;
        if *payment_address != open.payment_address {
            let (registered, found) = (open.payment_address.clone(), payment_address.clone());
            return Err(Refusal::WrongAddress { registered, found });
        }
        check_count(vault_outputs.len())?;
        check_rate(&self.policy, fee_rate_sat_per_kwu)?;
        let own = self.own_vault(lender_id, open)?;
        let outputs: Vec<_> = vault_outputs.iter().map(|output| (output.outpoint, output.value())).collect();
        let whole = VaultWithdrawal {
            vault: &own.vault,
            outputs: &outputs,
            destination: &destination.script_pubkey(),
            share: Share::All,
            fee_rate: FeeRate::from_sat_per_kwu(fee_rate_sat_per_kwu),
            change_outputs: 1,
        };
        let template = whole.build().map_err(unbuildable)?;
        check_same(&template, &psbt)?;
        let transaction = own.outgoing(&template)?;
        let answer = own.sign(&template)?;
        if self.was_used(&checked, &signed)? {
            let envelope = checked.message.envelope();
            if self.state.transaction(&envelope.address, &envelope.nonce) != Some(transaction.txid) {
                return Err(Refusal::NonceUsed { nonce: envelope.nonce.clone() });
            }
        } else {
            check_fee(&template, Some(*fee_max_sats))?;
            self.state.outflow.check(&self.policy.draft().limits, now_ms, lender_id, (Purpose::Move, 0))?;
            self.record(now_ms, Entry::VaultMoved { lender_id, signed, transaction })?;
        }
        Ok(Answer::Signed(answer))
    }

    /// Parses the address in a `move vault`: that of a vault, and the same as before if there was a move.
    fn move_destination(&self, lender_id: u64, open: &OpenVault, to: &str) -> Result<WalletAddress, Refusal> {
        if let Some(known) = open.moved_to.as_ref().filter(|known| *known != to) {
            return Err(Refusal::VaultMoved { lender_id, to: known.clone() });
        }
        let impossible = |reason: String| Refusal::ImpossibleVault { reason };
        let address = WalletAddress::parse(to, self.policy.draft().network);
        let address = address.map_err(|error| impossible(error.to_string()))?;
        match address.kind() {
            AddressKind::P2tr => Ok(address),
            _ => Err(impossible(format!("{to} is no address of a vault"))),
        }
    }

    /// Refuses a `move vault` to another address than that of this vault.
    pub(super) fn check_vault_address(&self, script: &Script, signed: &str) -> Result<(), Refusal> {
        let address = Address::from_script(script, self.policy.draft().network).map_err(unbuildable)?;
        let (expected, found) = (address.to_string(), signed.to_owned());
        if expected == found { Ok(()) } else { Err(Refusal::OtherVaultAddress { expected, found }) }
    }
}
