//! `/api/v1/me/export`: everything that is stored about the caller, as one JSON file.

use actix_web::http::header::{CONTENT_DISPOSITION, ContentType};
use actix_web::{HttpResponse, web};
use domain::{GroupId, UnixMs, UserId};
use engine::wire::{
    AsString, LendingLimitsView, LoanView, MyOffer, NegotiationView, NoticeView, RequestView, VaultView,
};
use engine::{LoanCursor, LoanFilter, LoanList};
use futures_util::stream;
use serde::Serialize;
use utoipa::ToSchema;

use super::api_keys::ApiKeyView;
use super::notifications::{self, Notifications};
use super::push_subscriptions::PushSubscriptionView;
use super::webhook_view::WebhookView;
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::routes::delegations::own::{self, DelegationView};
use crate::routes::session::list::{self, MySession};

/// The number of loans that are written at a time, which bounds the memory of a request.
const LOANS_AT_ONCE: usize = 500;

/// The largest number of loans in an export, the latest; `loans.csv` by time has the others.
const LOANS_MAX: usize = 100_000;

/// The number of reads that an export counts as.
const READS: usize = 10;

/// The caller's account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportedProfile {
    /// The id of the user.
    user_id: String,
    /// The payment address, which identifies the account.
    payment_address: String,
    /// Its public key in hexadecimal.
    payment_pubkey: String,
    /// The ordinals address.
    ordinal_address: String,
    /// Its public key in hexadecimal.
    ordinal_pubkey: String,
    /// Whether the key of the ordinals address has signed.
    is_ordinals_proven: bool,
}

/// A BRC-20 transfer inscription that was ordered and has not ended.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportedOrder {
    /// The id of the order.
    order_id: String,
    /// The token.
    ticker: String,
    /// The amount, in raw units of 18 decimals.
    amount_raw: String,
    /// The time at which it lapses unless it is signed, in unix milliseconds.
    #[schema(value_type = u64)]
    expires_at: UnixMs,
}

/// Everything that is stored about a user, without secrets: those of keys and webhooks are not stored, or derived.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonalExport {
    /// Everything but the loans.
    account: ExportedAccount,
    /// The loans on either side, the latest first, at most 100,000.
    loans: Vec<LoanView>,
    /// Whether all loans are in it.
    has_all_loans: bool,
}

/// Everything about a user but the loans: what limits of the market bound.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportedAccount {
    /// The time of the export, in unix milliseconds.
    #[schema(value_type = u64)]
    exported_at: UnixMs,
    /// The account.
    profile: ExportedProfile,
    /// The open sessions.
    sessions: Vec<MySession>,
    /// The e-mail address, the Telegram channel and the choices of notices.
    contacts: Notifications,
    /// Telegram's id of the linked chat; `null` without one.
    #[schema(required)]
    telegram_chat_id: Option<i64>,
    /// The webhooks.
    webhooks: Vec<WebhookView>,
    /// The browsers that get notices.
    push_subscriptions: Vec<PushSubscriptionView>,
    /// The API keys: those that can be used, and the latest that have ended.
    api_keys: Vec<ApiKeyView>,
    /// The delegations to programs.
    delegations: Vec<DelegationView>,
    /// The ids of the favourite collections.
    #[schema(value_type = Vec<String>)]
    favourites: Vec<AsString<GroupId>>,
    /// The lending limits, and what counts against them.
    lending_limits: LendingLimitsView,
    /// The balance and the address of the vault; `null` without one.
    #[schema(required)]
    vault: Option<VaultView>,
    /// The open offers.
    offers: Vec<MyOffer>,
    /// The open borrow requests.
    borrow_requests: Vec<RequestView>,
    /// The negotiations.
    negotiations: Vec<NegotiationView>,
    /// The transfer inscriptions that were ordered.
    transfer_orders: Vec<ExportedOrder>,
    /// The latest notices.
    notices: Vec<NoticeView>,
}

/// The state of an export that is being written.
struct Writing {
    app: web::Data<App>,
    user: UserId,
    /// The beginning of the text, before the first loan.
    head: Option<String>,
    after: Option<LoanCursor>,
    written: usize,
}

/// Returns everything that is stored about the caller, as a JSON file. Former offers, and sessions and contacts that were
/// removed, are in the journal alone. The history of a vault has a resource of its own.
///
/// # Errors
/// [`ErrorCode::RateLimited`]: an export counts as ten reads.
#[utoipa::path(get, path = "/api/v1/me/export", operation_id = "exportMyData", tag = "session", security(("session" = [])),
    responses((status = 200, body = PersonalExport), (status = 401, body = Problem), (status = 429, body = Problem)))]
pub async fn download(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    for _ in 1..READS {
        caller.take_own_read(&app)?;
    }
    let account = exported_account(&app, &caller).await?;
    let account = serde_json::to_string(&account).map_err(|error| ApiError::new(ErrorCode::Internal, error))?;
    let head = format!("{{\"account\":{account},\"loans\":[");
    let start = Writing { app, user: caller.user(), head: Some(head), after: None, written: 0 };
    let parts = stream::try_unfold(Some(start), async |writing| match writing {
        Some(writing) => writing.next().await.map(Some),
        None => Ok(None),
    });
    Ok(HttpResponse::Ok()
        .insert_header(ContentType::json())
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"lienbook-my-data.json\""))
        .streaming(parts))
}

impl Writing {
    /// Returns the next part of the text, and what follows it; the response has started, so that a failure aborts it.
    async fn next(mut self) -> Result<(web::Bytes, Option<Self>), ApiError> {
        let filter = LoanFilter::of(LoanList::All);
        let count = LOANS_AT_ONCE.min(LOANS_MAX - self.written);
        let page = self.app.market.my_loans(self.user, &filter, self.after, count).await?;
        let mut text = self.head.take().unwrap_or_default();
        for loan in &page.items {
            if self.written > 0 {
                text.push(',');
            }
            text.push_str(&serde_json::to_string(loan).map_err(|error| ApiError::new(ErrorCode::Internal, error))?);
            self.written += 1;
        }
        self.after = page.next;
        if self.after.is_some() && self.written < LOANS_MAX {
            return Ok((text.into(), Some(self)));
        }
        text.push_str(if self.after.is_none() { "],\"hasAllLoans\":true}" } else { "],\"hasAllLoans\":false}" });
        Ok((text.into(), None))
    }
}

async fn exported_account(app: &App, caller: &SignedIn) -> Result<ExportedAccount, ApiError> {
    let (market, user, now) = (&app.market, caller.user(), app.now());
    let account = market.account(user).await.ok_or_else(|| ApiError::plain(ErrorCode::SessionEnded))?;
    let contact = market.contact(user).await?;
    let requests = market.borrow_requests();
    let own = requests.iter().filter(|request| request.borrower_id.0 == user);
    let orders = market.open_orders(user).await.into_iter().map(|tracked| ExportedOrder {
        order_id: tracked.order.id.to_string(),
        ticker: tracked.order.ticker,
        amount_raw: tracked.order.amount_raw.to_string(),
        expires_at: tracked.order.expires_at,
    });
    Ok(ExportedAccount {
        exported_at: now,
        profile: ExportedProfile {
            user_id: user.to_string(),
            payment_address: account.addresses.payment_address,
            payment_pubkey: account.addresses.payment_pubkey,
            ordinal_address: account.addresses.ordinal_address,
            ordinal_pubkey: account.addresses.ordinal_pubkey,
            is_ordinals_proven: account.is_ordinals_proven,
        },
        sessions: list::sessions(app, caller).await,
        telegram_chat_id: contact.telegram.map(|telegram| telegram.chat),
        webhooks: contact.webhooks.iter().map(|webhook| WebhookView::of(webhook, now)).collect(),
        push_subscriptions: contact.pushes.iter().map(PushSubscriptionView::of).collect(),
        contacts: notifications::settings(app, contact),
        api_keys: market.api_keys(user).await.iter().map(|key| ApiKeyView::of(app, key)).collect(),
        delegations: own::delegations(app, user).await?,
        favourites: market.favourites(user).await.into_iter().map(AsString).collect(),
        lending_limits: market.lending_limits(user).await?,
        vault: market.vault(user).await,
        offers: market.my_offers(user).await?,
        borrow_requests: own.map(|request| RequestView::clone(request)).collect(),
        negotiations: market.negotiations(user).await?,
        transfer_orders: orders.collect(),
        notices: market.my_notices(user).await?,
    })
}
