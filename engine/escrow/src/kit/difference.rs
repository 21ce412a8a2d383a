//! Comparison of two documents.

use serde::Serialize;
use serde_json::Value;

use super::kit_error::KitError;

/// Instructions for humans, which no program reads: a later release may word them differently.
const INSTRUCTIONS_FIELD: &str = "instructions";

/// Checks that a kit that was read is identical to the same kit when it is written again.
///
/// # Errors
/// The first field that differs.
pub(super) fn check_same<T: Serialize>(read: &T, written: &T) -> Result<(), KitError> {
    let document = |document: &T| {
        let mut value = serde_json::to_value(document).map_err(|error| KitError::NotAKit(error.to_string()))?;
        if let Value::Object(fields) = &mut value {
            fields.remove(INSTRUCTIONS_FIELD);
        }
        Ok::<_, KitError>(value)
    };
    match first_difference(&document(read)?, &document(written)?) {
        Some(field) => Err(KitError::Differs { field }),
        None => Ok(()),
    }
}

/// The first field in which they differ, with dots between the levels; `None` if they are equal.
fn first_difference(one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let missing = other.keys().find(|name| !one.contains_key(*name)).cloned();
            let inner = |(name, value): (&String, &Value)| match other.get(name) {
                Some(counterpart) => first_difference(value, counterpart).map(|rest| below(name, &rest)),
                None => Some(name.clone()),
            };
            one.iter().find_map(inner).or(missing)
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).enumerate();
            pairs.find_map(|(place, (one, other))| {
                first_difference(one, other).map(|rest| below(&place.to_string(), &rest))
            })
        }
        _ => (one != other).then(String::new),
    }
}

fn below(name: &str, rest: &str) -> String {
    if rest.is_empty() { name.to_owned() } else { format!("{name}.{rest}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_field_that_differs_is_named_with_its_place() {
        let one = json!({"a": 1, "b": {"c": [1, {"d": "x"}]}});
        for (other, field) in [
            (json!({"a": 2, "b": {"c": [1, {"d": "x"}]}}), "a"),
            (json!({"a": 1, "b": {"c": [1, {"d": "y"}]}}), "b.c.1.d"),
            (json!({"a": 1, "b": {"c": [1]}}), "b.c"),
            (json!({"a": 1}), "b"),
            (json!({"a": 1, "b": {"c": [1, {"d": "x"}]}, "e": null}), "e"),
        ] {
            assert_eq!(first_difference(&one, &other).as_deref(), Some(field));
        }
        assert_eq!(first_difference(&one, &one), None);
    }
}
