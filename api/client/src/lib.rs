//! A client of a Lienbook server: its HTTP API, and its live feed with local order books.
//!
//! ```text
//! Client  -> quota wait -> HTTPS -> answer | retry with the same idempotency key | CallError
//! Feed    -> subscribe -> snapshot -> deltas -> local book | gap, wrong checksum, lost socket -> stale -> subscribe again
//! ```
//!
//! Types and operations are generated from the server's `OpenAPI` description. Amounts are sats, percentages are numbers,
//! times are unix milliseconds, raw token amounts and prices are decimal strings.
//!
//! Invariants:
//! - Everything is bounded: requests in flight, attempts, waits, the size of an answer, of a frame and of a book.
//! - A write that may have reached the server is sent again only with its idempotency key.
//! - A key leaves this machine over TLS only. Neither errors nor debug output contain it.
//! - A book that is not known to follow the server says so: [`Book`] is handed out by [`Feed::book`] while it is live only.

mod api_key;
mod backoff;
mod call;
mod call_error;
mod client;
mod clock;
mod delegation;
mod feed;
mod idempotency_key;
#[rustfmt::skip]
#[path = "operations.gen.rs"]
#[allow(clippy::all, clippy::pedantic, reason = "generated from the description of the API")]
mod operations;
mod quota;
mod retry;
mod server_url;
mod tls;
mod transport;
/// The bodies of requests and answers, under the names of the description.
#[rustfmt::skip]
#[path = "types.gen.rs"]
#[allow(clippy::all, clippy::pedantic, reason = "generated from the description of the API")]
pub mod types;

pub use api_key::{ApiKey, InvalidApiKey};
pub use call_error::CallError;
pub use client::Client;
pub use clock::now_ms;
pub use delegation::{Delegation, InstantOffer, InvalidDelegation};
pub use feed::{Book, Channel, Event, Feed, FeedError, Market, Me, Ranking, Requests, Staleness};
pub use idempotency_key::{IdempotencyKey, InvalidIdempotencyKey};
pub use operations::*;
pub use server_url::{InvalidServerUrl, ServerUrl};
