//! The history of a vault, derived from its stream of the journal.

use std::collections::{HashMap, HashSet};

use domain::{Nonce, Outpoint, ReservationId, Sats, SpendId, VaultChange, VaultEvent};

/// The kinds of history entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A credit without an output on the chain.
    Credited,
    /// A debit without an output on the chain.
    Debited,
    /// A deposit was confirmed.
    Deposited,
    /// Change of the vault's own transaction was confirmed.
    ChangeConfirmed,
    /// A reorg disconnected an output's block.
    Unconfirmed,
    /// An output was spent by a transaction that is not the vault's own, or was not mined again.
    SpentElsewhere,
    /// A withdrawal was begun.
    Withdrawing,
    /// A move to other signers was begun.
    Moving,
    /// A loan took outputs.
    Lent,
    /// A child raised the fee of an unconfirmed transaction.
    FeeBump,
    /// A transaction that took outputs is buried.
    Settled,
    /// A transaction that took outputs can never confirm, and released them.
    Released,
}

/// An entry of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Its kind.
    pub kind: EntryKind,
    /// The amount, where known.
    pub sats: Option<Sats>,
    /// The txid in internal byte order, and the index of the output concerned.
    pub transaction: Option<([u8; 32], Option<u32>)>,
}

/// A reader of a vault's stream, from its beginning.
#[derive(Debug, Default)]
pub struct VaultHistory {
    outputs: HashMap<Outpoint, Sats>,
    changes: HashSet<Outpoint>,
    spends: HashMap<SpendId, ([u8; 32], Sats)>,
    holds: HashMap<ReservationId, Sats>,
}

impl VaultHistory {
    /// Returns the entry of an event, if there is one.
    pub fn apply(&mut self, event: &VaultEvent) -> Option<HistoryEntry> {
        match event {
            VaultEvent::Credited { amount } => {
                (*amount > Sats::ZERO).then(|| amount_entry(EntryKind::Credited, *amount))
            }
            VaultEvent::Debited { amount } => Some(amount_entry(EntryKind::Debited, *amount)),
            VaultEvent::Held { reservation, amount } => {
                self.holds.insert(*reservation, *amount);
                None
            }
            VaultEvent::Released { reservation } => {
                self.holds.remove(reservation);
                None
            }
            VaultEvent::Lent { reservation } => {
                let sats = self.holds.remove(reservation);
                Some(HistoryEntry { kind: EntryKind::Lent, sats, transaction: None })
            }
            VaultEvent::OutputConfirmed { outpoint, amount, .. } => {
                self.outputs.insert(*outpoint, *amount);
                let is_change = self.changes.contains(outpoint);
                let happened = if is_change { EntryKind::ChangeConfirmed } else { EntryKind::Deposited };
                Some(HistoryEntry {
                    transaction: Some((outpoint.txid, Some(outpoint.vout))),
                    ..amount_entry(happened, *amount)
                })
            }
            VaultEvent::OutputUnconfirmed { outpoint } => Some(self.of_output(EntryKind::Unconfirmed, outpoint)),
            VaultEvent::OutputSpent { outpoint } => Some(self.of_output(EntryKind::SpentElsewhere, outpoint)),
            VaultEvent::Spent { reservation, txid, outpoints, change } => {
                self.holds.remove(reservation);
                let taken: Sats = outpoints.iter().filter_map(|outpoint| self.outputs.get(outpoint)).copied().sum();
                let sats = taken.saturating_sub(change.total());
                Some(self.take_outputs(SpendId::Loan(*reservation), (*txid, sats), change))
            }
            VaultEvent::Withdrawing { id, txid, amount, change, .. } => {
                Some(self.take_outputs(SpendId::Withdrawal(*id), (*txid, *amount), change))
            }
            VaultEvent::FeeBumped { parent, fee, change, .. } => {
                let left = (change.0.txid, *fee);
                Some(self.take_outputs(SpendId::FeeBump(*parent), left, &VaultChange::from(Some(*change))))
            }
            VaultEvent::SpendFailed { spend } => self.of_spend(EntryKind::Released, spend),
            VaultEvent::SpendSettled { spend } => self.of_spend(EntryKind::Settled, spend),
            VaultEvent::Moving { id, txid, outpoints, arriving, .. } => {
                let taken: Sats = outpoints.iter().filter_map(|outpoint| self.outputs.get(outpoint)).copied().sum();
                let fee = taken.saturating_sub(arriving.total());
                Some(self.take_outputs(SpendId::Move(*id), (*txid, fee), arriving))
            }
            VaultEvent::WithdrawalSigned { id: Nonce(_), .. }
            | VaultEvent::MoveSigned { .. }
            | VaultEvent::Opened { .. }
            | VaultEvent::OpenedShared { .. }
            | VaultEvent::OfferAdmitted { .. }
            | VaultEvent::OfferDelegated { .. }
            | VaultEvent::AdmissionRemoved { .. } => None,
        }
    }

    fn take_outputs(&mut self, spend: SpendId, left: ([u8; 32], Sats), change: &VaultChange) -> HistoryEntry {
        for (outpoint, back) in change.iter() {
            self.changes.insert(outpoint);
            self.outputs.insert(outpoint, back);
        }
        self.spends.insert(spend, left);
        let happened = match spend {
            SpendId::Loan(_) => EntryKind::Lent,
            SpendId::Withdrawal(_) => EntryKind::Withdrawing,
            SpendId::FeeBump(_) => EntryKind::FeeBump,
            SpendId::Move(_) => EntryKind::Moving,
        };
        HistoryEntry { transaction: Some((left.0, None)), ..amount_entry(happened, left.1) }
    }

    fn of_output(&self, kind: EntryKind, outpoint: &Outpoint) -> HistoryEntry {
        let sats = self.outputs.get(outpoint).copied();
        HistoryEntry { kind, sats, transaction: Some((outpoint.txid, Some(outpoint.vout))) }
    }

    fn of_spend(&mut self, happened: EntryKind, spend: &SpendId) -> Option<HistoryEntry> {
        let (txid, sats) = self.spends.remove(spend)?;
        Some(HistoryEntry { transaction: Some((txid, None)), ..amount_entry(happened, sats) })
    }
}

const fn amount_entry(kind: EntryKind, sats: Sats) -> HistoryEntry {
    HistoryEntry { kind, sats: Some(sats), transaction: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_of_a_vault_follows_from_its_stream() {
        let outpoint = |number: u8| Outpoint { txid: [number; 32], vout: 1 };
        let sats = Sats::new;
        let mut history = VaultHistory::default();
        let mut entry = |event: VaultEvent| {
            history.apply(&event).map(|entry| (entry.kind, entry.sats.map(Sats::get), entry.transaction))
        };
        let (one, change) = (outpoint(1), outpoint(2));
        let paid_in = VaultEvent::OutputConfirmed { outpoint: one, amount: sats(900), height: 5 };
        assert_eq!(entry(paid_in), Some((EntryKind::Deposited, Some(900), Some(([1; 32], Some(1))))));
        let unconfirmed = VaultEvent::OutputUnconfirmed { outpoint: one };
        assert_eq!(entry(unconfirmed), Some((EntryKind::Unconfirmed, Some(900), Some(([1; 32], Some(1))))));
        let held = VaultEvent::Held { reservation: ReservationId(7), amount: sats(500) };
        assert_eq!(entry(held), None);
        let outpoints = vec![one];
        let change_output = Some((change, sats(350))).into();
        let spent =
            VaultEvent::Spent { reservation: ReservationId(7), txid: [2; 32], outpoints, change: change_output };
        assert_eq!(entry(spent), Some((EntryKind::Lent, Some(550), Some(([2; 32], None)))));
        let change_confirmed = VaultEvent::OutputConfirmed { outpoint: change, amount: sats(350), height: 6 };
        assert_eq!(entry(change_confirmed), Some((EntryKind::ChangeConfirmed, Some(350), Some(([2; 32], Some(1))))));
        let settled = VaultEvent::SpendSettled { spend: SpendId::Loan(ReservationId(7)) };
        assert_eq!(entry(settled), Some((EntryKind::Settled, Some(550), Some(([2; 32], None)))));
        let (id, txid, outpoints) = (Nonce(3), [4; 32], vec![change]);
        let begun = VaultEvent::Withdrawing { id, txid, outpoints, amount: sats(350), change: VaultChange::default() };
        assert_eq!(entry(begun), Some((EntryKind::Withdrawing, Some(350), Some((txid, None)))));
        assert_eq!(entry(VaultEvent::WithdrawalSigned { id, transaction: vec![1] }), None);
        let failed = VaultEvent::SpendFailed { spend: SpendId::Withdrawal(id) };
        assert_eq!(entry(failed), Some((EntryKind::Released, Some(350), Some((txid, None)))));
        let bumped = VaultEvent::FeeBumped {
            parent: [2; 32],
            outpoint: change,
            fee: sats(20),
            change: (outpoint(5), sats(330)),
            transaction: vec![1],
        };
        assert_eq!(entry(bumped), Some((EntryKind::FeeBump, Some(20), Some(([5; 32], None)))));
        let (id, txid, outpoints) = (Nonce(4), [9; 32], vec![outpoint(5)]);
        let (signers, arriving) = ([1; 32].into(), Some((outpoint(9), sats(300))).into());
        let moving = VaultEvent::Moving { id, txid, outpoints, signers, arriving };
        assert_eq!(entry(moving), Some((EntryKind::Moving, Some(30), Some((txid, None)))));
        assert_eq!(entry(VaultEvent::MoveSigned { id, transaction: vec![1] }), None);
        let left = VaultEvent::OutputSpent { outpoint: change };
        assert_eq!(entry(left), Some((EntryKind::SpentElsewhere, Some(350), Some(([2; 32], Some(1))))));
        assert_eq!(entry(VaultEvent::Credited { amount: Sats::ZERO }), None);
    }
}
