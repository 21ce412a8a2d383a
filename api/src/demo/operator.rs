//! Funding the simulated people, the way the world funds real ones.

use std::future::Future;
use std::sync::Arc;

use bitcoin::Script;
use devnet::{DemoGift, GiveError, Given, Operator};
use domain::Sats;
use engine::chain::ChainError;

use super::faucet::DemoFaucet;

/// Gives away what the market's chain has.
pub(super) struct DemoOperator {
    faucet: Option<Arc<DemoFaucet>>,
}

impl DemoOperator {
    /// The operator of a market; without a faucet there is nothing to give away.
    pub(super) fn new(faucet: Option<Arc<DemoFaucet>>) -> Self {
        Self { faucet }
    }

    fn faucet(&self) -> Result<Arc<DemoFaucet>, GiveError> {
        let none = || GiveError::Chain(ChainError::Unreachable("the demo runs without its own chain".to_owned()));
        self.faucet.clone().ok_or_else(none)
    }
}

impl Operator for DemoOperator {
    fn purse(&self, of: &Script) -> impl Future<Output = Result<Sats, GiveError>> + Send {
        let (faucet, of) = (self.faucet(), of.to_owned());
        async move { faucet?.purse(&of).await }
    }

    fn give(&self, to: &Script, gift: DemoGift) -> impl Future<Output = Result<Given, GiveError>> + Send {
        let (faucet, to) = (self.faucet(), to.to_owned());
        async move { faucet?.give(&to, gift).await }
    }
}
