//! A generator of values and requests that the API description admits.

use std::collections::BTreeMap;

use lienbook::openapi::Description;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::string::string_regex;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use reqwest::Method;
use serde_json::{Map, Value, json};
use utoipa::OpenApi as _;

use super::lender::TestUser;

/// The longest text that is generated at random; longer ones repeat it.
const PIECE_LENGTH_MAX: usize = 64;

/// The number of texts generated from a pattern, of which some are short enough.
const TRIES: usize = 5_000;

/// The length above which a body has at most one text: together they would exceed the size limit of a body.
const LONG_TEXT: u64 = 10_000;

/// A generator of values that a schema admits.
pub struct RequestGenerator {
    description: Value,
    runner: TestRunner,
    /// Fields whose values must be the session's own, which no schema can express.
    own: BTreeMap<&'static str, Value>,
}

/// The choice among the admitted values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ValueChoice {
    Least,
    Greatest,
    Random,
}

/// A described operation with its parameters and body.
pub struct Operation {
    pub method: Method,
    pub path: String,
    pub parameters: Vec<Value>,
    pub body: Option<Value>,
}

/// A request to send: the values of its parameters by name, and its body.
#[derive(Clone)]
pub struct Request {
    pub parameters: BTreeMap<String, Value>,
    pub body: Option<Value>,
}

impl RequestGenerator {
    pub fn new(seed: u64, user: &TestUser) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let shown = user.wallet_fields();
        let mut own = BTreeMap::new();
        for name in ["payment_address", "borrower_payment_address", "paymentAddress", "userAddress"] {
            own.insert(name, json!(shown.payment_address));
        }
        for name in ["payment_pubkey", "borrower_payment_pubkey", "paymentPubkey", "publicKey"] {
            own.insert(name, json!(shown.payment_public_key));
        }
        for name in ["ordinal_address", "borrower_ordinal_address", "recieveAddress"] {
            own.insert(name, json!(shown.ordinals_address));
        }
        for name in ["ordinal_pubkey", "borrower_ordinal_pubkey"] {
            own.insert(name, json!(shown.ordinals_public_key));
        }
        Self { description: serde_json::to_value(Description::openapi()).unwrap(), runner, own }
    }

    pub fn operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        for (path, item) in self.description["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
                let body = operation.pointer("/requestBody/content/application~1json/schema").cloned();
                let method = method.to_uppercase().parse().unwrap();
                operations.push(Operation { method, path: path.clone(), parameters, body });
            }
        }
        operations
    }

    pub fn resolved(&self, schema: &Value) -> Value {
        let schema = match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.description.pointer(&reference[1..]).unwrap(),
            None => schema,
        };
        // A choice between an object and `null` is made by the presence of the field.
        match schema.get("oneOf") {
            Some(choices) => self.resolved(&choices[0]),
            None => schema.clone(),
        }
    }

    fn below(&mut self, end: u64) -> u64 {
        (0..end.max(1)).new_tree(&mut self.runner).unwrap().current()
    }

    /// A value of a field.
    pub fn value(&mut self, name: &str, schema: &Value, pick: ValueChoice) -> Value {
        if let Some(own) = self.own.get(name) {
            return own.clone();
        }
        let schema = self.resolved(schema);
        if let Some(allowed) = schema["enum"].as_array() {
            let index = match pick {
                ValueChoice::Least => 0,
                ValueChoice::Greatest => allowed.len() - 1,
                ValueChoice::Random => usize::try_from(self.below(u64::try_from(allowed.len()).unwrap())).unwrap(),
            };
            return allowed[index].clone();
        }
        match kind(&schema) {
            "object" => self.object(&schema, pick),
            "array" => {
                let (min, max) = (schema["minItems"].as_u64().unwrap_or(0), schema["maxItems"].as_u64().unwrap());
                let count = match pick {
                    ValueChoice::Least => min,
                    ValueChoice::Greatest => max,
                    ValueChoice::Random => min + self.below(max.min(5) - min + 1),
                };
                // Long lists of long texts would exceed the size limit of a body, which no schema of a field states.
                let item = if count > 5 || self.has_long_text(&schema["items"]) { ValueChoice::Least } else { pick };
                (0..count).map(|_| self.value(name, &schema["items"], item)).collect()
            }
            "boolean" => json!(pick == ValueChoice::Greatest),
            "string" => json!(self.text(&schema, pick)),
            "integer" => {
                let (min, max) = (schema["minimum"].as_u64().unwrap(), schema["maximum"].as_u64().unwrap());
                json!(match pick {
                    ValueChoice::Least => min,
                    ValueChoice::Greatest => max,
                    ValueChoice::Random => min + self.below(max - min),
                })
            }
            "number" => {
                let step = schema["multipleOf"].as_f64().unwrap();
                let (min, max) = (schema["minimum"].as_f64().unwrap(), schema["maximum"].as_f64().unwrap());
                match pick {
                    ValueChoice::Least => json!(min),
                    ValueChoice::Greatest => json!(max),
                    ValueChoice::Random => {
                        let thousandths = 100 + self.below(499_000);
                        assert!((step - 0.001).abs() < 1e-12 && min <= 0.1 && max >= 499.1);
                        serde_json::from_str(&format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)).unwrap()
                    }
                }
            }
            other => panic!("{name} is of the type {other}"),
        }
    }

    /// Whether a schema is a long text, or contains one.
    fn has_long_text(&self, schema: &Value) -> bool {
        let schema = self.resolved(schema);
        let is_long = schema["maxLength"].as_u64().is_some_and(|length| length > LONG_TEXT);
        is_long
            || schema["properties"].as_object().is_some_and(|fields| fields.values().any(|it| self.has_long_text(it)))
    }

    /// An object with all fields, except that the least one has only the required ones.
    fn object(&mut self, schema: &Value, pick: ValueChoice) -> Value {
        let needed = schema["required"].as_array().cloned().unwrap_or_default();
        let mut fields = Map::new();
        let mut has_long_text = false;
        for (name, field) in schema["properties"].as_object().unwrap() {
            let is_there = needed.contains(&json!(name))
                || match pick {
                    ValueChoice::Least => false,
                    ValueChoice::Greatest => true,
                    ValueChoice::Random => self.below(2) == 0,
                };
            if is_there {
                let is_long = self.has_long_text(field);
                let pick = if is_long && has_long_text { ValueChoice::Least } else { pick };
                has_long_text |= is_long;
                fields.insert(name.clone(), self.value(name, field, pick));
            }
        }
        Value::Object(fields)
    }

    pub fn text(&mut self, schema: &Value, pick: ValueChoice) -> String {
        let length = |name: &str| schema[name].as_u64().map(|length| usize::try_from(length).unwrap());
        let (min, max) = (length("minLength").unwrap_or(0), length("maxLength").unwrap());
        let wanted = match pick {
            ValueChoice::Least => min,
            ValueChoice::Greatest => max,
            ValueChoice::Random => min + usize::try_from(self.below(u64::try_from(max - min + 1).unwrap())).unwrap(),
        };
        let pattern = schema["pattern"].as_str().unwrap_or("^[!-~]*$").trim_start_matches('^').trim_end_matches('$');
        if let Some(class) = pattern.strip_suffix(['+', '*']).filter(|it| it.starts_with('[') && !it[1..].contains('['))
        {
            let piece = self.matching(&format!("{class}{{{PIECE_LENGTH_MAX}}}"));
            return piece.chars().cycle().take(wanted).collect();
        }
        // Of those that are short enough, the shortest or the longest.
        let any = string_regex(pattern).unwrap();
        let fitting: Vec<String> = (0..TRIES)
            .map(|_| any.new_tree(&mut self.runner).unwrap().current())
            .filter(|text| (min..=max).contains(&text.len()))
            .take(if pick == ValueChoice::Random { 1 } else { 20 })
            .collect();
        let by_length = |text: &&String| text.len();
        let found = if pick == ValueChoice::Least {
            fitting.iter().min_by_key(by_length)
        } else {
            fitting.iter().max_by_key(by_length)
        };
        found.unwrap_or_else(|| panic!("nothing of {min} to {max} characters matches {pattern}")).clone()
    }

    fn matching(&mut self, pattern: &str) -> String {
        string_regex(pattern).unwrap().new_tree(&mut self.runner).unwrap().current()
    }

    pub fn request(&mut self, operation: &Operation, pick: ValueChoice) -> Request {
        let mut parameters = BTreeMap::new();
        for parameter in &operation.parameters {
            let name = parameter["name"].as_str().unwrap();
            let is_there = parameter["required"] == true
                || pick == ValueChoice::Greatest
                || (pick == ValueChoice::Random && self.below(2) == 0);
            if is_there {
                parameters.insert(name.to_owned(), self.value(name, &parameter["schema"], pick));
            }
        }
        let mut body = operation.body.as_ref().map(|schema| self.value("", schema, pick));
        // A field of the body with the name of a path parameter must have the same value.
        for (name, value) in &parameters {
            if let Some(field) = body.as_mut().and_then(|body| body.get_mut(name)) {
                field.clone_from(value);
            }
        }
        Request { parameters, body }
    }
}

/// The type of a schema that may be `null` too.
pub fn kind(schema: &Value) -> &str {
    let types = schema["type"].as_array().cloned();
    if types.is_some() { schema["type"][0].as_str().unwrap() } else { schema["type"].as_str().unwrap() }
}
