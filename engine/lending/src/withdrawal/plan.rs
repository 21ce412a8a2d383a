//! Which outputs a withdrawal takes, and the transaction that takes them.

use std::collections::BTreeSet;

use bitcoin::{Amount, FeeRate, OutPoint, Txid};
use domain::{COINS_MAX, Outpoint, Sats, VaultChange, VaultRejection};
use escrow::contract::template::Template;
use escrow::contract::vault_withdrawal::{Share, VaultWithdrawal};

use super::{FEE_SLACK_PERCENT, WithdrawalError};
use crate::vault::{OwnVault, amount, sats};
use crate::vault_split;

/// A withdrawal before it is signed.
pub(super) struct Plan {
    pub(super) template: Template,
    pub(super) txid: Txid,
    pub(super) outpoints: Vec<Outpoint>,
    /// The same as the chain has them, with what they hold.
    pub(super) outputs: Vec<(OutPoint, Amount)>,
    /// What goes back.
    pub(super) change: VaultChange,
    /// In how many outputs.
    pub(super) back_outputs: u8,
}

/// All that one transaction can take and nobody is promised.
pub(super) fn all_of(ledger: &domain::Vault) -> Result<Sats, VaultRejection> {
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
    /// A withdrawal of so much, from the outputs that suit it best.
    pub(super) fn choose(vault: &OwnVault, wanted: Sats, fee_rate: FeeRate) -> Result<Self, WithdrawalError> {
        let usable = vault.ledger.usable();
        if wanted > usable {
            return Err(VaultRejection::Insufficient { needed: wanted, usable }.into());
        }
        let mut outpoints = vault.ledger.coins_for(wanted, &BTreeSet::new())?;
        outpoints.extend(vault_split::merged(&vault.ledger, &outpoints, amount(wanted), fee_rate));
        let missing = || VaultRejection::Insufficient { needed: wanted, usable };
        let outputs = vault.outputs(&outpoints).ok_or_else(missing)?;
        let held = outputs.iter().map(|(_, value)| *value).sum::<Amount>();
        let rest = held.checked_sub(amount(wanted)).unwrap_or(Amount::ZERO);
        let script = vault.script_pubkey();
        let back = vault_split::change_outputs(&vault.ledger, &outpoints, rest, &script, fee_rate);
        let back = back.min(vault_split::outputs_paid_by(amount(wanted), &script, fee_rate));
        Self::of(vault, (outpoints, outputs), wanted, fee_rate, back)
    }

    /// A withdrawal of so much from these outputs, of which the rest goes back in so many.
    pub(super) fn of(
        vault: &OwnVault,
        (outpoints, outputs): (Vec<Outpoint>, Vec<(OutPoint, Amount)>),
        wanted: Sats,
        fee_rate: FeeRate,
        back_outputs: u8,
    ) -> Result<Self, WithdrawalError> {
        let home = vault.home.script_pubkey();
        let share = Share::Part(amount(wanted));
        let withdrawal = VaultWithdrawal {
            vault: &vault.contract,
            outputs: &outputs,
            home: &home,
            share,
            fee_rate,
            back_outputs: usize::from(back_outputs),
        };
        let template = withdrawal.build()?;
        let txid = template.final_txid();
        let change = vault_split::returned_to(&vault.script_pubkey(), &template);
        Ok(Self { template, txid, outpoints, outputs, change, back_outputs })
    }

    /// What the miners get.
    pub(super) fn fee(&self) -> Sats {
        // A template that was built pays a fee.
        self.template.fee().map_or(Sats::ZERO, sats)
    }

    /// What the lender signs for the miners at most.
    pub(super) fn fee_max(&self) -> Sats {
        let slack = self.fee().get().saturating_mul(FEE_SLACK_PERCENT).div_ceil(100);
        self.fee().saturating_add(Sats::new(slack))
    }

    /// What the lender gets: the last output.
    pub(super) fn arrives(&self) -> Sats {
        self.template.output_amounts().last().copied().map_or(Sats::ZERO, sats)
    }
}
