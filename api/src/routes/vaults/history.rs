//! `/api/v1/vaults/me/history`: the history of the caller's vault.

use std::collections::VecDeque;

use actix_web::{HttpResponse, web};
use domain::{Event, Sats, Stream, UnixMs};
use engine::journal::Sequence;
use lending::vaults::vault::bitcoin_outpoint;
use lending::vaults::vault_history::{EntryKind, HistoryEntry, VaultHistory};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The largest page.
pub(crate) const LIMIT_MAX: usize = 200;

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// Entries per page, at most 200.
    limit: Option<usize>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// A page of the history.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryPage {
    /// The entries, newest first.
    data: Vec<HistoryLine>,
    /// The cursor of the next page; `null` on the last page.
    #[schema(required)]
    next_cursor: Option<String>,
}

/// An entry of the history.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct HistoryLine {
    /// The time at which the server observed it, in unix milliseconds.
    #[schema(value_type = u64)]
    at: UnixMs,
    kind: HistoryKind,
    /// The amount; `null` if it is no longer known.
    #[schema(required, value_type = Option<u64>)]
    sats: Option<Sats>,
    /// The id of the transaction; `null` for a credit or debit without an output on the chain.
    #[schema(required)]
    transaction_id: Option<String>,
    /// The index of the output; `null` if the entry is about the whole transaction.
    #[schema(required)]
    vout: Option<u32>,
}

/// The kind of an entry.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum HistoryKind {
    /// The operator credited an amount without an output on the chain.
    Credited,
    /// The operator debited an amount without an output on the chain.
    Debited,
    /// A deposit was confirmed.
    PaidIn,
    /// The change of a withdrawal or a loan was confirmed.
    CameBack,
    /// A reorg unconfirmed an output.
    #[serde(rename = "undone")]
    Unconfirmed,
    /// An output was spent by the lender's unilateral exit, or was never confirmed again.
    Left,
    /// A withdrawal was started.
    Withdrawing,
    /// A move to other signers was started; `sats` is its fee.
    Moving,
    /// A loan reserved an amount.
    Lent,
    /// A child transaction raised the fee (CPFP) of a withdrawal or a loan that was not confirmed; `sats` is its fee.
    FeeBump,
    /// The transaction of a withdrawal or a loan is final.
    Settled,
    /// The transaction of a withdrawal or a loan can no longer be confirmed, and its outputs were released.
    GivenBack,
}

impl From<EntryKind> for HistoryKind {
    fn from(happened: EntryKind) -> Self {
        match happened {
            EntryKind::Credited => Self::Credited,
            EntryKind::Debited => Self::Debited,
            EntryKind::Deposited => Self::PaidIn,
            EntryKind::ChangeConfirmed => Self::CameBack,
            EntryKind::Unconfirmed => Self::Unconfirmed,
            EntryKind::SpentElsewhere => Self::Left,
            EntryKind::Withdrawing => Self::Withdrawing,
            EntryKind::Moving => Self::Moving,
            EntryKind::Lent => Self::Lent,
            EntryKind::FeeBump => Self::FeeBump,
            EntryKind::Settled => Self::Settled,
            EntryKind::Released => Self::GivenBack,
        }
    }
}

/// The last entries before a sequence, oldest first.
type Lines = VecDeque<(Sequence, UnixMs, HistoryEntry)>;

/// Returns the history of the caller's vault, newest first.
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
    let journal = app.journal.port();
    // The stream is read from disk, which would block the worker threads.
    let read = web::block(move || {
        let (mut history, mut lines) = (VaultHistory::default(), Lines::new());
        let replayed = journal.replay(Stream::Vault(user), 0, &mut |recorded| {
            let Event::Vault(event) = &recorded.event else { return };
            if let Some(entry) = history.apply(event).filter(|_| recorded.sequence < before) {
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
            kind: entry.kind.into(),
            sats: entry.sats,
            transaction_id: transaction.map(|(place, _)| bitcoin_outpoint(&place).txid.to_string()),
            vout: transaction.and_then(|(_, vout)| vout),
        }
    });
    Ok(HttpResponse::Ok().json(HistoryPage { data: data.collect(), next_cursor }))
}
