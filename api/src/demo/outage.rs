//! What a visitor of the demo has taken away, to see what an outage looks like: the parts that their cookie names are
//! away for their requests, and there for everybody else's.

use std::future::Future;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;

/// The cookie, which names parts with a dot between them: `node.indexer`.
pub const COOKIE: &str = "lienbook_outage";

/// What refusals say of a part that was taken away.
pub const REASON: &str = "a visitor of the demo has taken it away";

/// A part of the world that can be away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The Bitcoin node.
    Node,
    /// Whatever reads inscriptions, runes, BRC-20 and coins out of blocks.
    Indexer,
    /// The holder of the vaults' keys.
    Signer,
    /// Whoever says whether a token of the bot check is good.
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
    static AWAY: Vec<Part>;
}

/// Whether a part is away for the request at hand.
#[must_use]
pub fn is_away(part: Part) -> bool {
    AWAY.try_with(|away| away.contains(&part)).unwrap_or(false)
}

/// Takes the outage of the request along into work that is spawned beside it, where it would be lost.
pub fn carry<F: Future>(work: F) -> impl Future<Output = F::Output> {
    AWAY.scope(AWAY.try_with(Clone::clone).unwrap_or_default(), work)
}

/// Answers a request without the parts that its cookie names. Words that name none are passed over.
///
/// # Errors
/// Those of whatever answers it.
pub async fn take_away(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let cookie = request.cookie(COOKIE);
    let away = cookie.iter().flat_map(|cookie| cookie.value().split('.')).filter_map(Part::named).collect();
    AWAY.scope(away, next.call(request)).await
}

#[cfg(test)]
mod tests {
    use actix_web::cookie::Cookie;
    use actix_web::middleware::from_fn;
    use actix_web::test::{TestRequest, call_and_read_body, init_service};
    use actix_web::{App, HttpResponse, web};

    use super::*;

    async fn seen() -> HttpResponse {
        let here = || Part::NAMES.iter().filter(|(_, part)| is_away(*part)).map(|(name, _)| *name);
        let beside = actix_web::rt::spawn(carry(async move { here().collect::<Vec<_>>() })).await.unwrap();
        assert_eq!(here().collect::<Vec<_>>(), beside);
        HttpResponse::Ok().body(beside.join(" "))
    }

    #[actix_web::test]
    async fn parts_are_away_for_the_requests_that_name_them_and_for_no_others() {
        let app = init_service(App::new().wrap(from_fn(take_away)).default_service(web::to(seen))).await;
        for (cookie, away) in [
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
            assert_eq!(call_and_read_body(&app, request.to_request()).await, away, "{cookie:?}");
        }
        assert!(!is_away(Part::Node), "outside of any request");
    }
}
