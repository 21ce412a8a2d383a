//! Requests to the URLs that users give, such as webhooks: with bounded time and response size, to addresses of the
//! public Internet alone.
//!
//! A name is resolved for each request, and the connection is made to one of the addresses that were checked, so a name
//! that changes between a check and its use gains nothing. Redirects are not followed, connections are not kept, and
//! proxies of the environment are not used.

mod address_policy;
mod callback_client;
mod callback_url;
mod checked_connector;

pub use address_policy::AddressPolicy;
pub use callback_client::{CallbackAnswer, CallbackClient, CallbackError, EXCERPT_BYTES_MAX};
pub use callback_url::{CALLBACK_URL_LENGTH_MAX, CallbackUrl, CallbackUrlError};
