//! Funding of the simulated users.

use std::future::Future;
use std::sync::Arc;

use bitcoin::Script;
use domain::Sats;
use engine::chain::ChainError;
use simulator::{DemoGift, GiveError, Given, Operator};

use super::faucet::DemoFaucet;

/// Sends coins and assets from the demo's faucet.
pub(super) struct DemoOperator {
    faucet: Option<Arc<DemoFaucet>>,
}

impl DemoOperator {
    /// Builds the operator of a market; without a faucet there is nothing to send.
    pub(super) fn new(faucet: Option<Arc<DemoFaucet>>) -> Self {
        Self { faucet }
    }

    fn faucet(&self) -> Result<Arc<DemoFaucet>, GiveError> {
        let none = || GiveError::Chain(ChainError::Unreachable("the demo runs without its own chain".to_owned()));
        self.faucet.clone().ok_or_else(none)
    }
}

impl Operator for DemoOperator {
    fn balance(&self, of: &Script) -> impl Future<Output = Result<Sats, GiveError>> + Send {
        let (faucet, of) = (self.faucet(), of.to_owned());
        async move { faucet?.balance(&of).await }
    }

    fn give(&self, to: &Script, gift: DemoGift) -> impl Future<Output = Result<Given, GiveError>> + Send {
        let (faucet, to) = (self.faucet(), to.to_owned());
        async move { faucet?.give(&to, gift).await }
    }
}
