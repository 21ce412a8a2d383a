//! The corpora, replayed against the subjects.

use std::collections::BTreeSet;

use engine::feed::{Encoded, Encoding};
use fuzz_testkit::{Corpus, Subject};
use serde_json::Value;

use super::request_bodies::BODIES;
use super::*;

/// The description of the API, with an example of each request.
const DESCRIPTION: &str = include_str!("../../openapi.json");

/// Examples of each frame, by its name.
const FRAMES: &str = include_str!("../asyncapi/examples.json");

/// The names of the frames that clients send.
const CLIENT_FRAMES: [&str; 10] =
    ["authenticate", "batch", "cancel", "cancelAll", "edit", "heartbeat", "ping", "place", "subscribe", "unsubscribe"];

fn replay(name: &str, subject: Subject, seeds: &[Vec<u8>]) {
    Corpus::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus"), name).replay(subject, seeds);
}

fn selected(selector: u8, bytes: &[u8]) -> Vec<u8> {
    [&[selector], bytes].concat()
}

/// The operations that have a body, each with the example of it.
fn examples() -> Vec<(String, Value)> {
    let description: Value = serde_json::from_str(DESCRIPTION).unwrap();
    let paths = description["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|path| path.as_object().unwrap().values());
    let with_body = operations.filter(|operation| operation["requestBody"].is_object());
    let named = with_body.map(|operation| {
        let example = &operation["requestBody"]["content"]["application/json"]["example"];
        (operation["operationId"].as_str().unwrap().to_owned(), example.clone())
    });
    named.collect()
}

#[test]
fn every_operation_with_a_body_is_fuzzed() {
    let described: BTreeSet<String> = examples().into_iter().map(|(name, _)| name).collect();
    let fuzzed: BTreeSet<String> = BODIES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(fuzzed, described);
    assert!(BODIES.len() <= 256, "a byte selects one");
}

#[test]
fn bodies_are_refused_in_few_words_or_accepted_however_they_are_written() {
    let seeds = examples().into_iter().map(|(name, example)| {
        let place = BODIES.iter().position(|(other, _)| *other == name).unwrap();
        selected(u8::try_from(place).unwrap(), example.to_string().as_bytes())
    });
    replay("request_body", request_body, &seeds.collect::<Vec<_>>());
}

/// The bytes of a text frame of a client, with a mask of zeros.
fn masked(text: &str) -> Vec<u8> {
    let length = u8::try_from(text.len()).ok().filter(|length| *length < 126).unwrap();
    [&[0x81, 0x80 | length, 0, 0, 0, 0], text.as_bytes()].concat()
}

#[test]
fn frames_are_refused_or_mean_the_same_in_both_encodings() {
    let frames: Value = serde_json::from_str(FRAMES).unwrap();
    let mut seeds = Vec::new();
    for frame in CLIENT_FRAMES.into_iter().flat_map(|name| frames[name].as_array().unwrap()) {
        seeds.push(selected(0, frame.to_string().as_bytes()));
        let Encoded::Binary(bytes) = Encoding::Binary.encode(frame) else { panic!("a binary frame") };
        seeds.push(selected(1, &bytes));
    }
    let ping = r#"{"op":"ping","id":7}"#;
    seeds.push(selected(2, &[masked(ping), masked(""), masked(ping)].concat()));
    replay("client_frame", client_frame, &seeds);
}

const SETTINGS: &str = r#"
listen = "127.0.0.1:8080"
network = "regtest"
workers = 3
public_url = "https://lienbook.example"
allowed_origins = ["http://127.0.0.1:5173"]
[limits]
max_offer_sats = 1000000
count_max = 5
[quotas]
sign_ins_per_minute = 12
[embeds]
origins = ["https://frogs.example"]
"#;

const INSCRIPTIONS: &str = r#"
slug = "harbour-lights"
name = "Harbour Lights"
symbol = "HARB"
[collateral]
type = "inscription"
[[sub_collections]]
slug = "harbour-lights-7d"
term_days = 7
interest_basis_points = 120
manual = true
instant = true
"#;

const TOKENS: &str = r#"
slug = "harbour-ropes"
name = "Harbour Ropes"
symbol = "ROPE"
external_link = "https://ropes.example"
[collateral]
type = "rune"
rune_id = "840000:1"
rune_name = "HARBOUR•ROPES"
decimals = 2
[[sub_collections]]
slug = "harbour-ropes-1000"
bundle = "1000.25"
interest_basis_points = 120
manual = true
"#;

#[test]
fn files_of_an_operator_are_refused_with_a_reason_or_written_with_the_same_content() {
    let settings = [selected(0, SETTINGS.as_bytes()), selected(0, b"")];
    let collections = [INSCRIPTIONS, TOKENS].map(|text| selected(1, text.as_bytes()));
    replay("configuration_file", configuration_file, &[settings, collections].concat());
}
