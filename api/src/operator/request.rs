//! The one line that is asked, and the one that is answered.

use domain::{CollectionGroup, GroupId, Sats, UnitPrice};
use engine::wire::VaultView;
use engine::{ListingRejection, Market, Refusal};
use serde::{Deserialize, Serialize};

use super::collection_draft::CollectionDraft;
use crate::clock;
use crate::failure::Failure;

/// The socket within the data folder.
pub const SOCKET_NAME: &str = "operator.sock";

/// No line is longer, in bytes.
pub const LINE_LENGTH_MAX: u64 = 65_536;

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
    /// Lists a collection.
    AddCollection {
        /// Which one.
        collection: CollectionDraft,
    },
    /// Says what a collection's collateral costs.
    SetPrice {
        /// The collection's slug or id.
        collection: String,
        /// Hundred-millionths of a sat for a whole unit.
        price_scaled: u64,
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
    /// The collection is listed, durably.
    Listed {
        /// The number it was given.
        id: String,
    },
    /// The price is set, durably.
    PriceSet {
        /// The collection's slug.
        collection: String,
        /// What it cost before, in hundred-millionths of a sat for a whole unit.
        before_scaled: Option<u64>,
    },
    /// It was not done.
    Refused {
        /// Why, in one line.
        reason: String,
    },
}

/// Does what is asked.
pub async fn answer(market: &Market, request: Request) -> Reply {
    let done = match request {
        Request::CreditVault { payment_address, sats } => {
            credit(market, &payment_address, Sats::new(sats)).await.map(|vault| Reply::Credited {
                balance_sats: vault.balance_sats.get(),
                usable_sats: vault.usable_balance_sats.get(),
            })
        }
        Request::AddCollection { collection } => {
            add_collection(market, collection).await.map(|group| Reply::Listed { id: group.id.to_string() })
        }
        Request::SetPrice { collection, price_scaled } => {
            set_price(market, &collection, UnitPrice::from_scaled(price_scaled)).await
        }
    };
    done.unwrap_or_else(|failure| Reply::Refused { reason: failure.to_string() })
}

/// Credits the vault of whoever signs in with this address.
///
/// # Errors
/// When nobody ever did, or the amount is impossible.
pub async fn credit(market: &Market, payment_address: &str, amount: Sats) -> Result<VaultView, Failure> {
    let Some(user) = market.user_of(payment_address).await else {
        let shown = shortened(payment_address);
        return Err(Failure::new(format!("nobody has signed in with {shown}, so there is no vault to credit")));
    };
    market.credit_vault(user, amount).await.map_err(Failure::new)
}

/// Lists a collection under the next free number.
async fn add_collection(market: &Market, draft: CollectionDraft) -> Result<CollectionGroup, Failure> {
    let mut number = market.groups().iter().map(|group| group.id.0).max().map_or(1, |last| last + 1);
    loop {
        let group = draft.clone().into_group(GroupId(number)).map_err(Failure::new)?;
        match market.list_group(group.clone()).await {
            // Another operator's collection has the number and is not durable yet.
            Err(Refusal::Listing(ListingRejection::IdTaken(_))) => number += 1,
            listed => return listed.map(|()| group).map_err(Failure::new),
        }
    }
}

async fn set_price(market: &Market, collection: &str, price: UnitPrice) -> Result<Reply, Failure> {
    let Some(group) = market.group_named(collection) else {
        return Err(Failure::new(format!("no collection is listed as {}", shortened(collection))));
    };
    let before = market.row(group.id).and_then(|row| row.unit_price);
    market.move_price(group.id, price, clock::now()).await.map_err(Failure::new)?;
    Ok(Reply::PriceSet { collection: group.slug.to_string(), before_scaled: before.map(|price| price.0.scaled()) })
}

/// As much of a text as a line of the terminal bears.
fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
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
        let request = Request::SetPrice { collection: "paper-frogs".to_owned(), price_scaled: 8_300_000 };
        let line = serde_json::to_string(&request).unwrap();
        assert_eq!(line, r#"{"op":"set_price","collection":"paper-frogs","price_scaled":8300000}"#);
    }
}
