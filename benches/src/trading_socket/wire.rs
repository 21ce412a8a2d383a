//! Orders as the frames of a trading client, in both encodings.

use std::fmt::Write as _;

use serde::Serialize;
use tokio_tungstenite::tungstenite::Message;

use crate::{market::slug, orders::Order, served_market::GROUP};

/// The encoding of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// JSON texts.
    Json,
    /// MessagePack, objects as arrays.
    Binary,
}

/// The tail of an order by itself in MessagePack: the optional fields are nil, the id is last.
type Nil = Option<()>;

impl Wire {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Json, Self::Binary];

    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Binary => "binary",
        }
    }

    /// The WebSocket subprotocol.
    #[must_use]
    pub const fn subprotocol(self) -> &'static str {
        match self {
            Self::Json => "lienbook.v1.json",
            Self::Binary => "lienbook.v1.binary",
        }
    }

    /// The frame that authenticates with a ticket.
    #[must_use]
    pub fn authenticate(self, ticket: &str) -> Message {
        match self {
            Self::Json => Message::text(format!(r#"{{"op":"authenticate","ticket":"{ticket}"}}"#)),
            Self::Binary => packed(&("authenticate", ticket)),
        }
    }

    /// The frame that subscribes to the user's own channel with a ticket.
    #[must_use]
    pub fn subscribe_me(self, ticket: &str) -> Message {
        match self {
            Self::Json => Message::text(format!(r#"{{"op":"subscribe","channel":"me","ticket":"{ticket}"}}"#)),
            Self::Binary => packed(&("subscribe", "me", ticket)),
        }
    }

    /// The frame of one order.
    #[must_use]
    pub fn single(self, order: &Order<String>, id: u64) -> Message {
        const NIL: Nil = None;
        if self == Self::Json {
            let mut text = String::with_capacity(128);
            write_order(&mut text, order, Some(id));
            return Message::text(text);
        }
        let id = id.to_string();
        match order {
            Order::Place { sub_collection, principal } => {
                packed(&("place", slug(GROUP.0, *sub_collection), principal, 1_u8, NIL, NIL, NIL, NIL, NIL, id))
            }
            Order::Edit { offer, principal } => packed(&("edit", offer, principal, NIL, NIL, NIL, NIL, id)),
            Order::Cancel { offer } => packed(&("cancel", offer, id)),
        }
    }

    /// The frame of a batch.
    #[must_use]
    pub fn batch(self, orders: &[Order<String>], id: u64) -> Message {
        if self == Self::Json {
            let mut text = String::with_capacity(orders.len() * 96 + 64);
            let _ = write!(text, r#"{{"op":"batch","id":"{id}","orders":["#);
            for (place, order) in orders.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { "," });
                write_order(&mut text, order, None);
            }
            text.push_str("]}");
            return Message::text(text);
        }
        let packed_orders: Vec<PackedOrder<'_>> = orders.iter().map(PackedOrder::from).collect();
        packed(&("batch", packed_orders, None::<()>, id.to_string()))
    }
}

/// An order of a batch as an array, without optional fields.
#[derive(Serialize)]
#[serde(untagged)]
enum PackedOrder<'a> {
    Place(&'static str, String, u64),
    Edit(&'static str, &'a str, u64),
    Cancel(&'static str, &'a str),
}

impl<'a> From<&'a Order<String>> for PackedOrder<'a> {
    fn from(order: &'a Order<String>) -> Self {
        match order {
            Order::Place { sub_collection, principal } => {
                Self::Place("place", slug(GROUP.0, *sub_collection), *principal)
            }
            Order::Edit { offer, principal } => Self::Edit("edit", offer, *principal),
            Order::Cancel { offer } => Self::Cancel("cancel", offer),
        }
    }
}

fn packed(frame: &impl Serialize) -> Message {
    Message::binary(rmp_serde::to_vec(frame).expect("a frame has a binary form"))
}

fn write_order(text: &mut String, order: &Order<String>, id: Option<u64>) {
    let _ = match order {
        Order::Place { sub_collection, principal } => {
            let slug = slug(GROUP.0, *sub_collection);
            write!(text, r#"{{"op":"place","collectionSlug":"{slug}","principalAmount":{principal}"#)
        }
        Order::Edit { offer, principal } => {
            write!(text, r#"{{"op":"edit","offerId":"{offer}","principalAmount":{principal}"#)
        }
        Order::Cancel { offer } => write!(text, r#"{{"op":"cancel","offerId":"{offer}""#),
    };
    if let Some(id) = id {
        let _ = write!(text, r#","id":"{id}""#);
    }
    text.push('}');
}

#[cfg(test)]
mod tests {
    use engine::feed::Encoding;
    use lienbook::trading::client_frame::TradingFrame;

    use super::*;

    #[test]
    fn the_server_reads_the_same_from_both_encodings() {
        let orders = [
            Order::Place { sub_collection: 1, principal: 2_000_000 },
            Order::Edit { offer: "of_10000000001".to_owned(), principal: 2_100_000 },
            Order::Cancel { offer: "of_10000000002".to_owned() },
        ];
        let frames = |wire: Wire| {
            let singles = orders.iter().zip(1..).map(move |(order, id)| wire.single(order, id));
            singles.chain([wire.batch(&orders, 9), wire.authenticate("t")]).collect::<Vec<_>>()
        };
        for (text, bytes) in frames(Wire::Json).into_iter().zip(frames(Wire::Binary)) {
            let one = TradingFrame::read(text.to_text().unwrap()).unwrap();
            let other: TradingFrame = Encoding::decode_binary(&bytes.into_data()).unwrap();
            assert_eq!(one, other);
        }
    }
}
