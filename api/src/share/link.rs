//! The link that a preview is of.

use std::sync::Arc;

use actix_web::web;
use domain::OfferId;
use engine::wire::Row;
use serde::Deserialize;

use crate::app::App;

use super::gallery::Motif;
use super::preview::{Preview, Side};

/// What of an address's query a preview looks at.
#[derive(Debug, Deserialize)]
pub struct Address {
    /// The collection whose dialog is open.
    pub collection: Option<String>,
    /// One of its offers.
    pub offer: Option<String>,
}

impl Address {
    /// Reads a query; one that is none names nothing.
    #[must_use]
    pub fn of(query: &str) -> Self {
        let nothing = Self { collection: None, offer: None };
        web::Query::<Self>::from_query(query).map_or(nothing, web::Query::into_inner)
    }
}

/// What a link shows: the collection, or the offer while that can be taken.
pub struct Shared {
    /// The collection's row.
    pub row: Arc<Row>,
    /// What its picture is of.
    pub motif: Motif,
    /// What it says.
    pub preview: Preview,
}

impl Shared {
    /// What a link to a collection shows; `None` when there is none of that name.
    pub async fn find(app: &App, side: Side, collection: &str, offer: Option<&str>) -> Option<Self> {
        let group = app.market.group_named(collection)?;
        let row = app.market.row(group.id)?;
        let wanted: Option<OfferId> = offer.and_then(|text| text.parse().ok());
        let of_offer = match wanted.filter(|offer| side == Side::Borrow && offer.group() == group.id) {
            // A book that has no time now shows the collection.
            Some(id) => app.market.offer(id).await.ok().flatten(),
            None => None,
        };
        let shown = of_offer.and_then(|offer| Some((offer.id, Preview::of_offer(&row, &offer)?)));
        let (offer, preview) = match shown {
            Some((id, preview)) => (Some(id), preview),
            None => (None, Preview::of_collection(&row, side)),
        };
        Some(Self { motif: Motif { side, group: group.id, offer }, preview, row })
    }

    /// Where its picture is.
    #[must_use]
    pub fn picture_path(&self) -> String {
        let (side, slug) = (self.motif.side.name(), &self.row.group_slug);
        match self.motif.offer {
            Some(offer) => format!("/share-images/{side}/{slug}.png?offer={offer}"),
            None => format!("/share-images/{side}/{slug}.png"),
        }
    }
}
