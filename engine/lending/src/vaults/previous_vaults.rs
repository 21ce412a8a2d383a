//! The vaults that a lender has moved away from: what was paid to their addresses since, and the kits that take it out.
//!
//! Their signers sign nothing for them any more but the move, so a late deposit is taken out by the lender alone, by the
//! exit leaf, 144 blocks after it.

use std::collections::BTreeSet;

use domain::{Sats, SignerKeys, UserId, VaultKeys};
use engine::coin_index::{CoinIndex as _, LISTED_MAX};
use escrow::contract::vault::Vault;
use escrow::kit::Kit;
use escrow::kit::vault_kit::VaultKit;

use crate::lookups::lookup::LookupError;
use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;
use crate::vaults::vault::{NoVault, address_of, contract_of, sats};

/// A vault that was moved.
#[derive(Clone, Debug)]
pub struct PreviousVault {
    /// Its address.
    pub address: String,
    /// The confirmed amount at that address.
    pub sats: Sats,
    /// The number of these outputs.
    pub outputs: usize,
}

impl<P: Ports> LoanService<P> {
    /// Returns the vaults that a lender has moved away from, with what is at their addresses.
    ///
    /// # Errors
    /// If the node or the index of coins does not answer.
    pub async fn previous_vaults(&self, lender: UserId) -> Result<Vec<PreviousVault>, LookupError> {
        let mut all = Vec::new();
        for (address, vault) in self.earlier_contracts(lender).await {
            let script = vault.output().script_pubkey();
            let mut listed = self.ports.coins().outputs_of(&script).await?;
            // Anyone can pay to an address, and as often as is liked.
            listed.truncate(LISTED_MAX);
            let unspent = self.lookup().unspent_outputs(listed.into_iter().collect::<BTreeSet<_>>()).await?;
            let own = unspent.into_values().map(|(unspent, _)| unspent.output);
            let amounts: Vec<Sats> =
                own.filter(|output| output.script_pubkey == script).map(|output| sats(output.value)).collect();
            let (outputs, sats) = (amounts.len(), amounts.into_iter().sum());
            all.push(PreviousVault { address, sats, outputs });
        }
        Ok(all)
    }

    /// Returns the kit of a vault that a lender has moved away from, by its address.
    ///
    /// # Errors
    /// [`NoVault::NotOpen`] for an address that none of them has.
    pub async fn previous_vault_kit(&self, lender: UserId, address: &str) -> Result<Kit, NoVault> {
        let mut all = self.earlier_contracts(lender).await.into_iter();
        let (_, vault) = all.find(|(other, _)| other == address).ok_or(NoVault::NotOpen(lender))?;
        Ok(Kit::Vault(Box::new(VaultKit::new(self.rules.network, vault))))
    }

    async fn earlier_contracts(&self, lender: UserId) -> Vec<(String, Vault)> {
        let Some(ledger) = self.market.vault_ledger(lender).await else { return Vec::new() };
        let Some(keys) = ledger.keys() else { return Vec::new() };
        let contract = |signers: &SignerKeys| {
            let vault = contract_of(lender, &VaultKeys { signers: signers.clone(), ..keys.clone() }).ok()?;
            Some((address_of(&vault, self.rules.network)?, vault))
        };
        ledger.previous_signers().iter().filter_map(contract).collect()
    }
}
