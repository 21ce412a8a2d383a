//! Funding the simulated lenders, the way an operator funds real ones.

use std::future::Future;

use devnet::{CreditError, Operator};
use domain::Sats;
use engine::Market;

use crate::operator::request;

/// Credits vaults in the market at hand.
pub(super) struct DemoOperator {
    market: Market,
}

impl DemoOperator {
    /// The operator of a market.
    pub(super) fn new(market: Market) -> Self {
        Self { market }
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
}
