//! The middleware that sets the security headers: what a page of this server may load, and which other sites may embed
//! it.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CROSS_ORIGIN_RESOURCE_POLICY, HeaderName, HeaderValue,
    STRICT_TRANSPORT_SECURITY,
};
use actix_web::middleware::Next;
use actix_web::{Error, web};

use crate::app::App;
use crate::http::content_policy::DOCS;
use crate::http::page_mark::Framed;

const HEADERS: [(HeaderName, &str); 4] = [
    (HeaderName::from_static("x-content-type-options"), "nosniff"),
    (HeaderName::from_static("referrer-policy"), "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=(), payment=()"),
];

/// Browsers that connected by TLS use only TLS for a year, for all subdomains too.
const TLS_ALONE: &str = "max-age=31536000; includeSubDomains";

/// Pages of other sites load nothing from this server but the pictures of shared links and the script that embeds a page.
const OWN_PAGES: &str = "same-origin";
const ALL_PAGES: &str = "cross-origin";
const SHARED_PICTURES: &str = "/share-images/";
const EMBED_SCRIPT: &str = "/embed.js";

/// The header of browsers that do not know `frame-ancestors`. It cannot name origins.
const FRAME_OPTIONS: (HeaderName, &str) = (HeaderName::from_static("x-frame-options"), "DENY");

/// Sets the headers on every answer. Answers of the API are not cached unless they permit it.
///
/// # Errors
/// Never.
pub async fn harden<B: MessageBody>(request: ServiceRequest, next: Next<B>) -> Result<ServiceResponse<B>, Error> {
    let is_api = request.path().starts_with("/api/");
    let is_for_all = request.path().starts_with(SHARED_PICTURES) || request.path() == EMBED_SCRIPT;
    let readers = if is_for_all { ALL_PAGES } else { OWN_PAGES };
    let app = request.app_data::<web::Data<App>>();
    let is_docs = request.path().starts_with(DOCS);
    let policy = app.map(|app| if is_docs { &app.content_policy.docs } else { &app.content_policy.app }.clone());
    let is_tls = app.is_some_and(|app| app.public_url.is_https());
    let mut response = next.call(request).await?;
    let is_framed = response.response().extensions().get::<Framed>().is_some();
    let headers = response.headers_mut();
    if !is_framed {
        headers.insert(FRAME_OPTIONS.0, HeaderValue::from_static(FRAME_OPTIONS.1));
    }
    for (name, value) in HEADERS {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static(readers));
    if is_tls {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(TLS_ALONE));
    }
    // A page that is not part of the app has a policy of its own.
    if let Some(policy) = policy.filter(|_| !headers.contains_key(CONTENT_SECURITY_POLICY)) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    if is_api && !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}
