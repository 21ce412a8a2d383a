//! `/api/v1/vaults/me/history`: what has happened to the caller's vault.

use std::collections::VecDeque;

use actix_web::{HttpResponse, web};
use domain::{Event, Sats, Stream, UnixMs};
use engine::journal::{Journal as _, Sequence};
use lending::vault::on_chain;
use lending::vault_history::{Entry, Happened, History};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::own_read::OwnRead;

/// No page is longer.
pub(crate) const LIMIT_MAX: usize = 200;

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// Lines a page, at most 200.
    limit: Option<usize>,
    /// Where the page before ended.
    cursor: Option<String>,
}

/// A page of what happened.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryPage {
    /// The lines, latest first.
    data: Vec<HistoryLine>,
    /// Where the next page begins; `null` on the last one.
    #[schema(required)]
    next_cursor: Option<String>,
}

/// Something that happened.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct HistoryLine {
    /// When it was noticed, in unix milliseconds.
    #[schema(value_type = u64)]
    at: UnixMs,
    kind: HistoryKind,
    /// How much; `null` where nobody knows any more.
    #[schema(required, value_type = Option<u64>)]
    sats: Option<Sats>,
    /// The transaction; `null` for money that is no output on the chain.
    #[schema(required)]
    transaction_id: Option<String>,
    /// Which of its outputs; `null` where it is about the whole transaction.
    #[schema(required)]
    vout: Option<u32>,
}

/// What happened.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum HistoryKind {
    /// The operator credited money that is no output on the chain.
    Credited,
    /// The same the other way.
    Debited,
    /// An output was paid in and stands in a block.
    PaidIn,
    /// The rest of a withdrawal or a loan came back.
    CameBack,
    /// An output's block left the chain.
    Undone,
    /// An output left by the lender's own exit, or was never mined again.
    Left,
    /// A withdrawal was begun.
    Withdrawing,
    /// A loan took money.
    Lent,
    /// A child paid the miners for a withdrawal or a loan that waited for a block; `sats` is its fee.
    FeeBump,
    /// The transaction of a withdrawal or a loan is buried.
    Settled,
    /// The transaction of a withdrawal or a loan will never be mined, and gave back what it took.
    GivenBack,
}

impl From<Happened> for HistoryKind {
    fn from(happened: Happened) -> Self {
        match happened {
            Happened::Credited => Self::Credited,
            Happened::Debited => Self::Debited,
            Happened::PaidIn => Self::PaidIn,
            Happened::CameBack => Self::CameBack,
            Happened::Undone => Self::Undone,
            Happened::Left => Self::Left,
            Happened::Withdrawing => Self::Withdrawing,
            Happened::Lent => Self::Lent,
            Happened::FeeBump => Self::FeeBump,
            Happened::Settled => Self::Settled,
            Happened::GivenBack => Self::GivenBack,
        }
    }
}

/// The last lines before a sequence, oldest first.
type Lines = VecDeque<(Sequence, UnixMs, Entry)>;

/// Tells what has happened to the caller's vault, latest first.
///
/// # Errors
/// [`ErrorCode::VaultNotFound`], [`ErrorCode::InvalidQuery`], [`ErrorCode::InvalidCursor`].
#[utoipa::path(get, path = "/api/v1/vaults/me/history", operation_id = "listVaultHistory", tag = "vault", security(("session" = [])), params(HistoryQuery),
    responses((status = 200, body = HistoryPage), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn list(
    app: web::Data<App>,
    OwnRead(lender): OwnRead,
    query: web::Query<HistoryQuery>,
) -> Result<HttpResponse, ApiError> {
    let limit = query.limit.unwrap_or(LIMIT_MAX);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(ApiError::new(ErrorCode::InvalidQuery, format!("limit must be 1 to {LIMIT_MAX}")));
    }
    let user = lender.user();
    if app.market.vault(user).await.is_none() {
        return Err(ApiError::plain(ErrorCode::VaultNotFound));
    }
    let list = format!("vault history {user}");
    let before: Sequence = match &query.cursor {
        Some(cursor) => app.keys.cursors.open(&list, cursor)?,
        None => Sequence::MAX,
    };
    let journal = app.journal.clone();
    // The stream is read from the disk, which is no work for the threads that answer.
    let read = web::block(move || {
        let (mut history, mut lines) = (History::default(), Lines::new());
        let replayed = journal.replay(Stream::Vault(user), 0, &mut |recorded| {
            let Event::Vault(event) = &recorded.event else { return };
            if let Some(entry) = history.take(event).filter(|_| recorded.sequence < before) {
                lines.push_back((recorded.sequence, recorded.at, entry));
                if lines.len() > limit + 1 {
                    lines.pop_front();
                }
            }
        });
        replayed.map(|_| lines)
    });
    let internal = |error: &dyn std::fmt::Display| ApiError::new(ErrorCode::Internal, error);
    let mut lines = read.await.map_err(|error| internal(&error))?.map_err(|error| internal(&error))?;
    let is_more = lines.len() > limit;
    if is_more {
        lines.pop_front();
    }
    let next_cursor = match lines.front() {
        Some((oldest, _, _)) if is_more => Some(app.keys.cursors.seal(&list, oldest)?),
        _ => None,
    };
    let data = lines.into_iter().rev().map(|(_, at, entry)| {
        let transaction = entry.transaction.map(|(txid, vout)| (domain::Outpoint { txid, vout: 0 }, vout));
        HistoryLine {
            at,
            kind: entry.happened.into(),
            sats: entry.sats,
            transaction_id: transaction.map(|(place, _)| on_chain(&place).txid.to_string()),
            vout: transaction.and_then(|(_, vout)| vout),
        }
    });
    Ok(HttpResponse::Ok().json(HistoryPage { data: data.collect(), next_cursor }))
}
