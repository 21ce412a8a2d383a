//! Traces of requests, exported to an OpenTelemetry collector; off by default.
//!
//! A request that is traced has a span, and so have the decision of the book's actor, the wait until its events are
//! durable, and their publication ([`engine::command_trace`]). Spans carry routes, statuses and codes, and no address,
//! id of a user or text of a client. They wait in a bounded queue for a thread that exports them: when it is full they
//! are dropped, and no request waits.

mod collector_client;
mod request_span;
mod trace_export;

pub use request_span::RequestSpan;
pub use trace_export::TraceExport;
