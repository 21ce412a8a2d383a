//! A collection group as a row of the market.

use domain::{GroupId, Sats, Slug, UnitPrice};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Percent, Quotes, Shown, SubCollectionView};

/// What kind of asset a group holds, by its name on the wire.
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

/// What was traded or lent, in total and lately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Volumes {
    /// Ever.
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

/// How far the price moved; `null` where too little is known.
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

/// One collection group with everything the tables show of it (SPEC section 3, Collection).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its id.
    #[schema(value_type = String)]
    pub id: Shown<GroupId>,
    /// Its name in addresses.
    #[schema(value_type = String)]
    pub group_slug: Slug,
    /// The slug by which instant offers against inscriptions are signed: that of its first such term; `null` when none
    /// are taken.
    #[schema(value_type = Option<String>, required)]
    pub instant_ordinal_slug: Option<Slug>,
    /// Its name for people.
    pub collection_name: String,
    /// Its symbol for people.
    pub collection_symbol: String,
    /// Its picture.
    #[serde(rename = "collectionImgURL")]
    pub collection_img_url: String,
    /// What it holds.
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
    pub unit_price: Option<Shown<UnitPrice>>,
    /// Extra points in percent.
    pub points_multiplier: u16,
    /// Whether new offers are taken.
    pub is_lending_allowed: bool,
    /// How many loans were ever taken here.
    pub total_loans: u64,
    /// How many of them are running now.
    pub running_loans: usize,
    /// Where to look at it elsewhere.
    #[schema(required)]
    pub external_collection_link: Option<String>,
    /// What the marketplaces traded; `null` while unknown.
    #[schema(required)]
    pub market_volume_stats: Option<Volumes>,
    /// What was lent here.
    pub internal_volume_stats: Volumes,
    /// How far the price moved.
    pub price_change_stats: PriceChanges,
    /// Terms or bundle sizes.
    pub sub_collections: Vec<SubCollectionView>,
    /// The highest current LTV of its instant offers; `null` without any.
    #[serde(rename = "maxInstantLTV")]
    #[schema(value_type = Option<f64>, required)]
    pub max_instant_ltv: Option<Percent>,
    /// Manual offers; `null` when none are taken.
    #[schema(required)]
    pub manual: Option<Quotes>,
    /// Instant offers; `null` when none are taken.
    #[schema(required)]
    pub instant: Option<Quotes>,
}
