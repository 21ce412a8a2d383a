//! JSON-RPC 2.0 as Bitcoin Core speaks it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::credentials::Credentials;
use crate::text::excerpt;
use crate::upstream::{NoAnswer, Upstream};
use crate::upstreams::Surroundings;

/// How it is called in figures and errors.
pub(super) const NAME: &str = "bitcoin-core";

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RpcError {
    /// No answer, or none in time: whether the node did what it was asked is unknown.
    Unreachable(String),
    /// An answer that the node could not mean.
    Nonsense(String),
    /// The node said no.
    Said {
        /// Core's number for it.
        code: i64,
        /// Core's text, all of it: it may contain what was sent.
        message: String,
    },
}

/// One call of a batch.
pub(super) type Call = (&'static str, Value);

/// A node that can be called.
#[derive(Debug)]
pub(super) struct Rpc {
    upstream: Upstream,
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

/// A result that is `null` is one; a result that is missing is none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl Reply<'_> {
    fn result<T: DeserializeOwned>(self) -> Result<T, RpcError> {
        if let Some(Failure { code, message }) = self.error {
            return Err(RpcError::Said { code, message });
        }
        let result = self.result.ok_or_else(|| RpcError::Nonsense("it has neither result nor error".to_owned()))?;
        serde_json::from_str(result.get()).map_err(|error| RpcError::Nonsense(excerpt(&error.to_string())))
    }
}

impl Rpc {
    pub(super) fn new(upstream: Upstream, credentials: Credentials) -> Self {
        Self { upstream, credentials, next_id: AtomicU64::new(1) }
    }

    /// The same, looked after. No call does twice what is done once: a package that is there already is accepted.
    pub(super) fn cared_for(self, around: &Surroundings) -> Self {
        Self { upstream: self.upstream.cared_for(NAME, around), ..self }
    }

    /// One call.
    pub(super) async fn call<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T, RpcError> {
        self.one(method, params, None).await
    }

    /// One call that may take longer than the others.
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
            // Older nodes name no call when they cannot read it.
            _ => Err(no_reply(status, "it is no answer to the call")),
        }
    }

    /// Two calls that the node answers together.
    pub(super) async fn both<A, B>(
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

    /// The server's own time limit holds, unless there is another one.
    async fn send(&self, body: &Value, time_limit: Option<Duration>) -> Result<(StatusCode, Vec<u8>), RpcError> {
        let request = self.upstream.post("/").json(body);
        let request = time_limit.into_iter().fold(request, RequestBuilder::timeout);
        let request = self.credentials.sign(request).await.map_err(RpcError::Unreachable)?;
        let answer = self.upstream.answer(request).await.map_err(|error| match error {
            NoAnswer::Unreachable(why) => RpcError::Unreachable(why),
            NoAnswer::TooLarge { .. } => RpcError::Nonsense(error.to_string()),
        })?;
        match answer.0 {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(RpcError::Unreachable(format!("it does not let us in ({})", answer.0)))
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

/// A busy node, or whatever stands before it, answers with a status and no reply.
fn no_reply(status: StatusCode, nonsense: &str) -> RpcError {
    if status.is_success() {
        RpcError::Nonsense(nonsense.to_owned())
    } else {
        RpcError::Unreachable(format!("it answers {status}"))
    }
}
