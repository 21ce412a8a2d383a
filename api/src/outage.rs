//! Simulated outages, which a visitor of the demo can switch on for themselves: the parts that their cookie names are
//! unavailable to their requests only.

use std::future::Future;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use providers::TurnstileError;
use signer::vault_signer::SignerError;

use crate::http::idempotency::Work;

/// The cookie, which names parts separated by dots: `node.indexer`.
pub const COOKIE: &str = "lienbook_outage";

/// The reason in refusals by a part that was switched off.
pub const REASON: &str = "a visitor of the demo has switched it off";

/// A part that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The Bitcoin node.
    Node,
    /// The indexers of inscriptions, runes, BRC-20 and coins.
    Indexer,
    /// The vault signer.
    Signer,
    /// The verifier of the bot check's tokens.
    BotCheck,
}

impl Part {
    const NAMES: [(&str, Self); 4] =
        [("node", Self::Node), ("indexer", Self::Indexer), ("signer", Self::Signer), ("bot-check", Self::BotCheck)];

    fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
    }
}

tokio::task_local! {
    static UNAVAILABLE_PARTS: Vec<Part>;
}

/// Returns whether a part is switched off for the current request.
#[must_use]
pub fn is_unavailable(part: Part) -> bool {
    UNAVAILABLE_PARTS.try_with(|unavailable| unavailable.contains(&part)).unwrap_or(false)
}

/// Passes the request's outages on to work in a spawned task, where they would be lost.
fn propagate<F: Future>(work: F) -> impl Future<Output = F::Output> {
    UNAVAILABLE_PARTS.scope(UNAVAILABLE_PARTS.try_with(Clone::clone).unwrap_or_default(), work)
}

/// Passes the request's outages on to its work.
#[must_use]
pub fn task_scope(work: Work) -> Work {
    Box::pin(propagate(work))
}

/// Refuses requests to the vault signer while it is switched off.
///
/// # Errors
/// [`SignerError::Unreachable`].
pub fn check_signer() -> Result<(), SignerError> {
    if is_unavailable(Part::Signer) { Err(SignerError::Unreachable { reason: REASON.to_owned() }) } else { Ok(()) }
}

/// Refuses to verify tokens while the verifier is switched off.
///
/// # Errors
/// [`TurnstileError::Unreachable`].
pub fn check_bot_check() -> Result<(), TurnstileError> {
    if is_unavailable(Part::BotCheck) { Err(TurnstileError::Unreachable(REASON.to_owned())) } else { Ok(()) }
}

/// Handles a request without the parts that its cookie names. Unknown names are ignored.
///
/// # Errors
/// Those of the next service.
pub async fn apply_outages(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let cookie = request.cookie(COOKIE);
    let unavailable = cookie.iter().flat_map(|cookie| cookie.value().split('.')).filter_map(Part::named).collect();
    UNAVAILABLE_PARTS.scope(unavailable, next.call(request)).await
}

#[cfg(test)]
mod tests {
    use actix_web::cookie::Cookie;
    use actix_web::middleware::from_fn;
    use actix_web::test::{TestRequest, call_and_read_body, init_service};
    use actix_web::{App, HttpResponse, web};

    use super::*;

    async fn seen() -> HttpResponse {
        let in_request = || Part::NAMES.iter().filter(|(_, part)| is_unavailable(*part)).map(|(name, _)| *name);
        let in_spawned_task =
            actix_web::rt::spawn(propagate(async move { in_request().collect::<Vec<_>>() })).await.unwrap();
        assert_eq!(in_request().collect::<Vec<_>>(), in_spawned_task);
        HttpResponse::Ok().body(in_spawned_task.join(" "))
    }

    #[actix_web::test]
    async fn parts_are_unavailable_only_to_the_requests_that_name_them() {
        let app = init_service(App::new().wrap(from_fn(apply_outages)).default_service(web::to(seen))).await;
        for (cookie, unavailable) in [
            (None, ""),
            (Some("node"), "node"),
            (Some("signer.bot-check.indexer"), "indexer signer bot-check"),
            (Some("everything..node."), "node"),
            (Some(""), ""),
        ] {
            let request = TestRequest::get().uri("/");
            let request = match cookie {
                Some(value) => request.cookie(Cookie::new(COOKIE, value)),
                None => request,
            };
            assert_eq!(call_and_read_body(&app, request.to_request()).await, unavailable, "{cookie:?}");
        }
        assert!(!is_unavailable(Part::Node), "outside of any request");
    }
}
