//! The form of a list in the journal that was one value at most in its first version.
//!
//! In the journal's binary form a list of one is what `Some` of it was, and an empty one what `None` was. In an export,
//! which is text, one value stands for itself and none is `null`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum Exported<T> {
    Several(Vec<T>),
    One(Option<T>),
}

pub(crate) fn serialize<T: Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    match list {
        [] | [_] if serializer.is_human_readable() => list.first().serialize(serializer),
        _ => list.serialize(serializer),
    }
}

pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    if !deserializer.is_human_readable() {
        return Vec::deserialize(deserializer);
    }
    Ok(match Exported::deserialize(deserializer)? {
        Exported::Several(list) => list,
        Exported::One(one) => one.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
    struct Listed(#[serde(with = "super")] Vec<u8>);

    #[test]
    fn one_value_and_none_are_written_as_in_the_first_version() {
        for (list, exported) in [(vec![], json!(null)), (vec![7], json!(7)), (vec![7, 8], json!([7, 8]))] {
            let listed = Listed(list);
            assert_eq!(serde_json::to_value(&listed).unwrap(), exported);
            assert_eq!(serde_json::from_value::<Listed>(exported).unwrap(), listed);
            let bytes = postcard::to_stdvec(&listed).unwrap();
            assert_eq!(postcard::from_bytes::<Listed>(&bytes).unwrap(), listed);
            if listed.0.len() < 2 {
                assert_eq!(bytes, postcard::to_stdvec(&listed.0.first()).unwrap());
            }
        }
    }
}
