//! The choice of transactions that have been unconfirmed for long enough to get a child.

use std::collections::BTreeMap;

use domain::{SpendId, UserId};
use engine::Refusal;

use super::decision::{SpendStatus, VaultObservation};
use super::{RoundError, VaultWatch};
use crate::lookups::ports::Ports;
use crate::vaults::fee_bump::BumpError;
use crate::vaults::fee_bump::child_fee::WAITED_BLOCKS_MIN;

/// The number of blocks for which a transaction that got no child is not considered again: neither the estimate nor the
/// signer's limits change much faster.
const POSTPONE_BLOCKS: u32 = 1;

/// The heights from which unconfirmed transactions may get a child. Not persisted.
#[derive(Debug, Default)]
pub(super) struct BumpSchedule {
    due: BTreeMap<(UserId, SpendId), u32>,
}

impl BumpSchedule {
    /// Adds an observation.
    pub(super) fn observe(&mut self, lender: UserId, observation: &VaultObservation) {
        let waiting = |spend: &SpendId| {
            matches!(observation.spends.get(spend), Some(SpendStatus::InMempool))
                && !matches!(spend, SpendId::FeeBump(_) | SpendId::Move(_))
        };
        self.due.retain(|(of, spend), _| *of != lender || waiting(spend));
        for spend in observation.spends.keys().filter(|spend| waiting(spend)) {
            self.due.entry((lender, *spend)).or_insert(observation.tip.saturating_add(WAITED_BLOCKS_MIN));
        }
    }

    /// Returns the spends of a vault that may get a child now.
    fn due(&self, lender: UserId, tip: u32) -> Vec<SpendId> {
        let own = self.due.iter().filter(|((of, _), due)| *of == lender && **due <= tip);
        own.map(|((_, spend), _)| *spend).collect()
    }

    fn postpone(&mut self, lender: UserId, spend: SpendId, tip: u32) {
        self.due.insert((lender, spend), tip.saturating_add(POSTPONE_BLOCKS));
    }
}

impl<P: Ports> VaultWatch<P> {
    /// Makes children for at most `most` of a vault's transactions; returns the numbers of those considered and of
    /// children.
    pub(super) async fn bump(&self, lender: UserId, tip: u32, most: usize) -> Result<(usize, usize), RoundError> {
        let (mut tried, mut done) = (0, 0);
        let due = self.state().bump_schedule.due(lender, tip);
        for spend in due.into_iter().take(most) {
            tried += 1;
            self.state().bump_schedule.postpone(lender, spend, tip);
            match self.service.bump_fee(lender, spend).await {
                Ok(_) => done += 1,
                Err(BumpError::NoBump(why)) => tracing::debug!(%lender, %why, "a transaction gets no child"),
                Err(BumpError::Market(refusal @ Refusal::Closed)) => return Err(refusal.into()),
                Err(error) => tracing::warn!(%lender, %error, "the child of an unconfirmed transaction failed"),
            }
        }
        Ok((tried, done))
    }
}
