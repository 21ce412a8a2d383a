//! What a person sees of their own loans. Long lists are looked through in short pieces, so that nobody waits for them.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use domain::{
    CollectionGroup, GroupId, LoanAccount, LoanId, LoanStage, LoanSummary, LoanTotals, Points, Role, UnixMs, UserId,
    Wait,
};

use crate::{
    LoanPlace, LoanShelf, Refusal,
    journal::Sequence,
    ledger::ShelfRange,
    view,
    wire::{LoanPointsView, LoanView, NoticeView, PointTotals, PortfolioView},
};

use super::Market;

/// No page looks at more loans than this; one that finds little ends early.
const LOOKED_AT_MAX: usize = 8_192;

/// How many notices are kept in sight.
pub(super) const NOTICES_MAX: usize = 100;

/// How many loans a private channel shows at first: of those that have not ended, the latest.
const SHOWN_MAX: usize = 500;

/// Which of one's own loans are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanFilter {
    /// Where they stand and how they are ordered.
    pub shelf: LoanShelf,
    /// On which side; `None` for both.
    pub role: Option<Role>,
    /// Where they stand; empty for anywhere.
    pub stages: Vec<LoanStage>,
    /// Of which collection.
    pub group: Option<GroupId>,
    /// Nothing before this, by the shelf's time.
    pub from: UnixMs,
    /// Only before this, by the shelf's time.
    pub to: Option<UnixMs>,
    /// Only those that wait for the reader.
    pub is_waiting: bool,
}

impl LoanFilter {
    /// Everything on a shelf.
    #[must_use]
    pub const fn of(shelf: LoanShelf) -> Self {
        Self { shelf, role: None, stages: Vec::new(), group: None, from: UnixMs(0), to: None, is_waiting: false }
    }

    fn range(&self, after: Option<LoanPlace>) -> ShelfRange {
        let end = self.to.map(|to| LoanPlace { at: to, loan: LoanId(0) });
        let after = match (after, end) {
            (Some(after), Some(end)) => Some(after.min(end)),
            (one, other) => one.or(other),
        };
        ShelfRange { shelf: self.shelf, after, from: self.from }
    }

    /// The loan, if it is wanted.
    fn pick(&self, loan: &LoanAccount, sequence: Sequence, user: UserId, now: UnixMs) -> Option<Picked> {
        let role = loan.role_of(user).filter(|role| self.role.is_none_or(|wanted| wanted == *role))?;
        let is_wanted = (self.stages.is_empty() || self.stages.contains(&loan.stage))
            && self.group.is_none_or(|group| group == loan.deal.group());
        let summary = is_wanted.then(|| loan.summary())?;
        (!self.is_waiting || summary.waits_for(role, now).is_some()).then_some(Picked { role, loan: summary, sequence })
    }
}

/// A loan of somebody's, the side they are on, and how many events it has.
pub(super) struct Picked {
    role: Role,
    loan: LoanSummary,
    sequence: Sequence,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on it, the latest first. It can be short, or empty, while there are more.
    pub items: Vec<T>,
    /// After which place the next page begins; `None` when this is the last one.
    pub next: Option<LoanPlace>,
}

/// The groups of loans, each looked up once.
struct Groups<'market> {
    market: &'market Market,
    known: HashMap<GroupId, Option<Arc<CollectionGroup>>>,
}

impl Groups<'_> {
    fn of(&mut self, loan: &LoanSummary) -> Option<&CollectionGroup> {
        let (id, market) = (loan.deal.group(), self.market);
        self.known.entry(id).or_insert_with(|| market.group(id)).as_deref()
    }
}

impl Market {
    /// Some of a user's own loans, at most `count`, after a place.
    ///
    /// # Errors
    /// [`Refusal::Closed`].
    pub async fn my_loans(
        &self,
        user: UserId,
        filter: &LoanFilter,
        after: Option<LoanPlace>,
        count: usize,
    ) -> Result<Page<LoanView>, Refusal> {
        let now = self.shared.clock.now();
        let page = self.pick_loans(user, filter, after, count).await?;
        let mut groups = self.loan_groups();
        let view = |Picked { role, loan, .. }: Picked| Some(view::loan_view(groups.of(&loan)?, &loan, role, now));
        Ok(Page { items: page.items.into_iter().filter_map(view).collect(), next: page.next })
    }

    /// A loan, for one of its two sides; `None` for anybody else.
    pub async fn my_loan(&self, user: UserId, id: LoanId) -> Option<LoanView> {
        let loan = self.shared.ledger.loan(id).await?;
        let role = loan.role_of(user)?;
        let group = self.group(loan.deal.group())?;
        Some(view::loan_view(&group, &loan.summary(), role, self.shared.clock.now()))
    }

    /// What a user's loans come to.
    ///
    /// # Errors
    /// [`Refusal::Closed`].
    pub async fn my_portfolio(&self, user: UserId) -> Result<PortfolioView, Refusal> {
        let now = self.shared.clock.now();
        let (mut lender, mut borrower, mut portfolio) =
            (LoanTotals::default(), LoanTotals::default(), PortfolioView::default());
        self.each_loan(user, |role, loan| {
            match role {
                Role::Lender => lender.add(&loan, now),
                Role::Borrower => borrower.add(&loan, now),
            }
            let waiting = &mut portfolio.waiting;
            match loan.waits_for(role, now) {
                Some(Wait::Signature) => waiting.signatures += 1,
                Some(Wait::CounterSignature) => waiting.counter_signatures += 1,
                Some(Wait::Repayment) => waiting.repayments += 1,
                Some(Wait::Claim) => waiting.claims += 1,
                None => {}
            }
        })
        .await?;
        Ok(PortfolioView { as_lender: lender.into(), as_borrower: borrower.into(), ..portfolio })
    }

    /// What a user's loans have earned in points, all in all.
    ///
    /// # Errors
    /// [`Refusal::Closed`].
    pub async fn my_points(&self, user: UserId) -> Result<PointTotals, Refusal> {
        let mut groups = self.loan_groups();
        let (mut lender, mut borrower) = (Points::ZERO, Points::ZERO);
        self.each_loan(user, |role, loan| {
            let points = groups.of(&loan).map_or(Points::ZERO, |group| loan.points(role, group.points_multiplier));
            let sum = if role == Role::Lender { &mut lender } else { &mut borrower };
            *sum = sum.saturating_add(points);
        })
        .await?;
        let total = lender.saturating_add(borrower).get();
        Ok(PointTotals { total, as_lender: lender.get(), as_borrower: borrower.get() })
    }

    /// What some of a user's loans have earned in points, each for itself. Loans that earned nothing are left out.
    ///
    /// # Errors
    /// [`Refusal::Closed`].
    pub async fn my_points_by_loan(
        &self,
        user: UserId,
        after: Option<LoanPlace>,
        count: usize,
    ) -> Result<Page<LoanPointsView>, Refusal> {
        let page = self.pick_loans(user, &LoanFilter::of(LoanShelf::All), after, count).await?;
        let mut groups = self.loan_groups();
        let view = |Picked { role, loan, .. }: Picked| {
            let group = groups.of(&loan)?;
            let points = loan.points(role, group.points_multiplier);
            (points > Points::ZERO).then(|| LoanPointsView {
                loan_id: crate::wire::Shown(loan.id),
                role: role.into(),
                collection_name: group.name.clone(),
                points_multiplier: group.points_multiplier,
                principal: loan.deal.principal,
                points: points.get(),
            })
        };
        Ok(Page { items: page.items.into_iter().filter_map(view).collect(), next: page.next })
    }

    /// What a private channel shows at first: the latest loans that have not ended.
    pub(super) async fn shown_loans(&self, user: UserId) -> Result<Vec<(Sequence, LoanView)>, Refusal> {
        let now = self.shared.clock.now();
        let open = self.pick_loans(user, &LoanFilter::of(LoanShelf::Open), None, SHOWN_MAX).await?;
        let mut groups = self.loan_groups();
        let view = |Picked { role, loan, sequence }: Picked| {
            Some((sequence, view::loan_view(groups.of(&loan)?, &loan, role, now)))
        };
        Ok(open.items.into_iter().filter_map(view).collect())
    }

    /// The latest things that a user was told of their loans, the latest first.
    pub(super) async fn loan_notices(&self, user: UserId) -> Result<Vec<NoticeView>, Refusal> {
        let now = self.shared.clock.now();
        let mut told = Vec::new();
        self.each_on(user, LoanShelf::Open, |role, loan| told_of(&mut told, role, &loan, now)).await?;
        // Nothing was told of a loan after it ended, so once there are enough, older ones cannot add anything.
        let mut after = None;
        loop {
            let page = self.pick_loans(user, &LoanFilter::of(LoanShelf::Over), after, NOTICES_MAX).await?;
            for Picked { role, loan, .. } in page.items {
                told_of(&mut told, role, &loan, now);
            }
            keep_latest(&mut told);
            let oldest = told.get(NOTICES_MAX - 1).map(|(notice, _, _)| notice.at);
            after = page.next;
            let is_complete = after.is_none_or(|place| oldest.is_some_and(|oldest| place.at < oldest));
            if is_complete {
                break;
            }
        }
        let mut groups = self.loan_groups();
        let shown =
            |(notice, role, loan): (_, _, LoanSummary)| Some(view::loan_notice(groups.of(&loan)?, &loan, role, notice));
        Ok(told.into_iter().filter_map(shown).collect())
    }

    pub(super) async fn pick_loans(
        &self,
        user: UserId,
        filter: &LoanFilter,
        after: Option<LoanPlace>,
        count: usize,
    ) -> Result<Page<Picked>, Refusal> {
        let now = self.shared.clock.now();
        let pick = |loan: &LoanAccount, sequence| filter.pick(loan, sequence, user, now);
        let bounds = (count.max(1), LOOKED_AT_MAX);
        let part = self.shared.ledger.pick_loans(user, filter.range(after), bounds, pick).await;
        let part = part.ok_or(Refusal::Closed)?;
        Ok(Page { items: part.picked.into_iter().map(|(_, picked)| picked).collect(), next: part.rest })
    }

    async fn each_loan(&self, user: UserId, take: impl FnMut(Role, LoanSummary) + Send) -> Result<(), Refusal> {
        self.each_on(user, LoanShelf::All, take).await
    }

    async fn each_on(
        &self,
        user: UserId,
        which: LoanShelf,
        mut take: impl FnMut(Role, LoanSummary) + Send,
    ) -> Result<(), Refusal> {
        let pick = |loan: &LoanAccount, _| -> Option<()> {
            if let Some(role) = loan.role_of(user) {
                take(role, loan.summary());
            }
            None
        };
        let range = LoanFilter::of(which).range(None);
        let all = self.shared.ledger.pick_loans(user, range, (usize::MAX, usize::MAX), pick).await;
        all.map(drop).ok_or(Refusal::Closed)
    }

    fn loan_groups(&self) -> Groups<'_> {
        Groups { market: self, known: HashMap::new() }
    }
}

/// Something that was told, to which side, of which loan.
type Told = (domain::LoanNotice, Role, LoanSummary);

fn told_of(told: &mut Vec<Told>, role: Role, loan: &LoanSummary, now: UnixMs) {
    told.extend(loan.notices(role, now).into_iter().map(|notice| (notice, role, loan.clone())));
    if told.len() > NOTICES_MAX * 8 {
        keep_latest(told);
    }
}

fn keep_latest(told: &mut Vec<Told>) {
    told.sort_unstable_by_key(|(notice, _, loan)| Reverse((notice.at, notice.kind, loan.id)));
    told.truncate(NOTICES_MAX);
}
