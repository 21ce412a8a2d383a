//! Which transactions have waited for long enough to get a child.

use std::collections::BTreeMap;

use domain::{Departure, UserId};
use engine::Refusal;

use super::decision::{DepartureLook, Look};
use super::{RoundError, VaultWatch};
use crate::fee_bump::BumpError;
use crate::fee_bump::choice::WAITED_BLOCKS_MIN;
use crate::ports::Ports;

/// For how many blocks neither is asked again about a transaction that got no child: neither the estimate nor the signer's
/// limits move much faster.
const REST_BLOCKS: u32 = 1;

/// Since which height transactions have waited, and from which on they may get a child. After a restart it is learned again.
#[derive(Debug, Default)]
pub(super) struct Patience {
    due: BTreeMap<(UserId, Departure), u32>,
}

impl Patience {
    /// Takes a look in.
    pub(super) fn see(&mut self, lender: UserId, look: &Look) {
        let waiting = |departure: &Departure| {
            matches!(look.departures.get(departure), Some(DepartureLook::Waiting))
                && !matches!(departure, Departure::FeeBump(_))
        };
        self.due.retain(|(of, departure), _| *of != lender || waiting(departure));
        for departure in look.departures.keys().filter(|departure| waiting(departure)) {
            self.due.entry((lender, *departure)).or_insert(look.tip.saturating_add(WAITED_BLOCKS_MIN));
        }
    }

    /// Those of a vault that may get a child now.
    fn over(&self, lender: UserId, tip: u32) -> Vec<Departure> {
        let own = self.due.iter().filter(|((of, _), due)| *of == lender && **due <= tip);
        own.map(|((_, departure), _)| *departure).collect()
    }

    fn rest(&mut self, lender: UserId, departure: Departure, tip: u32) {
        self.due.insert((lender, departure), tip.saturating_add(REST_BLOCKS));
    }
}

impl<P: Ports> VaultWatch<P> {
    /// Makes children for at most so many of a vault's transactions; how many were looked at, and how many got one.
    pub(super) async fn bump(&self, lender: UserId, tip: u32, most: usize) -> Result<(usize, usize), RoundError> {
        let (mut tried, mut done) = (0, 0);
        let over = self.memory().patience.over(lender, tip);
        for departure in over.into_iter().take(most) {
            tried += 1;
            self.memory().patience.rest(lender, departure, tip);
            match self.desk.bump_fee(lender, departure).await {
                Ok(_) => done += 1,
                Err(BumpError::NoBump(why)) => tracing::debug!(%lender, %why, "no child for a waiting transaction"),
                Err(BumpError::Market(refusal @ Refusal::Closed)) => return Err(refusal.into()),
                Err(error) => tracing::warn!(%lender, %error, "a transaction that waits got no child"),
            }
        }
        Ok((tried, done))
    }
}
