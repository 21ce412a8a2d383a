//! Rows for the tests of this folder.

use domain::{GroupId, OfferId, Sats, UnitPrice};
use engine::wire::{AsString, CollateralName, Percent, PriceChanges, Quotes, Row, Volumes};

/// A collection of this name without offers.
pub(super) fn row(name: &str) -> Row {
    Row {
        id: AsString(GroupId(1)),
        group_slug: "a".parse().unwrap(),
        instant_ordinal_slug: None,
        collection_name: name.into(),
        collection_symbol: name.into(),
        collection_img_url: "".into(),
        collateral_type: CollateralName::Inscription,
        rune_id: None,
        rune_name: None,
        rune_decimals: None,
        ticker: None,
        floor: Some(Sats::new(1_000_000)),
        unit_price: UnitPrice::from_sats(Sats::new(1_000_000)).map(AsString),
        points_multiplier: 0,
        is_lending_allowed: true,
        total_loans: 0,
        running_loans: 0,
        external_collection_link: None,
        market_volume_stats: None,
        internal_volume_stats: Volumes::default(),
        price_change_stats: PriceChanges::default(),
        sub_collections: Vec::new(),
        max_instant_ltv: None,
        manual: Some(quotes(None)),
        instant: Some(quotes(None)),
    }
}

/// The same with a manual offer of this principal.
pub(super) fn quoted_row(name: &str, principal_sats: u64) -> Row {
    Row { manual: Some(quotes(Some(principal_sats))), ..row(name) }
}

/// The figures of one process type with one offer, or none.
pub(super) fn quotes(principal_sats: Option<u64>) -> Quotes {
    let best = principal_sats.map(Sats::new);
    let some = |hundredths| best.map(|_| Percent::from_hundredths(hundredths));
    let id: OfferId = "of_4294967297".parse().unwrap();
    Quotes {
        offer_count: usize::from(best.is_some()),
        under_offer_count: 0,
        lender_count: usize::from(best.is_some()),
        best_offer: best,
        best_offer_id: best.map(|_| AsString(id)),
        next_best_offers: Vec::new(),
        best_sub_collection_id: best.map(|_| AsString(0)),
        term: best.map(|_| 7),
        interest: some(120),
        apy: some(8_600),
        ltv: some(5_000),
        max_ltv: some(5_000),
        min_ltv: some(5_000),
        max_apy: Percent::default(),
        min_interest: Percent::default(),
        liquidity_sats: best.unwrap_or(Sats::ZERO),
        instant_best_offer_range: None,
    }
}
