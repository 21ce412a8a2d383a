//! `/api/v1/offers`: a lender's own offers, manual and instant; and the instant ones that borrowers can take.

pub mod accept_term;
pub mod conditions;
pub mod good_until;
pub mod instant;
pub mod instant_cancellations;
pub mod instant_edits;
pub mod manual;
pub mod ordinal_quotes;
pub mod own;
pub mod results;
pub mod rune_quotes;
pub mod signed_batch;
pub mod signed_terms;

use actix_web::web::ServiceConfig;

use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/offers").read(own::list))
        .service(at("/offers/pause").post(own::pause))
        .service(at("/offers/pause-all").post(own::pause_all))
        .service(at("/offers/resume").post(own::resume))
        .service(at("/offers/for-me").read(conditions::list_for_me))
        .service(at("/offers/open").post(conditions::open))
        .service(at("/offers/good-until").post(good_until::set))
        .service(at("/offers/manual").post(manual::create))
        .service(at("/offers/manual/cancel").post(manual::cancel))
        .service(at("/offers/manual/{offer_id}").patch(manual::edit))
        .service(at("/offers/instant/ordinals").post(instant::create_ordinal))
        .service(at("/offers/instant/runes").post(instant::create_rune))
        .service(at("/offers/instant/batch-edit").post(instant_edits::edit))
        .service(at("/offers/instant/batch-cancel").post(instant_cancellations::cancel_batch))
        .service(at("/offers/instant/cancel-all").post(instant_cancellations::cancel_all))
        .service(at("/offers/instant/accept-term").post(accept_term::accept))
        .service(at("/offers/instant/{kind}/{offer_id}/cancel").post(instant_cancellations::cancel_one));
}
