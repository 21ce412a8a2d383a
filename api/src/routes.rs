//! The HTTP resources, one file each.

pub mod accept_term;
pub mod account_nonce;
pub mod brc20;
pub mod brc20_orders;
pub mod chain;
pub mod collection_images;
pub mod collections;
pub mod countersignatures;
pub mod exact_coins;
pub mod feed_ticket;
pub mod health;
pub mod inscriptions;
pub mod instant_acceptances;
pub mod instant_cancellations;
pub mod instant_edits;
pub mod instant_offers;
pub mod instant_ordinal_quotes;
pub mod instant_rune_quotes;
pub mod loan_acceptances;
pub mod loan_endings;
pub mod loan_extensions;
pub mod loan_ids;
pub mod loan_kits;
pub mod mail_links;
pub mod manual_offers;
pub mod manual_terms;
pub mod metrics;
pub mod my_collateral;
pub mod my_favourites;
pub mod my_funds;
pub mod my_loan_files;
pub mod my_loans;
pub mod my_notices;
pub mod my_notifications;
pub mod my_portfolio;
pub mod my_rune_balances;
pub mod my_sessions;
pub mod offer_results;
pub mod offers;
pub mod operator;
pub mod order_book;
mod party;
pub mod payments;
pub mod price_history;
pub mod price_source;
pub mod public_config;
pub mod row_order;
pub mod session;
pub mod session_nonce;
pub mod session_wallet;
pub mod share_images;
pub mod signed_batch;
pub mod signed_terms;
pub mod vault;
pub mod vault_deposits;
pub mod vault_history;
pub mod vault_kit;
pub mod vault_outputs;
pub mod vault_withdrawals;
pub mod vaults;

use actix_web::web::{self, ServiceConfig};

use crate::feed::feed_route;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::methods::at;
use crate::http::request_limits::BODY_LENGTH_MAX;
use crate::web_app;

/// Registers every resource at its path.
pub fn configure(config: &mut ServiceConfig) {
    config
        .app_data(web::PayloadConfig::new(BODY_LENGTH_MAX))
        .app_data(web::QueryConfig::default().error_handler(|error, _| {
            ApiError::new(ErrorCode::InvalidQuery, error.to_string().chars().take(300).collect::<String>()).into()
        }))
        .app_data(web::PathConfig::default().error_handler(|_, _| ApiError::plain(ErrorCode::NotFound).into()))
        .service(web::scope("/api/v1").configure(version_one).default_service(web::to(no_such_resource)))
        .service(at("/api/instant/ordinals/offers").read(instant_ordinal_quotes::list))
        .service(at("/api/instant/runes/offers").read(instant_rune_quotes::list))
        .service(at("/health/live").read(health::live))
        .service(at("/health/ready").read(health::ready))
        .service(at("/collection-images/{file}").read(collection_images::picture))
        .service(at("/share-images/{side}/{file}").read(share_images::picture))
        .default_service(web::to(web_app::serve));
}

/// Registers the operators' metrics and figures, which have a listener of their own.
pub fn configure_metrics(config: &mut ServiceConfig) {
    config
        .service(at("/metrics").read(metrics::page))
        .service(at("/operator").read(operator::page))
        .default_service(web::to(no_such_resource));
}

fn version_one(config: &mut ServiceConfig) {
    config
        .service(at("/config").read(public_config::show))
        .service(at("/chain").read(chain::show))
        .service(at("/collections").read(collections::list))
        .service(at("/collections/{name}").read(collections::show))
        .service(at("/collections/{name}/orderbook").read(order_book::show))
        .service(at("/collections/{name}/price-history").read(price_history::show))
        .service(at("/collections/{name}/price-source").read(price_source::show))
        .service(at("/session/nonce").post(session_nonce::issue))
        .service(at("/session").post(session::sign_in).read(session::show).delete(session::sign_out))
        .service(at("/session/refresh").post(session::refresh))
        .service(at("/sessions").read(my_sessions::list))
        .service(at("/sessions/{session_id}").delete(my_sessions::end))
        .service(at("/account/nonce").post(account_nonce::issue))
        .service(at("/offers").read(offers::list))
        .service(at("/offers/pause").post(offers::pause))
        .service(at("/offers/resume").post(offers::resume))
        .service(at("/offers/manual").post(manual_offers::create))
        .service(at("/offers/manual/cancel").post(manual_offers::cancel))
        .service(at("/offers/manual/{offer_id}").patch(manual_offers::edit))
        .service(at("/offers/instant/ordinals").post(instant_offers::create_ordinal))
        .service(at("/offers/instant/runes").post(instant_offers::create_rune))
        .service(at("/offers/instant/batch-edit").post(instant_edits::edit))
        .service(at("/offers/instant/batch-cancel").post(instant_cancellations::cancel_batch))
        .service(at("/offers/instant/accept-term").post(accept_term::accept))
        .service(at("/offers/instant/{kind}/{offer_id}/prepare-accept").post(instant_acceptances::prepare))
        .service(at("/offers/instant/{kind}/{offer_id}/accept").post(instant_acceptances::submit))
        .service(at("/loans/manual/prepare").post(loan_acceptances::prepare))
        .service(at("/loans/manual/accept").post(loan_acceptances::accept))
        .service(at("/loans/repayment/prepare").post(loan_endings::prepare_repayment))
        .service(at("/loans/repayment").post(loan_endings::submit_repayment))
        .service(at("/loans/{loan_id}/acceptance").read(loan_acceptances::show).delete(loan_acceptances::withdraw))
        .service(
            at("/loans/{loan_id}/countersignature")
                .read(countersignatures::prepare)
                .post(countersignatures::submit)
                .delete(countersignatures::refuse),
        )
        .service(at("/loans/{loan_id}/extension/prepare").post(loan_extensions::prepare))
        .service(at("/loans/{loan_id}/extension").post(loan_extensions::submit))
        .service(at("/loans/{loan_id}/claim/prepare").post(loan_endings::prepare_claim))
        .service(at("/loans/{loan_id}/claim").post(loan_endings::submit_claim))
        .service(at("/loans/{loan_id}/kit").read(loan_kits::download))
        .service(at("/offers/instant/{kind}/{offer_id}/cancel").post(instant_cancellations::cancel_one))
        .service(at("/brc20/collateral").read(brc20::collateral))
        .service(at("/brc20/transfers/{hash}").read(brc20::transfers))
        .service(at("/brc20/panels/{collection_slug}").read(brc20::panel))
        .service(at("/brc20/orders").post(brc20_orders::prepare).read(brc20_orders::list))
        .service(at("/brc20/orders/commit").post(brc20_orders::commit))
        .service(at("/inscriptions/{inscription_id}").read(inscriptions::show))
        .service(at("/vault").read(vault::show))
        .service(at("/vaults").post(vaults::open))
        .service(at("/vaults/me").read(vaults::show))
        .service(at("/me/loans").read(my_loans::list))
        .service(at("/me/loans.csv").read(my_loan_files::table))
        .service(at("/me/loans/waiting").read(my_loans::waiting))
        .service(at("/me/loans/{loan_id}").read(my_loans::show))
        .service(at("/me/history").read(my_loans::history))
        .service(at("/me/due-dates.ics").read(my_loan_files::due_dates))
        .service(at("/me/portfolio").read(my_portfolio::show))
        .service(at("/me/points").read(my_portfolio::points))
        .service(at("/me/notices").read(my_notices::list))
        .service(at("/me/notifications").read(my_notifications::show).put(my_notifications::choose))
        .service(
            at("/me/notifications/email").post(my_notifications::give_email).delete(my_notifications::remove_email),
        )
        .service(
            at("/me/notifications/telegram")
                .post(my_notifications::link_telegram)
                .delete(my_notifications::unlink_telegram),
        )
        .service(at("/notifications/verification").post(mail_links::verify))
        .service(at("/notifications/unsubscription").post(mail_links::unsubscribe))
        .service(
            at("/notifications/unsubscription/{token}")
                .read(mail_links::open_unsubscription)
                .post(mail_links::unsubscribe_one_click),
        )
        .service(at("/me/collateral").read(my_collateral::show))
        .service(at("/me/rune-balances").read(my_rune_balances::show))
        .service(at("/me/funds").read(my_funds::show))
        .service(at("/me/funds/exact/prepare").post(exact_coins::prepare))
        .service(at("/me/funds/exact").post(exact_coins::submit))
        .service(at("/me/funds/exact/{offer_id}").read(exact_coins::show))
        .service(at("/me/favourites").read(my_favourites::list))
        .service(at("/me/favourites/{collection_id}").put(my_favourites::add).delete(my_favourites::remove))
        .service(at("/vaults/me/deposits/prepare").post(vault_deposits::prepare))
        .service(at("/vaults/me/deposits").post(vault_deposits::submit))
        .service(at("/vaults/me/withdrawals/prepare").post(vault_withdrawals::prepare))
        .service(at("/vaults/me/withdrawals").post(vault_withdrawals::submit))
        .service(at("/vaults/me/outputs").read(vault_outputs::list))
        .service(at("/vaults/me/history").read(vault_history::list))
        .service(at("/vaults/me/kit").read(vault_kit::download))
        .service(at("/feed").read(feed_route::open))
        .service(at("/feed/ticket").post(feed_ticket::issue));
}

/// Refuses a path that the API does not have.
///
/// # Errors
/// [`ErrorCode::NotFound`], always.
pub async fn no_such_resource() -> Result<actix_web::HttpResponse, ApiError> {
    Err(ApiError::plain(ErrorCode::NotFound))
}
