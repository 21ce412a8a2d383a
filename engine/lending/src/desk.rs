//! The loan service: the market together with its ports.

use std::sync::Arc;

use bitcoin::{FeeRate, Network, ScriptBuf};
use engine::Market;

use crate::handed_coins::HandedCoins;
use crate::lookup::{Lookup, Patience};
use crate::ports::Ports;

/// The rules for every loan of this service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeskRules {
    /// The network of all addresses.
    pub network: Network,
    /// The script that receives the platform's share of the interest; `None` where there is no such fee.
    pub platform: Option<ScriptBuf>,
    /// The retries for a lagging indexer.
    pub patience: Patience,
    /// The highest fee rate of any transaction built here.
    pub fee_rate_max: FeeRate,
}

/// The loan service. Clones are handles to the same one.
pub struct Desk<P> {
    /// The order books, reservations and loans.
    pub market: Market,
    /// The chain, its indexers and the signer.
    pub ports: Arc<P>,
    /// The rules.
    pub rules: Arc<DeskRules>,
    /// Soft reservations of outputs that borrowers are signing for.
    pub(crate) handed: Arc<HandedCoins>,
}

impl<P> Clone for Desk<P> {
    fn clone(&self) -> Self {
        Self {
            market: self.market.clone(),
            ports: Arc::clone(&self.ports),
            rules: Arc::clone(&self.rules),
            handed: Arc::clone(&self.handed),
        }
    }
}

impl<P: Ports> Desk<P> {
    /// Creates a service for this market with these ports.
    #[must_use]
    pub fn new(market: Market, ports: Arc<P>, rules: Arc<DeskRules>) -> Self {
        Self { market, ports, rules, handed: Arc::default() }
    }

    /// Returns a lookup with the service's retry limits.
    #[must_use]
    pub fn lookup(&self) -> Lookup<'_, P> {
        Lookup { patience: self.rules.patience, ..Lookup::new(&self.ports) }
    }
}
