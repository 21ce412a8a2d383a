//! Tests that version 1 of the wire keeps what it promises, as `api/WIRE-CHANGES.md` says.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::described::{DESCRIPTION, FEED};
use super::promises::Promises;

/// The first lines of the file of promises.
const HEADER: &str = "\
# What version 1 of the HTTP API and the feed promises, one line each; api/WIRE-CHANGES.md has the rules.
# New lines are added by `make schema`. A line that is gone or changed breaks clients; only an edit by hand removes it.
";

#[test]
fn nothing_that_version_one_promises_is_gone_or_changed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("wire.v1.txt");
    let promised = Promises::read(&fs::read_to_string(&file).unwrap_or_default());
    let now = Promises::of(&DESCRIPTION, &FEED);
    assert_eq!(Promises::read(&now.lines()), now, "the lines are read as they were written");
    let broken = promised.broken_by(&now);
    assert!(
        broken.is_empty(),
        "clients of version 1 break:\n{}\nKeep the old form beside the new one. What was announced and is over, as \
         api/WIRE-CHANGES.md says, is taken out of api/wire.v1.txt by hand.",
        broken.join("\n")
    );
    if std::env::var_os("LIENBOOK_WRITE_GOLDEN").is_some() {
        fs::write(&file, format!("{HEADER}{}", now.lines())).unwrap();
        return;
    }
    let new: Vec<_> = now.0.iter().filter(|(key, value)| promised.0.get(*key) != Some(value)).collect();
    assert!(new.is_empty(), "not in api/wire.v1.txt yet; if they are meant to be promised, run `make schema`: {new:?}");
}

fn openapi(request: &Value, answer: &Value) -> Value {
    let body = |name: &str| json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}});
    json!({
        "paths": {"/api/v1/things": {"post": {
            "operationId": "makeThing",
            "parameters": [{"in": "query", "name": "limit", "required": false, "schema": {"type": "integer"}}],
            "requestBody": {"content": body("Asked")},
            "responses": {"201": {"content": body("Thing")}},
        }}},
        "components": {"schemas": {"Asked": request, "Thing": answer}},
    })
}

fn asyncapi(place: usize) -> Value {
    let mut values = vec![json!({"type": "string"}), json!({"type": "string"}), json!({"type": "integer"})];
    values.swap(0, place);
    json!({
        "components": {
            "messages": {"thingDeltaBinary": {"payload": {"type": "array", "items": values, "minItems": 3}}},
            "schemas": {"Code": {"type": "string", "enum": ["none", "some"]}},
        },
        "operations": {"send": {"action": "send", "messages": [{"$ref": "#/channels/feed/messages/thingDeltaBinary"}]}},
    })
}

fn request() -> Value {
    json!({"type": "object", "required": ["sats"], "properties": {
        "sats": {"type": "integer"}, "note": {"type": ["string", "null"]},
    }})
}

fn answer() -> Value {
    json!({"type": "object", "required": ["id", "state"], "properties": {
        "id": {"type": "string"},
        "state": {"type": "string", "enum": ["open", "closed"]},
        "choice": {"oneOf": [
            {"type": "object", "required": ["op"], "properties": {"op": {"type": "string", "enum": ["a"]}, "left": {"type": "integer"}}},
            {"type": "object", "required": ["op"], "properties": {"op": {"type": "string", "enum": ["b"]}}},
        ]},
    }})
}

/// Returns what breaks when a change is made to the request, the answer, the operation or the frame.
fn broken(change: impl FnOnce(&mut Value, &mut Value, &mut Value)) -> Vec<String> {
    let before = Promises::of(&openapi(&request(), &answer()), &asyncapi(0));
    let (mut http, mut feed) = (openapi(&request(), &answer()), asyncapi(0));
    let mut schemas = http["components"]["schemas"].take();
    change(&mut schemas, &mut http["paths"], &mut feed);
    http["components"]["schemas"] = schemas;
    before.broken_by(&Promises::of(&http, &feed))
}

fn remove(value: &mut Value, name: &str) {
    assert!(value.as_object_mut().unwrap().remove(name).is_some(), "{name} is not there to be removed");
}

#[test]
fn planted_removals_and_changes_are_found() {
    type Change = fn(&mut Value, &mut Value, &mut Value);
    let planted: [(&str, Change); 14] = [
        ("post /api/v1/things is gone", |_, paths, _| remove(paths, "/api/v1/things")),
        ("post /api/v1/things query limit is gone", |_, paths, _| {
            paths["/api/v1/things"]["post"]["parameters"] = json!([]);
        }),
        ("post /api/v1/things query limit is integer required", |_, paths, _| {
            paths["/api/v1/things"]["post"]["parameters"][0]["required"] = true.into();
        }),
        ("post /api/v1/things 201 is gone", |_, paths, _| {
            remove(&mut paths["/api/v1/things"]["post"]["responses"], "201");
        }),
        ("Thing.id is gone", |schemas, _, _| remove(&mut schemas["Thing"]["properties"], "id")),
        ("Thing.id is integer", |schemas, _, _| schemas["Thing"]["properties"]["id"]["type"] = "integer".into()),
        ("Thing.id is null|string", |schemas, _, _| {
            schemas["Thing"]["properties"]["id"]["type"] = json!(["string", "null"]);
        }),
        ("Thing.state is string optional", |schemas, _, _| schemas["Thing"]["required"] = json!(["id"])),
        ("Thing.state = closed is gone", |schemas, _, _| {
            schemas["Thing"]["properties"]["state"]["enum"] = json!(["open"]);
        }),
        ("Thing.choice(a).left is gone", |schemas, _, _| {
            remove(&mut schemas["Thing"]["properties"]["choice"]["oneOf"][0]["properties"], "left");
        }),
        ("Asked.note is null|string required", |schemas, _, _| schemas["Asked"]["required"] = json!(["sats", "note"])),
        ("Asked.more is new", |schemas, _, _| {
            schemas["Asked"]["properties"]["more"] = json!({"type": "string"});
            schemas["Asked"]["required"] = json!(["sats", "more"]);
        }),
        ("Code = some is gone", |_, _, feed| feed["components"]["schemas"]["Code"]["enum"] = json!(["none"])),
        ("thingDeltaBinary[2] is string required", |_, _, feed| *feed = asyncapi(2)),
    ];
    for (expected, change) in planted {
        let found = broken(change);
        assert!(found.iter().any(|line| line.starts_with(expected)), "{expected}: {found:?}");
    }
}

#[test]
fn additions_do_not_break() {
    assert_eq!(broken(|_, _, _| ()), Vec::<String>::new());
    let found = broken(|schemas, paths, feed| {
        schemas["Thing"]["properties"]["more"] = json!({"type": "string"});
        schemas["Thing"]["required"] = json!(["id", "state", "more", "choice"]);
        schemas["Thing"]["properties"]["state"]["enum"] = json!(["open", "closed", "new"]);
        schemas["Asked"]["properties"]["more"] = json!({"type": "string"});
        schemas["Asked"]["required"] = json!([]);
        schemas["Asked"]["properties"]["sats"]["type"] = json!(["integer", "null"]);
        schemas["Other"] = json!({"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}});
        paths["/api/v1/others"] = json!({"get": {"operationId": "listOthers", "responses": {"200": {}}}});
        let values = feed.pointer_mut("/components/messages/thingDeltaBinary/payload/items").unwrap();
        values.as_array_mut().unwrap().push(json!({"type": "string"}));
    });
    assert_eq!(found, Vec::<String>::new());
}
