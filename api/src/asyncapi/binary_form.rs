//! The binary form of schemas and values: an object is the array of the values of its fields, in their order.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{ArrayItems, Object};
use utoipa::openapi::{RefOr, Schema};

use super::value_of;

/// The end of the name of a schema's binary form.
const SUFFIX: &str = "Array";

/// The fields that name a variant, which come first.
const TAGS: [&str; 3] = ["type", "op", "kind"];

/// The schemas by name, and their binary forms.
pub struct BinaryForms<'schemas>(&'schemas BTreeMap<String, RefOr<Schema>>);

/// The fields of an object in the order of the wire, and the number up to the last that is always there.
struct Fields {
    all: Vec<(String, RefOr<Schema>)>,
    required: usize,
}

impl<'schemas> BinaryForms<'schemas> {
    /// Takes the schemas by name.
    #[must_use]
    pub const fn new(schemas: &'schemas BTreeMap<String, RefOr<Schema>>) -> Self {
        Self(schemas)
    }

    /// Returns the binary forms of all schemas that have one of their own, by name.
    #[must_use]
    pub fn components(&self) -> Map<String, Value> {
        let own = self.0.iter().filter(|(_, schema)| self.has_form(schema));
        own.map(|(name, schema)| (format!("{name}{SUFFIX}"), self.schema(schema))).collect()
    }

    /// Returns the binary form of a schema.
    #[must_use]
    pub fn schema(&self, schema: &RefOr<Schema>) -> Value {
        match schema {
            RefOr::Ref(reference) => {
                let name = name_of(&reference.ref_location);
                let is_own = self.0.get(name).is_some_and(|schema| self.has_form(schema));
                json!({"$ref": format!("#/components/schemas/{name}{}", if is_own { SUFFIX } else { "" })})
            }
            RefOr::T(Schema::Array(array)) => {
                let ArrayItems::RefOrSchema(items) = &array.items else { return value_of(schema) };
                let mut form = value_of(schema);
                form["items"] = self.schema(items);
                form
            }
            RefOr::T(Schema::OneOf(choices)) => {
                let mut form = value_of(schema);
                form["oneOf"] = choices.items.iter().map(|choice| self.schema(choice)).collect();
                form
            }
            RefOr::T(inner) => match self.fields(inner) {
                Some(fields) => self.tuple(&fields, value_of(schema).get("description")),
                None => value_of(schema),
            },
        }
    }

    /// Returns the binary form of a value of a schema, as JSON.
    #[must_use]
    pub fn value(&self, schema: &RefOr<Schema>, value: &Value) -> Value {
        match self.resolved(schema) {
            Some(Schema::Array(array)) => match (&array.items, value) {
                (ArrayItems::RefOrSchema(items), Value::Array(values)) => {
                    values.iter().map(|value| self.value(items, value)).collect()
                }
                _ => value.clone(),
            },
            Some(Schema::OneOf(choices)) => {
                let fitting = choices.items.iter().find(|choice| self.is_choice(choice, value));
                fitting.map_or_else(|| value.clone(), |choice| self.value(choice, value))
            }
            Some(schema) => match (self.fields(schema), value) {
                (Some(Fields { all, .. }), Value::Object(values)) => {
                    let present =
                        all.iter().rposition(|(name, _)| values.contains_key(name)).map_or(0, |last| last + 1);
                    let in_order = all.iter().take(present);
                    in_order
                        .map(|(name, schema)| values.get(name).map_or(Value::Null, |value| self.value(schema, value)))
                        .collect()
                }
                _ => value.clone(),
            },
            None => value.clone(),
        }
    }

    fn tuple(&self, fields: &Fields, description: Option<&Value>) -> Value {
        let names: Vec<String> = fields.all.iter().map(|(name, _)| format!("`{name}`")).collect();
        let about = description.and_then(Value::as_str).map(|text| format!("{text} ")).unwrap_or_default();
        let items: Vec<Value> = fields.all.iter().map(|(_, schema)| self.schema(schema)).collect();
        json!({
            "type": "array",
            "description": format!("{about}The values of {}.", names.join(", ")),
            "items": items,
            "minItems": fields.required,
        })
    }

    /// Whether a schema holds an object with named fields.
    fn has_form(&self, schema: &RefOr<Schema>) -> bool {
        match schema {
            RefOr::T(Schema::OneOf(choices)) => choices.items.iter().any(|choice| match choice {
                RefOr::Ref(_) => true,
                RefOr::T(inner) => self.fields(inner).is_some(),
            }),
            RefOr::T(inner) => self.fields(inner).is_some(),
            RefOr::Ref(_) => false,
        }
    }

    fn fields(&self, schema: &Schema) -> Option<Fields> {
        let mut all = Vec::new();
        let mut required = Vec::new();
        self.collect(schema, &mut all, &mut required);
        if all.is_empty() {
            return None;
        }
        let is_tag = |schema: &RefOr<Schema>| matches!(schema, RefOr::T(Schema::Object(Object { enum_values: Some(values), .. })) if values.len() == 1);
        all.sort_by_key(|(name, schema): &(String, RefOr<Schema>)| !(TAGS.contains(&name.as_str()) && is_tag(schema)));
        let last = all.iter().rposition(|(name, _)| required.contains(name)).map_or(0, |last| last + 1);
        Some(Fields { all, required: last })
    }

    fn collect(&self, schema: &Schema, all: &mut Vec<(String, RefOr<Schema>)>, required: &mut Vec<String>) {
        match schema {
            Schema::Object(object) => {
                all.extend(object.properties.iter().map(|(name, schema)| (name.clone(), schema.clone())));
                required.extend(object.required.iter().cloned());
            }
            Schema::AllOf(parts) => {
                for part in parts.items.iter().filter_map(|part| self.resolved(part)) {
                    self.collect(part, all, required);
                }
            }
            _ => {}
        }
    }

    fn is_choice(&self, schema: &RefOr<Schema>, value: &Value) -> bool {
        let Some(schema) = self.resolved(schema) else { return false };
        match (self.fields(schema), schema, value) {
            (Some(Fields { all, required }), _, Value::Object(values)) => {
                let tag = all.first().filter(|(name, _)| TAGS.contains(&name.as_str()));
                let fits = tag.is_none_or(|(name, field)| {
                    let RefOr::T(Schema::Object(Object { enum_values: Some(allowed), .. })) = field else {
                        return true;
                    };
                    values.get(name).is_some_and(|value| allowed.contains(value))
                });
                fits && all.iter().take(required).all(|(name, _)| values.contains_key(name))
            }
            (None, Schema::OneOf(choices), _) => choices.items.iter().any(|choice| self.is_choice(choice, value)),
            _ => false,
        }
    }

    fn resolved<'a>(&'a self, schema: &'a RefOr<Schema>) -> Option<&'a Schema> {
        match schema {
            RefOr::T(schema) => Some(schema),
            RefOr::Ref(reference) => self.resolved(self.0.get(name_of(&reference.ref_location))?),
        }
    }
}

fn name_of(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or_default()
}
