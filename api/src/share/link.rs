//! The collection or offer that a link leads to.

use std::sync::Arc;

use actix_web::web;
use domain::OfferId;
use engine::Market;
use engine::wire::Row;
use serde::Deserialize;

use super::picture_cache::PictureSubject;
use super::preview::{Preview, Side};

/// The query parameters that select a preview.
#[derive(Debug, Deserialize)]
pub struct PreviewQuery {
    /// The collection whose dialog is open.
    pub collection: Option<String>,
    /// The offer.
    pub offer: Option<String>,
}

impl PreviewQuery {
    /// Parses a query; a malformed one selects nothing.
    #[must_use]
    pub fn of(query: &str) -> Self {
        let nothing = Self { collection: None, offer: None };
        web::Query::<Self>::from_query(query).map_or(nothing, web::Query::into_inner)
    }
}

/// The target of a link: the collection, or the offer while it can be taken.
pub struct LinkTarget {
    /// The collection's row.
    pub row: Arc<Row>,
    /// The subject of the picture.
    pub subject: PictureSubject,
    /// The preview.
    pub preview: Preview,
}

impl LinkTarget {
    /// Finds the target of a link to a collection; `None` when there is no collection of that name.
    pub async fn find(market: &Market, side: Side, collection: &str, offer: Option<&str>) -> Option<Self> {
        let group = market.group_named(collection)?;
        let row = market.row(group.id)?;
        let wanted: Option<OfferId> = offer.and_then(|text| text.parse().ok());
        let of_offer = match wanted.filter(|offer| side == Side::Borrow && offer.group() == group.id) {
            // If the book is overloaded, the preview is that of the collection.
            Some(id) => market.offer(id).await.ok().flatten(),
            None => None,
        };
        let shown = of_offer.and_then(|offer| Some((offer.id, Preview::of_offer(&row, &offer)?)));
        let (offer, preview) = match shown {
            Some((id, preview)) => (Some(id), preview),
            None => (None, Preview::of_collection(&row, side)),
        };
        Some(Self { subject: PictureSubject { side, group: group.id, offer }, preview, row })
    }

    /// Returns the path of the picture.
    #[must_use]
    pub fn picture_path(&self) -> String {
        let (side, slug) = (self.subject.side.name(), &self.row.group_slug);
        match self.subject.offer {
            Some(offer) => format!("/share-images/{side}/{slug}.png?offer={offer}"),
            None => format!("/share-images/{side}/{slug}.png"),
        }
    }
}

/// Returns the path of the Atom feed of a collection.
#[must_use]
pub fn feed_path(row: &Row) -> String {
    format!("/api/v1/collections/{}/activity.atom", row.group_slug)
}
