//! The index of all loans, and for each user the orders in which they are listed.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Bound,
};

use domain::{LoanAccount, LoanDeal, LoanEvent, LoanId, LoanStage, LoanSummary, UnixMs, UserId};

use crate::journal::Sequence;

use super::LoanChange;
use super::prepared_loans::PreparedLoans;

/// The maximum number of loans scanned while the ledger is locked.
pub(crate) const SCAN_BATCH: usize = 256;

/// A list of a user's loans and its order. Later loans come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoanList {
    /// All loans, by the time they were prepared.
    All,
    /// Loans that have not ended, by the time they were prepared.
    Open,
    /// Loans that have ended, by the time of their end.
    Ended,
}

/// A loan's place in a list: a time, and the loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoanCursor {
    /// The time that the list is ordered by.
    pub at: UnixMs,
    /// The loan.
    pub loan: LoanId,
}

/// The range of a list to scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoanRange {
    pub(crate) list: LoanList,
    /// Only loans after this place.
    pub(crate) after: Option<LoanCursor>,
    /// The earliest time to include.
    pub(crate) from: UnixMs,
}

/// A part of a list.
pub(crate) struct LoanScan<T> {
    /// The selected items with their places.
    pub(crate) picked: Vec<(LoanCursor, T)>,
    /// The place where the scan stopped; `None` at the end of the list.
    pub(crate) rest: Option<LoanCursor>,
}

#[derive(Debug, Default)]
struct UserLoans {
    all: BTreeSet<LoanCursor>,
    open: BTreeSet<LoanCursor>,
    ended: BTreeSet<LoanCursor>,
}

impl UserLoans {
    const fn list(&self, which: LoanList) -> &BTreeSet<LoanCursor> {
        match which {
            LoanList::All => &self.all,
            LoanList::Open => &self.open,
            LoanList::Ended => &self.ended,
        }
    }
}

#[derive(Debug)]
struct LoanStream {
    loan: LoanAccount,
    sequence: Sequence,
    /// The time up to which its two sides were notified.
    notified_until: UnixMs,
}

impl LoanStream {
    /// The next time at which time alone changes its view or its notices.
    fn next_change(&self) -> Option<LoanCursor> {
        let at = self.loan.summary().next_change_at(self.notified_until)?;
        Some(LoanCursor { at, loan: self.loan.id })
    }
}

/// Every loan.
#[derive(Debug, Default)]
pub(crate) struct LoanIndex {
    loans: HashMap<LoanId, LoanStream>,
    /// The loans that each user may see, on either side. Users without loans have no entry.
    by_user: HashMap<UserId, UserLoans>,
    /// Loans that the chain can still change.
    watched: BTreeSet<LoanId>,
    /// Loans that wait for their lender's signature.
    awaiting: BTreeSet<LoanId>,
    /// The times at which time alone changes the view or the notices of a loan.
    due_changes: BTreeSet<LoanCursor>,
    /// The deadlines of loans that have no entry in a book and wait for a signature.
    deadlines: BTreeSet<LoanCursor>,
    /// Loans that are prepared and reserve nothing.
    prepared: PreparedLoans,
}

/// The deadline of a loan that waits for a signature. The book keeps those of loans in a book.
fn signature_deadline(loan: &LoanAccount) -> Option<LoanCursor> {
    let waits = matches!(loan.stage, LoanStage::Prepared | LoanStage::AwaitingLender);
    (waits && loan.is_outside_book()).then_some(LoanCursor { at: loan.expires_at, loan: loan.id })
}

fn prepared_cursor(loan: &LoanAccount) -> LoanCursor {
    LoanCursor { at: loan.prepared_at, loan: loan.id }
}

/// The users who have a loan in their lists: its lender only once the borrower has accepted it, since a borrower who
/// merely views the terms prepares a loan, too.
fn listed_for(loan: &LoanAccount) -> impl Iterator<Item = UserId> + use<> {
    let LoanDeal { lender, borrower, .. } = loan.deal;
    loan.accepted_at.map(|_| lender).into_iter().chain([borrower])
}

/// The place of an ended loan. After its end only a reorg can change a loan, so the time of its end is that of its last
/// event.
fn ended_cursor(loan: &LoanAccount) -> LoanCursor {
    LoanCursor { at: loan.updated_at, loan: loan.id }
}

impl LoanIndex {
    pub(crate) fn get(&self, id: LoanId) -> Option<&LoanAccount> {
        self.loans.get(&id).map(|stream| &stream.loan)
    }

    /// The number of a loan's events; 0 for one that does not exist.
    pub(crate) fn sequence(&self, id: LoanId) -> Sequence {
        self.loans.get(&id).map_or(0, |stream| stream.sequence)
    }

    /// The loans of a user on either side, the earliest prepared first.
    pub(crate) fn of(&self, user: UserId) -> impl Iterator<Item = &LoanAccount> {
        let lists = self.by_user.get(&user);
        lists.into_iter().flat_map(|lists| &lists.all).filter_map(|place| self.get(place.loan))
    }

    /// Scans at most `count` loans of a list, the latest first, and keeps those that `pick` selects.
    pub(crate) fn scan<T>(
        &self,
        user: UserId,
        LoanRange { list, after, from }: LoanRange,
        count: usize,
        mut pick: impl FnMut(&LoanAccount, Sequence) -> Option<T>,
    ) -> LoanScan<T> {
        let (mut picked, mut rest) = (Vec::new(), None);
        let first = LoanCursor { at: from, loan: LoanId(0) };
        let lists = self.by_user.get(&user).filter(|_| after.is_none_or(|after| first < after));
        let Some(lists) = lists else { return LoanScan { picked, rest } };
        let end = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut places = lists.list(list).range((Bound::Included(first), end)).rev();
        for place in places.by_ref().take(count) {
            let stream = self.loans.get(&place.loan);
            picked.extend(stream.and_then(|it| pick(&it.loan, it.sequence)).map(|it| (*place, it)));
            rest = Some(*place);
        }
        if places.next().is_none() {
            rest = None;
        }
        LoanScan { picked, rest }
    }

    /// Loans that are running, and loans that ended on the chain and are still watched.
    pub(crate) fn watched(&self) -> impl Iterator<Item = LoanId> {
        self.watched.iter().copied()
    }

    /// The same behind a loan, by id.
    pub(crate) fn watched_after(&self, after: Option<LoanId>) -> impl Iterator<Item = &LoanAccount> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        self.watched.range((from, Bound::Unbounded)).filter_map(|id| self.get(*id))
    }

    /// Loans that wait for their lender's signature.
    pub(crate) fn awaiting(&self) -> impl Iterator<Item = &LoanAccount> {
        self.awaiting.iter().filter_map(|id| self.get(*id))
    }

    /// Loans that are prepared and reserve nothing.
    pub(super) const fn prepared_loans(&self) -> &PreparedLoans {
        &self.prepared
    }

    /// Loans without an entry in a book that were not signed in time.
    pub(super) fn lapsed(&self, now: UnixMs) -> impl Iterator<Item = LoanId> {
        self.deadlines.iter().take_while(move |place| place.at <= now).map(|place| place.loan)
    }

    /// Stops watching a loan whose end is buried so deep that it is final.
    pub(crate) fn forget_watched(&mut self, id: LoanId) {
        if self.get(id).is_none_or(|loan| loan.stage.is_over()) {
            self.watched.remove(&id);
        }
    }

    /// Stops watching the loans that ended up to this height.
    pub(crate) fn forget_ended(&mut self, height: u32) {
        let loans = &self.loans;
        self.watched.retain(|id| {
            let Some(LoanStream { loan, .. }) = loans.get(id) else { return false };
            let mined = loan.end.as_ref().and_then(|end| end.mined);
            !(loan.stage.is_over() && mined.is_some_and(|mined| mined.height <= height))
        });
    }

    /// The state of a loan, and the time up to which its two sides were notified.
    pub(super) fn notified_state(&self, id: LoanId) -> Option<(LoanSummary, UnixMs)> {
        self.loans.get(&id).map(|stream| (stream.loan.summary(), stream.notified_until))
    }

    /// The change of a loan after a commit.
    pub(super) fn change(&self, id: LoanId, at: UnixMs, before: Option<(LoanSummary, UnixMs)>) -> Option<LoanChange> {
        let stream = self.loans.get(&id)?;
        Some(LoanChange { loan: stream.loan.summary(), sequence: stream.sequence, at, before })
    }

    /// The changes through time alone by `now`, for at most `count` loans; each is returned once.
    pub(crate) fn take_due(&mut self, now: UnixMs, count: usize) -> Vec<LoanChange> {
        let mut changes = Vec::new();
        while changes.len() < count {
            let Some(place) = self.due_changes.first().copied().filter(|place| place.at <= now) else { break };
            self.due_changes.remove(&place);
            let Some(stream) = self.loans.get_mut(&place.loan) else { continue };
            let loan = stream.loan.summary();
            let before = Some((loan.clone(), stream.notified_until));
            stream.notified_until = now;
            changes.push(LoanChange { loan, sequence: stream.sequence, at: now, before });
            self.due_changes.extend(stream.next_change());
        }
        changes
    }

    /// Applies an event.
    pub(crate) fn apply(&mut self, id: LoanId, event: &LoanEvent, at: UnixMs) {
        if let Some(stream) = self.loans.get_mut(&id) {
            let was_over = stream.loan.stage.is_over().then(|| ended_cursor(&stream.loan));
            if let Some(change) = stream.next_change() {
                self.due_changes.remove(&change);
            }
            if let Some(place) = signature_deadline(&stream.loan) {
                self.deadlines.remove(&place);
            }
            let before = stream.loan.coins_to_reserve.is_some().then(|| stream.loan.clone());
            stream.loan.apply(event, at);
            self.prepared.apply(before.as_ref(), Some(&stream.loan), event, at);
            stream.sequence += 1;
            stream.notified_until = stream.notified_until.max(at);
            self.due_changes.extend(stream.next_change());
            self.deadlines.extend(signature_deadline(&stream.loan));
            self.update_lists(id, was_over);
        } else if let Some(loan) = LoanAccount::open(id, event, at) {
            self.deadlines.extend(signature_deadline(&loan));
            self.prepared.apply(None, Some(&loan), event, at);
            self.loans.insert(id, LoanStream { loan, sequence: 1, notified_until: at });
            self.update_lists(id, None);
        }
    }

    /// Drops an ended loan that its borrower never accepted. It carries no signature and is never needed again, so
    /// prepared loans cannot fill the memory, however many are requested.
    pub(crate) fn drop_unaccepted(&mut self, id: LoanId) {
        let Some(loan) = self.get(id).filter(|loan| loan.stage.is_over() && loan.accepted_at.is_none()) else { return };
        let (borrower, at, end) = (loan.deal.borrower, prepared_cursor(loan), ended_cursor(loan));
        self.loans.remove(&id);
        let Some(lists) = self.by_user.get_mut(&borrower) else { return };
        lists.all.remove(&at);
        lists.ended.remove(&end);
        if lists.all.is_empty() {
            self.by_user.remove(&borrower);
        }
    }

    /// Updates the lists after an event. `was_over` is the loan's place among the ended ones if it had ended before.
    fn update_lists(&mut self, id: LoanId, was_over: Option<LoanCursor>) {
        let Some(loan) = self.loans.get(&id).map(|stream| &stream.loan) else { return };
        if loan.stage == LoanStage::AwaitingLender {
            self.awaiting.insert(id);
        } else {
            self.awaiting.remove(&id);
        }
        if loan.stage.is_running() {
            self.watched.insert(id);
        } else if loan.stage == LoanStage::Failed {
            self.watched.remove(&id);
        }
        for user in listed_for(loan) {
            let lists = self.by_user.entry(user).or_default();
            lists.all.insert(prepared_cursor(loan));
            if let Some(was_over) = &was_over {
                lists.ended.remove(was_over);
            }
            if loan.stage.is_over() {
                lists.open.remove(&prepared_cursor(loan));
                lists.ended.insert(ended_cursor(loan));
            } else {
                lists.open.insert(prepared_cursor(loan));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        CancelledBy, GroupId, InterestRate, LoanCoins, OfferId, PledgedIds, ProcessType, Role, Sats, SubCollectionId,
        TermDays,
    };

    use super::super::{LedgerEvent, LedgerState};
    use super::*;

    const LENDER: UserId = UserId(1);
    const BORROWER: UserId = UserId(2);
    const EXPIRES: UnixMs = UnixMs(1_000_000);

    fn prepared(is_extension: bool) -> LoanEvent {
        let deal = Box::new(LoanDeal {
            offer: OfferId::new(GroupId(1), 1).unwrap(),
            sub_collection: SubCollectionId(0),
            process: ProcessType::Manual,
            lender: LENDER,
            borrower: BORROWER,
            principal: Sats::new(1_000_000),
            rate: InterestRate::from_basis_points(120),
            interest: Sats::new(12_000),
            platform_fee: Sats::ZERO,
            pledged_raw: 1,
            pledged_ids: PledgedIds::default(),
            term: TermDays(7),
            claim_after: UnixMs(10_000_000_000),
            follows: None,
        });
        let (contract, expires_at) = ("long".to_owned(), EXPIRES);
        if is_extension {
            LoanEvent::ExtensionPrepared { deal, contract, expires_at, due_at: UnixMs(9_000_000_000) }
        } else {
            LoanEvent::SoftPrepared { deal, contract, expires_at, coins: LoanCoins::default() }
        }
    }

    fn accepted() -> LoanEvent {
        LoanEvent::BorrowerSigned { answer: "long".to_owned(), expires_at: EXPIRES }
    }

    /// Returns the whole of a user's list.
    fn listed(loans: &LoanIndex, user: UserId, list: LoanList) -> Vec<LoanId> {
        let range = LoanRange { list, after: None, from: UnixMs(0) };
        loans.scan(user, range, usize::MAX, |loan, _| Some(loan.id)).picked.into_iter().map(|(_, id)| id).collect()
    }

    /// Returns the number of entries of all kinds.
    fn entries(loans: &LoanIndex) -> usize {
        let LoanIndex { loans, by_user, watched, awaiting, due_changes, deadlines, prepared } = loans;
        let count = |it: &UserLoans| it.all.len() + it.open.len() + it.ended.len();
        let lists: usize = by_user.values().map(count).sum();
        let times = due_changes.len() + deadlines.len();
        loans.len() + by_user.len() + lists + watched.len() + awaiting.len() + times + prepared.entries()
    }

    #[test]
    fn ten_thousand_unaccepted_loans_leave_no_entries() {
        let mut state = LedgerState::default();
        let commit = |state: &mut LedgerState, id, event, at| state.commit(vec![LedgerEvent::Loan(id, event)], at);
        for number in 0..10_000_u64 {
            let (id, at) = (LoanId(number.into()), UnixMs(number));
            commit(&mut state, id, prepared(number % 2 == 0), at);
            assert_eq!(listed(state.loans(), BORROWER, LoanList::Open), [id]);
            assert!(listed(state.loans(), LENDER, LoanList::All).is_empty(), "nothing was accepted");
            let by = if number % 3 == 0 { CancelledBy::Time } else { CancelledBy::Borrower };
            let changes = commit(&mut state, id, LoanEvent::Cancelled { by }, UnixMs(number + 1)).loans;
            let changes: Vec<_> =
                changes.iter().map(|change| (change.loan.stage, change.loan.role_of(BORROWER))).collect();
            assert_eq!(changes, [(LoanStage::Cancelled, Some(Role::Borrower))], "the borrower is notified");
            assert_eq!(entries(state.loans()), 0);
        }
    }

    #[test]
    fn a_lender_lists_a_loan_from_its_acceptance_on() {
        let lists = |loans: &LoanIndex, user| {
            [LoanList::All, LoanList::Open, LoanList::Ended].map(|list| listed(loans, user, list).len())
        };
        let cancelled = LoanEvent::Cancelled { by: CancelledBy::Borrower };
        let rebuilt = LoanEvent::Rebuilt { contract: "rebuilt".to_owned(), expires_at: EXPIRES };
        let rows = [
            (prepared(false), [0, 0, 0], [1, 1, 0]),
            (accepted(), [1, 1, 0], [1, 1, 0]),
            (rebuilt, [1, 1, 0], [1, 1, 0]),
            (cancelled, [1, 0, 1], [1, 0, 1]),
        ];
        let (mut loans, id) = (LoanIndex::default(), LoanId(7));
        for (at, (event, lender, borrower)) in (0..).zip(rows) {
            loans.apply(id, &event, UnixMs(at));
            loans.drop_unaccepted(id);
            assert_eq!((lists(&loans, LENDER), lists(&loans, BORROWER)), (lender, borrower), "{event:?}");
        }
        let kept = loans.get(id).unwrap();
        assert_eq!((kept.contract.as_str(), &kept.answer, kept.stage), ("", &None, LoanStage::Cancelled));
    }
}
