//! The choice of a withdrawal's outputs, and its transaction.

use std::collections::BTreeSet;

use bitcoin::{Amount, FeeRate, OutPoint, Txid};
use domain::{COINS_MAX, Outpoint, Sats, VaultChange, VaultRejection};
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};

use super::WithdrawalError;
use crate::vaults::lender_order;
use crate::vaults::vault::{LenderVault, amount, sats};
use crate::vaults::vault_split;

/// An unsigned withdrawal.
pub(super) struct Plan {
    pub(super) template: Template,
    pub(super) txid: Txid,
    pub(super) outpoints: Vec<Outpoint>,
    /// The outputs in Bitcoin's types, with their values.
    pub(super) outputs: Vec<(OutPoint, Amount)>,
    /// The change outputs.
    pub(super) change: VaultChange,
    /// The number of change outputs.
    pub(super) change_outputs: u8,
}

/// Returns the unreserved amount that one transaction can spend.
pub(super) fn spendable_max(ledger: &domain::Vault) -> Result<Sats, VaultRejection> {
    let mut free: Vec<Sats> =
        ledger.outputs().filter(|(_, output)| output.is_free()).map(|(_, output)| output.amount).collect();
    free.sort_unstable_by(|one, other| other.cmp(one));
    let all = free.into_iter().take(COINS_MAX).sum::<Sats>().min(ledger.usable());
    if all == Sats::ZERO {
        return Err(VaultRejection::Insufficient { needed: Sats::new(1), usable: all });
    }
    Ok(all)
}

impl Plan {
    /// Plans a withdrawal of an amount, from the outputs that suit it best.
    pub(super) fn choose(vault: &LenderVault, wanted: Sats, fee_rate: FeeRate) -> Result<Self, WithdrawalError> {
        let usable = vault.ledger.usable();
        if wanted > usable {
            return Err(VaultRejection::Insufficient { needed: wanted, usable }.into());
        }
        let mut outpoints = vault.ledger.select_coins(wanted, &BTreeSet::new())?;
        outpoints.extend(vault_split::outputs_to_merge(&vault.ledger, &outpoints, amount(wanted), fee_rate));
        let missing = || VaultRejection::Insufficient { needed: wanted, usable };
        let outputs = vault.outputs(&outpoints).ok_or_else(missing)?;
        let held = outputs.iter().map(|(_, value)| *value).sum::<Amount>();
        let rest = held.checked_sub(amount(wanted)).unwrap_or(Amount::ZERO);
        let script = vault.script_pubkey();
        let change_outputs = vault_split::change_outputs(&vault.ledger, &outpoints, rest, &script, fee_rate);
        let change_outputs = change_outputs.min(vault_split::affordable_outputs(amount(wanted), &script, fee_rate));
        Self::from_outputs(vault, (outpoints, outputs), wanted, fee_rate, change_outputs)
    }

    /// Plans a withdrawal of an amount from these outputs, with this number of change outputs.
    pub(super) fn from_outputs(
        vault: &LenderVault,
        (outpoints, outputs): (Vec<Outpoint>, Vec<(OutPoint, Amount)>),
        wanted: Sats,
        fee_rate: FeeRate,
        change_outputs: u8,
    ) -> Result<Self, WithdrawalError> {
        let payment_script = vault.payment_address.script_pubkey();
        let share = Share::Part(amount(wanted));
        let withdrawal = VaultWithdrawal {
            vault: &vault.contract,
            outputs: &outputs,
            destination: &payment_script,
            share,
            fee_rate,
            change_outputs: usize::from(change_outputs),
        };
        let template = withdrawal.build()?;
        let txid = template.final_txid();
        let change = vault_split::change_to_vault(&vault.script_pubkey(), &template);
        Ok(Self { template, txid, outpoints, outputs, change, change_outputs })
    }

    /// The fee.
    pub(super) fn fee(&self) -> Sats {
        lender_order::fee(&self.template)
    }

    /// The amount that the lender receives: the last output.
    pub(super) fn received(&self) -> Sats {
        self.template.output_amounts().last().copied().map_or(Sats::ZERO, sats)
    }
}
