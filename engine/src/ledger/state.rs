//! The ledger's state machines: what they answer, what they decide, and the commit of decided events. Pure: time is passed
//! in.

mod allowances;
mod apply;
mod contacts;
mod halts;
mod ledger_effects;
mod locks;

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    AcceptanceRate, Account, AccountRejection, Accounts, AssetLocks, BorrowerRecord, Contacts, Event, GroupId, Halts,
    LoanAccount, LoanEvent, LoanId, LoanRejection, LoanStage, OfferId, Outbox, Outpoint, ReservationId, Sats, Stream,
    TransferOrders, UnixMs, UserId, Vault, VaultEvent, VaultRejection, WalletAddresses,
};

use rustc_hash::FxHashMap;

pub use contacts::DueMessage;

use super::acceptance::AcceptanceRates;
use super::borrower_records::BorrowerRecords;
use super::exposures::{Exposures, RunningPrincipals};
use super::{Committed, LedgerEvent, LoanIndex, NonceUse, VaultBalances};
use crate::{
    Refusal,
    journal::{Append, Sequence},
};

#[derive(Debug, Default)]
struct VaultStream {
    vault: Vault,
    sequence: Sequence,
}

/// Accounts, vaults, pledges, loans and orders, with the sequence of each stream and the indices that the domain does
/// not keep.
#[derive(Debug, Default)]
pub(crate) struct LedgerState {
    accounts: Accounts,
    accounts_sequence: Sequence,
    assets: AssetLocks,
    assets_sequence: Sequence,
    /// Hashed without a secret, as are all ids that the server assigns: an attacker cannot choose colliding ones.
    vaults: FxHashMap<UserId, VaultStream>,
    /// The outputs pledged for each reservation.
    pledges: FxHashMap<ReservationId, Vec<Outpoint>>,
    /// The user whose vault holds sats for each reservation.
    holders: FxHashMap<ReservationId, UserId>,
    /// The user whose vault's signer admitted each offer.
    admitters: FxHashMap<OfferId, UserId>,
    /// The books in which each lender has offers, or had offers at the last check.
    quoting: FxHashMap<UserId, BTreeSet<GroupId>>,
    /// The groups in which offers name a borrower, or once did.
    naming: FxHashMap<UserId, BTreeSet<GroupId>>,
    loans: LoanIndex,
    acceptance: AcceptanceRates,
    borrowers: BorrowerRecords,
    exposures: Exposures,
    running: RunningPrincipals,
    orders: TransferOrders,
    orders_sequence: Sequence,
    contacts: Contacts,
    contacts_sequence: Sequence,
    outbox: Outbox,
    outbox_sequence: Sequence,
    halts: Halts,
    halts_sequence: Sequence,
}

impl LedgerState {
    pub(crate) fn account(&self, user: UserId) -> Option<&Account> {
        self.accounts.get(user)
    }

    pub(crate) fn user_of(&self, payment_address: &str) -> Option<UserId> {
        self.accounts.by_payment_address(payment_address)
    }

    /// A user's vault; `None` without one.
    pub(crate) fn vault(&self, user: UserId) -> Option<&Vault> {
        self.vaults.get(&user).map(|stream| &stream.vault)
    }

    /// The users with an open vault, by id.
    pub(crate) fn open_vaults(&self) -> Vec<UserId> {
        let open = self.vaults.iter().filter(|(_, stream)| stream.vault.keys().is_some());
        let mut users: Vec<UserId> = open.map(|(user, _)| *user).collect();
        users.sort_unstable();
        users
    }

    /// The users with a vault, open or only credited.
    pub(crate) fn vault_users(&self) -> Vec<UserId> {
        self.vaults.keys().copied().collect()
    }

    /// The user whose vault pays for an admitted offer, and the signer's id of the offer.
    pub(crate) fn admission(&self, offer: OfferId) -> Option<(UserId, [u8; 32])> {
        let user = self.admitters.get(&offer)?;
        Some((*user, self.vault(*user)?.admission(offer)?))
    }

    /// The usable balance of a vault; `None` without one.
    pub(crate) fn usable(&self, user: UserId) -> Option<Sats> {
        self.vaults.get(&user).map(|stream| stream.vault.usable())
    }

    pub(crate) fn vault_balances(&self, user: UserId) -> Option<VaultBalances> {
        self.vaults.get(&user).map(|stream| VaultBalances::of(user, stream.sequence, &stream.vault))
    }

    /// All loans.
    pub(crate) const fn loans(&self) -> &LoanIndex {
        &self.loans
    }

    pub(crate) fn loan(&self, id: LoanId) -> Option<&LoanAccount> {
        self.loans.get(id)
    }

    /// All loans, for changes that no event records.
    pub(crate) const fn loans_mut(&mut self) -> &mut LoanIndex {
        &mut self.loans
    }

    /// Orders for transfer inscriptions.
    pub(crate) fn orders(&self) -> &TransferOrders {
        &self.orders
    }

    /// Whether an output is pledged, or pays for an open order.
    pub(crate) fn is_locked(&self, outpoint: &Outpoint) -> bool {
        self.assets.holder(outpoint).is_some() || self.orders.reserved_for(outpoint).is_some()
    }

    /// The acceptance rate of a lender.
    pub(crate) fn acceptance(&self, lender: UserId) -> AcceptanceRate {
        self.acceptance.of(lender)
    }

    /// The outcomes of a borrower's loans.
    pub(crate) fn borrower_record(&self, borrower: UserId) -> BorrowerRecord {
        self.borrowers.of(borrower)
    }

    /// The lender of the loan that an event belongs to, and the lender's acceptance rate.
    fn rated_by(&self, event: &LedgerEvent) -> Option<(UserId, AcceptanceRate)> {
        let LedgerEvent::Loan(id, _) = event else { return None };
        let lender = self.loan(*id)?.deal.lender;
        Some((lender, self.acceptance(lender)))
    }

    /// The two sides of a loan, which the event may just be opening.
    pub(super) fn parties(&self, id: LoanId, event: &LoanEvent) -> [Option<UserId>; 2] {
        let deal = self.loan(id).map(|loan| &loan.deal).or(event.opened_deal());
        [deal.map(|deal| deal.lender), deal.map(|deal| deal.borrower)]
    }

    /// Checks an event of a loan and returns it with the outputs it frees. The outputs that a loan spends stay locked
    /// until the loan has ended: as long as its transaction is not buried, a reorg may drop it.
    pub(crate) fn loan_step(&self, id: LoanId, event: LoanEvent, now: UnixMs) -> Result<Vec<LedgerEvent>, Refusal> {
        match self.loan(id) {
            Some(loan) => loan.check(&event, now)?,
            None if event.opened_deal().is_some() => {}
            None => return Err(LoanRejection::Unknown(id).into()),
        }
        if self.begins(id, &event) {
            self.halts.check_new_loan()?;
        }
        let is_end = matches!(event, LoanEvent::Ended { .. } | LoanEvent::Failed);
        let mut decided = vec![LedgerEvent::Loan(id, event)];
        if is_end {
            self.unlock_all(id, &mut decided)?;
        }
        Ok(decided)
    }

    /// Whether a loan is still in the stage that was seen.
    pub(crate) fn check_stage(&self, id: LoanId, seen: LoanStage) -> Result<(), LoanRejection> {
        let stage = self.loan(id).ok_or(LoanRejection::Unknown(id))?.stage;
        if stage == seen { Ok(()) } else { Err(LoanRejection::WrongStage { stage }) }
    }

    /// The groups in which a lender quotes.
    pub(crate) fn quoting(&self, lender: UserId) -> Vec<GroupId> {
        self.quoting.get(&lender).into_iter().flatten().copied().collect()
    }

    /// The groups in which an offer may name a user as its borrower, or a negotiation as one of its sides.
    pub(crate) fn named_in(&self, user: UserId) -> Vec<GroupId> {
        self.naming.get(&user).into_iter().flatten().copied().collect()
    }

    /// Keeps the account of a borrower with a borrow request.
    pub(super) fn note_requesting(&mut self, borrower: UserId) {
        self.accounts.mark_active(borrower);
    }

    pub(super) fn note_naming(&mut self, user: UserId, group: GroupId) {
        self.accounts.mark_active(user);
        self.naming.entry(user).or_default().insert(group);
    }

    pub(super) fn note_quoting(&mut self, lender: UserId, group: GroupId) {
        self.accounts.mark_active(lender);
        self.quoting.entry(lender).or_default().insert(group);
    }

    pub(super) fn forget_quoting(&mut self, lender: UserId, group: GroupId) {
        if let Some(groups) = self.quoting.get_mut(&lender) {
            groups.remove(&group);
            if groups.is_empty() {
                self.quoting.remove(&lender);
            }
        }
    }

    /// Uses a nonce.
    pub(crate) fn use_nonce(&self, nonce_use: NonceUse, now: UnixMs) -> Result<LedgerEvent, AccountRejection> {
        self.accounts.use_nonce(nonce_use.nonce, nonce_use.expires_at, now).map(LedgerEvent::Account)
    }

    /// Records a sign-in.
    pub(crate) fn sign_in(&self, addresses: &WalletAddresses) -> (UserId, Vec<LedgerEvent>) {
        let (user, events) = self.accounts.sign_in(addresses);
        (user, events.into_iter().map(LedgerEvent::Account).collect())
    }

    /// Accounts and their sessions.
    pub(crate) const fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// The favourite collections of a user.
    pub(crate) fn favourites(&self, user: UserId) -> impl Iterator<Item = GroupId> {
        self.accounts.favourites(user)
    }

    /// Adds a collection to the favourites, or removes it.
    pub(crate) fn set_favourite(
        &self,
        user: UserId,
        group: GroupId,
        is_favourite: bool,
    ) -> Result<Option<LedgerEvent>, AccountRejection> {
        Ok(self.accounts.set_favourite(user, group, is_favourite)?.map(LedgerEvent::Account))
    }

    /// Ends every session of a user.
    pub(crate) fn sign_out(&self, user: UserId) -> Result<LedgerEvent, AccountRejection> {
        self.accounts.sign_out(user).map(LedgerEvent::Account)
    }

    pub(crate) fn credit(&self, user: UserId, amount: Sats) -> Result<LedgerEvent, VaultRejection> {
        self.decide(user, |vault| vault.credit(amount))
    }

    pub(crate) fn debit(&self, user: UserId, amount: Sats) -> Result<LedgerEvent, VaultRejection> {
        self.decide(user, |vault| vault.debit(amount))
    }

    fn decide(
        &self,
        user: UserId,
        act: impl FnOnce(&Vault) -> Result<VaultEvent, VaultRejection>,
    ) -> Result<LedgerEvent, VaultRejection> {
        let event = match self.vaults.get(&user) {
            Some(stream) => act(&stream.vault),
            None => act(&Vault::default()),
        };
        event.map(|event| LedgerEvent::Vault(user, event))
    }

    /// The reservation that an output is locked for.
    pub(crate) fn pledged_for(&self, outpoint: &Outpoint) -> Option<ReservationId> {
        self.assets.holder(outpoint)
    }

    /// Applies decided events and groups them by stream for the journal.
    pub(super) fn commit(&mut self, events: Vec<LedgerEvent>, at: UnixMs) -> Committed {
        let mut committed = Committed::default();
        let mut affected_users = BTreeSet::new();
        let mut loans = BTreeMap::new();
        for event in events {
            let stream = Self::stream_of(&event);
            let after = self.sequence(stream);
            if let LedgerEvent::Loan(id, _) = event {
                loans.entry(id).or_insert_with(|| self.loans.notified_state(id));
            }
            if let LedgerEvent::Vault(user, _) = event {
                affected_users.insert(user);
            }
            let rated = self.rated_by(&event);
            let exposed = self.loan_exposure(&event);
            self.apply(&event, at);
            committed.allowance_changes.extend(self.changed_allowance(&event, exposed));
            if let Some((lender, before)) = rated {
                let now = self.acceptance(lender);
                committed.acceptance_changes.extend((now != before).then_some((lender, now)));
            }
            if let LedgerEvent::Halt(event) = &event {
                committed.halts.push((event.scope(), self.halts.get(event.scope()).cloned()));
            }
            let event = match event {
                LedgerEvent::Account(event) => Event::Account(event),
                LedgerEvent::Vault(_, event) => Event::Vault(event),
                LedgerEvent::Asset(event) => Event::Asset(event),
                LedgerEvent::Loan(_, event) => Event::Loan(event),
                LedgerEvent::Order(event) => Event::Order(event),
                LedgerEvent::Contact(event) => Event::Contact(event),
                LedgerEvent::Message(event) => Event::Message(event),
                LedgerEvent::Halt(event) => Event::Halt(event),
            };
            match committed.appends.iter_mut().find(|append| append.stream == stream) {
                Some(append) => append.events.push(event),
                None => committed.appends.push(Append { stream, after, events: vec![event] }),
            }
        }
        committed.vaults = affected_users.iter().filter_map(|user| self.vault_balances(*user)).collect();
        affected_users.extend(committed.acceptance_changes.iter().map(|(lender, _)| *lender));
        affected_users.extend(committed.allowance_changes.iter().copied());
        for (id, before) in loans {
            committed.loans.extend(self.loans.change(id, at, before));
            self.loans.drop_unaccepted(id);
        }
        committed.quoting = affected_users.iter().map(|user| (*user, self.quoting(*user))).collect();
        committed
    }

    fn stream_of(event: &LedgerEvent) -> Stream {
        match event {
            LedgerEvent::Account(_) => Stream::Accounts,
            LedgerEvent::Vault(user, _) => Stream::Vault(*user),
            LedgerEvent::Asset(_) => Stream::Assets,
            LedgerEvent::Loan(id, _) => Stream::Loan(*id),
            LedgerEvent::Order(_) => Stream::Orders,
            LedgerEvent::Contact(_) => Stream::Contacts,
            LedgerEvent::Message(_) => Stream::Outbox,
            LedgerEvent::Halt(_) => Stream::Halts,
        }
    }

    /// The sequence of the last event of one of the ledger's streams; 0 for any other stream.
    pub(crate) fn sequence(&self, stream: Stream) -> Sequence {
        match stream {
            Stream::Accounts => self.accounts_sequence,
            Stream::Vault(user) => self.vaults.get(&user).map_or(0, |stream| stream.sequence),
            Stream::Assets => self.assets_sequence,
            Stream::Loan(id) => self.loans.sequence(id),
            Stream::Orders => self.orders_sequence,
            Stream::Contacts => self.contacts_sequence,
            Stream::Outbox => self.outbox_sequence,
            Stream::Halts => self.halts_sequence,
            Stream::Listings | Stream::Book(_) => 0,
        }
    }
}
