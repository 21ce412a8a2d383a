//! `/api/v1/session`: sign-in, renewal and end of sessions; nonces and tickets.

pub mod account_nonce;
pub mod current;
pub mod feed_ticket;
pub mod list;
pub mod nonce;
pub mod wallet;

use actix_web::web::ServiceConfig;

use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/session/nonce").post(nonce::issue))
        .service(at("/session").post(current::sign_in).read(current::show).delete(current::sign_out))
        .service(at("/session/refresh").post(current::refresh))
        .service(at("/sessions").read(list::list))
        .service(at("/sessions/{session_id}").delete(list::end))
        .service(at("/account/nonce").post(account_nonce::issue))
        .service(at("/feed/ticket").post(feed_ticket::issue));
}
