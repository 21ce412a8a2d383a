//! `/api/v1/sessions`: the caller's open sessions.

use actix_web::{HttpResponse, web};
use domain::{AccountRejection, Session, SessionId, UnixMs};
use engine::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The open sessions of a user.
#[derive(Serialize, ToSchema)]
pub struct MySessions {
    /// In the order in which they were opened.
    sessions: Vec<MySession>,
}

/// An open session.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MySession {
    /// The id of the session.
    session_id: String,
    /// The `User-Agent` of the sign-in; empty when there was none.
    agent: String,
    /// The time of the sign-in, in unix milliseconds.
    #[schema(value_type = u64)]
    opened_at: UnixMs,
    /// The time of the last renewal, in unix milliseconds.
    #[schema(value_type = u64)]
    used_at: UnixMs,
    /// The time at which the session ends unless it is renewed, in unix milliseconds.
    #[schema(value_type = u64)]
    ends_at: UnixMs,
    /// Whether it is the session of this request.
    is_current: bool,
}

impl MySession {
    fn of((id, session): (SessionId, Session), current: Option<SessionId>) -> Self {
        let ends_at = session.ends_at();
        let Session { agent, opened_at, used_at, .. } = session;
        Self { session_id: id.to_string(), agent, opened_at, used_at, ends_at, is_current: Some(id) == current }
    }
}

/// Lists the caller's open sessions.
#[utoipa::path(get, path = "/api/v1/sessions", operation_id = "listSessions", tag = "session", security(("session" = [])),
    responses((status = 200, body = MySessions), (status = 401, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(caller): OwnRead) -> HttpResponse {
    HttpResponse::Ok().json(MySessions { sessions: sessions(&app, &caller).await })
}

/// Returns the caller's open sessions.
pub(in crate::routes) async fn sessions(app: &App, caller: &SignedIn) -> Vec<MySession> {
    let sessions = app.market.sessions(caller.user()).await;
    sessions.into_iter().map(|session| MySession::of(session, caller.session())).collect()
}

/// Ends one session of the caller; its tokens become invalid.
///
/// # Errors
/// [`ErrorCode::UnknownSession`].
#[utoipa::path(delete, path = "/api/v1/sessions/{session_id}", operation_id = "endSession", tag = "session", security(("session" = [])),
    params(("session_id" = String, Path,)),
    responses((status = 204, description = "The session has ended"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn end(app: web::Data<App>, caller: SignedIn, path: web::Path<String>) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    let unknown = || ApiError::plain(ErrorCode::UnknownSession);
    let id: SessionId = path.parse().map_err(|_| unknown())?;
    match app.market.end_session(caller.user(), id).await {
        Err(Refusal::Account(AccountRejection::UnknownSession(_))) => Err(unknown()),
        ended => {
            ended?;
            Ok(HttpResponse::NoContent().finish())
        }
    }
}
