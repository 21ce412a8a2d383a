//! The vaults and pledges of all users as plain sets, from the events alone.

use std::collections::{HashMap, HashSet};

use domain::{AssetEvent, LoanEvent, LoanId, Outpoint, ReservationId, SpendId, UserId, VaultEvent};

/// One vault.
#[derive(Default)]
struct Vault {
    /// Confirmed outputs that nothing spends, with their sats.
    coins: HashMap<Outpoint, u64>,
    spent: HashMap<Outpoint, (SpendId, u64)>,
    holds: HashMap<ReservationId, u64>,
    credited: u64,
}

/// All vaults, pledged outpoints and pledged inscriptions. Every method returns the first thing that cannot be.
#[derive(Default)]
pub struct NaiveVaults {
    vaults: HashMap<UserId, Vault>,
    locked: HashMap<Outpoint, ReservationId>,
    pledged_ids: HashMap<LoanId, Vec<String>>,
    pledged: HashMap<String, LoanId>,
    signed: HashSet<LoanId>,
    spent_by_loans: HashMap<Outpoint, LoanId>,
}

impl NaiveVaults {
    /// Applies an event of a vault.
    pub fn apply_vault(&mut self, owner: UserId, event: &VaultEvent) -> Result<(), String> {
        let vault = self.vaults.entry(owner).or_default();
        match event {
            VaultEvent::Credited { amount } => vault.credited += amount.get(),
            VaultEvent::Debited { amount } => {
                let left = vault.credited.checked_sub(amount.get());
                vault.credited = left.ok_or_else(|| format!("the vault of {owner} was debited what it lacks"))?;
            }
            VaultEvent::Held { reservation, amount } => {
                if vault.holds.insert(*reservation, amount.get()).is_some() {
                    return Err(format!("{reservation} is held twice in the vault of {owner}"));
                }
                let (has, held) = (vault.credited + vault.coins.values().sum::<u64>(), vault.holds.values().sum());
                if has < held {
                    return Err(format!("the vault of {owner} is overdrawn: it has {has} sats, and {held} are held"));
                }
            }
            VaultEvent::Released { reservation } | VaultEvent::Lent { reservation } => {
                vault.holds.remove(reservation);
            }
            VaultEvent::OutputConfirmed { outpoint, amount, .. } => {
                vault.coins.insert(*outpoint, amount.get());
            }
            VaultEvent::OutputUnconfirmed { outpoint } | VaultEvent::OutputSpent { outpoint } => {
                vault.coins.remove(outpoint);
            }
            VaultEvent::Spent { reservation, outpoints, .. } => {
                vault.holds.remove(reservation);
                vault.spend(owner, SpendId::Loan(*reservation), outpoints)?;
            }
            VaultEvent::Withdrawing { id, outpoints, .. } => vault.spend(owner, SpendId::Withdrawal(*id), outpoints)?,
            VaultEvent::SpendFailed { spend } => vault.spent.retain(|_, (by, _)| by != spend),
            _ => {}
        }
        Ok(())
    }

    /// Applies an event of the pledged outpoints.
    pub fn apply_asset(&mut self, event: &AssetEvent) -> Result<(), String> {
        match event {
            AssetEvent::Locked { outpoint, reservation } => match self.locked.insert(*outpoint, *reservation) {
                Some(holder) => Err(format!("an outpoint is pledged for {reservation} and for {holder}")),
                None => Ok(()),
            },
            AssetEvent::Unlocked { outpoint } => match self.locked.remove(outpoint) {
                Some(_) => Ok(()),
                None => Err("an outpoint is freed that was not pledged".to_owned()),
            },
        }
    }

    /// Applies an event of a loan.
    pub fn apply_loan(&mut self, loan: LoanId, event: &LoanEvent) -> Result<(), String> {
        match event {
            LoanEvent::Prepared { deal, .. }
            | LoanEvent::SoftPrepared { deal, .. }
            | LoanEvent::ExtensionPrepared { deal, .. } => {
                let ids = deal.pledged_ids.iter().map(ToString::to_string).collect();
                self.pledged_ids.insert(loan, ids);
            }
            LoanEvent::Signed { vault, .. } => {
                if !self.signed.insert(loan) {
                    return Err(format!("{loan} is signed twice"));
                }
                for id in self.pledged_ids.get(&loan).into_iter().flatten() {
                    if let Some(other) = self.pledged.insert(id.clone(), loan) {
                        return Err(format!("{id} is pledged for {loan} and for {other}"));
                    }
                }
                for outpoint in vault.iter().flat_map(|spend| &spend.outputs) {
                    if let Some(other) = self.spent_by_loans.insert(*outpoint, loan) {
                        return Err(format!("{loan} and {other} are paid by one output of a vault"));
                    }
                }
            }
            LoanEvent::Ended { .. } | LoanEvent::Failed => self.pledged.retain(|_, holder| *holder != loan),
            _ => {}
        }
        if matches!(event, LoanEvent::Failed) {
            self.spent_by_loans.retain(|_, by| *by != loan);
        }
        Ok(())
    }
}

impl Vault {
    fn spend(&mut self, owner: UserId, by: SpendId, outpoints: &[Outpoint]) -> Result<(), String> {
        for outpoint in outpoints {
            let Some(sats) = self.coins.remove(outpoint) else {
                let before = self.spent.get(outpoint);
                return Err(format!("the vault of {owner} spends for {by:?} what it lacks; spent before: {before:?}"));
            };
            self.spent.insert(*outpoint, (by, sats));
        }
        Ok(())
    }
}
