//! The application of events to the ledger's state machines, from a decision or from the journal.

use domain::{
    AccountEvent, AssetEvent, LoanAccount, LoanEvent, LoanExposure, LoanId, Sats, TransferOrderEvent, UnixMs, UserId,
    VaultEvent,
};

use super::LedgerState;
use crate::ledger::LedgerEvent;

impl LedgerState {
    /// Applies an event, from a decision or from the journal.
    pub(crate) fn apply(&mut self, event: &LedgerEvent, at: UnixMs) {
        self.note_active_accounts(event);
        match event {
            LedgerEvent::Account(event) => self.apply_account(event, at),
            LedgerEvent::Vault(user, event) => self.apply_vault(*user, event),
            LedgerEvent::Asset(event) => self.apply_asset(event),
            LedgerEvent::Loan(id, event) => self.apply_loan(*id, event, at),
            LedgerEvent::Order(event) => {
                self.orders.apply(event, at);
                self.orders_sequence += 1;
            }
            LedgerEvent::Contact(event) => {
                self.contacts.apply(event, at);
                self.contacts_sequence += 1;
            }
            LedgerEvent::Message(event) => {
                self.outbox.apply(event, at);
                self.outbox_sequence += 1;
            }
            LedgerEvent::Halt(event) => {
                self.halts.apply(event, at);
                self.halts_sequence += 1;
            }
        }
    }

    /// Records the accounts that have state depending on them from now on.
    fn note_active_accounts(&mut self, event: &LedgerEvent) {
        match event {
            LedgerEvent::Vault(user, _) => self.accounts.mark_active(*user),
            LedgerEvent::Loan(_, event) => {
                if let Some(deal) = event.opened_deal() {
                    self.accounts.mark_active(deal.lender);
                    self.accounts.mark_active(deal.borrower);
                }
            }
            LedgerEvent::Order(TransferOrderEvent::Prepared(order)) => self.accounts.mark_active(order.user),
            LedgerEvent::Contact(event) => self.accounts.mark_active(event.user()),
            LedgerEvent::Account(_)
            | LedgerEvent::Asset(_)
            | LedgerEvent::Order(_)
            | LedgerEvent::Message(_)
            | LedgerEvent::Halt(_) => {}
        }
    }

    fn apply_loan(&mut self, id: LoanId, event: &LoanEvent, at: UnixMs) {
        let exposed = self.loans.get(id).and_then(LoanExposure::of);
        let running = self.loans.get(id).map_or(Sats::ZERO, LoanAccount::running_principal);
        if let Some(loan) = self.loans.get(id) {
            self.acceptance.apply(loan, event);
            self.borrowers.apply(loan, event);
        }
        self.loans.apply(id, event, at);
        if let Some(loan) = self.loans.get(id) {
            self.exposures.replace(exposed, loan);
            self.running.replace(running, loan);
        }
    }

    fn apply_account(&mut self, event: &AccountEvent, at: UnixMs) {
        self.accounts.apply(event, at);
        self.accounts_sequence += 1;
    }

    fn apply_vault(&mut self, user: UserId, event: &VaultEvent) {
        let stream = self.vaults.entry(user).or_default();
        stream.vault.apply(event);
        stream.sequence += 1;
        match *event {
            VaultEvent::Held { reservation, .. } => {
                self.holders.insert(reservation, user);
            }
            VaultEvent::Released { reservation }
            | VaultEvent::Lent { reservation }
            | VaultEvent::Spent { reservation, .. } => {
                self.holders.remove(&reservation);
            }
            VaultEvent::OfferAdmitted { offer, .. } => {
                self.admitters.insert(offer, user);
            }
            VaultEvent::AdmissionRemoved { offer } => {
                self.admitters.remove(&offer);
            }
            VaultEvent::MoveSigned { .. } => self.admitters.retain(|_, admitter| *admitter != user),
            _ => {}
        }
    }

    fn apply_asset(&mut self, event: &AssetEvent) {
        match *event {
            AssetEvent::Locked { outpoint, reservation } => self.pledges.entry(reservation).or_default().push(outpoint),
            AssetEvent::Unlocked { outpoint } => {
                if let Some(reservation) = self.assets.holder(&outpoint)
                    && let Some(pledged) = self.pledges.get_mut(&reservation)
                {
                    pledged.retain(|other| *other != outpoint);
                    if pledged.is_empty() {
                        self.pledges.remove(&reservation);
                    }
                }
            }
        }
        self.assets.apply(event);
        self.assets_sequence += 1;
    }
}
