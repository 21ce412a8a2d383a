//! The id of every request, sent in the answer and written to the log.

use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpRequest, HttpResponse, web};
use tracing::{Instrument as _, Span};

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::status_error;
use crate::traces::RequestSpan;

/// The header with the id, in requests and answers.
pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

const LENGTH_MAX: usize = 64;

/// The id of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The client's own id for the request if it is short and plain, else a random one.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let given = headers.get(HEADER).and_then(|value| value.to_str().ok());
        match given {
            Some(text) if (8..=LENGTH_MAX).contains(&text.len()) && text.bytes().all(is_plain) => Self(text.to_owned()),
            _ => Self(format!("{:032x}", rand::random::<u128>())),
        }
    }

    fn write(&self, headers: &mut HeaderMap) {
        if let Ok(value) = HeaderValue::from_str(&self.0) {
            headers.insert(HEADER, value);
        }
    }
}

/// Returns an answer with the refusal and the request's id. Other headers of the old answer, such as a cleared cookie,
/// are kept; those that describe its body are not.
pub(super) fn answer_again(refusal: &ApiError, id: &RequestId, old: &HeaderMap) -> HttpResponse {
    let mut named = refusal.respond(Some(id.as_str()));
    id.write(named.headers_mut());
    for (name, value) in old {
        let is_of_body = matches!(*name, CONTENT_LENGTH | CONTENT_ENCODING | TRANSFER_ENCODING);
        if !is_of_body && !named.headers().contains_key(name) {
            named.headers_mut().append(name.clone(), value.clone());
        }
    }
    named
}

/// Returns the id of the current request.
#[must_use]
pub fn current(request: &HttpRequest) -> Option<RequestId> {
    request.extensions().get::<RequestId>().cloned()
}

/// Assigns an id to the request, writes it into the answer and into errors, logs and measures the request.
///
/// # Errors
/// Never: a refusal is a response.
pub async fn assign_request_id(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let id = RequestId::of(request.headers());
    request.extensions_mut().insert(id.clone());
    let began = Instant::now();
    let app = request.app_data::<web::Data<App>>().cloned();
    let traced = app.as_ref().map(|app| RequestSpan::begin(&app.settings, &request));
    let span = traced.as_ref().map_or_else(Span::none, RequestSpan::span);
    let mut response = next.call(request).instrument(span).await?.map_into_boxed_body();
    let refusal = refusal_of(&response);
    let code = refusal.as_ref().map(|refusal| refusal.code().code());
    if let Some(refusal) = refusal {
        let (request, old) = response.into_parts();
        if let Some(app) = &app {
            app.metrics.count_refusal(refusal.code());
        }
        let named = answer_again(&refusal, &id, old.headers());
        response = ServiceResponse::new(request, named);
    }
    id.write(response.headers_mut());
    let (status, took) = (response.status().as_u16(), began.elapsed());
    let resource = response.request().match_pattern().unwrap_or_else(|| "none".to_owned());
    let method = response.request().method();
    if let Some(app) = app {
        app.metrics.observe_request(method.as_str(), &resource, status, took);
    }
    let trace_id = traced.as_ref().and_then(RequestSpan::trace_id);
    let (request_id, seconds) = (id.as_str(), took.as_secs_f64());
    if status >= 500 {
        tracing::warn!(request_id, trace_id, code, %method, resource, status, seconds, "request failed");
    } else {
        tracing::debug!(request_id, trace_id, code, %method, resource, status, seconds, "request");
    }
    if let Some(traced) = traced {
        traced.end(method.as_str(), &resource, status, code);
    }
    Ok(response)
}

/// Returns the refusal behind an answer; errors of the framework without one of our codes get one here.
fn refusal_of(response: &ServiceResponse<BoxBody>) -> Option<ApiError> {
    let error = response.response().error()?;
    if let Some(refusal) = error.as_error::<ApiError>() {
        return Some(refusal.clone());
    }
    let code = status_error::code_of(response.status());
    if code == ErrorCode::Internal {
        tracing::error!(%error, "a request failed inside the server");
        return Some(ApiError::plain(code));
    }
    Some(ApiError::new(code, error))
}
