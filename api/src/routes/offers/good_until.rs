//! `/api/v1/offers/good-until`: the time until which offers are good.

use actix_web::{HttpResponse, web};
use domain::{Command, Limits, OfferId, UnixMs};
use serde::Deserialize;
use utoipa::ToSchema;

use super::results::{self, OfferIds, OfferResults};
use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::offers::own_offer;

/// Offers, and the time until which they are good.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct GoodUntil {
    /// 1 to 100 ids.
    offer_ids: Vec<String>,
    /// The time from which they cannot be taken, in unix milliseconds, 10 minutes to a year from now; `null` if they are
    /// good until they are cancelled.
    // Unlike a plain option, an absent field is refused: only `null` removes the time.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    good_until: Option<u64>,
}

/// Sets the time until which offers are good, and renews those that have expired; each has its own result. Loans that
/// borrowers are signing continue. After the time the order book refuses borrowers. A time that the lender signed with
/// an instant offer, and the time of an offer that fills a borrow request, can only become shorter; the vault signer
/// keeps to the signed one.
///
/// # Errors
/// `invalid_field`, `good_until_out_of_range`; the failure of a single offer is in its result.
#[utoipa::path(post, path = "/api/v1/offers/good-until", operation_id = "setGoodUntil", tag = "offers", security(("session" = [])),
    request_body = GoodUntil, responses((status = 200, body = OfferResults), (status = 401, body = Problem)))]
pub async fn set(app: web::Data<App>, write: Write<GoodUntil>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let lender = caller.user();
            let good_until = body.good_until.map(UnixMs);
            Limits::check_good_until(good_until, app.now())?;
            let set_one = async |offer: OfferId| {
                let own = own_offer::own_offer(&app, lender, offer).await?;
                caller.check_collection(offer.group())?;
                // A message names whole seconds, and an edit signs the time again.
                let is_whole = |at: &UnixMs| !own.is_time_signed() || at.0.is_multiple_of(1_000);
                let good_until = good_until.map(|at| if is_whole(&at) { at } else { UnixMs(at.seconds() * 1_000) });
                app.market.command(offer.group(), Command::SetGoodUntil { lender, offer, good_until }, None).await?;
                Ok(())
            };
            let offers = OfferIds { offer_ids: body.offer_ids }.bounded()?;
            Answer::ok(&results::each(offers, set_one).await?)
        })
        .await
}
