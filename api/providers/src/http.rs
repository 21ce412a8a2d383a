//! HTTP to one server, with bounded time and response size: [`HttpsEndpoint`] for servers of others, over TLS, and
//! [`HttpClient`] for programs that the operator runs, without TLS.

mod http_client;
mod https_endpoint;
mod query;
mod request_error;
#[cfg(test)]
pub(crate) mod scripted_server;
mod time_limit;

pub(crate) use http_client::{Attempt, HttpClient};
pub(crate) use https_endpoint::{HttpRequest, HttpsEndpoint, HttpsResponse, SendError, TimeoutClass};
pub(crate) use query::escaped;
pub(crate) use request_error::RequestError;
pub use request_error::SetupError;
pub(crate) use time_limit::{TIME_LIMIT, TIP_TIME_LIMIT};
