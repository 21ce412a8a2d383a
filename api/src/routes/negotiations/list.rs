//! `GET /api/v1/negotiations`: the caller's negotiations.

use actix_web::{HttpResponse, web};
use engine::wire::NegotiationView;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};

/// The caller's negotiations.
#[derive(Serialize, ToSchema)]
pub struct NegotiationList {
    /// The negotiations by id, in all collections. One that is over is kept until its latest proposal expires, an
    /// accepted one until the borrower's time to sign is over.
    negotiations: Vec<NegotiationView>,
}

/// Returns the caller's negotiations, as the private channel of the feed shows them. One is seen by its two sides alone.
#[utoipa::path(get, path = "/api/v1/negotiations", operation_id = "listMyNegotiations", tag = "negotiations",
    security(("session" = [])), responses((status = 200, body = NegotiationList), (status = 401, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    let negotiations = app.market.negotiations(caller.user()).await?;
    Ok(HttpResponse::Ok().json(NegotiationList { negotiations }))
}
