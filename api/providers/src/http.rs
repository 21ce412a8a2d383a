//! HTTP to one server, with bounded time and response size: one client for programs that the operator runs and for
//! servers of others.

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzed_answers;
mod http_endpoint;
mod http_request;
mod query;
mod request_error;
#[cfg(test)]
pub(crate) mod scripted_server;
mod time_limit;

pub(crate) use http_endpoint::{HttpEndpoint, HttpResponse, SendError};
pub(crate) use http_request::{HttpRequest, TimeoutClass};
pub(crate) use query::escaped;
pub(crate) use request_error::RequestError;
pub use request_error::SetupError;
pub(crate) use time_limit::{TIME_LIMIT, TIP_TIME_LIMIT, retry_after};
