//! `/api/v1/inscriptions`: what an inscription is, whoever is asked about it.

use actix_web::{HttpRequest, HttpResponse, web};
use bitcoin::{Address, Network};
use engine::asset_index::InscriptionId;
use lending::outpoint;
use providers::capability::Attribute;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::node::InscriptionInfo;

/// An inscription (SPEC section 3, Inscription info), whichever upstream described it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InscriptionView {
    /// Which.
    inscription_id: String,
    /// Its number in the order of all inscriptions, below 0 for cursed ones.
    #[schema(required)]
    inscription_number: Option<i64>,
    /// What its collection calls it.
    #[schema(required)]
    inscription_name: Option<String>,
    /// The address that holds it.
    #[schema(required)]
    owner: Option<String>,
    /// The collection here that it belongs to, else the one that it is said to belong to.
    #[schema(required)]
    collection_name: Option<String>,
    /// The same by the name that addresses use.
    #[schema(required)]
    collection_slug: Option<String>,
    /// Output and offset in it.
    #[schema(required)]
    satpoint: Option<String>,
    /// With parameters: `text/plain;charset=utf-8`.
    #[schema(required)]
    content_type: Option<String>,
    /// Where its content is to be had, elsewhere.
    #[serde(rename = "contentURI")]
    #[schema(required)]
    content_uri: Option<String>,
    /// What its output holds, in sats.
    #[serde(rename = "outputvalue")]
    #[schema(required)]
    output_value: Option<u64>,
    /// Who described it: `ORD`, `BESTINSLOT`, `MAGICEDEN`, `ORDISCAN`, or as the operator calls them.
    provider: String,
    /// Without parameters: `text/plain`.
    #[schema(required)]
    mime_type: Option<String>,
    /// What its collection says that it has.
    attributes: Vec<AttributeView>,
    /// The output that holds it.
    utxo: String,
}

/// A trait of an inscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AttributeView {
    /// Which.
    trait_type: String,
    /// What it is there.
    value: String,
}

/// A content type without its parameters.
pub(super) fn mime_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

impl InscriptionView {
    fn new(info: InscriptionInfo, network: Network) -> Self {
        let InscriptionInfo { sighting, provider } = info;
        let attribute = |Attribute { name: trait_type, value }| AttributeView { trait_type, value };
        Self {
            inscription_id: sighting.id.to_string(),
            inscription_number: sighting.number,
            inscription_name: sighting.name,
            owner: sighting.owner.and_then(|owner| Address::from_script(&owner, network).ok()).map(|it| it.to_string()),
            collection_name: sighting.collection_name,
            collection_slug: sighting.collection_slug,
            satpoint: sighting.offset_sats.map(|offset| format!("{}:{offset}", sighting.outpoint)),
            mime_type: sighting.content_type.as_deref().map(mime_type),
            content_type: sighting.content_type,
            content_uri: sighting.content_uri,
            output_value: sighting.output_sats,
            provider: provider.to_uppercase(),
            attributes: sighting.attributes.into_iter().map(attribute).collect(),
            utxo: sighting.outpoint.to_string(),
        }
    }
}

/// Shows what an inscription is and where it stands.
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
    app.rates.reads.take(app.client_ip(&request), app.now())?;
    let unknown = || ApiError::plain(ErrorCode::UnknownInscription);
    let id: InscriptionId = inscription_id.parse().map_err(|_| unknown())?;
    let own = app.market.group_of_inscription(outpoint::inscription(id));
    // Of what cannot be pledged here nobody else is asked: a stranger would use up what they allow us.
    let info = app.node()?.inscription(id, own.is_some()).await?.ok_or_else(unknown)?;
    let mut view = InscriptionView::new(info, app.settings.network);
    if let Some(group) = app.market.groups().into_iter().find(|group| Some(group.id) == own) {
        // What can be pledged for what is this market's own knowledge.
        view.collection_name = Some(group.name.clone());
        view.collection_slug = Some(group.slug.to_string());
    }
    Ok(HttpResponse::Ok().json(view))
}
