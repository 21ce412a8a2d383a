//! A user's own loans. Long lists are scanned in short pieces, so that other callers are not blocked.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use domain::{
    CollectionGroup, GroupId, LoanAccount, LoanId, LoanStage, LoanSummary, LoanTotals, PendingAction, Points, Role,
    UnixMs, UserId,
};

use crate::{
    LoanCursor, LoanList, Refusal,
    journal::Sequence,
    ledger::LoanRange,
    view,
    wire::{LoanPointsView, LoanView, NoticeView, PointTotals, PortfolioView},
};

use super::Market;

/// The maximum number of loans scanned for one page; a page with few matches ends early.
const SCAN_MAX: usize = 8_192;

/// The maximum number of notices shown.
pub(super) const NOTICES_MAX: usize = 100;

/// The maximum number of loans in the snapshot of a private channel: the latest of those that have not ended.
const SNAPSHOT_LOANS_MAX: usize = 500;

/// A filter for a user's own loans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanFilter {
    /// The list, and with it the order.
    pub list: LoanList,
    /// The user's side; `None` for both.
    pub role: Option<Role>,
    /// The stages; empty for any.
    pub stages: Vec<LoanStage>,
    /// The collection.
    pub group: Option<GroupId>,
    /// The earliest time, by the list's order.
    pub from: UnixMs,
    /// The end of the time range, exclusive, by the list's order.
    pub to: Option<UnixMs>,
    /// Whether only loans that wait for the user are wanted.
    pub is_waiting: bool,
}

impl LoanFilter {
    /// Returns the filter for a whole list.
    #[must_use]
    pub const fn of(list: LoanList) -> Self {
        Self { list, role: None, stages: Vec::new(), group: None, from: UnixMs(0), to: None, is_waiting: false }
    }

    fn range(&self, after: Option<LoanCursor>) -> LoanRange {
        let end = self.to.map(|to| LoanCursor { at: to, loan: LoanId(0) });
        let after = match (after, end) {
            (Some(after), Some(end)) => Some(after.min(end)),
            (one, other) => one.or(other),
        };
        LoanRange { list: self.list, after, from: self.from }
    }

    /// The loan, if it matches.
    fn pick(&self, loan: &LoanAccount, sequence: Sequence, user: UserId, now: UnixMs) -> Option<LoanOfUser> {
        let role = loan.role_of(user).filter(|role| self.role.is_none_or(|wanted| wanted == *role))?;
        let is_wanted = (self.stages.is_empty() || self.stages.contains(&loan.stage))
            && self.group.is_none_or(|group| group == loan.deal.group());
        let summary = is_wanted.then(|| loan.summary())?;
        (!self.is_waiting || summary.pending_action(role, now).is_some()).then_some(LoanOfUser {
            role,
            loan: summary,
            sequence,
        })
    }
}

/// A user's loan, the side they are on, and the number of its events.
pub(super) struct LoanOfUser {
    role: Role,
    loan: LoanSummary,
    sequence: Sequence,
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// Its items, the latest first. A page can be short, or empty, while there are more.
    pub items: Vec<T>,
    /// The place after which the next page begins; `None` on the last one.
    pub next: Option<LoanCursor>,
}

/// The groups of loans, each looked up once.
struct GroupCache<'market> {
    market: &'market Market,
    known: HashMap<GroupId, Option<Arc<CollectionGroup>>>,
}

impl GroupCache<'_> {
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
        after: Option<LoanCursor>,
        count: usize,
    ) -> Result<Page<LoanView>, Refusal> {
        let now = self.shared.clock.now();
        let page = self.pick_loans(user, filter, after, count).await?;
        let mut groups = self.loan_groups();
        let view =
            |LoanOfUser { role, loan, .. }: LoanOfUser| Some(view::loan_view(groups.of(&loan)?, &loan, role, now));
        Ok(Page { items: page.items.into_iter().filter_map(view).collect(), next: page.next })
    }

    /// A loan, for one of its two sides; `None` for any other user.
    pub async fn my_loan(&self, user: UserId, id: LoanId) -> Option<LoanView> {
        let loan = self.shared.ledger.loan(id).await?;
        let role = loan.role_of(user)?;
        let group = self.group(loan.deal.group())?;
        Some(view::loan_view(&group, &loan.summary(), role, self.shared.clock.now()))
    }

    /// The totals of a user's loans.
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
            match loan.pending_action(role, now) {
                Some(PendingAction::Signature) => waiting.signatures += 1,
                Some(PendingAction::CounterSignature) => waiting.counter_signatures += 1,
                Some(PendingAction::Repayment) => waiting.repayments += 1,
                Some(PendingAction::Claim) => waiting.claims += 1,
                None => {}
            }
        })
        .await?;
        Ok(PortfolioView { as_lender: lender.into(), as_borrower: borrower.into(), ..portfolio })
    }

    /// The total points that a user's loans have earned.
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

    /// The points of some of a user's loans, each by itself. Loans that earned nothing are omitted.
    ///
    /// # Errors
    /// [`Refusal::Closed`].
    pub async fn my_points_by_loan(
        &self,
        user: UserId,
        after: Option<LoanCursor>,
        count: usize,
    ) -> Result<Page<LoanPointsView>, Refusal> {
        let page = self.pick_loans(user, &LoanFilter::of(LoanList::All), after, count).await?;
        let mut groups = self.loan_groups();
        let view = |LoanOfUser { role, loan, .. }: LoanOfUser| {
            let group = groups.of(&loan)?;
            let points = loan.points(role, group.points_multiplier);
            (points > Points::ZERO).then(|| LoanPointsView {
                loan_id: crate::wire::AsString(loan.id),
                role: role.into(),
                collection_name: group.name.clone(),
                points_multiplier: group.points_multiplier,
                principal: loan.deal.principal,
                points: points.get(),
            })
        };
        Ok(Page { items: page.items.into_iter().filter_map(view).collect(), next: page.next })
    }

    /// The loans in the snapshot of a private channel: the latest that have not ended.
    pub(super) async fn shown_loans(&self, user: UserId) -> Result<Vec<(Sequence, LoanView)>, Refusal> {
        let now = self.shared.clock.now();
        let open = self.pick_loans(user, &LoanFilter::of(LoanList::Open), None, SNAPSHOT_LOANS_MAX).await?;
        let mut groups = self.loan_groups();
        let view = |LoanOfUser { role, loan, sequence }: LoanOfUser| {
            Some((sequence, view::loan_view(groups.of(&loan)?, &loan, role, now)))
        };
        Ok(open.items.into_iter().filter_map(view).collect())
    }

    /// A user's latest notices about loans, the latest first.
    pub(super) async fn loan_notices(&self, user: UserId) -> Result<Vec<NoticeView>, Refusal> {
        let now = self.shared.clock.now();
        let mut notices = Vec::new();
        self.each_in_list(user, LoanList::Open, |role, loan| collect_notices(&mut notices, role, &loan, now)).await?;
        // A loan yields no notices after its end, so once there are enough, older loans cannot add any.
        let mut after = None;
        loop {
            let page = self.pick_loans(user, &LoanFilter::of(LoanList::Ended), after, NOTICES_MAX).await?;
            for LoanOfUser { role, loan, .. } in page.items {
                collect_notices(&mut notices, role, &loan, now);
            }
            keep_latest(&mut notices);
            let oldest = notices.get(NOTICES_MAX - 1).map(|(notice, _, _)| notice.at);
            after = page.next;
            let is_complete = after.is_none_or(|place| oldest.is_some_and(|oldest| place.at < oldest));
            if is_complete {
                break;
            }
        }
        let mut groups = self.loan_groups();
        let shown =
            |(notice, role, loan): (_, _, LoanSummary)| Some(view::loan_notice(groups.of(&loan)?, &loan, role, notice));
        Ok(notices.into_iter().filter_map(shown).collect())
    }

    pub(super) async fn pick_loans(
        &self,
        user: UserId,
        filter: &LoanFilter,
        after: Option<LoanCursor>,
        count: usize,
    ) -> Result<Page<LoanOfUser>, Refusal> {
        let now = self.shared.clock.now();
        let pick = |loan: &LoanAccount, sequence| filter.pick(loan, sequence, user, now);
        let bounds = (count.max(1), SCAN_MAX);
        let part = self.shared.ledger.pick_loans(user, filter.range(after), bounds, pick).await;
        let part = part.ok_or(Refusal::Closed)?;
        Ok(Page { items: part.picked.into_iter().map(|(_, picked)| picked).collect(), next: part.rest })
    }

    async fn each_loan(&self, user: UserId, take: impl FnMut(Role, LoanSummary) + Send) -> Result<(), Refusal> {
        self.each_in_list(user, LoanList::All, take).await
    }

    /// Passes each loan of one of a user's lists on, with the user's side.
    pub(super) async fn each_in_list(
        &self,
        user: UserId,
        which: LoanList,
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

    fn loan_groups(&self) -> GroupCache<'_> {
        GroupCache { market: self, known: HashMap::new() }
    }
}

/// A notice, the side it is for, and its loan.
type RoleNotice = (domain::LoanNotice, Role, LoanSummary);

fn collect_notices(notices: &mut Vec<RoleNotice>, role: Role, loan: &LoanSummary, now: UnixMs) {
    notices.extend(loan.notices(role, now).into_iter().map(|notice| (notice, role, loan.clone())));
    if notices.len() > NOTICES_MAX * 8 {
        keep_latest(notices);
    }
}

fn keep_latest(notices: &mut Vec<RoleNotice>) {
    notices.sort_unstable_by_key(|(notice, _, loan)| Reverse((notice.at, notice.kind, loan.id)));
    notices.truncate(NOTICES_MAX);
}
