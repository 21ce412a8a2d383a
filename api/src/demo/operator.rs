//! Funding the simulated people, the way an operator and the world fund real ones.

use std::future::Future;
use std::sync::Arc;

use bitcoin::Script;
use devnet::{CreditError, DemoGift, GiveError, Given, Operator};
use domain::Sats;
use engine::Market;
use engine::chain::ChainError;

use super::faucet::DemoFaucet;
use crate::operator::request;

/// Credits vaults in the market at hand, and gives away what its chain has.
pub(super) struct DemoOperator {
    market: Market,
    faucet: Option<Arc<DemoFaucet>>,
}

impl DemoOperator {
    /// The operator of a market; without a faucet there is nothing to give away.
    pub(super) fn new(market: Market, faucet: Option<Arc<DemoFaucet>>) -> Self {
        Self { market, faucet }
    }
}

impl Operator for DemoOperator {
    fn credit(&self, payment_address: &str, amount: Sats) -> impl Future<Output = Result<(), CreditError>> + Send {
        let (market, address) = (self.market.clone(), payment_address.to_owned());
        async move {
            match request::credit(&market, &address, amount).await {
                Ok(_) => Ok(()),
                Err(failure) => Err(CreditError { address, reason: failure.to_string() }),
            }
        }
    }

    fn give(&self, to: &Script, gift: DemoGift) -> impl Future<Output = Result<Given, GiveError>> + Send {
        let (faucet, to) = (self.faucet.clone(), to.to_owned());
        async move {
            let none = || GiveError::Chain(ChainError::Unreachable("the demo runs without its own chain".to_owned()));
            faucet.ok_or_else(none)?.give(&to, gift).await
        }
    }
}
