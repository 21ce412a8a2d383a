//! `/api/v1/delegations` and `/api/v1/delegated-offers`: programs that quote from the caller's vault without the wallet.

pub mod cancellations;
pub mod offers;
pub mod own;

use actix_web::web::ServiceConfig;

use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/delegations").read(own::list).post(own::create))
        .service(at("/delegations/{delegation_id}").delete(own::revoke))
        .service(at("/delegated-offers").post(offers::quote))
        .service(at("/delegated-offers/cancel").post(cancellations::cancel));
}
