//! Headers that tell browsers what a page of ours may do.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, web};

use crate::app::App;
use crate::config::public_url::PublicUrl;
use crate::failure::Failure;

const HEADERS: [(HeaderName, &str); 5] = [
    (HeaderName::from_static("x-content-type-options"), "nosniff"),
    (HeaderName::from_static("x-frame-options"), "DENY"),
    (HeaderName::from_static("referrer-policy"), "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=(), payment=()"),
];

/// Where the challenge of the bot check comes from: a script that shows a frame.
const CHALLENGE: &str = " https://challenges.cloudflare.com";

/// What a page may load and where it may connect.
///
/// No scripts but our own files, and those of the bot check where there is one, nobody frames us, nothing is sent elsewhere. Styles may be inline because positioned
/// popovers and charts set them; pictures are ours, or made by the page. Sockets are named with their scheme because
/// some browsers do not count them as `self`.
#[derive(Clone, Debug)]
pub struct ContentPolicy(HeaderValue);

impl ContentPolicy {
    /// The policy of a server that is reached under these addresses, with or without a bot check.
    ///
    /// # Errors
    /// When an address cannot stand in a header, which a parsed one always can.
    pub fn new<'a>(addresses: impl IntoIterator<Item = &'a PublicUrl>, has_bot_check: bool) -> Result<Self, Failure> {
        let scheme = |url: &PublicUrl| if url.is_https() { "wss" } else { "ws" };
        let sockets: Vec<_> = addresses.into_iter().map(|url| format!(" {}://{}", scheme(url), url.domain())).collect();
        let sockets = sockets.concat();
        let (challenge, frames) =
            if has_bot_check { (CHALLENGE, format!("frame-src{CHALLENGE}; ")) } else { ("", String::new()) };
        let policy = format!(
            "default-src 'none'; script-src 'self'{challenge}; {frames}style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
             font-src 'self'; connect-src 'self'{sockets}; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        );
        HeaderValue::from_str(&policy).map(Self).map_err(Failure::new)
    }
}

/// Puts them on every answer. Answers of the API that say nothing about caching are not cached.
///
/// # Errors
/// None of its own.
pub async fn harden<B: MessageBody>(request: ServiceRequest, next: Next<B>) -> Result<ServiceResponse<B>, Error> {
    let is_api = request.path().starts_with("/api/");
    let policy = request.app_data::<web::Data<App>>().map(|app| app.content_policy.0.clone());
    let mut response = next.call(request).await?;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if let Some(policy) = policy {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    if is_api && !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}
