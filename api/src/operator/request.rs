//! The one line that is asked, and the one that is answered.

use domain::Sats;
use engine::Market;
use engine::wire::VaultView;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The socket within the data folder.
pub const SOCKET_NAME: &str = "operator.sock";

/// No line is longer, in bytes.
pub const LINE_LENGTH_MAX: u64 = 4_096;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Credits money that arrived for a lender.
    CreditVault {
        /// The lender's payment address.
        payment_address: String,
        /// How much arrived.
        sats: u64,
    },
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Reply {
    /// It was done, durably.
    Credited {
        /// What the vault holds now.
        balance_sats: u64,
        /// What of it can be lent.
        usable_sats: u64,
    },
    /// It was not done.
    Refused {
        /// Why, in one line.
        reason: String,
    },
}

/// Does what is asked.
pub async fn answer(market: &Market, request: Request) -> Reply {
    match request {
        Request::CreditVault { payment_address, sats } => match credit(market, &payment_address, Sats::new(sats)).await
        {
            Ok(vault) => {
                Reply::Credited { balance_sats: vault.balance_sats.get(), usable_sats: vault.usable_balance_sats.get() }
            }
            Err(failure) => Reply::Refused { reason: failure.to_string() },
        },
    }
}

/// Credits the vault of whoever signs in with this address.
///
/// # Errors
/// When nobody ever did, or the amount is impossible.
pub async fn credit(market: &Market, payment_address: &str, amount: Sats) -> Result<VaultView, Failure> {
    let Some(user) = market.user_of(payment_address).await else {
        let shown: String = payment_address.chars().take(100).collect();
        return Err(Failure::new(format!("nobody has signed in with {shown}, so there is no vault to credit")));
    };
    market.credit_vault(user, amount).await.map_err(Failure::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_line_of_json() {
        let request = Request::CreditVault { payment_address: "bcrt1q".to_owned(), sats: 5 };
        let line = serde_json::to_string(&request).unwrap();
        assert_eq!(line, r#"{"op":"credit_vault","payment_address":"bcrt1q","sats":5}"#);
        assert_eq!(serde_json::from_str::<Request>(&line).unwrap(), request);
        assert!(serde_json::from_str::<Request>(r#"{"op":"credit_vault","payment_address":"a","sats":-5}"#).is_err());
    }
}
