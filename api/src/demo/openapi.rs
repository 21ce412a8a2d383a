//! The description of the demo's own resources.

use utoipa::OpenApi as _;
use utoipa::openapi::tag::TagBuilder;

use super::{devnet_routes, inbox_routes};

/// The resources under `/api/v1/devnet`.
#[derive(utoipa::OpenApi)]
#[openapi(paths(
    devnet_routes::give,
    devnet_routes::mine,
    devnet_routes::broadcast,
    inbox_routes::mails,
    inbox_routes::chat,
    inbox_routes::press_start,
))]
struct DemoDescription;

/// Adds the demo's resources to the description of the API.
pub fn describe(description: &mut utoipa::openapi::OpenApi) {
    description.merge(DemoDescription::openapi());
    let tag = TagBuilder::new().name("devnet").description(Some("The chain and the post of a demo")).build();
    let tags = description.tags.get_or_insert_default();
    let place = tags.iter().position(|tag| tag.name == "feed").unwrap_or(tags.len());
    tags.insert(place, tag);
}
