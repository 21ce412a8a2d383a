//! `/api/v1/vaults`: the caller's vault, its deposits, withdrawals, moves, outputs, history and kit.

pub mod attested;
pub mod balance;
pub mod deposits;
pub mod history;
pub mod kit;
pub mod moves;
pub mod outputs;
pub mod own;
pub mod withdrawals;

use actix_web::web::ServiceConfig;

use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/vault").read(balance::show))
        .service(at("/vaults").post(own::open))
        .service(at("/vaults/me").read(own::show))
        .service(at("/vaults/me/attested").read(attested::show))
        .service(at("/vaults/me/deposits/prepare").post(deposits::prepare))
        .service(at("/vaults/me/deposits").post(deposits::submit))
        .service(at("/vaults/me/withdrawals/prepare").post(withdrawals::prepare))
        .service(at("/vaults/me/withdrawals").post(withdrawals::submit))
        .service(at("/vaults/me/moves/prepare").post(moves::prepare))
        .service(at("/vaults/me/moves").post(moves::submit))
        .service(at("/vaults/me/previous").read(moves::previous))
        .service(at("/vaults/me/outputs").read(outputs::list))
        .service(at("/vaults/me/history").read(history::list))
        .service(at("/vaults/me/kit").read(kit::download));
}
