//! A collection group as a row of the market.

use std::sync::Arc;

use domain::{GroupId, Sats, Slug, UnitPrice};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AsString, Percent, Quotes, SubCollectionView};

/// The type of a group's collateral, by its name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CollateralName {
    /// Ordinal inscriptions.
    Inscription,
    /// A rune.
    Rune,
    /// A BRC-20 token.
    Brc20,
}

/// Volumes traded or lent, in total and over recent windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Volumes {
    /// In total.
    #[serde(rename = "totalVolume")]
    #[schema(value_type = u64)]
    pub total: Sats,
    /// In the last 24 hours.
    #[serde(rename = "volume24h")]
    #[schema(value_type = u64)]
    pub day: Sats,
    /// In the last 7 days.
    #[serde(rename = "volume7d")]
    #[schema(value_type = u64)]
    pub week: Sats,
    /// In the last 30 days.
    #[serde(rename = "volume30d")]
    #[schema(value_type = u64)]
    pub month: Sats,
}

/// Changes of the price; `null` where too little is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct PriceChanges {
    /// In the last 24 hours.
    #[serde(rename = "change24h")]
    #[schema(value_type = Option<f64>, required)]
    pub day: Option<Percent>,
    /// In the last 7 days.
    #[serde(rename = "change7d")]
    #[schema(value_type = Option<f64>, required)]
    pub week: Option<Percent>,
    /// In the last 30 days.
    #[serde(rename = "change30d")]
    #[schema(value_type = Option<f64>, required)]
    pub month: Option<Percent>,
}

/// One collection group with everything that the tables show of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its id.
    #[schema(value_type = String)]
    pub id: AsString<GroupId>,
    /// Its slug in URLs.
    #[schema(value_type = String)]
    pub group_slug: Slug,
    /// The slug under which instant offers against inscriptions are signed: that of the first sub-collection that takes
    /// them; `null` when none does.
    #[schema(value_type = Option<String>, required)]
    pub instant_ordinal_slug: Option<Slug>,
    /// Its display name.
    #[schema(value_type = String)]
    pub collection_name: Arc<str>,
    /// Its display symbol.
    #[schema(value_type = String)]
    pub collection_symbol: Arc<str>,
    /// Its image.
    #[serde(rename = "collectionImgURL")]
    #[schema(value_type = String)]
    pub collection_img_url: Arc<str>,
    /// The type of its collateral.
    pub collateral_type: CollateralName,
    /// The rune's id; `null` for others.
    #[schema(required)]
    pub rune_id: Option<String>,
    /// The rune's name; `null` for others.
    #[schema(required)]
    pub rune_name: Option<String>,
    /// Decimals of a token; `null` for inscriptions.
    #[schema(required)]
    pub rune_decimals: Option<u8>,
    /// The BRC-20 ticker; `null` for others.
    #[schema(required)]
    pub ticker: Option<String>,
    /// The floor price in sats; `null` for tokens and while unknown.
    #[schema(value_type = Option<u64>, required)]
    pub floor: Option<Sats>,
    /// Sats per whole unit with eight decimals; `null` while unknown.
    #[schema(value_type = Option<String>, required)]
    pub unit_price: Option<AsString<UnitPrice>>,
    /// Extra points in percent.
    pub points_multiplier: u16,
    /// Whether new offers are accepted.
    pub is_lending_allowed: bool,
    /// The number of all loans so far.
    pub total_loans: u64,
    /// The number of running loans.
    pub running_loans: usize,
    /// A link to the collection on another site.
    #[schema(required)]
    pub external_collection_link: Option<String>,
    /// The volumes traded on the marketplaces; `null` while unknown.
    #[schema(required)]
    pub market_volume_stats: Option<Volumes>,
    /// The volumes lent in this market.
    pub internal_volume_stats: Volumes,
    /// The changes of the price.
    pub price_change_stats: PriceChanges,
    /// The sub-collections, one per term or bundle size.
    pub sub_collections: Vec<SubCollectionView>,
    /// The highest current LTV of its instant offers; `null` without any.
    #[serde(rename = "maxInstantLTV")]
    #[schema(value_type = Option<f64>, required)]
    pub max_instant_ltv: Option<Percent>,
    /// Manual offers; `null` when none are accepted.
    #[schema(required)]
    pub manual: Option<Quotes>,
    /// Instant offers; `null` when none are accepted.
    #[schema(required)]
    pub instant: Option<Quotes>,
}
