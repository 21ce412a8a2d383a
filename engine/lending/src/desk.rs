//! The desk: the market, and the world that its loans are made in.

use std::sync::Arc;

use bitcoin::{FeeRate, Network, ScriptBuf};
use engine::Market;

use crate::handed_coins::HandedCoins;
use crate::lookup::{Lookup, Patience};
use crate::ports::Ports;

/// What holds for every loan that is made here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeskRules {
    /// Whose addresses are spoken of.
    pub network: Network,
    /// Where the platform is paid its share of the interest; `None` where it takes none.
    pub platform: Option<ScriptBuf>,
    /// How long an indexer that is behind is waited for.
    pub patience: Patience,
    /// No transaction that is made here pays more.
    pub fee_rate_max: FeeRate,
}

/// Where loans are made. Clones are handles to the same one.
pub struct Desk<P> {
    /// What is offered and held, and every loan.
    pub market: Market,
    /// What the chain, its indexers and the signer know.
    pub ports: Arc<P>,
    /// What is allowed.
    pub rules: Arc<DeskRules>,
    /// Outputs of vaults that borrowers are signing for.
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
    /// A desk of this market, in this world.
    #[must_use]
    pub fn new(market: Market, ports: Arc<P>, rules: Arc<DeskRules>) -> Self {
        Self { market, ports, rules, handed: Arc::default() }
    }

    /// Looks outputs up, as patiently as is allowed here.
    #[must_use]
    pub fn lookup(&self) -> Lookup<'_, P> {
        Lookup { patience: self.rules.patience, ..Lookup::new(&self.ports) }
    }
}
