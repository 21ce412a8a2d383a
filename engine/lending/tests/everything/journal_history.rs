//! An independent reading of the journal that trusts no invariant: a double reservation fails the run.

use std::collections::{BTreeMap, BTreeSet};

use bitcoin::Txid;
use bitcoin::hashes::Hash as _;
use domain::{
    AssetEvent, BookEvent, Event, LoanDeal, LoanEvent, LoanId, Nonce, OfferId, Outpoint, ProcessType, Reservation,
    ReservationId, Sats, SpendId, Stream, UserId, VaultEvent,
};

use crate::kit::fake_journal::FakeJournal;
use crate::memory::Fact;

/// An offer, and its loans.
#[derive(Debug)]
pub(crate) struct OfferHistory {
    pub(crate) lender: UserId,
    pub(crate) process: ProcessType,
    pub(crate) principal: Sats,
    pub(crate) is_cancelled: bool,
    pub(crate) loans: Vec<LoanId>,
}

/// A loan.
#[derive(Debug)]
pub(crate) struct LoanHistory {
    pub(crate) deal: LoanDeal,
    pub(crate) was_accepted: bool,
    pub(crate) was_given_up: bool,
    pub(crate) was_rebuilt: bool,
    /// Its txid, once fully signed.
    pub(crate) txid: Option<Txid>,
    /// All transactions that were sent to end it.
    pub(crate) endings: BTreeSet<Txid>,
}

/// A vault.
#[derive(Debug, Default)]
pub(crate) struct VaultHistory {
    pub(crate) held: BTreeMap<ReservationId, Sats>,
    taken: BTreeMap<Outpoint, SpendId>,
    /// The events about its outputs.
    pub(crate) output_events: Vec<(Outpoint, String)>,
    /// The transaction and the amount that leaves, by nonce.
    pub(crate) withdrawals: BTreeMap<Nonce, (Txid, u64)>,
}

/// The contents of the journal.
#[derive(Debug, Default)]
pub(crate) struct JournalHistory {
    pub(crate) offers: BTreeMap<OfferId, OfferHistory>,
    /// Open reservations.
    pub(crate) reservations: BTreeMap<ReservationId, Reservation>,
    pub(crate) locks: BTreeMap<Outpoint, ReservationId>,
    pub(crate) loans: BTreeMap<LoanId, LoanHistory>,
    pub(crate) vaults: BTreeMap<UserId, VaultHistory>,
}

fn txid(bytes: [u8; 32]) -> Txid {
    Txid::from_byte_array(bytes)
}

impl JournalHistory {
    pub(crate) fn read(journal: &FakeJournal) -> Self {
        let mut history = Self::default();
        journal.each_batch(|batch| {
            for append in &batch.appends {
                for event in &append.events {
                    history.take_in(append.stream, event);
                }
            }
        });
        history
    }

    fn take_in(&mut self, stream: Stream, event: &Event) {
        match (stream, event) {
            (_, Event::Book(event)) => self.in_book(event),
            (_, Event::Asset(event)) => self.in_locks(event),
            (Stream::Vault(lender), Event::Vault(event)) => self.vaults.entry(lender).or_default().take_in(event),
            (Stream::Loan(id), Event::Loan(event)) => self.in_loan(id, event),
            _ => {}
        }
    }

    fn in_book(&mut self, event: &BookEvent) {
        match event {
            BookEvent::OfferCreated { offer, lender, terms } => {
                let (lender, process, principal) = (*lender, terms.process, terms.principal);
                let history = OfferHistory { lender, process, principal, is_cancelled: false, loans: Vec::new() };
                assert!(self.offers.insert(*offer, history).is_none(), "{offer} is created twice");
            }
            BookEvent::OfferCancelled { offer, .. } => {
                let was_cancelled = std::mem::replace(&mut self.offers.get_mut(offer).unwrap().is_cancelled, true);
                assert!(!was_cancelled, "{offer} is cancelled twice");
            }
            BookEvent::OfferReserved(reservation) => {
                assert!(!self.offers[&reservation.offer].is_cancelled, "{reservation:?} of an offer that is gone");
                let before = self.reservations.insert(reservation.id, reservation.clone());
                assert!(before.is_none(), "{reservation:?} twice");
                self.assert_not_overtaken(reservation.offer);
            }
            BookEvent::ReservationConfirmed { reservation, loan } => {
                let reservation = self.reservations.remove(reservation).unwrap();
                assert_eq!(reservation.id.0, loan.0);
                self.offers.get_mut(&reservation.offer).unwrap().loans.push(*loan);
                self.assert_not_overtaken(reservation.offer);
            }
            BookEvent::ReservationReleased { reservation, .. } => {
                assert!(self.reservations.remove(reservation).is_some(), "{reservation:?} ends twice");
            }
            BookEvent::ReservationExtended { reservation, expires_at } => {
                self.reservations.get_mut(reservation).unwrap().expires_at = *expires_at;
            }
            _ => {}
        }
    }

    /// Asserts that lent and reserved parts of an offer never exceed its principal.
    fn assert_not_overtaken(&self, offer: OfferId) {
        let (lent, held) = self.taken_of(offer);
        assert!(lent + held <= self.offers[&offer].principal.get(), "{offer}: {lent} lent and {held} held");
    }

    pub(crate) fn taken_of(&self, offer: OfferId) -> (u64, u64) {
        let lent = self.offers[&offer].loans.iter().map(|loan| self.loans[loan].deal.principal.get()).sum();
        let of_this = self.reservations.values().filter(|reservation| reservation.offer == offer);
        (lent, of_this.map(|reservation| reservation.principal.get()).sum())
    }

    fn in_locks(&mut self, event: &AssetEvent) {
        match event {
            AssetEvent::Locked { outpoint, reservation } => {
                let other = self.locks.insert(*outpoint, *reservation);
                assert_eq!(other, None, "{outpoint:?} is reserved for {reservation} as well");
            }
            AssetEvent::Unlocked { outpoint } => {
                assert!(self.locks.remove(outpoint).is_some(), "{outpoint:?} is released twice");
            }
        }
    }

    fn in_loan(&mut self, id: LoanId, event: &LoanEvent) {
        if let LoanEvent::SoftPrepared { deal, .. } = event {
            let (deal, endings) = ((**deal).clone(), BTreeSet::new());
            let [was_accepted, was_given_up, was_rebuilt] = [false; 3];
            let history = LoanHistory { deal, was_accepted, was_given_up, was_rebuilt, txid: None, endings };
            assert!(self.loans.insert(id, history).is_none(), "{id} is prepared twice");
            return;
        }
        let loan = self.loans.get_mut(&id).unwrap();
        match event {
            LoanEvent::BorrowerSigned { .. } => loan.was_accepted = true,
            LoanEvent::Cancelled { .. } | LoanEvent::Lapsed => loan.was_given_up = true,
            LoanEvent::Signed { txid: signed, .. } => {
                assert_eq!(loan.txid.replace(txid(*signed)), None, "{id} is originated twice");
            }
            LoanEvent::EndingSigned { txid: signed, .. } => drop(loan.endings.insert(txid(*signed))),
            LoanEvent::Rebuilt { .. } => loan.was_rebuilt = true,
            _ => {}
        }
    }

    /// Asserts that all acknowledged facts are in the journal.
    pub(crate) fn assert_knows(&self, facts: &[Fact]) {
        for fact in facts {
            let is_known = match fact {
                Fact::Quoted(offer) => self.offers.contains_key(offer),
                Fact::Cancelled(offer) => self.offers[offer].is_cancelled,
                Fact::Prepared(loan) => self.loans.contains_key(loan),
                Fact::Accepted(loan) => self.loans[loan].was_accepted,
                Fact::GivenUp(loan) => self.loans[loan].was_given_up,
                Fact::Originated(loan, txid) => self.loans[loan].txid == Some(*txid),
                Fact::Ending(loan, txid) => self.loans[loan].endings.contains(txid),
                Fact::Withdrawn(nonce, txid) => {
                    let mut vaults = self.vaults.values();
                    vaults.any(|vault| vault.withdrawals.get(nonce).is_some_and(|(known, _)| known == txid))
                }
            };
            assert!(is_known, "{fact:?} was acknowledged, and is unknown now");
        }
    }
}

impl LoanHistory {
    /// Whether the server keeps nothing of it: it was never accepted, and cannot be any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.was_given_up && !self.was_accepted
    }
}

impl VaultHistory {
    /// Whether one of the vault's own transactions has taken an output.
    pub(crate) fn takes(&self, outpoint: &Outpoint) -> bool {
        self.taken.contains_key(outpoint)
    }

    fn take_in(&mut self, event: &VaultEvent) {
        match event {
            VaultEvent::OutputConfirmed { outpoint, .. }
            | VaultEvent::OutputUnconfirmed { outpoint }
            | VaultEvent::OutputSpent { outpoint } => self.output_events.push((*outpoint, format!("{event:?}"))),
            _ => {}
        }
        match event {
            VaultEvent::Held { reservation, amount } => {
                assert_eq!(self.held.insert(*reservation, *amount), None, "{reservation} is reserved twice");
            }
            VaultEvent::Released { reservation } => {
                assert!(self.held.remove(reservation).is_some(), "{reservation} is released twice");
            }
            VaultEvent::Spent { reservation, outpoints, .. } => {
                assert!(self.held.remove(reservation).is_some(), "{reservation} is paid twice");
                self.take(SpendId::Loan(*reservation), outpoints);
            }
            VaultEvent::Withdrawing { id, txid: made, outpoints, amount, .. } => {
                let before = self.withdrawals.insert(*id, (txid(*made), amount.get()));
                assert_eq!(before, None, "one message, one withdrawal");
                self.take(SpendId::Withdrawal(*id), outpoints);
            }
            VaultEvent::FeeBumped { parent, outpoint, .. } => {
                self.take(SpendId::FeeBump(*parent), std::slice::from_ref(outpoint));
            }
            VaultEvent::SpendFailed { spend } => self.taken.retain(|_, taker| taker != spend),
            _ => {}
        }
    }

    fn take(&mut self, spend: SpendId, outpoints: &[Outpoint]) {
        for outpoint in outpoints {
            let other = self.taken.insert(*outpoint, spend);
            assert_eq!(other, None, "{outpoint:?} is taken by {spend:?} as well");
        }
    }
}
