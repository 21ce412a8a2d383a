//! `/api/v1/inscriptions`: the description of an inscription, from any of the upstream services.

use actix_web::{HttpRequest, HttpResponse, web};
use bitcoin::{Address, Network};
use engine::asset_index::InscriptionId;
use providers::capability::Attribute;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::node::InscriptionInfo;

/// An inscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InscriptionView {
    /// The id of the inscription.
    inscription_id: String,
    /// Its number in the order of all inscriptions, negative for cursed ones.
    #[schema(required)]
    inscription_number: Option<i64>,
    /// Its name in its collection.
    #[schema(required)]
    inscription_name: Option<String>,
    /// The address that holds it.
    #[schema(required)]
    owner: Option<String>,
    /// The collection of this market that it belongs to, else the collection that the upstream service reports.
    #[schema(required)]
    collection_name: Option<String>,
    /// The slug of the same collection.
    #[schema(required)]
    collection_slug: Option<String>,
    /// Its outpoint, and the offset in the output.
    #[schema(required)]
    satpoint: Option<String>,
    /// The content type with parameters: `text/plain;charset=utf-8`.
    #[schema(required)]
    content_type: Option<String>,
    /// A URI of its content at another service.
    #[serde(rename = "contentURI")]
    #[schema(required)]
    content_uri: Option<String>,
    /// The amount of its output, in sats.
    #[serde(rename = "outputvalue")]
    #[schema(required)]
    output_value: Option<u64>,
    /// The service that described it: `ORD`, `BESTINSLOT`, `MAGICEDEN`, `ORDISCAN`, or the operator's name for another
    /// one.
    provider: String,
    /// The content type without parameters: `text/plain`.
    #[schema(required)]
    mime_type: Option<String>,
    /// Its attributes as its collection reports them.
    attributes: Vec<AttributeView>,
    /// The outpoint that holds it.
    utxo: String,
}

/// An attribute of an inscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AttributeView {
    /// The name of the attribute.
    trait_type: String,
    /// The value of the attribute.
    value: String,
}

/// Returns a content type without its parameters.
pub(super) fn mime_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

impl InscriptionView {
    fn new(info: InscriptionInfo, network: Network) -> Self {
        let InscriptionInfo { details, provider } = info;
        let attribute = |Attribute { name: trait_type, value }| AttributeView { trait_type, value };
        Self {
            inscription_id: details.id.to_string(),
            inscription_number: details.number,
            inscription_name: details.name,
            owner: details.owner.and_then(|owner| Address::from_script(&owner, network).ok()).map(|it| it.to_string()),
            collection_name: details.collection_name,
            collection_slug: details.collection_slug,
            satpoint: details.offset_sats.map(|offset| format!("{}:{offset}", details.outpoint)),
            mime_type: details.content_type.as_deref().map(mime_type),
            content_type: details.content_type,
            content_uri: details.content_uri,
            output_value: details.output_sats,
            provider: provider.to_uppercase(),
            attributes: details.attributes.into_iter().map(attribute).collect(),
            utxo: details.outpoint.to_string(),
        }
    }
}

/// Returns the description and location of an inscription.
///
/// # Errors
/// [`ErrorCode::UnknownInscription`], [`crate::http::error_code::ErrorCode::IndexerUnavailable`],
/// [`crate::http::error_code::ErrorCode::NodeUnavailable`].
#[utoipa::path(get, path = "/api/v1/inscriptions/{inscription_id}", operation_id = "getInscription", tag = "borrow",
    params(("inscription_id" = String, Path, description = "Transaction and index of its reveal: `…i0`")),
    responses((status = 200, body = InscriptionView), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    inscription_id: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let unknown = || ApiError::plain(ErrorCode::UnknownInscription);
    let id: InscriptionId = inscription_id.parse().map_err(|_| unknown())?;
    let own = app.market.group_of_inscription(id.into());
    // For inscriptions that cannot be pledged here only the indexer is asked: requests of any visitor would use up the
    // rate limits that other services grant us.
    let info = app.node()?.inscription(id, own.is_some()).await?.ok_or_else(unknown)?;
    let mut view = InscriptionView::new(info, app.settings.network);
    if let Some(group) = app.market.groups().into_iter().find(|group| Some(group.id) == own) {
        // The collection for which it can be pledged is known by this market, not by the upstream service.
        view.collection_name = Some(group.name.to_string());
        view.collection_slug = Some(group.slug.to_string());
    }
    Ok(HttpResponse::Ok().json(view))
}
