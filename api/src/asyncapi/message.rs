//! The messages of the feed's socket, made of the types of its frames.

use std::collections::BTreeMap;

use engine::feed::{ClientFrame, channel_schemas, components_of};
use utoipa::PartialSchema;
use utoipa::openapi::schema::{AllOf, Object, OneOf};
use utoipa::openapi::{RefOr, Schema};

use crate::feed::server_frame::ServerFrame;
use crate::http::error_code::ErrorCode;
use crate::trading::answer::{AnswerError, AnswerFrame, OrderOutcome};
use crate::trading::client_frame::TradingFrame;

/// The side that sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The server.
    Server,
    /// A client.
    Client,
}

/// A message.
pub struct Message {
    /// Its name, such as `bookDelta`.
    pub name: &'static str,
    /// The channel that it is of, `socket` or `trading`.
    pub topic: &'static str,
    /// The side that sends it.
    pub sender: Sender,
    /// A line about it.
    pub summary: String,
    /// The schema of its JSON form.
    pub schema: Schema,
}

impl Message {
    /// Returns its name as a title.
    #[must_use]
    pub fn title(&self) -> String {
        capitalised(self.name)
    }
}

/// Returns a name with a large first letter.
#[must_use]
pub fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns all messages: those of the channels, of the socket itself, and of trading.
#[must_use]
pub fn all() -> Vec<Message> {
    let mut all = Vec::new();
    for channel in channel_schemas() {
        let [snapshot, delta] = match channel.name {
            "market" => ["marketSnapshot", "marketDelta"],
            "requests" => ["requestsSnapshot", "requestsDelta"],
            "halts" => ["haltsSnapshot", "haltsDelta"],
            "book" => ["bookSnapshot", "bookDelta"],
            _ => ["meSnapshot", "meDelta"],
        };
        let whole = format!("The whole state of the channel `{}`.", channel.name);
        let changes = format!("Changes of the channel `{}` since the frame that ended at `prev`.", channel.name);
        for (name, summary, schema) in [(snapshot, whole, channel.snapshot), (delta, changes, channel.delta)] {
            all.push(Message { name, topic: channel.name, sender: Sender::Server, summary, schema });
        }
    }
    all.extend(variants::<ServerFrame<'_>>("type", "socket", Sender::Server));
    all.extend(variants::<AnswerFrame>("type", "trading", Sender::Server));
    all.extend(variants::<ClientFrame>("op", "socket", Sender::Client));
    all.extend(variants::<TradingFrame>("op", "trading", Sender::Client));
    all
}

/// Returns the schemas that the messages refer to, by name.
#[must_use]
pub fn components() -> BTreeMap<String, RefOr<Schema>> {
    let mut found: Vec<_> = channel_schemas().into_iter().flat_map(|channel| channel.components).collect();
    found.extend(components_of::<AnswerFrame>());
    found.extend(components_of::<OrderOutcome>());
    found.extend(components_of::<AnswerError>());
    found.extend(components_of::<ErrorCode>());
    found.extend(components_of::<ClientFrame>());
    found.extend(components_of::<TradingFrame>());
    let mut found: BTreeMap<_, _> = found.into_iter().collect();
    // Each of their variants is a message.
    for frame in ["AnswerFrame", "ClientFrame", "TradingFrame"] {
        found.remove(frame);
    }
    found
}

/// Returns a message for each variant of an enumeration of frames.
fn variants<T: PartialSchema>(tag: &str, topic: &'static str, sender: Sender) -> Vec<Message> {
    let RefOr::T(Schema::OneOf(OneOf { items, .. })) = T::schema() else { return Vec::new() };
    let schemas = items.into_iter().filter_map(|item| match item {
        RefOr::T(schema) => Some(schema),
        RefOr::Ref(_) => None,
    });
    schemas
        .filter_map(|schema| {
            let name = NAMES.into_iter().find(|name| Some(*name) == tag_of(&schema, tag).as_deref())?;
            let summary = summary_of(&schema).unwrap_or_default();
            Some(Message { name, topic, sender, summary, schema })
        })
        .collect()
}

/// The names of the frames that are variants.
const NAMES: [&str; 15] = [
    "pong",
    "error",
    "authenticated",
    "answers",
    "receipt",
    "subscribe",
    "unsubscribe",
    "ping",
    "authenticate",
    "place",
    "edit",
    "cancel",
    "batch",
    "cancelAll",
    "heartbeat",
];

/// Returns the only value of the field that distinguishes variants.
#[must_use]
pub fn tag_of(schema: &Schema, tag: &str) -> Option<String> {
    match schema {
        Schema::Object(object) => tag_of_object(object, tag),
        Schema::AllOf(AllOf { items, .. }) => items.iter().find_map(|item| match item {
            RefOr::T(schema) => tag_of(schema, tag),
            RefOr::Ref(_) => None,
        }),
        _ => None,
    }
}

fn tag_of_object(object: &Object, tag: &str) -> Option<String> {
    let RefOr::T(Schema::Object(field)) = object.properties.get(tag)? else { return None };
    match field.enum_values.as_deref()? {
        [value] => value.as_str().map(str::to_owned),
        _ => None,
    }
}

fn summary_of(schema: &Schema) -> Option<String> {
    match schema {
        Schema::Object(object) => object.description.clone(),
        Schema::AllOf(all) => all.description.clone().or_else(|| {
            all.items.iter().find_map(|item| match item {
                RefOr::T(schema) => summary_of(schema),
                RefOr::Ref(reference) => (!reference.description.is_empty()).then(|| reference.description.clone()),
            })
        }),
        _ => None,
    }
}
