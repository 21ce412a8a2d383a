//! The examples of requests and responses.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use utoipa::Modify;
use utoipa::openapi::{OpenApi, RefOr};

use super::operations;

/// Inserts an example into the body of each request, and of its answer when it is granted.
pub(super) struct Examples;

/// The examples of an operation.
#[derive(Deserialize)]
struct Exchange {
    /// The body of the request.
    request: Option<Value>,
    /// The status of the answer.
    status: String,
    /// The body of the answer.
    answer: Option<Value>,
}

impl Modify for Examples {
    fn modify(&self, description: &mut OpenApi) {
        // A test compares the names with those of the operations.
        let mut exchanges: BTreeMap<String, Exchange> =
            serde_json::from_str(include_str!("examples.json")).unwrap_or_default();
        for operation in description.paths.paths.values_mut().flat_map(operations) {
            let Some(exchange) = operation.operation_id.as_deref().and_then(|id| exchanges.remove(id)) else {
                continue;
            };
            if let Some(RefOr::T(body)) = &mut operation.request_body {
                for content in body.content.values_mut() {
                    if let RefOr::T(content) = content {
                        content.example.clone_from(&exchange.request);
                    }
                }
            }
            if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(&exchange.status) {
                for content in response.content.values_mut() {
                    if let RefOr::T(content) = content {
                        content.example.clone_from(&exchange.answer);
                    }
                }
            }
        }
    }
}
