//! The description of the interface for programs.

use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};

use crate::http::error_code::ErrorCode;
use crate::routes;

/// Everything under `/api/v1`, and the few addresses beside it.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Lienbook",
        description = "A peer-to-peer Bitcoin lending marketplace. Sats are integers, raw token amounts and prices are \
decimal strings, percentages are numbers with at most two decimals, times are unix milliseconds. Errors are \
`application/problem+json` with a `code` of one table. Every write takes an `Idempotency-Key`. The live feed is a \
WebSocket at `/api/v1/feed`."
    ),
    paths(
        routes::public_config::show,
        routes::collections::list,
        routes::collections::show,
        routes::order_book::show,
        routes::price_history::show,
        routes::session_nonce::issue,
        routes::session::sign_in,
        routes::session::refresh,
        routes::session::show,
        routes::session::sign_out,
        routes::account_nonce::issue,
        routes::offers::list,
        routes::offers::pause,
        routes::offers::resume,
        routes::manual_offers::create,
        routes::manual_offers::edit,
        routes::manual_offers::cancel,
        routes::instant_offers::create_ordinal,
        routes::instant_offers::create_rune,
        routes::instant_edits::edit,
        routes::instant_cancellations::cancel_batch,
        routes::instant_cancellations::cancel_one,
        routes::accept_term::accept,
        routes::instant_ordinal_quotes::list,
        routes::vault::show,
        routes::feed_ticket::issue,
        routes::health::live,
        routes::health::ready,
        routes::metrics::page,
    ),
    modifiers(&SessionScheme, &PlainDescriptions),
    tags(
        (name = "market", description = "What everybody sees"),
        (name = "session", description = "Who is asking"),
        (name = "offers", description = "A lender's own offers"),
        (name = "borrow", description = "What a borrower can take"),
        (name = "vault", description = "Pre-funded vaults"),
        (name = "feed", description = "The live feed"),
        (name = "operation", description = "Health and counters"),
    )
)]
pub struct Description;

/// Says that private resources take the session token as a bearer.
struct SessionScheme;

impl Modify for SessionScheme {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let components = description.components.get_or_insert_default();
        components.add_security_scheme("session", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    }
}

/// Descriptions are the comments of the handlers; readers of the interface want codes instead of names of the source.
struct PlainDescriptions;

impl Modify for PlainDescriptions {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        for item in description.paths.paths.values_mut() {
            let operations = [&mut item.get, &mut item.post, &mut item.patch, &mut item.delete];
            for operation in operations.into_iter().flatten() {
                operation.description = operation.description.take().map(|text| plain(&text));
            }
        }
    }
}

fn plain(text: &str) -> String {
    let text = text.replace("# Errors\n", "Refused with: ").replace("crate::http::error_code::", "");
    ErrorCode::ALL
        .iter()
        .fold(text, |text, code| text.replace(&format!("[`ErrorCode::{code:?}`]"), &format!("`{code}`")))
}
