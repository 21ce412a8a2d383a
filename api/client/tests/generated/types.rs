//! Types of the bodies of requests and answers.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::naming::{camel, doc, snake};

/// Returns a type for each schema of the description.
pub fn generate(description: &Value) -> String {
    let mut out = String::from("\nuse serde::{Deserialize, Serialize};\n");
    for (name, schema) in description["components"]["schemas"].as_object().unwrap() {
        out.push('\n');
        doc("", schema["description"].as_str().unwrap_or(&format!("`{name}`.")), &mut out);
        if schema.get("enum").is_some() {
            write_enum(name, schema, &mut out);
        } else if let Some(kinds) = schema.get("oneOf") {
            write_tagged(name, kinds.as_array().unwrap(), &mut out);
        } else {
            write_struct(name, schema, &mut out);
        }
    }
    out
}

fn write_enum(name: &str, schema: &Value, out: &mut String) {
    out.push_str("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]\n");
    writeln!(out, "pub enum {name} {{").unwrap();
    for value in schema["enum"].as_array().unwrap() {
        let value = value.as_str().unwrap();
        writeln!(out, "    /// `{value}`.\n    #[serde(rename = \"{value}\")]\n    {},", variant(value)).unwrap();
    }
    out.push_str("    /// A value that this version of the client does not know.\n");
    out.push_str("    #[serde(other)]\n    Unknown,\n}\n");
}

fn variant(value: &str) -> String {
    let name = if value.chars().any(char::is_lowercase) { camel(value) } else { camel(&value.to_lowercase()) };
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("V{name}") } else { name }
}

/// Writes an enumeration of objects that differ by a property with one value each.
fn write_tagged(name: &str, kinds: &[Value], out: &mut String) {
    let tag = tag_of(&kinds[0]);
    out.push_str("#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]\n");
    writeln!(out, "#[serde(tag = \"{tag}\")]\npub enum {name} {{").unwrap();
    for kind in kinds {
        assert_eq!(tag_of(kind), tag, "{name}");
        let value = kind["properties"][tag]["enum"][0].as_str().unwrap();
        doc("    ", kind["description"].as_str().unwrap_or(value), out);
        writeln!(out, "    #[serde(rename = \"{value}\")]").unwrap();
        let others: Map<String, Value> =
            kind["properties"].as_object().unwrap().clone().into_iter().filter(|(key, _)| key != tag).collect();
        if others.is_empty() {
            writeln!(out, "    {},", variant(value)).unwrap();
        } else {
            writeln!(out, "    {} {{", variant(value)).unwrap();
            write_fields("        ", "", &others, kind, out);
            out.push_str("    },\n");
        }
    }
    out.push_str("    /// A kind that this version of the client does not know.\n");
    out.push_str("    #[serde(other)]\n    Unknown,\n}\n");
}

fn tag_of(kind: &Value) -> &str {
    let properties = kind["properties"].as_object().unwrap();
    let tag = properties.iter().find(|(_, one)| one["enum"].as_array().is_some_and(|values| values.len() == 1));
    tag.unwrap().0
}

fn write_struct(name: &str, schema: &Value, out: &mut String) {
    let has_default = schema["required"].as_array().is_none_or(Vec::is_empty);
    let default = if has_default && schema.get("allOf").is_none() { "Default, " } else { "" };
    writeln!(out, "#[derive(Clone, Debug, {default}PartialEq, Serialize, Deserialize)]").unwrap();
    writeln!(out, "pub struct {name} {{").unwrap();
    let parts = schema["allOf"].as_array().map_or_else(|| vec![schema], |parts| parts.iter().collect());
    for part in parts {
        if let Some(reference) = part["$ref"].as_str() {
            let other = reference.rsplit('/').next().unwrap();
            doc("    ", part["description"].as_str().unwrap_or(other), out);
            writeln!(out, "    #[serde(flatten)]\n    pub {}: {other},", snake(other)).unwrap();
        } else if let Some(properties) = part["properties"].as_object() {
            write_fields("    ", "pub ", properties, part, out);
        }
    }
    out.push_str("}\n");
}

fn write_fields(indent: &str, public: &str, properties: &Map<String, Value>, schema: &Value, out: &mut String) {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (key, property) in properties {
        let inner = property["oneOf"].as_array().map(|kinds| &kinds[0]);
        let text = property["description"].as_str().or_else(|| inner.and_then(|one| one["description"].as_str()));
        doc(indent, text.unwrap_or(&format!("`{key}`.")), out);
        let (kind, is_required) = (type_of(property), required.contains(&key.as_str()));
        let kind = if is_required || kind.starts_with("Option<") || kind.starts_with("Vec<") {
            kind
        } else {
            format!("Option<{kind}>")
        };
        let field = snake(key);
        let mut attributes = Vec::new();
        if field.trim_start_matches("r#") != key {
            attributes.push(format!("rename = \"{key}\""));
        }
        if !is_required {
            let empty = if kind.starts_with("Vec<") { "Vec::is_empty" } else { "Option::is_none" };
            attributes.push(format!("default, skip_serializing_if = \"{empty}\""));
        }
        if !attributes.is_empty() {
            writeln!(out, "{indent}#[serde({})]", attributes.join(", ")).unwrap();
        }
        writeln!(out, "{indent}{public}{field}: {kind},").unwrap();
    }
}

/// Returns the Rust type of a schema.
pub fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap().to_owned();
    }
    if let Some(kinds) = schema["oneOf"].as_array() {
        assert!(kinds.len() == 2 && kinds[1]["type"] == "null", "{schema}");
        return format!("Option<{}>", type_of(&kinds[0]));
    }
    let (kind, is_nullable) = match &schema["type"] {
        Value::Array(kinds) => (kinds[0].as_str().unwrap(), kinds.iter().any(|kind| kind == "null")),
        kind => (kind.as_str().unwrap(), false),
    };
    let is_natural = schema["minimum"].as_f64().is_some_and(|least| least >= 0.0);
    let plain = match (kind, schema["format"].as_str()) {
        ("string", _) => "String".to_owned(),
        ("boolean", _) => "bool".to_owned(),
        ("number", _) => "f64".to_owned(),
        ("integer", Some("int32")) => String::from(if is_natural { "u32" } else { "i32" }),
        ("integer", _) => String::from(if is_natural { "u64" } else { "i64" }),
        ("array", _) => format!("Vec<{}>", type_of(&schema["items"])),
        ("object", _) => "serde_json::Value".to_owned(),
        _ => panic!("no type for {schema}"),
    };
    if is_nullable { format!("Option<{plain}>") } else { plain }
}
