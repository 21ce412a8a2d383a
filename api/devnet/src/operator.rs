//! What the simulation asks of whoever runs the market.

use std::future::Future;

use domain::Sats;
use thiserror::Error;

/// Why a vault was not credited.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the vault of {address} was not credited: {reason}")]
pub struct CreditError {
    /// Whose vault.
    pub address: String,
    /// What went wrong.
    pub reason: String,
}

/// Funds the vaults of simulated lenders, who have no bitcoin of their own.
pub trait Operator: Send + Sync + 'static {
    /// Credits the vault of the account with that payment address, which has signed in before.
    ///
    /// # Errors
    /// [`CreditError`]; the lender then quotes manual offers alone.
    fn credit(&self, payment_address: &str, amount: Sats) -> impl Future<Output = Result<(), CreditError>> + Send;
}
