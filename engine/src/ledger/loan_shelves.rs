//! Every loan, and for each user the order in which they are shown.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Bound,
};

use domain::{LoanAccount, LoanDeal, LoanEvent, LoanId, LoanStage, LoanSummary, UnixMs, UserId};

use crate::journal::Sequence;

use super::LoanNews;
use super::soft_loans::SoftLoans;

/// How many loans are looked at while the ledger is locked.
pub(crate) const LOOKED_AT_ONCE: usize = 256;

/// Which of a user's loans, and by what they are ordered. Later ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoanShelf {
    /// All, by when they were prepared.
    All,
    /// Those that have not ended, by when they were prepared.
    Open,
    /// Those that ended, by when they did.
    Over,
}

/// A loan's place on a shelf: a time, and the loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoanPlace {
    /// What the shelf is ordered by.
    pub at: UnixMs,
    /// Which loan.
    pub loan: LoanId,
}

/// Where on a shelf is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShelfRange {
    pub(crate) shelf: LoanShelf,
    /// Only what stands behind this place.
    pub(crate) after: Option<LoanPlace>,
    /// Nothing earlier than this.
    pub(crate) from: UnixMs,
}

/// A part of a shelf.
pub(crate) struct ShelfPart<T> {
    /// What was picked, with its place.
    pub(crate) picked: Vec<(LoanPlace, T)>,
    /// Where looking stopped; `None` at the end of the shelf.
    pub(crate) rest: Option<LoanPlace>,
}

#[derive(Debug, Default)]
struct Shelves {
    all: BTreeSet<LoanPlace>,
    open: BTreeSet<LoanPlace>,
    over: BTreeSet<LoanPlace>,
}

impl Shelves {
    const fn shelf(&self, which: LoanShelf) -> &BTreeSet<LoanPlace> {
        match which {
            LoanShelf::All => &self.all,
            LoanShelf::Open => &self.open,
            LoanShelf::Over => &self.over,
        }
    }
}

#[derive(Debug)]
struct LoanStream {
    loan: LoanAccount,
    sequence: Sequence,
    /// Until when its two sides were told of it.
    told_until: UnixMs,
}

impl LoanStream {
    /// When time alone changes next what is shown or told of it.
    fn moment(&self) -> Option<LoanPlace> {
        let at = self.loan.summary().next_moment(self.told_until)?;
        Some(LoanPlace { at, loan: self.loan.id })
    }
}

/// Every loan.
#[derive(Debug, Default)]
pub(crate) struct LoanShelves {
    loans: HashMap<LoanId, LoanStream>,
    /// Those that they may see, on either side. Nobody's are empty.
    by_user: HashMap<UserId, Shelves>,
    /// Those that the chain can still change.
    watched: BTreeSet<LoanId>,
    /// Those that wait for their lender's signature.
    awaiting: BTreeSet<LoanId>,
    /// When time alone changes what is shown or told of a loan.
    moments: BTreeSet<LoanPlace>,
    /// When loans lapse that no book holds and that wait for a signature.
    lapses: BTreeSet<LoanPlace>,
    /// Those that are prepared and hold nothing.
    soft: SoftLoans,
}

/// When a loan lapses that waits for a signature. Of those that a book holds the book keeps the time.
fn lapse(loan: &LoanAccount) -> Option<LoanPlace> {
    let waits = matches!(loan.stage, LoanStage::Prepared | LoanStage::AwaitingLender);
    (waits && loan.is_unbooked()).then_some(LoanPlace { at: loan.expires_at, loan: loan.id })
}

fn prepared(loan: &LoanAccount) -> LoanPlace {
    LoanPlace { at: loan.prepared_at, loan: loan.id }
}

/// Who has a loan on their shelves: its lender only once the borrower has accepted it, since whoever only looks prepares
/// loans too.
fn shelved_by(loan: &LoanAccount) -> impl Iterator<Item = UserId> + use<> {
    let LoanDeal { lender, borrower, .. } = loan.deal;
    loan.accepted_at.map(|_| lender).into_iter().chain([borrower])
}

/// Nothing but its being undone happens to a loan that is over, so the time of its end is that of its last event.
fn ended(loan: &LoanAccount) -> LoanPlace {
    LoanPlace { at: loan.updated_at, loan: loan.id }
}

impl LoanShelves {
    pub(crate) fn get(&self, id: LoanId) -> Option<&LoanAccount> {
        self.loans.get(&id).map(|stream| &stream.loan)
    }

    /// How many events a loan has; 0 for one that does not exist.
    pub(crate) fn sequence(&self, id: LoanId) -> Sequence {
        self.loans.get(&id).map_or(0, |stream| stream.sequence)
    }

    /// The loans of a user on either side, the earliest prepared first.
    pub(crate) fn of(&self, user: UserId) -> impl Iterator<Item = &LoanAccount> {
        let shelves = self.by_user.get(&user);
        shelves.into_iter().flat_map(|shelves| &shelves.all).filter_map(|place| self.get(place.loan))
    }

    /// Looks at no more than `count` loans of a shelf, the latest first, and keeps what is picked.
    pub(crate) fn part<T>(
        &self,
        user: UserId,
        ShelfRange { shelf, after, from }: ShelfRange,
        count: usize,
        mut pick: impl FnMut(&LoanAccount, Sequence) -> Option<T>,
    ) -> ShelfPart<T> {
        let (mut picked, mut rest) = (Vec::new(), None);
        let first = LoanPlace { at: from, loan: LoanId(0) };
        let shelves = self.by_user.get(&user).filter(|_| after.is_none_or(|after| first < after));
        let Some(shelves) = shelves else { return ShelfPart { picked, rest } };
        let end = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut places = shelves.shelf(shelf).range((Bound::Included(first), end)).rev();
        for place in places.by_ref().take(count) {
            let stream = self.loans.get(&place.loan);
            picked.extend(stream.and_then(|it| pick(&it.loan, it.sequence)).map(|it| (*place, it)));
            rest = Some(*place);
        }
        if places.next().is_none() {
            rest = None;
        }
        ShelfPart { picked, rest }
    }

    /// Those that run, and those that ended on the chain until they are forgotten.
    pub(crate) fn watched(&self) -> impl Iterator<Item = LoanId> {
        self.watched.iter().copied()
    }

    /// Those that wait for their lender's signature.
    pub(crate) fn awaiting(&self) -> impl Iterator<Item = &LoanAccount> {
        self.awaiting.iter().filter_map(|id| self.get(*id))
    }

    /// Those that are prepared and hold nothing.
    pub(super) const fn soft(&self) -> &SoftLoans {
        &self.soft
    }

    /// Loans that no book holds and that were not signed in time.
    pub(super) fn lapsed(&self, now: UnixMs) -> impl Iterator<Item = LoanId> {
        self.lapses.iter().take_while(move |place| place.at <= now).map(|place| place.loan)
    }

    /// The end of a loan is buried so deep that nobody needs to look for it any more.
    pub(crate) fn forget_watched(&mut self, id: LoanId) {
        if self.get(id).is_none_or(|loan| loan.stage.is_over()) {
            self.watched.remove(&id);
        }
    }

    /// No end up to this height is looked for any more.
    pub(crate) fn forget_ended(&mut self, height: u32) {
        let loans = &self.loans;
        self.watched.retain(|id| {
            let Some(LoanStream { loan, .. }) = loans.get(id) else { return false };
            let mined = loan.end.as_ref().and_then(|end| end.mined);
            !(loan.stage.is_over() && mined.is_some_and(|mined| mined.height <= height))
        });
    }

    /// How a loan stands, and until when its two sides were told of it.
    pub(super) fn standing(&self, id: LoanId) -> Option<(LoanSummary, UnixMs)> {
        self.loans.get(&id).map(|stream| (stream.loan.summary(), stream.told_until))
    }

    /// What is to be told of a loan after a commit.
    pub(super) fn news(&self, id: LoanId, at: UnixMs, before: Option<(LoanSummary, UnixMs)>) -> Option<LoanNews> {
        let stream = self.loans.get(&id)?;
        Some(LoanNews { loan: stream.loan.summary(), sequence: stream.sequence, at, before })
    }

    /// What time alone has changed by `now`, for no more than `count` loans; each is told once.
    pub(crate) fn take_due(&mut self, now: UnixMs, count: usize) -> Vec<LoanNews> {
        let mut news = Vec::new();
        while news.len() < count {
            let Some(place) = self.moments.first().copied().filter(|place| place.at <= now) else { break };
            self.moments.remove(&place);
            let Some(stream) = self.loans.get_mut(&place.loan) else { continue };
            let loan = stream.loan.summary();
            let before = Some((loan.clone(), stream.told_until));
            stream.told_until = now;
            news.push(LoanNews { loan, sequence: stream.sequence, at: now, before });
            self.moments.extend(stream.moment());
        }
        news
    }

    /// Takes an event in.
    pub(crate) fn apply(&mut self, id: LoanId, event: &LoanEvent, at: UnixMs) {
        if let Some(stream) = self.loans.get_mut(&id) {
            let was_over = stream.loan.stage.is_over().then(|| ended(&stream.loan));
            if let Some(moment) = stream.moment() {
                self.moments.remove(&moment);
            }
            if let Some(place) = lapse(&stream.loan) {
                self.lapses.remove(&place);
            }
            let before = stream.loan.to_hold.is_some().then(|| stream.loan.clone());
            stream.loan.apply(event, at);
            self.soft.take_in(before.as_ref(), Some(&stream.loan), event, at);
            stream.sequence += 1;
            stream.told_until = stream.told_until.max(at);
            self.moments.extend(stream.moment());
            self.lapses.extend(lapse(&stream.loan));
            self.shelve(id, was_over);
        } else if let Some(loan) = LoanAccount::open(id, event, at) {
            self.lapses.extend(lapse(&loan));
            self.soft.take_in(None, Some(&loan), event, at);
            self.loans.insert(id, LoanStream { loan, sequence: 1, told_until: at });
            self.shelve(id, None);
        }
    }

    /// Lets a loan go that is over and that its borrower never accepted. Nobody signed anything, so nobody needs it again,
    /// and as many of them as anybody likes to prepare take no room.
    pub(crate) fn let_go(&mut self, id: LoanId) {
        let Some(loan) = self.get(id).filter(|loan| loan.stage.is_over() && loan.accepted_at.is_none()) else { return };
        let (borrower, at, end) = (loan.deal.borrower, prepared(loan), ended(loan));
        self.loans.remove(&id);
        let Some(shelves) = self.by_user.get_mut(&borrower) else { return };
        shelves.all.remove(&at);
        shelves.over.remove(&end);
        if shelves.all.is_empty() {
            self.by_user.remove(&borrower);
        }
    }

    /// Puts a loan where it belongs after an event. `was_over` is where it stood if it was over before.
    fn shelve(&mut self, id: LoanId, was_over: Option<LoanPlace>) {
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
        for user in shelved_by(loan) {
            let shelves = self.by_user.entry(user).or_default();
            shelves.all.insert(prepared(loan));
            if let Some(was_over) = &was_over {
                shelves.over.remove(was_over);
            }
            if loan.stage.is_over() {
                shelves.open.remove(&prepared(loan));
                shelves.over.insert(ended(loan));
            } else {
                shelves.open.insert(prepared(loan));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        CancelledBy, GroupId, InterestRate, LoanCoins, OfferId, ProcessType, Role, Sats, SubCollectionId, TermDays,
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
            pledged_id: String::new(),
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

    /// A user's list, all of it.
    fn listed(loans: &LoanShelves, user: UserId, shelf: LoanShelf) -> Vec<LoanId> {
        let range = ShelfRange { shelf, after: None, from: UnixMs(0) };
        loans.part(user, range, usize::MAX, |loan, _| Some(loan.id)).picked.into_iter().map(|(_, id)| id).collect()
    }

    /// How many entries there are, of any kind.
    fn entries(loans: &LoanShelves) -> usize {
        let LoanShelves { loans, by_user, watched, awaiting, moments, lapses, soft } = loans;
        let count = |it: &Shelves| it.all.len() + it.open.len() + it.over.len();
        let shelves: usize = by_user.values().map(count).sum();
        let times = moments.len() + lapses.len();
        loans.len() + by_user.len() + shelves + watched.len() + awaiting.len() + times + soft.entries()
    }

    #[test]
    fn of_ten_thousand_loans_that_nobody_accepted_nothing_is_left() {
        let mut state = LedgerState::default();
        let commit = |state: &mut LedgerState, id, event, at| state.commit(vec![LedgerEvent::Loan(id, event)], at);
        for number in 0..10_000_u64 {
            let (id, at) = (LoanId(number.into()), UnixMs(number));
            commit(&mut state, id, prepared(number % 2 == 0), at);
            assert_eq!(listed(state.loans(), BORROWER, LoanShelf::Open), [id]);
            assert!(listed(state.loans(), LENDER, LoanShelf::All).is_empty(), "nobody has accepted anything");
            let by = if number % 3 == 0 { CancelledBy::Time } else { CancelledBy::Borrower };
            let told = commit(&mut state, id, LoanEvent::Cancelled { by }, UnixMs(number + 1)).loans;
            let told: Vec<_> = told.iter().map(|news| (news.loan.stage, news.loan.role_of(BORROWER))).collect();
            assert_eq!(told, [(LoanStage::Cancelled, Some(Role::Borrower))], "the borrower hears of it");
            assert_eq!(entries(state.loans()), 0);
        }
    }

    #[test]
    fn a_lender_has_a_loan_on_the_shelves_from_its_acceptance_on_and_for_good() {
        let lists = |loans: &LoanShelves, user| {
            [LoanShelf::All, LoanShelf::Open, LoanShelf::Over].map(|shelf| listed(loans, user, shelf).len())
        };
        let gone = LoanEvent::Cancelled { by: CancelledBy::Borrower };
        let anew = LoanEvent::Rebuilt { contract: "anew".to_owned(), expires_at: EXPIRES };
        let rows = [
            (prepared(false), [0, 0, 0], [1, 1, 0]),
            (accepted(), [1, 1, 0], [1, 1, 0]),
            (anew, [1, 1, 0], [1, 1, 0]),
            (gone, [1, 0, 1], [1, 0, 1]),
        ];
        let (mut loans, id) = (LoanShelves::default(), LoanId(7));
        for (at, (event, lender, borrower)) in (0..).zip(rows) {
            loans.apply(id, &event, UnixMs(at));
            loans.let_go(id);
            assert_eq!((lists(&loans, LENDER), lists(&loans, BORROWER)), (lender, borrower), "{event:?}");
        }
        let kept = loans.get(id).unwrap();
        assert_eq!((kept.contract.as_str(), &kept.answer, kept.stage), ("", &None, LoanStage::Cancelled));
    }
}
