//! `/api/v1/me/refinances`: offers that the caller's running loans could move to.

use actix_web::{HttpResponse, web};
use engine::wire::RefinanceView;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};

/// Offers that loans could move to.
#[derive(Serialize, ToSchema)]
pub struct RefinanceList {
    refinances: Vec<RefinanceView>,
}

/// Returns the best offer that each of the caller's running loans could move to, if there is one: within the standing order
/// once its time has come; otherwise one with at least 10 percent less interest per day and no less principal, in the last
/// half of the term and the last seven days of a longer one, because the interest of a loan is due in full whenever it is
/// repaid.
#[utoipa::path(get, path = "/api/v1/me/refinances", operation_id = "listMyRefinances", tag = "loans", security(("session" = [])),
    responses((status = 200, body = RefinanceList), (status = 401, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    let refinances = app.market.refinances(caller.user()).await?;
    Ok(HttpResponse::Ok().json(RefinanceList { refinances }))
}
