//! The span of a request.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::HeaderMap;
use engine::command_trace::TARGET;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{Status, TraceContextExt as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::field::Empty;
use tracing::{Span, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::config::settings::Settings;
use crate::http::client_ip;

/// The header of the W3C's recommendation "Trace Context" with the ids and the flags of a trace.
const TRACEPARENT: &str = "traceparent";

/// The span of a request, and nothing for a request that is not traced.
pub struct RequestSpan(Span);

impl RequestSpan {
    /// Begins the span of a request, if it is one of those to trace.
    #[must_use]
    pub fn begin(settings: &Settings, request: &ServiceRequest) -> Self {
        if settings.traces.otlp.is_none() {
            return Self(Span::none());
        }
        let peer = request.peer_addr().map(|address| address.ip());
        let is_from_proxy = settings.behind_proxy && client_ip::is_among(peer, &settings.proxy_addresses);
        let parent = is_from_proxy.then(|| parent(request.headers())).flatten();
        let is_traced = match &parent {
            Some(parent) => parent.span().span_context().is_sampled(),
            None => rand::random_range(0..1_000) < settings.traces.requests_per_thousand,
        };
        if !is_traced {
            return Self(Span::none());
        }
        let method = match request.method().as_str() {
            known @ ("GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "HEAD" | "OPTIONS") => known,
            _ => "_OTHER",
        };
        let span = info_span!(
            target: TARGET,
            parent: None,
            "request",
            otel.kind = "server",
            http.request.method = method,
            http.route = Empty,
            http.response.status_code = Empty,
            error.type = Empty,
        );
        if let Some(parent) = parent {
            // Fails only without a collector, and then nothing is exported.
            let _ = span.set_parent(parent);
        }
        Self(span)
    }

    /// Returns the span, in which the request is to be answered.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.clone()
    }

    /// Returns the id of the trace, for the log.
    #[must_use]
    pub fn trace_id(&self) -> Option<String> {
        if self.0.is_disabled() {
            return None;
        }
        let context = self.0.context();
        let id = context.span().span_context().trace_id();
        Some(id.to_string())
    }

    /// Ends the span with the outcome of the request.
    pub fn end(self, method: &str, resource: &str, status: u16, code: Option<&str>) {
        if self.0.is_disabled() {
            return;
        }
        // The route is known only now, and a field cannot rename a span that has begun.
        self.0.context().span().update_name(format!("{method} {resource}"));
        self.0.record("http.route", resource);
        self.0.record("http.response.status_code", status);
        if let Some(code) = code {
            self.0.record("error.type", code);
        }
        if status >= 500 {
            self.0.set_status(Status::error(""));
        }
    }
}

/// The headers of a request, of which one is read: what comes with it in other headers would be exported unseen.
struct TraceHeaders<'request>(&'request HeaderMap);

impl Extractor for TraceHeaders<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        if key == TRACEPARENT { self.0.get(TRACEPARENT)?.to_str().ok() } else { None }
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACEPARENT]
    }
}

/// Returns the span of the proxy, if it names a valid one.
fn parent(headers: &HeaderMap) -> Option<opentelemetry::Context> {
    let context =
        TraceContextPropagator::new().extract_with_context(&opentelemetry::Context::new(), &TraceHeaders(headers));
    context.span().span_context().is_valid().then_some(context)
}
