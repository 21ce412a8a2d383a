//! The loan service: the market together with its ports.

use std::sync::Arc;

use bitcoin::{FeeRate, Network, ScriptBuf};
use engine::Market;

use crate::lookups::lookup::{Lookup, RetryPolicy};
use crate::lookups::ports::Ports;
use crate::service::loan_ids::LoanIds;
use crate::service::soft_reservations::SoftReservations;
use crate::service::watch_times::WatchTimes;

/// The rules for every loan of this service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanRules {
    /// The network of all addresses.
    pub network: Network,
    /// The script that receives the platform's share of the interest; `None` where there is no such fee.
    pub platform_script: Option<ScriptBuf>,
    /// The retries for a lagging indexer.
    pub retry_policy: RetryPolicy,
    /// The highest fee rate of any transaction built here.
    pub fee_rate_max: FeeRate,
}

/// The loan service. Clones are handles to the same one.
pub struct LoanService<P> {
    /// The order books, reservations and loans.
    pub market: Market,
    /// The chain, its indexers and the signer.
    pub ports: Arc<P>,
    /// The rules.
    pub rules: Arc<LoanRules>,
    /// Soft reservations of outputs that borrowers are signing for.
    pub(crate) soft_reservations: Arc<SoftReservations>,
    /// The source of the loans' ids.
    pub(crate) loan_ids: LoanIds,
    /// The progress of the watches.
    pub watch_times: Arc<WatchTimes>,
}

impl<P> Clone for LoanService<P> {
    fn clone(&self) -> Self {
        Self {
            market: self.market.clone(),
            ports: Arc::clone(&self.ports),
            rules: Arc::clone(&self.rules),
            soft_reservations: Arc::clone(&self.soft_reservations),
            loan_ids: self.loan_ids.clone(),
            watch_times: Arc::clone(&self.watch_times),
        }
    }
}

impl<P: Ports> LoanService<P> {
    /// Creates a service for this market with these ports.
    #[must_use]
    pub fn new(market: Market, ports: Arc<P>, rules: Arc<LoanRules>) -> Self {
        let watch_times = Arc::new(WatchTimes::starting_at(market.now()));
        Self { market, ports, rules, soft_reservations: Arc::default(), loan_ids: LoanIds::default(), watch_times }
    }

    /// Returns the same service with another source of the loans' ids.
    #[must_use]
    pub fn with_loan_ids(self, loan_ids: LoanIds) -> Self {
        Self { loan_ids, ..self }
    }

    /// Returns a lookup with the service's retry limits.
    #[must_use]
    pub fn lookup(&self) -> Lookup<'_, P> {
        Lookup { retry_policy: self.rules.retry_policy, ..Lookup::new(&self.ports) }
    }
}
