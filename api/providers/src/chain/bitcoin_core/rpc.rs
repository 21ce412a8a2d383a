//! A client of Bitcoin Core's JSON-RPC 2.0.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::credentials::Credentials;
use crate::http::{HttpRequest, RequestError};
use crate::parsing::text::excerpt;
use crate::resilience::SelfHostedClient;
use crate::resilience::UpstreamEnvironment;

/// The node's name in metrics and errors.
pub(super) const NAME: &str = "bitcoin-core";

/// The reason why a call has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RpcError {
    /// No answer, or none in time: whether the node executed the call is unknown.
    Unreachable(String),
    /// An invalid answer.
    InvalidResponse(String),
    /// The node returned an error.
    ErrorResponse {
        /// Core's error code.
        code: i64,
        /// Core's message in full: it may contain what was sent.
        message: String,
    },
}

/// One call of a batch.
pub(super) type Call = (&'static str, Value);

/// A client of one node.
#[derive(Debug)]
pub(super) struct Rpc {
    upstream: SelfHostedClient,
    credentials: Credentials,
    next_id: AtomicU64,
}

#[derive(Deserialize)]
struct Reply<'a> {
    id: Option<u64>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    code: i64,
    message: String,
}

/// Keeps a `null` result apart from a missing one.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl Reply<'_> {
    fn result<T: DeserializeOwned>(self) -> Result<T, RpcError> {
        if let Some(Failure { code, message }) = self.error {
            return Err(RpcError::ErrorResponse { code, message });
        }
        let result =
            self.result.ok_or_else(|| RpcError::InvalidResponse("it has neither result nor error".to_owned()))?;
        serde_json::from_str(result.get()).map_err(|error| RpcError::InvalidResponse(excerpt(&error.to_string())))
    }
}

impl Rpc {
    pub(super) fn new(upstream: SelfHostedClient, credentials: Credentials) -> Self {
        Self { upstream, credentials, next_id: AtomicU64::new(1) }
    }

    /// Adds metrics, retries and a circuit breaker. Every call may be repeated: a package that is already there is
    /// accepted.
    pub(super) fn with_resilience(self, environment: &UpstreamEnvironment) -> Self {
        Self { upstream: self.upstream.with_resilience(NAME, environment), ..self }
    }

    /// Makes one call.
    pub(super) async fn call<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T, RpcError> {
        self.one(method, params, None).await
    }

    /// Makes one call with a longer timeout than usual.
    pub(super) async fn call_within<T: DeserializeOwned>(
        &self,
        method: &str,
        params: Value,
        time_limit: Duration,
    ) -> Result<T, RpcError> {
        self.one(method, params, Some(time_limit)).await
    }

    async fn one<T: DeserializeOwned>(
        &self,
        method: &str,
        params: Value,
        time_limit: Option<Duration>,
    ) -> Result<T, RpcError> {
        let id = self.id();
        let (status, body) = self.send(&request(id, method, &params), time_limit).await?;
        match serde_json::from_slice::<Reply<'_>>(&body) {
            Ok(reply) if reply.id == Some(id) => reply.result(),
            // Older nodes give no id when they cannot parse the call.
            _ => Err(no_reply(status, "it is no answer to the call")),
        }
    }

    /// Makes two calls in one batch.
    pub(super) async fn call_batch<A, B>(
        &self,
        calls: [Call; 2],
    ) -> Result<(Result<A, RpcError>, Result<B, RpcError>), RpcError>
    where
        A: DeserializeOwned,
        B: DeserializeOwned,
    {
        let ids = [self.id(), self.id()];
        let requests: Vec<Value> =
            ids.iter().zip(&calls).map(|(id, (method, params))| request(*id, method, params)).collect();
        let (status, body) = self.send(&Value::Array(requests), None).await?;
        let replies: Vec<Reply<'_>> =
            serde_json::from_slice(&body).map_err(|_| no_reply(status, "it is no answer to a batch of calls"))?;
        let (mut first, mut second) = (None, None);
        for reply in replies {
            match reply.id {
                id if id == Some(ids[0]) => first = Some(reply),
                id if id == Some(ids[1]) => second = Some(reply),
                _ => return Err(no_reply(status, "it answers a call that was not made")),
            }
        }
        match (first, second) {
            (Some(first), Some(second)) => Ok((first.result(), second.result())),
            _ => Err(no_reply(status, "a call of the batch has no answer")),
        }
    }

    /// The upstream's own timeout applies unless another one is given.
    async fn send(&self, body: &Value, time_limit: Option<Duration>) -> Result<(StatusCode, Bytes), RpcError> {
        let header = self.credentials.header().await.map_err(RpcError::Unreachable)?;
        let request = HttpRequest::json("/", body.to_string()).with_header(Some(header));
        let answer = match time_limit {
            Some(time_limit) => self.upstream.send_within(request, time_limit).await,
            None => self.upstream.send(request).await,
        };
        let answer = answer.map_err(|error| match error {
            RequestError::Unreachable(why) => RpcError::Unreachable(why),
            RequestError::TooLarge { .. } => RpcError::InvalidResponse(error.to_string()),
        })?;
        match answer.0 {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(RpcError::Unreachable(format!("it rejects the credentials ({})", answer.0)))
            }
            _ => Ok(answer),
        }
    }

    fn id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// A busy node, or a proxy in front of it, answers with a status and no reply.
fn no_reply(status: StatusCode, nonsense: &str) -> RpcError {
    if status.is_success() {
        RpcError::InvalidResponse(nonsense.to_owned())
    } else {
        RpcError::Unreachable(format!("it answers {status}"))
    }
}
