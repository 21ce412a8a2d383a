//! `/api/v1/chain`: the best block, the height of the indexer, and the recommended fee rates.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::node::chain_status::ChainStatus;

/// Returns the best block and the recommended fee rates.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::NodeUnavailable`].
#[utoipa::path(get, path = "/api/v1/chain", operation_id = "getChain", tag = "market",
    responses((status = 200, body = ChainStatus), (status = 503, body = Problem)))]
pub async fn show(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let node = app.node()?;
    let mut status = app.chain_status.get(node, app.settings.network).await?;
    if !node.has_indexer() {
        status.indexer_height = None;
    }
    Ok(HttpResponse::Ok().json(status))
}
