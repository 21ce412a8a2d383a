//! A request before it is sent.

use std::fmt::Write as _;

use serde::Serialize;

use crate::call_error::CallError;
use crate::idempotency_key::IdempotencyKey;
use crate::quota::QuotaName;

/// A request to one resource.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) idempotency_key: Option<IdempotencyKey>,
    pub(crate) quota: QuotaName,
}

impl Call {
    /// A read of a public resource.
    pub(crate) fn reads(method: &'static str, path: &str) -> Self {
        Self::new(method, path, QuotaName::Reads)
    }

    /// A read of the caller's own data.
    pub(crate) fn own_reads(method: &'static str, path: &str) -> Self {
        Self::new(method, path, QuotaName::OwnReads)
    }

    /// A request that changes something.
    pub(crate) fn writes(method: &'static str, path: &str) -> Self {
        Self::new(method, path, QuotaName::Writes)
    }

    fn new(method: &'static str, path: &str, quota: QuotaName) -> Self {
        Self { method, path: path.to_owned(), body: None, idempotency_key: None, quota }
    }

    /// Replaces the first `{}` of the path by an escaped segment.
    pub(crate) fn segment(mut self, value: &str) -> Self {
        self.path = self.path.replacen("{}", &escaped(value), 1);
        self
    }

    /// Appends the parameters that have values.
    pub(crate) fn query(mut self, pairs: Vec<(&'static str, Option<String>)>) -> Self {
        let mut mark = '?';
        for (name, value) in pairs {
            if let Some(value) = value {
                self.path.extend([mark]);
                // Writing to a string cannot fail.
                let _ = write!(self.path, "{name}={}", escaped(&value));
                mark = '&';
            }
        }
        self
    }

    /// Sets a JSON body.
    pub(crate) fn body(mut self, body: &impl Serialize) -> Result<Self, CallError> {
        self.body = Some(serde_json::to_vec(body).map_err(CallError::Unwritable)?);
        Ok(self)
    }

    /// Sets the idempotency key.
    pub(crate) fn idempotent(mut self, key: &IdempotencyKey) -> Self {
        self.idempotency_key = Some(key.clone());
        self
    }

    /// Whether sending it twice has the effect of sending it once.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.idempotency_key.is_some() || matches!(self.method, "GET" | "PUT" | "DELETE")
    }
}

/// Escapes everything that is not unreserved in URLs.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    // A segment of dots would name another folder.
    if matches!(escaped.as_str(), "." | "..") { escaped.replace('.', "%2E") } else { escaped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_queries_are_escaped() {
        let call = Call::reads("GET", "/api/v1/collections/{}/orderbook").segment("a/../b?c");
        assert_eq!(call.path, "/api/v1/collections/a%2F..%2Fb%3Fc/orderbook");
        assert_eq!(Call::reads("GET", "/x/{}").segment("..").path, "/x/%2E%2E");
        let query = vec![("limit", Some("5".to_owned())), ("cursor", None), ("search", Some("ä &b".to_owned()))];
        assert_eq!(Call::reads("GET", "/x").query(query).path, "/x?limit=5&search=%C3%A4%20%26b");
    }

    #[test]
    fn a_post_is_repeatable_with_its_key_alone() {
        let post = Call::writes("POST", "/x");
        assert!(!post.is_repeatable() && post.idempotent(&IdempotencyKey::random()).is_repeatable());
        assert!(Call::reads("GET", "/x").is_repeatable() && !Call::writes("PATCH", "/x").is_repeatable());
    }
}
