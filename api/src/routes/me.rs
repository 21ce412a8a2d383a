//! `/api/v1/me`: the caller's own loans, collateral, funds, notices and settings.

pub mod api_keys;
pub mod collateral;
pub mod exact_coins;
pub mod export;
pub mod favourites;
pub mod funds;
pub mod lending_limits;
pub mod loan_files;
pub mod loans;
pub mod mail_links;
pub mod notices;
pub mod notifications;
pub mod personal_data;
pub mod portfolio;
pub mod push_subscriptions;
pub mod refinances;
pub mod rune_balances;
pub mod takeable_offers;
pub mod webhook_deliveries;
pub mod webhook_view;
pub mod webhooks;

use actix_web::web::ServiceConfig;

use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/me/loans").read(loans::list))
        .service(at("/me/loans.csv").read(loan_files::table))
        .service(at("/me/loans/waiting").read(loans::waiting))
        .service(at("/me/loans/{loan_id}").read(loans::show))
        .service(at("/me/refinances").read(refinances::list))
        .service(at("/me/history").read(loans::history))
        .service(at("/me/due-dates.ics").read(loan_files::due_dates))
        .service(at("/me/export").read(export::download))
        .service(at("/me/personal-data").delete(personal_data::remove))
        .service(at("/me/portfolio").read(portfolio::show))
        .service(at("/me/points").read(portfolio::points))
        .service(at("/me/notices").read(notices::list))
        .service(at("/me/notifications").read(notifications::show).put(notifications::choose))
        .service(at("/me/notifications/email").post(notifications::give_email).delete(notifications::remove_email))
        .service(
            at("/me/notifications/telegram").post(notifications::link_telegram).delete(notifications::unlink_telegram),
        )
        .service(at("/notifications/verification").post(mail_links::verify))
        .service(at("/notifications/unsubscription").post(mail_links::unsubscribe))
        .service(
            at("/notifications/unsubscription/{token}")
                .read(mail_links::open_unsubscription)
                .post(mail_links::unsubscribe_one_click),
        )
        .service(at("/me/collateral").read(collateral::show))
        .service(at("/me/takeable-offers").read(takeable_offers::list))
        .service(at("/me/rune-balances").read(rune_balances::show))
        .service(at("/me/funds").read(funds::show))
        .service(at("/me/funds/exact/prepare").post(exact_coins::prepare))
        .service(at("/me/funds/exact").post(exact_coins::submit))
        .service(at("/me/funds/exact/{offer_id}").read(exact_coins::show))
        .service(at("/me/lending-limits").read(lending_limits::show).put(lending_limits::set))
        .service(at("/me/api-keys").read(api_keys::list).post(api_keys::create))
        .service(at("/me/api-keys/{key_id}").delete(api_keys::revoke))
        .service(at("/me/webhooks").read(webhooks::list).post(webhooks::register))
        .service(at("/me/webhooks/{webhook_id}").put(webhooks::change).delete(webhooks::remove))
        .service(at("/me/webhooks/{webhook_id}/secret").post(webhooks::rotate))
        .service(at("/me/webhooks/{webhook_id}/test").post(webhook_deliveries::test))
        .service(at("/me/webhooks/{webhook_id}/replay").post(webhook_deliveries::replay))
        .service(at("/me/webhooks/{webhook_id}/deliveries").read(webhook_deliveries::list))
        .service(
            at("/me/webhooks/{webhook_id}/deliveries/{delivery_id}/redelivery").post(webhook_deliveries::redeliver),
        )
        .service(at("/me/push-subscriptions").read(push_subscriptions::list).post(push_subscriptions::add))
        .service(
            at("/me/push-subscriptions/{push_id}").put(push_subscriptions::change).delete(push_subscriptions::remove),
        )
        .service(at("/me/favourites").read(favourites::list))
        .service(at("/me/favourites/{collection_id}").put(favourites::add).delete(favourites::remove));
}
