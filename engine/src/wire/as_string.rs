//! Values serialized as their text.

use std::fmt;

use serde::{Serialize, Serializer};

/// A value that JSON carries as the string of its `Display`: ids, raw token amounts, prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AsString<T>(pub T);

impl<T: fmt::Display> Serialize for AsString<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
