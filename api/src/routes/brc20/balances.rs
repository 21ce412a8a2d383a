//! `/api/v1/brc20`: the caller's BRC-20 balances and their use as collateral.

use actix_web::{HttpResponse, web};
use bitcoin::Txid;
use domain::{Bundle, CollateralType};
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use lending::brc20::bundle_status::{BundleState, BundleStatus};
use lending::lookups::holdings::HeldTransferInscription;
use serde::Serialize;
use utoipa::ToSchema;

use super::orders::PendingTransfer;
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::token_amount;
use crate::routes::party::party;

/// The caller's BRC-20 balances.
#[derive(Serialize, ToSchema)]
pub struct Brc20Collateral {
    /// Every token that is accepted as collateral and of which the caller's ordinals address has a balance.
    brc20: Vec<Brc20Token>,
}

/// The balance of one token, in whole tokens as decimal strings.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Brc20Token {
    /// In lower case.
    ticker: String,
    /// The whole balance.
    overall_balance: String,
    /// The part that can be inscribed into transfer inscriptions.
    available_balance: String,
    /// The part in transfer inscriptions that have not been moved yet.
    transferrable_balance: String,
}

/// The transfer inscriptions of a transaction.
#[derive(Serialize, ToSchema)]
pub struct Brc20Transfers {
    /// In the order of the inscriptions; empty when the transaction reveals none that the indexer accepted.
    transfers: Vec<Brc20Note>,
}

/// A BRC-20 transfer inscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Brc20Note {
    /// The id of the inscription.
    inscription_id: String,
    /// Whether it can still be moved; its first move consumes it.
    is_valid: bool,
    /// In lower case.
    ticker: String,
    /// In whole tokens.
    amount: String,
}

/// The caller's next step towards pledging one bundle.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Brc20State {
    /// The whole balance is less than the bundle.
    Insufficient,
    /// A transfer inscription of exactly the bundle is not yet confirmed, or not yet read by the indexer.
    NotePending,
    /// Too much of the balance is in transfer inscriptions of other amounts, which have to be sent to oneself first.
    NeedsConsolidation,
    /// A transfer inscription of exactly the bundle is available.
    NoteAvailable,
    /// A transfer inscription can be made.
    NoNote,
}

/// The caller's balance and transfer inscriptions for one bundle.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Brc20Panel {
    /// The next step.
    state: Brc20State,
    /// The amount that the transfer inscription must have, in whole tokens.
    bundle_size: String,
    /// The caller's balance.
    #[serde(flatten)]
    token: Brc20Token,
    /// The transfer inscription that a loan can take.
    #[schema(required)]
    note: Option<Brc20Note>,
    /// The transfer inscription that is not usable yet.
    #[schema(required)]
    pending: Option<PendingTransfer>,
}

impl App {
    /// Returns a listed token by its ticker, in any case: the ticker in lower case, and its decimals.
    ///
    /// # Errors
    /// [`ErrorCode::UnknownToken`].
    pub(super) fn token(&self, ticker: &str) -> Result<(String, u8), ApiError> {
        let ticker = ticker.to_lowercase();
        let known = self.tokens().into_iter().find(|(listed, _)| *listed == ticker);
        known.ok_or_else(|| ApiError::plain(ErrorCode::UnknownToken))
    }

    /// Every listed token once, in lower case, with its decimals.
    fn tokens(&self) -> Vec<(String, u8)> {
        let mut tokens: Vec<(String, u8)> = Vec::new();
        for group in self.market.groups() {
            if let CollateralType::Brc20 { ticker, decimals } = &group.collateral {
                tokens.push((ticker.to_lowercase(), *decimals));
            }
        }
        tokens.sort_unstable();
        tokens.dedup_by(|one, other| one.0 == other.0);
        tokens
    }
}

/// Replaces errors of the BRC-20 indexer by the code of transfer inscriptions.
fn of_notes(error: ApiError) -> ApiError {
    match error.code() {
        ErrorCode::IndexerUnavailable | ErrorCode::IndexerLagging => ApiError::plain(ErrorCode::NotesUnavailable),
        _ => error,
    }
}

/// Returns the caller's balance of every token that is accepted as collateral.
///
/// # Errors
/// [`ErrorCode::NotesUnavailable`].
#[utoipa::path(get, path = "/api/v1/brc20/collateral", operation_id = "getBrc20Collateral", tag = "brc20", security(("session" = [])),
    responses((status = 200, body = Brc20Collateral), (status = 401, body = Problem), (status = 503, body = Problem)))]
pub async fn collateral(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    let (loan_service, ordinals_key) =
        (app.loan_service_for_lookups(caller.user())?, party(&app, &caller)?.ordinals_key());
    let mut brc20 = Vec::new();
    for (ticker, _) in app.tokens() {
        let balance = loan_service
            .lookup()
            .brc20_balance(&ordinals_key, &ticker)
            .await
            .map_err(|error| of_notes(error.into()))?;
        if balance != engine::asset_index::Brc20Balance::default() {
            brc20.push(Brc20Token::new(ticker, balance));
        }
    }
    Ok(HttpResponse::Ok().json(Brc20Collateral { brc20 }))
}

/// Returns the transfer inscriptions that a transaction reveals.
///
/// # Errors
/// [`ErrorCode::TransferNotFound`] for an unknown transaction.
#[utoipa::path(get, path = "/api/v1/brc20/transfers/{hash}", operation_id = "getBrc20Transfers", tag = "brc20", security(("session" = [])),
    params(("hash" = String, Path, description = "The id of the transaction.")),
    responses((status = 200, body = Brc20Transfers), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn transfers(
    app: web::Data<App>,
    path: web::Path<String>,
    OwnRead(reader): OwnRead,
) -> Result<HttpResponse, ApiError> {
    let not_found = || ApiError::plain(ErrorCode::TransferNotFound);
    let hash: Txid = path.parse().map_err(|_| not_found())?;
    let loan_service = app.loan_service_for_lookups(reader.user())?;
    let notes = loan_service.notes_of(hash).await.map_err(|error| of_notes(error.into()))?.ok_or_else(not_found)?;
    let transfers = notes.into_iter().map(|(id, note)| Brc20Note {
        inscription_id: id.to_string(),
        is_valid: !note.is_used,
        ticker: note.ticker,
        amount: token_amount::shown(note.amount),
    });
    Ok(HttpResponse::Ok().json(Brc20Transfers { transfers: transfers.collect() }))
}

/// Returns the caller's balance, transfer inscriptions and next step for one bundle.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`] unless the slug names a bundle of a BRC-20 token; [`ErrorCode::NotesUnavailable`].
#[utoipa::path(get, path = "/api/v1/brc20/panels/{collection_slug}", operation_id = "getBrc20Panel", tag = "brc20", security(("session" = [])),
    params(("collection_slug" = String, Path, description = "The slug of the bundle.")),
    responses((status = 200, body = Brc20Panel), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn panel(
    app: web::Data<App>,
    path: web::Path<String>,
    OwnRead(caller): OwnRead,
) -> Result<HttpResponse, ApiError> {
    let bundle = bundle(&app, &path).ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?;
    let ordinals_key = party(&app, &caller)?.ordinals_key();
    let panel = app.loan_service_for_lookups(caller.user())?.bundle_status(caller.user(), &ordinals_key, &bundle).await;
    let BundleStatus { state, balance, note, pending } = panel.map_err(|error| of_notes(error.into()))?;
    Ok(HttpResponse::Ok().json(Brc20Panel {
        state: state.into(),
        bundle_size: token_amount::shown(bundle.amount()),
        token: Brc20Token::new(bundle.ticker().to_owned(), balance),
        note: note.map(Brc20Note::from),
        pending: pending.map(PendingTransfer::from),
    }))
}

/// The transfer that an inscription for the bundle must declare.
fn bundle(app: &App, slug: &str) -> Option<Brc20Transfer> {
    let (group, place) = app.market.sub_collection_named(slug)?;
    let CollateralType::Brc20 { ticker, .. } = &group.collateral else { return None };
    let sub = group.sub_collections.iter().find(|sub| sub.id == place)?;
    let Bundle::Fixed(quantity) = sub.bundle else { return None };
    let raw = token_amount::raw(quantity.raw, quantity.decimals)?;
    Brc20Transfer::new(&ticker.to_lowercase(), raw).ok()
}

impl Brc20Token {
    fn new(ticker: String, balance: engine::asset_index::Brc20Balance) -> Self {
        let overall = balance.available.saturating_add(balance.transferable);
        Self {
            ticker,
            overall_balance: token_amount::shown(overall),
            available_balance: token_amount::shown(balance.available),
            transferrable_balance: token_amount::shown(balance.transferable),
        }
    }
}

impl From<HeldTransferInscription> for Brc20Note {
    fn from(note: HeldTransferInscription) -> Self {
        Self {
            inscription_id: note.inscription.id.to_string(),
            is_valid: true,
            ticker: note.ticker,
            amount: token_amount::shown(note.amount),
        }
    }
}

impl From<BundleState> for Brc20State {
    fn from(state: BundleState) -> Self {
        match state {
            BundleState::Insufficient => Self::Insufficient,
            BundleState::NotePending => Self::NotePending,
            BundleState::NeedsConsolidation => Self::NeedsConsolidation,
            BundleState::NoteAvailable => Self::NoteAvailable,
            BundleState::NoNote => Self::NoNote,
        }
    }
}
