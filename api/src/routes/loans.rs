//! `/api/v1/loans`: the steps of a loan, from the request to its end.

pub mod acceptances;
pub mod contract_view;
pub mod countersignatures;
pub mod endings;
pub mod extensions;
pub mod ids;
pub mod information;
pub mod instant_acceptances;
pub mod kits;
pub mod refinance_orders;

use actix_web::web::ServiceConfig;

use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/offers/instant/{kind}/{offer_id}/prepare-accept").post(instant_acceptances::prepare))
        .service(at("/offers/instant/{kind}/{offer_id}/accept").post(instant_acceptances::submit))
        .service(at("/loans/manual/prepare").post(acceptances::prepare))
        .service(at("/loans/manual/accept").post(acceptances::accept))
        .service(at("/loans/repayment/prepare").post(endings::prepare_repayment))
        .service(at("/loans/repayment").post(endings::submit_repayment))
        .service(at("/loans/{loan_id}/acceptance").read(acceptances::show).delete(acceptances::withdraw))
        .service(
            at("/loans/{loan_id}/countersignature")
                .read(countersignatures::prepare)
                .post(countersignatures::submit)
                .delete(countersignatures::refuse),
        )
        .service(at("/loans/{loan_id}/extension/prepare").post(extensions::prepare))
        .service(at("/loans/{loan_id}/extension").post(extensions::submit))
        .service(at("/loans/{loan_id}/refinance-order").put(refinance_orders::set).delete(refinance_orders::withdraw))
        .service(at("/loans/{loan_id}/claim/prepare").post(endings::prepare_claim))
        .service(at("/loans/{loan_id}/claim").post(endings::submit_claim))
        .service(at("/loans/{loan_id}/information").read(information::download))
        .service(at("/loans/{loan_id}/kit").read(kits::download));
}
