//! The application of a vault's events.

use super::{
    ADMISSIONS_MAX, OutputStatus, PendingSpend, SETTLED_WITHDRAWALS_MAX, SpendId, Vault, VaultChange, VaultEvent,
    VaultKeys, VaultOutput,
};
use crate::{OfferId, Outpoint, ReservationId, Sats};

impl Vault {
    /// Applies an event.
    pub fn apply(&mut self, event: &VaultEvent) {
        match event {
            VaultEvent::Credited { amount } => self.credited = self.credited.saturating_add(*amount),
            VaultEvent::Debited { amount } => self.credited = self.credited.saturating_sub(*amount),
            VaultEvent::Held { reservation, amount } => {
                self.holds.insert(*reservation, *amount);
                self.held = self.held.saturating_add(*amount);
            }
            VaultEvent::Released { reservation } => {
                self.end_hold(*reservation);
            }
            VaultEvent::Lent { reservation } => {
                let amount = self.end_hold(*reservation);
                self.credited = self.credited.saturating_sub(amount);
            }
            VaultEvent::Opened { signer_key, lender_key, payment_address } => {
                let (signers, payment_address) = ((*signer_key).into(), payment_address.clone());
                self.keys = Some(VaultKeys { signers, lender_key: *lender_key, payment_address });
            }
            VaultEvent::OpenedShared { signers, lender_key, payment_address } => {
                let (signers, payment_address) = (signers.clone(), payment_address.clone());
                self.keys = Some(VaultKeys { signers, lender_key: *lender_key, payment_address });
            }
            VaultEvent::OfferAdmitted { offer, admission } => self.insert_admission(*offer, *admission),
            VaultEvent::AdmissionRemoved { offer } => {
                self.admissions.remove(offer);
                self.delegated.remove(offer);
            }
            VaultEvent::OfferDelegated { offer, delegation } => {
                self.delegated.insert(*offer, *delegation);
            }
            VaultEvent::OutputConfirmed { outpoint, amount, height } => {
                let status = OutputStatus::Confirmed { height: *height };
                // A transaction that spent it before the reorg may still be mined.
                let spent_by = match self.outputs.get(outpoint) {
                    Some(known) => known.spent_by,
                    None => self.spender(outpoint),
                };
                self.set(*outpoint, Some(VaultOutput { amount: *amount, status, spent_by }));
            }
            VaultEvent::OutputUnconfirmed { outpoint } => {
                let known = self.outputs.get(outpoint).copied();
                self.set(*outpoint, known.map(|output| VaultOutput { status: OutputStatus::Unconfirmed, ..output }));
            }
            VaultEvent::OutputSpent { outpoint } => self.set(*outpoint, None),
            VaultEvent::Spent { reservation, txid, outpoints, change } => {
                self.end_hold(*reservation);
                self.begin_spend(SpendId::Loan(*reservation), *txid, outpoints, change);
            }
            VaultEvent::Withdrawing { id, txid, outpoints, change, .. } => {
                self.begin_spend(SpendId::Withdrawal(*id), *txid, outpoints, change);
            }
            VaultEvent::WithdrawalSigned { id, transaction } => {
                if let Some(pending) = self.pending_spends.get_mut(&SpendId::Withdrawal(*id)) {
                    pending.transaction = Some(transaction.clone());
                }
            }
            VaultEvent::Moving { id, txid, outpoints, signers, arriving } => {
                self.begin_spend(SpendId::Move(*id), *txid, outpoints, arriving);
                self.moving_to = Some(signers.clone());
            }
            VaultEvent::MoveSigned { id, transaction } => self.change_signers(*id, transaction),
            VaultEvent::SpendFailed { spend } => self.return_outputs(*spend),
            VaultEvent::SpendSettled { spend } => self.drop_spent(*spend),
            VaultEvent::FeeBumped { parent, outpoint, change, transaction, .. } => {
                let (spend, child_change) = (SpendId::FeeBump(*parent), VaultChange::from(Some(*change)));
                self.begin_spend(spend, change.0.txid, &[*outpoint], &child_change);
                if let Some(pending) = self.pending_spends.get_mut(&spend) {
                    pending.transaction = Some(transaction.clone());
                }
            }
        }
        debug_assert_eq!(self.holds.values().copied().sum::<Sats>(), self.held);
    }

    fn spender(&self, outpoint: &Outpoint) -> Option<SpendId> {
        let mut spends = self.pending_spends.iter();
        spends.find(|(_, pending)| pending.outpoints.contains(outpoint)).map(|(spend, _)| *spend)
    }

    fn end_hold(&mut self, reservation: ReservationId) -> Sats {
        let amount = self.holds.remove(&reservation).unwrap_or_default();
        self.held = self.held.saturating_sub(amount);
        amount
    }

    fn insert_admission(&mut self, offer: OfferId, admission: [u8; 32]) {
        self.admitted += 1;
        self.admissions.insert(offer, (self.admitted, admission));
        if self.admissions.len() > ADMISSIONS_MAX
            && let Some(oldest) = self.admissions.iter().min_by_key(|(_, (number, _))| *number).map(|(offer, _)| *offer)
        {
            self.admissions.remove(&oldest);
            self.delegated.remove(&oldest);
        }
    }

    /// Replaces the state of an output, and updates the balance.
    pub(super) fn set(&mut self, outpoint: Outpoint, output: Option<VaultOutput>) {
        let counted = |output: Option<VaultOutput>| output.map_or(Sats::ZERO, |output| output.counted_amount());
        let before = match output {
            Some(output) => self.outputs.insert(outpoint, output),
            None => self.outputs.remove(&outpoint),
        };
        self.on_chain = self.on_chain.saturating_sub(counted(before)).saturating_add(counted(output));
    }

    fn begin_spend(&mut self, spend: SpendId, txid: [u8; 32], outpoints: &[Outpoint], change: &VaultChange) {
        let mut amount = Sats::ZERO;
        for outpoint in outpoints {
            let Some(output) = self.outputs.get(outpoint).copied() else { continue };
            amount = amount.saturating_add(output.amount);
            self.set(*outpoint, Some(VaultOutput { spent_by: Some(spend), ..output }));
        }
        for (outpoint, returned) in change.iter() {
            amount = amount.saturating_sub(returned);
            let expected = VaultOutput { amount: returned, status: OutputStatus::Unconfirmed, spent_by: None };
            self.set(outpoint, Some(self.outputs.get(&outpoint).copied().unwrap_or(expected)));
        }
        let change = change.outpoints().collect();
        let pending = PendingSpend { txid, outpoints: outpoints.to_vec(), change, amount, transaction: None };
        self.pending_spends.insert(spend, pending);
    }

    /// Returned outputs count only once they are seen on the chain again. Without its parent there is no child. Those of a
    /// signed move are of the signers before it, and leave the ledger.
    fn return_outputs(&mut self, spend: SpendId) {
        let Some(pending) = self.pending_spends.remove(&spend) else { return };
        let is_move = matches!(spend, SpendId::Move(_));
        if is_move && pending.transaction.is_none() {
            self.moving_to = None;
        }
        let stays = !is_move || pending.transaction.is_none();
        if !matches!(spend, SpendId::FeeBump(_)) {
            self.return_outputs(SpendId::FeeBump(pending.txid));
        }
        for outpoint in pending.outpoints {
            let known = self.outputs.get(&outpoint).copied().filter(|output| output.spent_by == Some(spend));
            if let Some(output) = known {
                let returned = VaultOutput { status: OutputStatus::Unconfirmed, spent_by: None, ..output };
                self.set(outpoint, stays.then_some(returned));
            }
        }
        for change in pending.change {
            self.set(change, None);
        }
    }

    fn drop_spent(&mut self, spend: SpendId) {
        let Some(pending) = self.pending_spends.remove(&spend) else { return };
        for outpoint in pending.outpoints {
            if self.outputs.get(&outpoint).is_some_and(|output| output.spent_by == Some(spend)) {
                self.set(outpoint, None);
            }
        }
        if let SpendId::Withdrawal(id) | SpendId::Move(id) = spend {
            self.settled_withdrawals.push_back((id, pending.txid));
            if self.settled_withdrawals.len() > SETTLED_WITHDRAWALS_MAX {
                self.settled_withdrawals.pop_front();
            }
        }
    }
}
