//! The transaction of a move.

use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, Txid};
use domain::{Outpoint, Sats, VaultChange, VaultRejection};
use escrow::address::WalletAddress;
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::Vault;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};

use super::MoveError;
use crate::vaults::lender_order;
use crate::vaults::vault::{LenderVault, sats};
use crate::vaults::vault_split;

/// An unsigned move.
pub(super) struct Plan {
    pub(super) template: Template,
    pub(super) txid: Txid,
    pub(super) outpoints: Vec<Outpoint>,
    /// The outputs in Bitcoin's types, with their values.
    pub(super) outputs: Vec<(OutPoint, Amount)>,
    /// The output to the new vault.
    pub(super) arriving: VaultChange,
}

impl Plan {
    /// Plans a move of all that a vault holds.
    pub(super) fn of_all(vault: &LenderVault, to: &Vault, fee_rate: FeeRate) -> Result<Self, MoveError> {
        let outpoints = vault.ledger.outputs_to_move()?;
        let known = vault.outputs(&outpoints);
        let outputs = known.filter(|outputs| !outputs.is_empty()).ok_or_else(|| {
            let (needed, usable) = (Sats::new(1), vault.ledger.usable());
            VaultRejection::Insufficient { needed, usable }
        })?;
        Self::build(vault, (outpoints, outputs), &to.output().script_pubkey(), fee_rate)
    }

    /// Plans a move of these outputs to a signed address.
    pub(super) fn to_address(
        vault: &LenderVault,
        spent: (Vec<Outpoint>, Vec<(OutPoint, Amount)>),
        to: &str,
        fee_rate: FeeRate,
    ) -> Result<Self, MoveError> {
        let network = vault.payment_address.network();
        let address = WalletAddress::parse(to, network).map_err(|_| MoveError::WrongAction)?;
        Self::build(vault, spent, &address.script_pubkey(), fee_rate)
    }

    fn build(
        vault: &LenderVault,
        (outpoints, outputs): (Vec<Outpoint>, Vec<(OutPoint, Amount)>),
        to: &ScriptBuf,
        fee_rate: FeeRate,
    ) -> Result<Self, MoveError> {
        let whole = VaultWithdrawal {
            vault: &vault.contract,
            outputs: &outputs,
            destination: to,
            share: Share::All,
            fee_rate,
            change_outputs: 1,
        };
        let template = whole.build()?;
        let txid = template.final_txid();
        let arriving = vault_split::change_to_vault(to, &template);
        Ok(Self { template, txid, outpoints, outputs, arriving })
    }

    /// The sum of the outputs that it spends.
    pub(super) fn taken(&self) -> Sats {
        self.outputs.iter().map(|(_, value)| sats(*value)).sum()
    }

    /// The fee.
    pub(super) fn fee(&self) -> Sats {
        lender_order::fee(&self.template)
    }
}
