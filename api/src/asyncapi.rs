//! The `AsyncAPI` description of the feed and of trading over its socket.

pub mod binary_form;
mod examples;
pub mod message;

use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};

use self::binary_form::BinaryForms;
use self::message::{Message, Sender};
use crate::feed::subprotocol::{BINARY, JSON};

/// The version of `AsyncAPI`.
const VERSION: &str = "3.0.0";

/// The ends of the names of what belongs to the binary subprotocol.
const BINARY_SUFFIX: &str = "Binary";

/// Commands that are answered by the frame of answers, and not by a frame of their own.
const COMMANDS: [&str; 6] = ["place", "edit", "cancel", "batch", "cancelAll", "heartbeat"];

/// Returns the description: a channel for each subprotocol, with every message in both directions.
#[must_use]
pub fn document() -> Value {
    let messages = message::all();
    let schemas = message::components();
    let forms = BinaryForms::new(&schemas);
    let plain: Map<String, Value> = schemas.iter().map(|(name, schema)| (name.clone(), value_of(schema))).collect();
    let examples = examples::payloads();
    let mut described = Map::new();
    for message in &messages {
        let payloads = examples.get(message.name).cloned().unwrap_or_default();
        let schema = RefOr::T(message.schema.clone());
        let in_arrays: Vec<Value> = payloads.iter().map(|payload| forms.value(&schema, payload)).collect();
        let form = match message.sender {
            Sender::Server => forms.schema(&schema),
            // A client may send a map with the names as well.
            Sender::Client => json!({"anyOf": [forms.schema(&schema), value_of(&schema)]}),
        };
        described.insert(message.name.to_owned(), describe(message, "application/json", &value_of(&schema), payloads));
        let name = format!("{}{BINARY_SUFFIX}", message.name);
        described.insert(name, describe(message, "application/msgpack", &form, in_arrays));
    }
    let mut components = plain;
    components.extend(forms.components());
    json!({
        "asyncapi": VERSION,
        "info": {
            "title": "Lienbook's feed",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The WebSocket at `/api/v1/feed`: the channels of the market, and trading. A message of the \
    binary subprotocol is the MessagePack array of the values of the JSON object, in the order of its schema; examples show \
    the values as JSON. Sats are integers, raw token amounts and unit prices are decimal strings, percentages are numbers \
    with at most two decimals, times are unix milliseconds. Errors have a code of the table that the HTTP API uses.",
        },
        "defaultContentType": "application/json",
        "channels": {
            "feed": channel(&messages, JSON, "", "Frames are JSON texts; also without a subprotocol."),
            "feedBinary": channel(&messages, BINARY, BINARY_SUFFIX, "Frames are binary, each one value of MessagePack."),
        },
        "operations": operations(&messages),
        "components": {"messages": described, "schemas": components},
    })
}

/// Returns a schema as JSON.
fn value_of(schema: &RefOr<Schema>) -> Value {
    // A schema has a JSON form: its keys are strings.
    let mut value = serde_json::to_value(schema).unwrap_or_default();
    open_objects(&mut value);
    value
}

/// Removes the refusal of further fields: a part of a composed object would refuse the fields of the other parts, and
/// frames of later versions have more.
fn open_objects(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("additionalProperties") == Some(&Value::Bool(false)) {
                fields.remove("additionalProperties");
            }
            fields.values_mut().for_each(open_objects);
        }
        Value::Array(items) => items.iter_mut().for_each(open_objects),
        _ => {}
    }
}

fn describe(message: &Message, content_type: &str, payload: &Value, payloads: Vec<Value>) -> Value {
    let examples: Vec<Value> = payloads
        .into_iter()
        .enumerate()
        .map(|(number, payload)| json!({"name": format!("{}{}", message.name, number + 1), "payload": payload}))
        .collect();
    json!({
        "name": message.name,
        "title": message.title(),
        "summary": message.summary,
        "contentType": content_type,
        "tags": [{"name": message.topic}],
        "payload": payload,
        "examples": examples,
    })
}

fn channel(messages: &[Message], subprotocol: &str, suffix: &str, description: &str) -> Value {
    let references: Map<String, Value> = messages
        .iter()
        .map(|message| format!("{}{suffix}", message.name))
        .map(|name| (name.clone(), json!({"$ref": format!("#/components/messages/{name}")})))
        .collect();
    json!({
        "address": "/api/v1/feed",
        "description": description,
        "messages": references,
        "bindings": {"ws": {
            "method": "GET",
            "headers": {
                "type": "object",
                "properties": {"Sec-WebSocket-Protocol": {"type": "string", "const": subprotocol}},
            },
            "bindingVersion": "0.1.0",
        }},
    })
}

/// Returns the operations of the server: it sends the frames of each channel, and receives each frame of a client, with
/// the frames that answer it.
fn operations(messages: &[Message]) -> Map<String, Value> {
    let mut operations = Map::new();
    for (channel, suffix) in [("feed", ""), ("feedBinary", BINARY_SUFFIX)] {
        let reference = json!({"$ref": format!("#/channels/{channel}")});
        let named = |names: &[&str]| -> Vec<Value> {
            let paths = names.iter().map(|name| format!("#/channels/{channel}/messages/{name}{suffix}"));
            paths.map(|path| json!({"$ref": path})).collect()
        };
        for topic in ["market", "requests", "halts", "book", "me", "socket", "trading"] {
            let sent = messages.iter().filter(|it| it.topic == topic && it.sender == Sender::Server);
            let sent: Vec<&str> = sent.map(|message| message.name).collect();
            let operation = json!({"action": "send", "channel": reference, "messages": named(&sent)});
            operations.insert(format!("send{}{suffix}", message::capitalised(topic)), operation);
        }
        for message in messages.iter().filter(|it| it.sender == Sender::Client) {
            let mut operation = json!({
                "action": "receive", "channel": reference, "messages": named(&[message.name]), "summary": message.summary,
            });
            let replies = replies(message.name);
            if !replies.is_empty() {
                operation["reply"] = json!({"channel": reference, "messages": named(replies)});
            }
            operations.insert(format!("receive{}{suffix}", message::capitalised(message.name)), operation);
        }
    }
    operations
}

/// Returns the frames that answer a frame of a client.
fn replies(name: &str) -> &'static [&'static str] {
    match name {
        "subscribe" => {
            &["marketSnapshot", "requestsSnapshot", "haltsSnapshot", "bookSnapshot", "bookDelta", "meSnapshot", "error"]
        }
        "ping" => &["pong"],
        "authenticate" => &["authenticated", "error"],
        name if COMMANDS.contains(&name) => &["answers", "error"],
        _ => &[],
    }
}
