//! `/api/v1/oembed`: a description of a collection's page for sites that show links to it (oEmbed 1.0).

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::GroupId;
use engine::asset_index::InscriptionId;
use engine::wire::CollateralName;
use serde::{Deserialize, Serialize};
use url::form_urlencoded;
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::share::link::LinkTarget;
use crate::share::markup::escaped;
use crate::share::page_address::PageAddress;
use crate::share::picture;
use crate::share::preview::Side;

/// The time for which an answer may be kept, in seconds.
const CACHE_AGE_S: u32 = 300;

/// The size of the embedded page where the site sets none, and the smallest that shows all of it.
const WIDTH: u32 = 480;
const WIDTH_MIN: u32 = 280;
const HEIGHT: u32 = 360;
const NARROW_HEIGHT: u32 = 480;
/// The width from which the page has the lower height.
const WIDE: u32 = 400;

/// The format of the answer.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// JSON, the only one.
    Json,
}

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct OembedQuery {
    /// The address of a collection's page on this server.
    url: String,
    /// The format of the answer.
    #[serde(rename = "format")]
    #[param(inline)]
    _format: Option<Format>,
    /// The largest width of the embedded page, in pixels.
    maxwidth: Option<u32>,
    /// The largest height of the embedded page, in pixels.
    maxheight: Option<u32>,
}

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OembedType {
    /// A page to embed.
    Rich,
    /// A title and a picture for a link.
    Link,
}

/// The description of a page.
#[derive(Serialize, ToSchema)]
pub struct OembedView {
    /// The version of oEmbed: `1.0`.
    version: &'static str,
    /// The kind.
    r#type: OembedType,
    /// The title.
    title: String,
    /// The name of this site.
    provider_name: &'static str,
    /// The address of this site.
    provider_url: String,
    /// The time for which this may be kept, in seconds.
    cache_age: u32,
    /// The address of the picture of the link; it and its size are absent if it is larger than asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_url: Option<String>,
    /// The width of the picture in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_width: Option<u32>,
    /// The height of the picture in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_height: Option<u32>,
    /// The element to embed; it and its size are absent for a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    /// The width of the element in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    /// The height of the element in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
}

/// A page to embed.
struct Frame {
    html: String,
    width: u32,
    height: u32,
}

/// Describes the page of a collection for a site that shows a link to it (oEmbed 1.0): with a frame if the operator lets
/// other sites embed the quote, otherwise as a link with a picture.
///
/// # Errors
/// [`ErrorCode::InvalidQuery`], [`ErrorCode::NotFound`] for an address of another server or page,
/// [`ErrorCode::UnknownCollection`], [`ErrorCode::UnknownInscription`].
#[utoipa::path(get, path = "/api/v1/oembed", operation_id = "getOembed", tag = "market", params(OembedQuery),
    responses((status = 200, body = OembedView), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    query: web::Query<OembedQuery>,
) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let address =
        PageAddress::parse(&query.url, &app.public_url).map_err(|error| ApiError::new(ErrorCode::NotFound, error))?;
    let found = LinkTarget::find(&app.market, address.side, &address.collection, address.offer.as_deref()).await;
    let target = found.ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?;
    check_inscription(&app, &address, target.row.id.0)?;
    let frame = frame(&app, &address, &target, &query);
    let limits = (query.maxwidth.unwrap_or(u32::MAX), query.maxheight.unwrap_or(u32::MAX));
    let has_room = limits.0 >= picture::WIDTH && limits.1 >= picture::HEIGHT;
    let view = OembedView {
        version: "1.0",
        r#type: if frame.is_some() { OembedType::Rich } else { OembedType::Link },
        title: target.preview.title.clone(),
        provider_name: "Lienbook",
        provider_url: app.public_url.to_string(),
        cache_age: CACHE_AGE_S,
        thumbnail_url: has_room.then(|| format!("{}{}", app.public_url, target.picture_path())),
        thumbnail_width: has_room.then_some(picture::WIDTH),
        thumbnail_height: has_room.then_some(picture::HEIGHT),
        width: frame.as_ref().map(|frame| frame.width),
        height: frame.as_ref().map(|frame| frame.height),
        html: frame.map(|frame| frame.html),
    };
    let caching = (CACHE_CONTROL, format!("public, max-age={CACHE_AGE_S}"));
    Ok(HttpResponse::Ok().insert_header(caching).json(view))
}

/// Checks that an inscription in the address belongs to the collection.
fn check_inscription(app: &App, address: &PageAddress, group: GroupId) -> Result<(), ApiError> {
    let Some(text) = &address.inscription else { return Ok(()) };
    let belongs = |id: InscriptionId| app.market.group_of_inscription(id.into()) == Some(group);
    if text.parse().is_ok_and(belongs) { Ok(()) } else { Err(ApiError::plain(ErrorCode::UnknownInscription)) }
}

/// Returns the frame of a page to borrow against inscriptions, if sites may embed it and there is room.
fn frame(app: &App, address: &PageAddress, target: &LinkTarget, query: &OembedQuery) -> Option<Frame> {
    let is_embeddable = address.side == Side::Borrow && target.row.collateral_type == CollateralName::Inscription;
    if app.settings.embeds.origins.is_empty() || !is_embeddable {
        return None;
    }
    let width = query.maxwidth.unwrap_or(WIDTH).min(WIDTH);
    let height = if width < WIDE { NARROW_HEIGHT } else { HEIGHT };
    if width < WIDTH_MIN || query.maxheight.is_some_and(|max| max < height) {
        return None;
    }
    let mut parameters = form_urlencoded::Serializer::new(String::new());
    parameters.append_pair("collection", target.row.group_slug.as_str());
    if let Some(inscription) = &address.inscription {
        parameters.append_pair("inscription", inscription);
    }
    let source = format!("{}/embed/borrow?{}", app.public_url, parameters.finish());
    let html = format!(
        r#"<iframe src="{source}" width="{width}" height="{height}" title="{title}" style="border:0" loading="lazy" referrerpolicy="no-referrer" sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>"#,
        source = escaped(&source),
        title = escaped(&target.preview.title),
    );
    Some(Frame { html, width, height })
}
