//! Which outputs a withdrawal takes, and the transaction that takes them.

use std::collections::BTreeSet;

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, FeeRate, OutPoint, Txid};
use domain::{COINS_MAX, Outpoint, Sats, VaultRejection};
use escrow::contract::template::Template;
use escrow::contract::vault_withdrawal::{Share, VaultWithdrawal};

use super::WithdrawalError;
use crate::vault::{OwnVault, amount, sats};

/// A withdrawal before it is signed.
pub(super) struct Plan {
    pub(super) template: Template,
    pub(super) txid: Txid,
    pub(super) outpoints: Vec<Outpoint>,
    /// The same as the chain has them, with what they hold.
    pub(super) outputs: Vec<(OutPoint, Amount)>,
    /// What goes back.
    pub(super) change: Option<(Outpoint, Sats)>,
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
        let outpoints = vault.ledger.coins_for(wanted, &BTreeSet::new())?;
        let missing = || VaultRejection::Insufficient { needed: wanted, usable };
        let outputs = vault.outputs(&outpoints).ok_or_else(missing)?;
        Self::of(vault, outpoints, outputs, wanted, fee_rate)
    }

    /// A withdrawal of so much from these outputs.
    pub(super) fn of(
        vault: &OwnVault,
        outpoints: Vec<Outpoint>,
        outputs: Vec<(OutPoint, Amount)>,
        wanted: Sats,
        fee_rate: FeeRate,
    ) -> Result<Self, WithdrawalError> {
        let home = vault.home.script_pubkey();
        let share = Share::Part(amount(wanted));
        let withdrawal = VaultWithdrawal { vault: &vault.contract, outputs: &outputs, home: &home, share, fee_rate };
        let template = withdrawal.build()?;
        let txid = template.final_txid();
        let script = vault.script_pubkey();
        let mut back =
            (0..).zip(&template.psbt.unsigned_tx.output).filter(|(_, output)| output.script_pubkey == script);
        let change =
            back.next().map(|(vout, output)| (Outpoint { txid: txid.to_byte_array(), vout }, sats(output.value)));
        Ok(Self { template, txid, outpoints, outputs, change })
    }

    /// What the miners get.
    pub(super) fn fee(&self) -> Sats {
        // A template that was built pays a fee.
        self.template.fee().map_or(Sats::ZERO, sats)
    }

    /// What the lender gets: the last output.
    pub(super) fn arrives(&self) -> Sats {
        self.template.output_amounts().last().copied().map_or(Sats::ZERO, sats)
    }
}
