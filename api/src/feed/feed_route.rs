//! `/api/v1/feed`: the WebSocket handshake.

use actix_web::{HttpRequest, HttpResponse, web};
use engine::feed::{SocketQueue, SocketQueueLimits};

use super::{feed_socket, subprotocol};
use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::sockets::connection::Connection;

/// Opens the socket for a page of this server, or for a client that is not a browser.
///
/// # Errors
/// [`ErrorCode::OriginNotAllowed`], [`ErrorCode::NotReady`], [`ErrorCode::TooManySockets`], and
/// [`ErrorCode::InvalidQuery`] for a request that is not a WebSocket handshake.
pub async fn open(app: web::Data<App>, request: HttpRequest, payload: web::Payload) -> Result<HttpResponse, ApiError> {
    app.origins.check(request.headers())?;
    if !app.readiness.is_ready() {
        return Err(ApiError::plain(ErrorCode::NotReady));
    }
    let encoding = subprotocol::encoding(request.headers());
    let queue = SocketQueue::with_encoding(SocketQueueLimits::default(), encoding);
    let connection = request.conn_data::<Connection>().cloned();
    let registration = app.sockets.register(app.client_ip(&request), queue, connection, app.now())?;
    feed_socket::start(&app, registration, &request, payload)
        .map_err(|error| ApiError::new(ErrorCode::InvalidQuery, format!("not a WebSocket handshake: {error}")))
}
