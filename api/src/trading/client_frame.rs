//! The frames that a client sends to trade.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::offers::asked_conditions::AskedConditions;

/// The largest number of orders in a batch.
pub const BATCH_MAX: usize = 100;

/// The operations of [`TradingFrame`].
const OPERATIONS: [&str; 7] = ["authenticate", "place", "edit", "cancel", "batch", "cancelAll", "heartbeat"];

/// A frame of a client that trades.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "op", rename_all = "camelCase")]
pub enum TradingFrame {
    /// Lets the connection act for a user.
    Authenticate(Authenticate),
    /// Creates manual offers.
    Place(PlaceOrder),
    /// Changes the principal of a manual offer.
    Edit(EditOrder),
    /// Cancels a manual offer.
    Cancel(CancelOrder),
    /// Several orders that are answered together.
    Batch(Batch),
    /// Cancels all manual offers.
    CancelAll(CancelAll),
    /// Reports that the client is alive.
    Heartbeat(Heartbeat),
}

/// An order by itself, or one of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "op", rename_all = "camelCase")]
pub enum Order {
    /// Creates manual offers.
    Place(PlaceOrder),
    /// Changes the principal of a manual offer.
    Edit(EditOrder),
    /// Cancels a manual offer.
    Cancel(CancelOrder),
}

/// A sign-in of the connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Authenticate {
    /// The ticket of `POST /api/v1/feed/ticket`.
    pub ticket: String,
}

/// Equal manual offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlaceOrder {
    /// The slug of the sub-collection.
    pub collection_slug: String,
    /// The principal of each offer, in sats; the largest one if it follows the floor.
    pub principal_amount: u64,
    /// The number of offers.
    #[serde(default = "one")]
    pub quantity: u8,
    /// The time from which they cannot be taken, in unix milliseconds.
    #[serde(default)]
    pub good_until: Option<u64>,
    /// The least principal in sats of offers whose principal follows the floor.
    #[serde(default)]
    pub principal_min_amount: Option<u64>,
    /// The LTV at which it follows the floor, in hundredths of a percent.
    #[serde(default)]
    pub ltv_max: Option<u32>,
    /// The conditions for borrowers.
    #[serde(default)]
    pub conditions: Option<AskedConditions>,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default)]
    pub cf_turnstile_response: Option<String>,
    /// The id of the command; none in a batch.
    #[serde(default)]
    pub id: Option<String>,
}

/// A new principal of a manual offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditOrder {
    /// The id of the offer.
    pub offer_id: String,
    /// The new principal in sats; the largest one if it follows the floor.
    pub principal_amount: u64,
    /// The new time from which it cannot be taken, in unix milliseconds; absent if it stays.
    #[serde(default)]
    pub good_until: Option<u64>,
    /// The new least principal in sats; absent if the principal is fixed from now on.
    #[serde(default)]
    pub principal_min_amount: Option<u64>,
    /// The new LTV at which it follows the floor, in hundredths of a percent.
    #[serde(default)]
    pub ltv_max: Option<u32>,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default)]
    pub cf_turnstile_response: Option<String>,
    /// The id of the command; none in a batch.
    #[serde(default)]
    pub id: Option<String>,
}

/// The end of a manual offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelOrder {
    /// The id of the offer.
    pub offer_id: String,
    /// The id of the command; none in a batch.
    #[serde(default)]
    pub id: Option<String>,
}

/// Orders that are answered together, each with an outcome of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Batch {
    /// 1 to [`BATCH_MAX`] orders.
    pub orders: Vec<Order>,
    /// The token of the bot check for all of them; needed only after a refusal that asks for it.
    #[serde(default)]
    pub cf_turnstile_response: Option<String>,
    /// The id of the command.
    #[serde(default)]
    pub id: Option<String>,
}

/// The end of all manual offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelAll {
    /// Id or slug of a collection; absent for all.
    #[serde(default)]
    pub collection: Option<String>,
    /// The id of the command.
    #[serde(default)]
    pub id: Option<String>,
}

/// A sign of life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Heartbeat {
    /// The time in seconds after which the connection counts as lost without another heartbeat; its offers are cancelled
    /// then. Absent if it stays as it is.
    #[serde(default)]
    pub cancel_on_disconnect: Option<u16>,
    /// The id of the command.
    #[serde(default)]
    pub id: Option<String>,
}

/// The operation of any frame.
#[derive(Deserialize)]
struct Operation<'a> {
    #[serde(borrow)]
    op: Cow<'a, str>,
}

const fn one() -> u8 {
    1
}

/// Whether a JSON text is a trading frame, well-formed otherwise or not.
#[must_use]
pub fn is_trading(text: &str) -> bool {
    serde_json::from_str(text).is_ok_and(|Operation { op }| OPERATIONS.contains(&&*op))
}

impl TradingFrame {
    /// Parses a JSON frame.
    ///
    /// # Errors
    /// If the text is not one of the frames.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the id of the command.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Authenticate(_) => None,
            Self::Place(order) => order.id.as_deref(),
            Self::Edit(order) => order.id.as_deref(),
            Self::Cancel(order) => order.id.as_deref(),
            Self::Batch(batch) => batch.id.as_deref(),
            Self::CancelAll(all) => all.id.as_deref(),
            Self::Heartbeat(heartbeat) => heartbeat.id.as_deref(),
        }
    }

    /// Returns the number of orders.
    #[must_use]
    pub fn order_count(&self) -> usize {
        match self {
            Self::Batch(batch) => batch.orders.len().clamp(1, BATCH_MAX),
            _ => 1,
        }
    }
}

impl Order {
    /// Returns the id of the command.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Place(order) => order.id.as_deref(),
            Self::Edit(order) => order.id.as_deref(),
            Self::Cancel(order) => order.id.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn frames_are_read_strictly() {
        let place =
            TradingFrame::read(r#"{"op":"place","id":"a","collectionSlug":"paper-frogs-7d","principalAmount":400000}"#)
                .unwrap();
        assert!(matches!(&place, TradingFrame::Place(order) if order.quantity == 1));
        assert_eq!((place.id(), place.order_count()), (Some("a"), 1));
        let orders = vec![json!({"op": "cancel", "offerId": "of_1"}); 3];
        let batch = json!({"op": "batch", "id": "b", "orders": orders});
        let batch = TradingFrame::read(&batch.to_string()).unwrap();
        assert_eq!((batch.id(), batch.order_count()), (Some("b"), 3));
        assert!(TradingFrame::read(r#"{"op":"heartbeat"}"#).unwrap().id().is_none());
        for text in [
            r#"{"op":"cancel","offerId":"of_1","id":"a","extra":1}"#,
            r#"{"op":"cancel","id":"a"}"#,
            r#"{"op":"place","collectionSlug":"x","principalAmount":-1,"id":"a"}"#,
            r#"{"op":"batch","id":"a","orders":[{"op":"batch","orders":[]}]}"#,
            r#"{"op":"batch","id":"a","orders":[{"op":"cancel","offerId":"of_1","more":1}]}"#,
            r#"{"op":"heartbeat","cancelOnDisconnect":70000}"#,
        ] {
            assert!(is_trading(text), "{text}");
            assert!(TradingFrame::read(text).is_err(), "{text}");
        }
        for text in ["", "[]", r#"{"op":"subscribe","channel":"market"}"#, r#"{"op":7}"#] {
            assert!(!is_trading(text), "{text}");
        }
    }
}
