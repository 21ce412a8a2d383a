//! Tests of the description of the feed: it is the committed one, and every message has an example that the schemas and
//! the types of the frames accept.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use engine::feed::{ClientFrame, Encoding};
use lienbook::trading::answer::AnswerFrame;
use lienbook::trading::client_frame::TradingFrame;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::described::{DESCRIPTION, Document, FEED};
use super::rig::Rig;

/// The messages of clients that are no commands.
const PLAIN: [&str; 3] = ["subscribe", "unsubscribe", "ping"];

/// The messages of clients that trade.
const TRADING: [&str; 7] = ["authenticate", "place", "edit", "cancel", "batch", "cancelAll", "heartbeat"];

#[test]
fn the_asyncapi_document_is_the_committed_one() {
    let text = format!("{}\n", serde_json::to_string_pretty(&*FEED).unwrap());
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("asyncapi.json");
    if std::env::var_os("LIENBOOK_WRITE_GOLDEN").is_some() {
        fs::write(&golden, &text).unwrap();
    }
    let known = fs::read_to_string(&golden).unwrap();
    assert!(known == text, "api/asyncapi.json is not what the code describes: if that is meant, run `make schema`");
}

#[actix_web::test]
async fn the_asyncapi_document_is_served() {
    let rig = Rig::start().await;
    let served = rig.get("/api/asyncapi.json").await.ok();
    assert_eq!(served, *FEED);
    rig.server.stop().await;
}

fn examples(message: &Value) -> impl Iterator<Item = &Value> {
    message["examples"].as_array().unwrap().iter().map(|example| &example["payload"])
}

#[test]
fn every_message_has_examples_that_fit_its_schema() {
    let messages = FEED["components"]["messages"].as_object().unwrap();
    assert_eq!(messages.len(), 2 * (15 + PLAIN.len() + TRADING.len()), "{:?}", messages.keys());
    for (name, message) in messages {
        assert!(examples(message).next().is_some(), "add an example of {name} to api/src/asyncapi/examples.json");
        for payload in examples(message) {
            if let Some(misfit) = Document(&FEED).misfit(&message["payload"], payload, name) {
                panic!("an example of {name} is not as described: {misfit}\n{payload:#}");
            }
        }
    }
}

/// Reads the example in JSON and in its binary form, which must be the same frame.
#[track_caller]
fn read_both<T: DeserializeOwned + PartialEq + std::fmt::Debug>(name: &str) {
    let messages = &FEED["components"]["messages"];
    let forms = examples(&messages[name]).zip(examples(&messages[format!("{name}Binary")]));
    for (text, values) in forms {
        let of_json: T = serde_json::from_value(text.clone()).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        let bytes = rmp_serde::to_vec(values).unwrap();
        let of_binary: T = Encoding::decode_binary(&bytes).unwrap_or_else(|error| panic!("{name}: {error}\n{values}"));
        assert_eq!(of_json, of_binary, "{name}");
    }
}

#[test]
fn the_types_of_the_frames_read_the_examples_in_both_forms() {
    for name in PLAIN {
        read_both::<ClientFrame>(name);
    }
    for name in TRADING {
        read_both::<TradingFrame>(name);
    }
    for name in ["authenticated", "answers"] {
        read_both::<AnswerFrame>(name);
    }
}

/// The values of the field that tells the choices of a schema apart.
fn choices(schema: &str, tag: &str) -> BTreeSet<String> {
    let schemas = &FEED["components"]["schemas"];
    let choices = schemas[schema]["oneOf"].as_array().unwrap_or_else(|| panic!("{schema} has no choices"));
    let parts = choices
        .iter()
        .flat_map(|choice| choice["allOf"].as_array().map_or(vec![choice], |parts| parts.iter().collect()));
    parts.filter_map(|part| part["properties"][tag]["enum"][0].as_str().map(str::to_owned)).collect()
}

#[test]
fn the_examples_have_every_operation_and_every_result() {
    let messages = &FEED["components"]["messages"];
    for (message, schema) in
        [("marketDelta", "MarketOp"), ("requestsDelta", "RequestsOp"), ("bookDelta", "BookOp"), ("meDelta", "MeOp")]
    {
        let all = choices(schema, "op");
        assert!(all.len() > 1, "{schema}");
        let ops = examples(&messages[message]).flat_map(|frame| frame["ops"].as_array().unwrap());
        let shown: BTreeSet<String> = ops.map(|op| op["op"].as_str().unwrap().to_owned()).collect();
        assert!(all.is_subset(&shown), "{message} has no example of {:?}", all.difference(&shown));
    }
    let answers = examples(&messages["answers"]).flat_map(|frame| frame["answers"].as_array().unwrap());
    let shown: BTreeSet<String> =
        answers.filter_map(|answer| answer["result"]["kind"].as_str().map(str::to_owned)).collect();
    assert_eq!(choices("CommandResult", "kind"), shown);
}

#[test]
fn every_operation_has_examples_that_fit() {
    let mut checked = 0;
    for (path, item) in DESCRIPTION["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            let granted =
                operation["responses"].as_object().unwrap().iter().filter(|(status, _)| status.starts_with('2'));
            let contents = granted.filter_map(|(_, response)| response.get("content").and_then(Value::as_object));
            let answers: Vec<_> = contents.flatten().collect();
            let asked = operation["requestBody"]["content"].as_object().into_iter().flatten();
            let is_shown = answers.is_empty() || answers.iter().any(|(_, content)| content.get("example").is_some());
            assert!(is_shown, "{id}: add an example of its answer to api/src/openapi/examples.json");
            for (kind, content) in asked {
                let example =
                    content.get("example").unwrap_or_else(|| panic!("{id}: no example of its request as {kind}"));
                assert_fits(&content["schema"], example, id);
                checked += 1;
            }
            for (kind, content) in answers {
                let Some(example) = content.get("example") else { continue };
                if kind == "application/json" {
                    assert_fits(&content["schema"], example, &format!("{id} {path}"));
                } else {
                    assert!(example.is_string(), "{id}: {kind} is a text");
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "{checked} examples");
}

#[track_caller]
fn assert_fits(schema: &Value, value: &Value, at: &str) {
    if let Some(misfit) = Document(&DESCRIPTION).misfit(schema, value, at) {
        panic!("an example is not as described: {misfit}\n{value:#}");
    }
}
