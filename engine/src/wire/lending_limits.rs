//! A lender's limits, and what they are compared with.

use domain::{Exposure, GroupId, LendingLimits, Sats, UnixMs};
use serde::Serialize;
use utoipa::ToSchema;

use super::AsString;

/// A collection's budget, or the principal outstanding in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CollectionBudgetView {
    /// The collection.
    #[schema(value_type = String)]
    pub group_id: AsString<GroupId>,
    /// The maximum principal of manual loans outstanding at a time; `null` without a budget of its own.
    #[schema(value_type = Option<u64>, required)]
    pub budget_sats: Option<Sats>,
    /// The principal of manual loans outstanding.
    #[schema(value_type = u64)]
    pub outstanding_sats: Sats,
}

/// A lender's limits on manual offers and on absence, with the amounts that they are compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LendingLimitsView {
    /// The maximum principal of manual loans outstanding at a time; `null` without a limit.
    #[schema(value_type = Option<u64>, required)]
    pub budget_sats: Option<Sats>,
    /// The principal of manual loans outstanding: accepted by their borrower, and neither repaid nor claimed.
    #[schema(value_type = u64)]
    pub outstanding_sats: Sats,
    /// The maximum principal of manual loans accepted in a UTC day; `null` without a limit.
    #[schema(value_type = Option<u64>, required)]
    pub daily_sats: Option<Sats>,
    /// The principal of manual loans accepted on this UTC day, without those that never began.
    #[schema(value_type = u64)]
    pub today_sats: Sats,
    /// The collections with a budget of their own, or with principal outstanding, by id.
    pub collections: Vec<CollectionBudgetView>,
    /// The minutes without a request or an open connection after which all offers are paused; `null` if they stay open.
    #[schema(required)]
    pub absence_minutes: Option<u16>,
    /// Whether all offers are paused for that reason.
    pub is_absent: bool,
}

/// Returns the view of a lender's limits at a time.
pub(crate) fn limits_view(
    limits: &LendingLimits,
    exposure: &Exposure,
    is_absent: bool,
    now: UnixMs,
) -> LendingLimitsView {
    let mut groups: Vec<GroupId> = limits.collection_budgets.keys().copied().chain(exposure.groups()).collect();
    groups.sort_unstable();
    groups.dedup();
    let collections = groups.into_iter().map(|group| CollectionBudgetView {
        group_id: AsString(group),
        budget_sats: limits.collection_budgets.get(&group).copied(),
        outstanding_sats: exposure.outstanding_in(group),
    });
    LendingLimitsView {
        budget_sats: limits.budget,
        outstanding_sats: exposure.outstanding(),
        daily_sats: limits.daily,
        today_sats: exposure.accepted_on_day_of(now),
        collections: collections.collect(),
        absence_minutes: limits.absence_minutes,
        is_absent,
    }
}
