//! The header fields with the quota that a request was counted against.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderName;
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _};

use crate::http::quota_report::QuotaReport;

/// The policy of the quota.
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// The requests that are left of it.
const LEFT: HeaderName = HeaderName::from_static("ratelimit");

/// Writes `RateLimit-Policy` and `RateLimit` into answers to requests that a quota counts, refusals included.
///
/// # Errors
/// Those of the service behind it.
pub async fn report_quota<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let mut response = next.call(request).await?;
    let fields = response.request().extensions().get::<QuotaReport>().and_then(QuotaReport::fields);
    if let Some((policy, left)) = fields {
        response.headers_mut().insert(POLICY, policy);
        response.headers_mut().insert(LEFT, left);
    }
    Ok(response)
}
