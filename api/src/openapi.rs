//! The `OpenAPI` description of the HTTP API.

pub mod docs;
mod examples;
mod request_bounds;

use std::borrow::Cow;

use actix_web::http::StatusCode;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Content, Ref, RefOr, Required, Response};
use utoipa::{Modify, OpenApi, PartialSchema, ToSchema};

use self::examples::Examples;
use self::request_bounds::RequestBounds;
use crate::delivery::webhook_event::WebhookEvent;
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
feed is a WebSocket at `/api/v1/feed`, described in `/api/asyncapi.json`."
    ),
    paths(
        routes::public_config::show,
        routes::build::show,
        routes::chain::show,
        routes::halts::list,
        routes::published_heads::list,
        routes::published_heads::feed,
        routes::published_heads::timestamp,
        routes::collections::log::read,
        routes::inscriptions::show,
        routes::oembed::show,
        routes::collections::rows::list,
        routes::collections::rows::show,
        routes::collections::order_book::show,
        routes::collections::backtest::show,
        routes::collections::price_history::show,
        routes::collections::price_source::show,
        routes::collections::quote::show,
        routes::collections::activity::feed,
        routes::session::nonce::issue,
        routes::session::current::sign_in,
        routes::session::current::refresh,
        routes::session::current::show,
        routes::session::current::sign_out,
        routes::session::list::list,
        routes::session::list::end,
        routes::session::account_nonce::issue,
        routes::me::api_keys::create,
        routes::me::api_keys::list,
        routes::me::api_keys::revoke,
        routes::delegations::own::create,
        routes::delegations::own::list,
        routes::delegations::own::revoke,
        routes::delegations::offers::quote,
        routes::delegations::cancellations::cancel,
        routes::offers::own::list,
        routes::offers::conditions::open,
        routes::offers::conditions::list_for_me,
        routes::offers::good_until::set,
        routes::offers::own::pause,
        routes::offers::own::pause_all,
        routes::offers::own::resume,
        routes::offers::manual::create,
        routes::offers::manual::edit,
        routes::offers::manual::cancel,
        routes::offers::instant::create_ordinal,
        routes::offers::instant::create_rune,
        routes::offers::instant_edits::edit,
        routes::offers::instant_cancellations::cancel_batch,
        routes::offers::instant_cancellations::cancel_all,
        routes::offers::instant_cancellations::cancel_one,
        routes::offers::accept_term::accept,
        routes::offers::ordinal_quotes::list,
        routes::brc20::balances::collateral,
        routes::brc20::balances::transfers,
        routes::brc20::balances::panel,
        routes::brc20::orders::list,
        routes::brc20::orders::prepare,
        routes::brc20::orders::commit,
        routes::offers::rune_quotes::list,
        routes::requests::list::list,
        routes::requests::place::place,
        routes::requests::withdraw::withdraw,
        routes::requests::borrower::show,
        routes::requests::fill::fill,
        routes::negotiations::list::list,
        routes::negotiations::open::open,
        routes::negotiations::propose::propose,
        routes::negotiations::accept::accept,
        routes::negotiations::end::end,
        routes::loans::instant_acceptances::prepare,
        routes::loans::instant_acceptances::submit,
        routes::loans::acceptances::prepare,
        routes::loans::acceptances::accept,
        routes::loans::acceptances::show,
        routes::loans::acceptances::withdraw,
        routes::loans::extensions::prepare,
        routes::loans::extensions::submit,
        routes::loans::refinance_orders::set,
        routes::loans::refinance_orders::withdraw,
        routes::loans::countersignatures::prepare,
        routes::loans::countersignatures::submit,
        routes::loans::countersignatures::refuse,
        routes::loans::endings::prepare_repayment,
        routes::loans::endings::submit_repayment,
        routes::loans::endings::prepare_claim,
        routes::loans::endings::submit_claim,
        routes::loans::information::download,
        routes::loans::kits::download,
        routes::vaults::balance::show,
        routes::vaults::own::open,
        routes::vaults::own::show,
        routes::vaults::attested::show,
        routes::me::export::download,
        routes::me::personal_data::remove,
        routes::me::loans::list,
        routes::me::loans::waiting,
        routes::me::loans::show,
        routes::me::loans::history,
        routes::me::loan_files::table,
        routes::me::loan_files::due_dates,
        routes::me::portfolio::show,
        routes::me::portfolio::points,
        routes::me::refinances::list,
        routes::me::notices::list,
        routes::me::notifications::show,
        routes::me::notifications::choose,
        routes::me::notifications::give_email,
        routes::me::notifications::remove_email,
        routes::me::notifications::link_telegram,
        routes::me::notifications::unlink_telegram,
        routes::me::webhooks::list,
        routes::me::webhooks::register,
        routes::me::webhooks::change,
        routes::me::webhooks::remove,
        routes::me::webhooks::rotate,
        routes::me::webhook_deliveries::list,
        routes::me::webhook_deliveries::test,
        routes::me::webhook_deliveries::redeliver,
        routes::me::webhook_deliveries::replay,
        routes::me::push_subscriptions::list,
        routes::me::push_subscriptions::add,
        routes::me::push_subscriptions::change,
        routes::me::push_subscriptions::remove,
        routes::me::mail_links::verify,
        routes::me::mail_links::unsubscribe,
        routes::me::mail_links::unsubscribe_one_click,
        routes::me::mail_links::open_unsubscription,
        routes::me::collateral::show,
        routes::me::takeable_offers::list,
        routes::me::rune_balances::show,
        routes::me::funds::show,
        routes::me::exact_coins::show,
        routes::me::exact_coins::prepare,
        routes::me::exact_coins::submit,
        routes::me::lending_limits::show,
        routes::me::lending_limits::set,
        routes::me::favourites::list,
        routes::me::favourites::add,
        routes::me::favourites::remove,
        routes::vaults::deposits::prepare,
        routes::vaults::deposits::submit,
        routes::vaults::withdrawals::prepare,
        routes::vaults::withdrawals::submit,
        routes::vaults::moves::prepare,
        routes::vaults::moves::submit,
        routes::vaults::moves::previous,
        routes::vaults::outputs::list,
        routes::vaults::history::list,
        routes::vaults::kit::download,
        routes::session::feed_ticket::issue,
        routes::operation::health::live,
        routes::operation::health::ready,
    ),
    // The body of requests that the server sends.
    components(schemas(WebhookEvent)),
    modifiers(&DemoResources, &SessionScheme, &PlainDescriptions, &Refusals, &WritesOnce, &RequestBounds, &Examples),
    tags(
        (name = "market", description = "Public market data"),
        (name = "session", description = "Sign-in and sessions"),
        (name = "offers", description = "A lender's own offers"),
        (name = "borrow", description = "What a borrower can take"),
        (name = "negotiations", description = "Counter-offers about an offer or a borrow request"),
        (name = "loans", description = "The caller's own loans"),
        (name = "notifications", description = "Notifications by e-mail, Telegram, webhooks and Web Push"),
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

/// Declares the session token, or the secret of an API key, as a bearer token for private resources.
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
/// apply to all of them. Every response gets a description, which `OpenAPI` requires.
struct Refusals;

impl Modify for Refusals {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let problem = || Content::new(Some(Ref::from_schema_name("Problem")));
        for operation in description.paths.paths.values_mut().flat_map(operations) {
            let responses = &mut operation.responses.responses;
            let other = Response::new("Any other refusal");
            responses.insert("default".to_owned(), RefOr::T(other));
            for (status, response) in responses {
                let RefOr::T(response) = response else { continue };
                if !status.starts_with('2') {
                    response.content = [(PROBLEM_JSON.to_owned(), RefOr::T(problem()))].into();
                }
                if response.description.is_empty() {
                    let reason = status.parse().ok().and_then(|status: StatusCode| status.canonical_reason());
                    reason.unwrap_or(status.as_str()).clone_into(&mut response.description);
                }
            }
        }
    }
}

/// Declares the `Idempotency-Key` of writes, with which they can be repeated safely.
struct WritesOnce;

/// The beginnings of their paths.
const WRITTEN_ONCE: [&str; 5] =
    ["/api/v1/offers", "/api/v1/requests", "/api/v1/negotiations", "/api/v1/loans", "/api/v1/devnet/faucet"];

impl Modify for WritesOnce {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        for (path, item) in &mut description.paths.paths {
            for operation in [&mut item.post, &mut item.patch].into_iter().flatten() {
                if WRITTEN_ONCE.iter().any(|kind| path.starts_with(kind)) {
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
