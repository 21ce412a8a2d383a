//! The `OpenAPI` description of the HTTP API.

pub mod docs;
mod request_bounds;

use std::borrow::Cow;

use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Content, Ref, RefOr, Required, Response};
use utoipa::{Modify, OpenApi, PartialSchema, ToSchema};

use self::request_bounds::RequestBounds;
use crate::demo;
use crate::http::api_error::PROBLEM_JSON;
use crate::http::error_code::ErrorCode;
use crate::routes;

/// All endpoints under `/api/v1`, and the few others.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Lienbook",
        description = "A peer-to-peer Bitcoin lending marketplace. Sats are integers, raw token amounts and unit prices are \
decimal strings, percentages are numbers with at most two decimals, times are unix milliseconds. Errors are \
`application/problem+json` with a `code` of one table. Writes of offers and loans take an `Idempotency-Key`. The live \
feed is a WebSocket at `/api/v1/feed`."
    ),
    paths(
        routes::public_config::show,
        routes::chain::show,
        routes::inscriptions::show,
        routes::collections::list,
        routes::collections::show,
        routes::order_book::show,
        routes::price_history::show,
        routes::price_source::show,
        routes::session_nonce::issue,
        routes::session::sign_in,
        routes::session::refresh,
        routes::session::show,
        routes::session::sign_out,
        routes::my_sessions::list,
        routes::my_sessions::end,
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
        routes::brc20::collateral,
        routes::brc20::transfers,
        routes::brc20::panel,
        routes::brc20_orders::list,
        routes::brc20_orders::prepare,
        routes::brc20_orders::commit,
        routes::instant_rune_quotes::list,
        routes::instant_acceptances::prepare,
        routes::instant_acceptances::submit,
        routes::loan_acceptances::prepare,
        routes::loan_acceptances::accept,
        routes::loan_acceptances::show,
        routes::loan_acceptances::withdraw,
        routes::loan_extensions::prepare,
        routes::loan_extensions::submit,
        routes::countersignatures::prepare,
        routes::countersignatures::submit,
        routes::countersignatures::refuse,
        routes::loan_endings::prepare_repayment,
        routes::loan_endings::submit_repayment,
        routes::loan_endings::prepare_claim,
        routes::loan_endings::submit_claim,
        routes::loan_kits::download,
        routes::vault::show,
        routes::vaults::open,
        routes::vaults::show,
        routes::my_loans::list,
        routes::my_loans::waiting,
        routes::my_loans::show,
        routes::my_loans::history,
        routes::my_loan_files::table,
        routes::my_loan_files::due_dates,
        routes::my_portfolio::show,
        routes::my_portfolio::points,
        routes::my_notices::list,
        routes::my_notifications::show,
        routes::my_notifications::choose,
        routes::my_notifications::give_email,
        routes::my_notifications::remove_email,
        routes::my_notifications::link_telegram,
        routes::my_notifications::unlink_telegram,
        routes::mail_links::verify,
        routes::mail_links::unsubscribe,
        routes::mail_links::unsubscribe_one_click,
        routes::mail_links::open_unsubscription,
        routes::my_collateral::show,
        routes::my_rune_balances::show,
        routes::my_funds::show,
        routes::exact_coins::show,
        routes::exact_coins::prepare,
        routes::exact_coins::submit,
        routes::my_favourites::list,
        routes::my_favourites::add,
        routes::my_favourites::remove,
        routes::vault_deposits::prepare,
        routes::vault_deposits::submit,
        routes::vault_withdrawals::prepare,
        routes::vault_withdrawals::submit,
        routes::vault_outputs::list,
        routes::vault_history::list,
        routes::vault_kit::download,
        routes::feed_ticket::issue,
        routes::health::live,
        routes::health::ready,
    ),
    modifiers(&DemoResources, &SessionScheme, &PlainDescriptions, &Refusals, &WritesOnce, &RequestBounds),
    tags(
        (name = "market", description = "Public market data"),
        (name = "session", description = "Sign-in and sessions"),
        (name = "offers", description = "A lender's own offers"),
        (name = "borrow", description = "What a borrower can take"),
        (name = "loans", description = "The caller's own loans"),
        (name = "notifications", description = "Notifications by e-mail and Telegram"),
        (name = "brc20", description = "Balances and transfer notes of BRC-20 tokens"),
        (name = "vault", description = "Pre-funded vaults"),
        (name = "feed", description = "The live feed"),
        (name = "operation", description = "Health and counters"),
    )
)]
pub struct Description;

/// Adds the resources of a demo, in builds that have one.
struct DemoResources;

impl Modify for DemoResources {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        demo::describe(description);
    }
}

/// Declares the session token as a bearer token for private resources.
struct SessionScheme;

impl Modify for SessionScheme {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let components = description.components.get_or_insert_default();
        components.add_security_scheme("session", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    }
}

/// Descriptions are the doc comments of the handlers; clients need error codes instead of Rust paths.
struct PlainDescriptions;

impl Modify for PlainDescriptions {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        for item in description.paths.paths.values_mut() {
            for operation in operations(item) {
                operation.description = operation.description.take().map(|text| plain(&text));
            }
        }
    }
}

/// Declares every error response of every operation as a problem: codes such as those of overload, limits and bodies
/// apply to all of them.
struct Refusals;

impl Modify for Refusals {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let problem = || Content::new(Some(Ref::from_schema_name("Problem")));
        for operation in description.paths.paths.values_mut().flat_map(operations) {
            let responses = &mut operation.responses.responses;
            let other = Response::new("Any other refusal");
            responses.insert("default".to_owned(), RefOr::T(other));
            for (status, response) in responses {
                if let RefOr::T(response) = response
                    && !status.starts_with('2')
                {
                    response.content = [(PROBLEM_JSON.to_owned(), RefOr::T(problem()))].into();
                }
            }
        }
    }
}

/// Declares the `Idempotency-Key` of writes, with which they can be repeated safely.
struct WritesOnce;

impl Modify for WritesOnce {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        for (path, item) in &mut description.paths.paths {
            for operation in [&mut item.post, &mut item.patch].into_iter().flatten() {
                if ["/api/v1/offers", "/api/v1/loans", "/api/v1/devnet/faucet"]
                    .iter()
                    .any(|kind| path.starts_with(kind))
                {
                    operation.parameters.get_or_insert_default().push(RefOr::T(idempotency_key()));
                }
            }
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete].into_iter().flatten()
}

fn idempotency_key() -> Parameter {
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some("Visible ASCII characters; the same request with the same key happens once"))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build()
}

impl PartialSchema for ErrorCode {
    fn schema() -> RefOr<Schema> {
        let codes = Self::ALL.iter().map(|code| code.code());
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(codes)).into()
    }
}

impl ToSchema for ErrorCode {
    fn name() -> Cow<'static, str> {
        "ErrorCode".into()
    }
}

fn plain(text: &str) -> String {
    let text = text.replace("# Errors\n", "Refused with: ").replace("crate::http::error_code::", "");
    ErrorCode::ALL
        .iter()
        .fold(text, |text, code| text.replace(&format!("[`ErrorCode::{code:?}`]"), &format!("`{code}`")))
}
