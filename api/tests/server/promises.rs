//! The promises of version 1 of the API and the feed: operations, fields, types, values and error codes, as sorted lines.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The side that writes a type, by which it is known what may change.
const REQUEST: &str = "request";
const ANSWER: &str = "answer";
const BOTH: &str = "both";

/// A line is a key, such as `Row.floor`, and a value, such as `integer|null required`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Promises(pub BTreeMap<String, String>);

impl Promises {
    /// Reads lines.
    pub fn read(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let parsed = lines.map(|line| line.split_once(": ").unwrap_or_else(|| panic!("not a promise: {line}")));
        Self(parsed.map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
    }

    /// Returns the lines.
    pub fn lines(&self) -> String {
        self.0.iter().flat_map(|(key, value)| [key, ": ", value, "\n"]).collect()
    }

    /// Returns what the two descriptions promise.
    pub fn of(openapi: &Value, asyncapi: &Value) -> Self {
        let mut promises = Self::default();
        let (mut asked, mut answered) = (BTreeSet::new(), BTreeSet::new());
        for (path, item) in openapi["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                promises.add_operation(&format!("{method} {path}"), operation);
                references(&operation["requestBody"], &mut asked);
                references(&operation["responses"], &mut answered);
            }
        }
        for (name, message) in asyncapi["components"]["messages"].as_object().unwrap() {
            let is_sent = asyncapi["operations"].as_object().unwrap().values().any(|operation| {
                let messages = operation["messages"].as_array().unwrap();
                let is_named = |it: &Value| it["$ref"].as_str().unwrap().ends_with(&format!("/{name}"));
                operation["action"] == "send" && messages.iter().any(is_named)
            });
            references(&message["payload"], if is_sent { &mut answered } else { &mut asked });
            promises.add_type(name, &message["payload"], if is_sent { ANSWER } else { REQUEST });
        }
        let schemas: Map<String, Value> = [openapi, asyncapi]
            .iter()
            .flat_map(|document| document["components"]["schemas"].as_object().unwrap().clone())
            .collect();
        let [asked, answered] = [asked, answered].map(|roots| reachable(roots, &schemas));
        for (name, schema) in &schemas {
            match (asked.contains(name), answered.contains(name)) {
                (true, true) => promises.add_type(name, schema, BOTH),
                (true, false) => promises.add_type(name, schema, REQUEST),
                // Bodies of webhooks are in no operation.
                (false, _) => promises.add_type(name, schema, ANSWER),
            }
        }
        promises
    }

    fn add_operation(&mut self, key: &str, operation: &Value) {
        self.0.insert(key.to_owned(), operation["operationId"].as_str().unwrap().to_owned());
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let place = format!("{key} {} {}", parameter["in"].as_str().unwrap(), parameter["name"].as_str().unwrap());
            let types = self.walk(&place, &parameter["schema"]);
            self.0.insert(place, format!("{types} {}", need(parameter["required"] == true)));
        }
        for (kind, content) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
            let place = format!("{key} body {kind}");
            let types = self.walk(&place, &content["schema"]);
            self.0.insert(place, format!("{types} required"));
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            let place = format!("{key} {status}");
            self.0.insert(place.clone(), "answer".to_owned());
            for (kind, content) in response["content"].as_object().into_iter().flatten() {
                let place = format!("{place} {kind}");
                let types = self.walk(&place, &content["schema"]);
                self.0.insert(place, types);
            }
        }
    }

    fn add_type(&mut self, name: &str, schema: &Value, side: &str) {
        let types = self.walk(name, schema);
        self.0.insert(format!("type {name}"), format!("{types} {side}"));
    }

    /// Adds what is inside of a schema, and returns its types.
    fn walk(&mut self, path: &str, schema: &Value) -> String {
        if let Some(reference) = schema["$ref"].as_str() {
            return reference.rsplit('/').next().unwrap().to_owned();
        }
        if let Some(choices) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
            let types: BTreeSet<String> = choices
                .iter()
                .map(|choice| match tag(choice) {
                    Some(tag) => {
                        self.walk(&format!("{path}({tag})"), choice);
                        tag
                    }
                    None => self.walk(path, choice),
                })
                .collect();
            return types.into_iter().collect::<Vec<_>>().join("|");
        }
        if let Some(parts) = schema["allOf"].as_array() {
            for part in parts {
                let types = self.walk(path, part);
                if part.get("$ref").is_some() {
                    self.0.insert(format!("{path} has all of {types}"), "required".to_owned());
                }
            }
            return "object".to_owned();
        }
        if let Some(places) = schema["items"].as_array() {
            let always = schema["minItems"].as_u64().unwrap_or(0);
            for (index, place) in (0_u64..).zip(places) {
                let inner = format!("{path}[{index}]");
                let types = self.walk(&inner, place);
                self.0.insert(inner, format!("{types} {}", need(index < always)));
            }
            return "array".to_owned();
        }
        if let Some(items) = schema.get("items") {
            return format!("[{}]", self.walk(&format!("{path}[]"), items));
        }
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let inner = format!("{path}.{name}");
            let types = self.walk(&inner, field);
            let is_required = schema["required"].as_array().is_some_and(|names| names.contains(&name.as_str().into()));
            self.0.insert(inner, format!("{types} {}", need(is_required)));
        }
        for value in schema["enum"].as_array().into_iter().flatten() {
            self.0.insert(format!("{path} = {}", value.as_str().unwrap_or("null")), "value".to_owned());
        }
        match &schema["type"] {
            Value::String(one) => one.clone(),
            Value::Array(several) => {
                let names: BTreeSet<&str> = several.iter().filter_map(Value::as_str).collect();
                names.into_iter().collect::<Vec<_>>().join("|")
            }
            _ => "any".to_owned(),
        }
    }

    /// Returns what the later promises break of these.
    pub fn broken_by(&self, later: &Self) -> Vec<String> {
        let changed = self.0.iter().filter_map(|(key, value)| match later.0.get(key) {
            None => Some(format!("{key} is gone (it was {value})")),
            Some(new) if new == value || self.may_become(key, value, new) => None,
            Some(new) => Some(format!("{key} is {new}, it was {value}")),
        });
        // What a request must have from now on, older clients do not send.
        let demanded = later.0.iter().filter_map(|(key, value)| {
            let owner = owner(key);
            let is_known = !self.0.contains_key(key) && self.0.contains_key(&owner);
            let is_demanded = value.ends_with(" required") && later.side(key) != ANSWER;
            (is_known && is_demanded).then(|| format!("{key} is new, and requests have to have it"))
        });
        changed.chain(demanded).collect()
    }

    /// The side that writes what a key is about.
    fn side(&self, key: &str) -> &str {
        let owner = owner(key);
        match self.0.get(&owner) {
            Some(value) if owner.starts_with("type ") => value.rsplit(' ').next().unwrap(),
            // Parameters and bodies are of requests, the rest of an operation is of answers.
            _ if key.contains(" query ") || key.contains(" path ") || key.contains(" header ") => REQUEST,
            _ if key.contains(" body ") => REQUEST,
            _ => ANSWER,
        }
    }

    /// Whether older clients understand the new value of a key: a request may accept more, an answer may hold less.
    fn may_become(&self, key: &str, old: &str, new: &str) -> bool {
        // A type of answers may be used in requests as well, and the other way round.
        if key.starts_with("type ") {
            return old.rsplit_once(' ').map(|(types, _)| types) == new.rsplit_once(' ').map(|(types, _)| types);
        }
        let split = |value: &str| -> Option<(BTreeSet<String>, bool)> {
            let (types, need) = value.rsplit_once(' ').filter(|(_, need)| ["required", "optional"].contains(need))?;
            Some((types.split('|').map(str::to_owned).collect(), need == "required"))
        };
        let (Some((old, was_required)), Some((new, is_required))) = (split(old), split(new)) else { return false };
        let wider = old.is_subset(&new) && (was_required || !is_required);
        let narrower = new.is_subset(&old) && (is_required || !was_required);
        match self.side(key) {
            REQUEST => wider,
            ANSWER => narrower,
            _ => false,
        }
    }
}

/// Returns the key of the type or operation that a key is inside of.
fn owner(key: &str) -> String {
    let is_operation = ["get ", "post ", "put ", "patch ", "delete "].iter().any(|method| key.starts_with(method));
    if is_operation {
        let end = key.match_indices(' ').nth(1).map_or(key.len(), |(at, _)| at);
        return key[..end].to_owned();
    }
    if key.starts_with("type ") {
        return key.to_owned();
    }
    format!("type {}", key.split(['.', '[', '(', ' ']).next().unwrap())
}

fn need(is_required: bool) -> &'static str {
    if is_required { "required" } else { "optional" }
}

/// The value that distinguishes a choice.
fn tag(choice: &Value) -> Option<String> {
    let parts = choice["allOf"].as_array().map_or(vec![choice], |parts| parts.iter().collect());
    let objects = parts.into_iter().filter_map(|part| part["properties"].as_object());
    let mut values = objects.flatten().filter(|(name, _)| ["op", "type", "kind"].contains(&name.as_str()));
    let named = values.find_map(|(_, field)| match field["enum"].as_array().map(Vec::as_slice) {
        Some([value]) => value.as_str().map(str::to_owned),
        _ => None,
    });
    // In the binary form it is the first value.
    named.or_else(|| Some(choice["items"][0]["enum"].as_array()?.first()?.as_str()?.to_owned()))
}

/// Collects the names of the schemas that a part of a description refers to.
fn references(part: &Value, found: &mut BTreeSet<String>) {
    match part {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                found.insert(reference.rsplit('/').next().unwrap().to_owned());
            }
            fields.values().for_each(|field| references(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

fn reachable(mut roots: BTreeSet<String>, schemas: &Map<String, Value>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    while let Some(name) = roots.pop_first() {
        if let Some(schema) = schemas.get(&name)
            && found.insert(name)
        {
            references(schema, &mut roots);
        }
    }
    found
}
