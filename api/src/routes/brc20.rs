//! `/api/v1/brc20`: balances and transfer inscriptions of BRC-20 tokens.

pub mod balances;
pub mod orders;

use actix_web::web::ServiceConfig;

use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/brc20/collateral").read(balances::collateral))
        .service(at("/brc20/transfers/{hash}").read(balances::transfers))
        .service(at("/brc20/panels/{collection_slug}").read(balances::panel))
        .service(at("/brc20/orders").post(orders::prepare).read(orders::list))
        .service(at("/brc20/orders/commit").post(orders::commit));
}
