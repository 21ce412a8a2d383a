//! The check of values against the descriptions of the API and of the feed, which clients are generated from.

use std::sync::LazyLock;

use lienbook::openapi::Description;
use reqwest::{Method, StatusCode};
use serde_json::{Map, Value};
use utoipa::OpenApi as _;

pub static DESCRIPTION: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(Description::openapi()).unwrap());

/// The description of the feed.
pub static FEED: LazyLock<Value> = LazyLock::new(lienbook::asyncapi::document);

/// Panics when a response, or the body of an accepted request, does not have the described shape.
#[track_caller]
pub fn check(method: &Method, path: &str, sent: Option<&Value>, status: StatusCode, answer: &Value) {
    let Some(operation) = operation(method, path) else { return };
    let responses = &operation["responses"];
    let response = responses.get(status.as_str()).unwrap_or(&responses["default"]);
    if status.is_success() {
        assert!(responses.get(status.as_str()).is_some(), "{method} {path} answered {status}, which is not described");
        if let Some(sent) = sent {
            fits(&operation["requestBody"]["content"]["application/json"]["schema"], sent, "request");
        }
    }
    let media_type = if status.is_success() { "application/json" } else { "application/problem+json" };
    if let Some(content) = response["content"].get(media_type) {
        fits(&content["schema"], answer, &format!("{method} {path} {status}"));
    }
}

/// The described operation; of two templates that match, the one with fewer parameters.
fn operation<'a>(method: &Method, path: &str) -> Option<&'a Value> {
    let path = path.split('?').next()?;
    let is_parameter = |part: &str| part.starts_with('{');
    let matches = |template: &str| {
        let (mut parts, mut given) = (template.split('/'), path.split('/'));
        parts.by_ref().zip(given.by_ref()).all(|(part, given)| is_parameter(part) || part == given)
            && template.split('/').count() == path.split('/').count()
    };
    let paths = DESCRIPTION["paths"].as_object()?;
    let found = paths.iter().filter(|(template, _)| matches(template));
    let (_, item) = found.min_by_key(|(template, _)| template.split('/').filter(|part| is_parameter(part)).count())?;
    item.get(method.as_str().to_lowercase())
}

#[track_caller]
fn fits(schema: &Value, value: &Value, at: &str) {
    if let Some(misfit) = Document(&DESCRIPTION).misfit(schema, value, at) {
        panic!("not as described: {misfit}\n{value:#}");
    }
}

/// A description with its schemas.
#[derive(Clone, Copy)]
pub struct Document<'a>(pub &'a Value);

impl<'a> Document<'a> {
    /// Returns the first mismatch. Stricter than JSON schema: every present field must be described, and an optional
    /// field must not be `null` instead of absent.
    pub fn misfit(self, schema: &Value, value: &Value, at: &str) -> Option<String> {
        let schema = self.resolved(schema);
        if let Some(choices) = ["oneOf", "anyOf"].iter().find_map(|name| schema.get(name)).and_then(Value::as_array) {
            let misfits: Vec<_> = choices.iter().map(|choice| self.misfit(choice, value, at)).collect();
            // The first choice is the one that is not `null`, so its mismatch is the most informative.
            return misfits.iter().all(Option::is_some).then(|| misfits.into_iter().flatten().next()).flatten();
        }
        // A schema without a type takes any value.
        let types = schema.get("type").or_else(|| schema.get("allOf"))?;
        let is_type = |name: &str| types == name || types.as_array().is_some_and(|types| types.contains(&name.into()));
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
            return (!allowed.contains(value)).then(|| format!("{at} is {value}, not one of {allowed:?}"));
        }
        match value {
            Value::Object(fields) if is_type("object") || schema.get("allOf").is_some() => {
                self.fields_misfit(schema, fields, at)
            }
            Value::Array(items) if is_type("array") => self.items_misfit(schema, items, at),
            Value::Null if is_type("null") => None,
            Value::Bool(_) if is_type("boolean") => None,
            Value::String(_) if is_type("string") => None,
            Value::Number(number) if is_type("integer") && (number.is_u64() || number.is_i64()) => None,
            Value::Number(_) if is_type("number") => None,
            _ => Some(format!("{at} is {value}, not {types}")),
        }
    }

    fn items_misfit(self, schema: &Value, items: &[Value], at: &str) -> Option<String> {
        let places = schema["items"].as_array();
        if items.len() < schema["minItems"].as_u64().map_or(0, |min| usize::try_from(min).unwrap()) {
            return Some(format!("{at} has {} values", items.len()));
        }
        items.iter().enumerate().find_map(|(index, item)| {
            let at = format!("{at}[{index}]");
            let described = places.map_or(Some(&schema["items"]), |places| places.get(index));
            match described {
                Some(schema) => self.misfit(schema, item, &at),
                None => Some(format!("{at} is not described")),
            }
        })
    }

    fn fields_misfit(self, schema: &Value, fields: &Map<String, Value>, at: &str) -> Option<String> {
        let parts = self.parts(schema);
        let described = |name: &str| parts.iter().find_map(|part| part["properties"].get(name));
        let is_required = |name: &str| {
            parts.iter().any(|part| part["required"].as_array().is_some_and(|required| required.contains(&name.into())))
        };
        // A free-form object, such as the values of a problem.
        if parts.iter().all(|part| part.get("properties").is_none()) {
            return None;
        }
        let required = parts.iter().filter_map(|part| part["required"].as_array()).flatten().filter_map(Value::as_str);
        let missing = required.filter(|name| !fields.contains_key(*name)).map(|name| format!("{at}.{name} is missing"));
        let misfits = fields.iter().filter_map(|(name, value)| match described(name) {
            None => Some(format!("{at}.{name} is not described")),
            Some(_) if value.is_null() && !is_required(name) => {
                Some(format!("{at}.{name} is null instead of left out"))
            }
            Some(schema) => self.misfit(schema, value, &format!("{at}.{name}")),
        });
        missing.chain(misfits).next()
    }

    /// An object's own schema, or those that it is composed of.
    fn parts<'b>(self, schema: &'b Value) -> Vec<&'b Value>
    where
        'a: 'b,
    {
        match schema.get("allOf").and_then(Value::as_array) {
            Some(all) => all.iter().flat_map(|part| self.parts(self.resolved(part))).collect(),
            None => vec![schema],
        }
    }

    fn resolved<'b>(self, schema: &'b Value) -> &'b Value
    where
        'a: 'b,
    {
        match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.0.pointer(&reference[1..]).unwrap(),
            None => schema,
        }
    }
}

#[test]
fn undescribed_fields_are_detected() {
    let check =
        |body: &str| check(&Method::GET, "/api/v1/vault", None, StatusCode::OK, &serde_json::from_str(body).unwrap());
    check(r#"{"usableBalanceSats":1,"balanceSats":2,"vaultAddress":null}"#);
    for body in [
        "null",
        r#"{"usableBalanceSats":1,"balanceSats":2}"#,
        r#"{"usableBalanceSats":1.5,"balanceSats":2,"vaultAddress":null}"#,
        r#"{"usableBalanceSats":1,"balanceSats":"2","vaultAddress":null}"#,
        r#"{"usableBalanceSats":1,"balanceSats":2,"vaultAddress":null,"more":1}"#,
    ] {
        assert!(std::panic::catch_unwind(|| check(body)).is_err(), "{body} passed");
    }
}
