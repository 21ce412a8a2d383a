//! A lender's exposure: the principal of manual loans, derived from the loans and stored nowhere else.

use std::collections::BTreeMap;

use crate::{DAY_MS, Ending, GroupId, LoanAccount, LoanStage, ProcessType, Sats, UnixMs};

/// The principal of a lender's manual loans: outstanding, and accepted on the latest day with an accepted loan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    outstanding: BTreeMap<GroupId, Sats>,
    day: u64,
    accepted: Sats,
}

/// A loan's part of its lender's exposure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoanExposure {
    group: GroupId,
    /// Zero once the loan has ended.
    outstanding: Sats,
    /// The day on which the borrower accepted, and the principal; zero if the loan never began.
    accepted: (u64, Sats),
}

impl LoanExposure {
    /// Returns the part of a loan; `None` for an instant one, and before its borrower has signed.
    ///
    /// An extension continues a loan: it is not lent anew, and outstanding only in place of the loan that it extends.
    #[must_use]
    pub fn of(loan: &LoanAccount) -> Option<Self> {
        use LoanStage::{
            Active, AwaitingLender, Broadcast, Cancelled, Claimed, Claiming, Expired, Failed, Lapsed, Prepared, Repaid,
            Repaying,
        };
        if loan.deal.process != ProcessType::Manual {
            return None;
        }
        let accepted_at = loan.accepted_at?;
        let is_extension = loan.extended_until.is_some();
        let is_outstanding = match loan.stage {
            Prepared | AwaitingLender => !is_extension,
            Broadcast | Active | Expired | Claiming => true,
            Repaying => !loan.end.as_ref().is_some_and(|end| matches!(end.ending, Ending::Extension(_))),
            Repaid | Claimed | Cancelled | Lapsed | Failed => false,
        };
        let never_began = matches!(loan.stage, Cancelled | Lapsed | Failed);
        let principal = loan.deal.principal;
        Some(Self {
            group: loan.deal.group(),
            outstanding: if is_outstanding { principal } else { Sats::ZERO },
            accepted: (accepted_at.day(), if is_extension || never_began { Sats::ZERO } else { principal }),
        })
    }
}

impl LoanAccount {
    /// Returns the principal of a loan that runs, from the signature of both sides until its end; zero before and after
    /// that.
    ///
    /// Of a loan and its extension, only the later one counts once it is signed.
    #[must_use]
    pub fn running_principal(&self) -> Sats {
        use LoanStage::{Active, Broadcast, Claiming, Expired, Repaying};
        let is_extended = self.end.as_ref().is_some_and(|end| matches!(end.ending, Ending::Extension(_)));
        let is_running = match self.stage {
            Broadcast | Active | Expired | Claiming => true,
            Repaying => !is_extended,
            _ => false,
        };
        if is_running { self.deal.principal } else { Sats::ZERO }
    }
}

impl Exposure {
    /// The exposure of a lender without loans.
    pub const NONE: Self = Self { outstanding: BTreeMap::new(), day: 0, accepted: Sats::ZERO };

    /// Replaces a loan's part. The order in which loans are replaced does not matter.
    pub fn replace(&mut self, before: Option<LoanExposure>, after: Option<LoanExposure>) {
        if let Some(LoanExposure { group, outstanding, accepted: (day, accepted) }) = before {
            let left = self.outstanding_in(group).saturating_sub(outstanding);
            self.outstanding.insert(group, left);
            if day == self.day {
                self.accepted = self.accepted.saturating_sub(accepted);
            }
        }
        if let Some(LoanExposure { group, outstanding, accepted: (day, accepted) }) = after {
            let sum = self.outstanding_in(group).saturating_add(outstanding);
            self.outstanding.insert(group, sum);
            if day > self.day {
                (self.day, self.accepted) = (day, Sats::ZERO);
            }
            if day == self.day {
                self.accepted = self.accepted.saturating_add(accepted);
            }
        }
        self.outstanding.retain(|_, sats| *sats > Sats::ZERO);
    }

    /// The principal outstanding over all collections.
    #[must_use]
    pub fn outstanding(&self) -> Sats {
        self.outstanding.values().copied().sum()
    }

    /// The principal outstanding in a collection.
    #[must_use]
    pub fn outstanding_in(&self, group: GroupId) -> Sats {
        self.outstanding.get(&group).copied().unwrap_or_default()
    }

    /// The collections with principal outstanding, by id.
    pub fn groups(&self) -> impl Iterator<Item = GroupId> {
        self.outstanding.keys().copied()
    }

    /// The principal that borrowers have accepted on the UTC day of a time, without loans that never began.
    #[must_use]
    pub fn accepted_on_day_of(&self, now: UnixMs) -> Sats {
        if self.day == now.day() { self.accepted } else { Sats::ZERO }
    }

    /// The start of the next UTC day.
    #[must_use]
    pub const fn next_day(now: UnixMs) -> UnixMs {
        UnixMs((now.day() + 1) * DAY_MS)
    }
}
