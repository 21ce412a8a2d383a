//! A group's view as a row of the market.

use domain::{CollateralType, CollectionGroup, ProcessType, Slug, UnixMs};

use crate::{
    PriceRange,
    book_state::BookState,
    wire::{AsString, PriceChanges, Row},
};

use super::{collateral, quotes_view::quotes, terms};

/// Returns the row of a group as of now.
pub(crate) fn row(state: &BookState, now: UnixMs) -> Row {
    let book = &state.book;
    let group = book.group();
    let (rune_id, rune_name) = collateral::rune(&group.collateral);
    let instant = quotes(state, ProcessType::Instant);
    Row {
        id: AsString(group.id),
        group_slug: group.slug.clone(),
        instant_ordinal_slug: instant_ordinal_slug(group),
        collection_name: group.name.clone(),
        collection_symbol: group.symbol.clone(),
        collection_img_url: group.image.clone(),
        collateral_type: collateral::name(&group.collateral),
        rune_id,
        rune_name,
        rune_decimals: collateral::decimals(&group.collateral),
        ticker: collateral::ticker(&group.collateral),
        floor: collateral::floor(&group.collateral, book.price()),
        unit_price: book.price().map(AsString),
        points_multiplier: group.points_multiplier,
        is_lending_allowed: group.is_lending_allowed,
        total_loans: book.total_loans(),
        running_loans: book.loan_count(),
        external_collection_link: group.external_link.clone(),
        market_volume_stats: state.market_volumes,
        internal_volume_stats: state.lent.volumes(now),
        price_change_stats: PriceChanges {
            day: state.prices.change(PriceRange::Day, now),
            week: state.prices.change(PriceRange::Week, now),
            month: state.prices.change(PriceRange::Month, now),
        },
        sub_collections: group.sub_collections.iter().map(|sub| terms::sub_collection(book, sub)).collect(),
        max_instant_ltv: instant.as_ref().and_then(|quotes| quotes.max_ltv),
        manual: quotes(state, ProcessType::Manual),
        instant,
    }
}

/// The slug of the first sub-collection that takes instant offers, in a group of inscriptions.
fn instant_ordinal_slug(group: &CollectionGroup) -> Option<Slug> {
    let is_ordinal = matches!(group.collateral, CollateralType::Inscription);
    let sub = group.sub_collections.iter().find(|sub| is_ordinal && sub.accepts(ProcessType::Instant))?;
    Some(sub.slug.clone())
}
