//! An offer as its lender sees it.

use domain::{GroupId, OfferId, ProcessType, Sats, Slug, UnitPrice, UnixMs};
use serde::Serialize;
use utoipa::ToSchema;

use super::{CollateralName, OfferRange, Percent, Shown, TermChangeView};

/// How a loan comes about, by its name on the wire; lenders' lists capitalise it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProcessName {
    /// The lender counter-signs.
    Manual,
    /// The lender's vault pays.
    Instant,
}

impl ProcessName {
    /// The same as `loanProcessType` spells it.
    #[must_use]
    pub const fn capitalised(self) -> LoanProcessType {
        match self {
            Self::Manual => LoanProcessType::Manual,
            Self::Instant => LoanProcessType::Instant,
        }
    }
}

impl From<ProcessType> for ProcessName {
    fn from(process: ProcessType) -> Self {
        match process {
            ProcessType::Manual => Self::Manual,
            ProcessType::Instant => Self::Instant,
        }
    }
}

/// How a loan comes about, as lenders' lists spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum LoanProcessType {
    /// The lender counter-signs.
    Manual,
    /// The lender's vault pays.
    Instant,
}

/// What a lender's list can be filtered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OfferTag {
    /// The lender counter-signs.
    Manual,
    /// The lender's vault pays.
    Instant,
    /// Against an inscription.
    Ordinal,
    /// Against a rune.
    Rune,
    /// Against a BRC-20 token.
    Brc20,
    /// It leads its ranking.
    #[serde(rename = "best offer")]
    BestOffer,
    /// A borrower is signing for it.
    #[serde(rename = "under offer")]
    UnderOffer,
    /// It is paused, for whatever reason.
    Paused,
}

impl From<ProcessName> for OfferTag {
    fn from(process: ProcessName) -> Self {
        match process {
            ProcessName::Manual => Self::Manual,
            ProcessName::Instant => Self::Instant,
        }
    }
}

/// A lender's own offer with its rank (SPEC section 3, Offer list item).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "SPEC section 3 names one flag for each reason of a pause")]
pub struct MyOffer {
    /// Its id.
    #[schema(value_type = String)]
    pub offer_id: Shown<OfferId>,
    /// The id by which the vault's signer knows it; `null` for manual offers.
    #[serde(rename = "canisterInstantID")]
    #[schema(value_type = Option<String>, required)]
    pub canister_instant_id: Option<Shown<OfferId>>,
    /// The group it stands in.
    #[schema(value_type = String)]
    pub group_id: Shown<GroupId>,
    /// The group's name in addresses.
    #[schema(value_type = String)]
    pub group_slug: Slug,
    /// The group's name for people.
    pub collection_name: String,
    /// The group's symbol for people.
    pub collection_symbol: String,
    /// The group's picture.
    #[serde(rename = "collectionImgURL")]
    pub collection_img_url: String,
    /// What it holds.
    pub collateral_type: CollateralName,
    /// Where in the group it stands.
    #[schema(value_type = String)]
    pub sub_collection_id: Shown<u16>,
    /// That place's name in requests and signed messages.
    #[schema(value_type = String)]
    pub collection_slug: Slug,
    /// `Manual` or `Instant`.
    pub loan_process_type: LoanProcessType,
    /// What is lent when all of it is taken.
    #[schema(value_type = u64)]
    pub principal: Sats,
    /// What is lent already.
    #[schema(value_type = u64)]
    pub used_principal: Sats,
    /// What is neither lent nor held.
    #[schema(value_type = u64)]
    pub available_principal: Sats,
    /// Raw units asked for what is available.
    #[schema(value_type = String)]
    pub available_collateral: Shown<u128>,
    /// Raw units asked for all of it.
    #[schema(value_type = String)]
    pub fungible_amount: Shown<u128>,
    /// Raw units in a bundle; `null` where the lender says how many.
    #[schema(value_type = Option<String>, required)]
    pub bundle_size: Option<Shown<u128>>,
    /// Whether it leads its ranking.
    pub is_best_offer: bool,
    /// Its place in the ranking, from 1; `null` while it is not ranked.
    #[schema(required)]
    pub offer_ranking: Option<usize>,
    /// How many offers are ranked there.
    pub ranked_offers: usize,
    /// What can be taken of the offer that leads.
    #[schema(value_type = Option<u64>, required)]
    pub best_offer: Option<Sats>,
    /// Its id.
    #[schema(value_type = Option<String>, required)]
    pub best_offer_id: Option<Shown<OfferId>>,
    /// How much more principal would lead; 0 when leading, `null` while not ranked.
    #[schema(value_type = Option<u64>, required)]
    pub to_lead_sats: Option<Sats>,
    /// Always `null`: lenders set no lower bound.
    #[schema(value_type = Option<f64>, required)]
    pub min_ltv: Option<Percent>,
    /// Auto-pause cap; `null` for manual offers.
    #[schema(value_type = Option<f64>, required)]
    pub max_ltv: Option<Percent>,
    /// The cap of an instant offer again, by the name of instant offers; `null` for manual offers.
    #[serde(rename = "maxInstantLTV")]
    #[schema(value_type = Option<f64>, required)]
    pub max_instant_ltv: Option<Percent>,
    /// Current LTV; `null` while no price is known.
    #[schema(value_type = Option<f64>, required)]
    pub ltv: Option<Percent>,
    /// Yearly yield.
    #[schema(value_type = f64)]
    pub apy: Percent,
    /// Interest for the whole term.
    #[schema(value_type = f64)]
    pub interest: Percent,
    /// Days until a loan is due.
    pub term: u16,
    /// The floor price in sats; `null` for tokens and while unknown.
    #[schema(value_type = Option<u64>, required)]
    pub floor: Option<Sats>,
    /// Sats per whole unit with eight decimals; `null` while unknown.
    #[schema(value_type = Option<String>, required)]
    pub unit_price: Option<Shown<UnitPrice>>,
    /// The rune's id; `null` for others.
    #[schema(required)]
    pub rune_id: Option<String>,
    /// The rune's name; `null` for others.
    #[schema(required)]
    pub rune_name: Option<String>,
    /// Decimals of a token; `null` for inscriptions.
    #[schema(required)]
    pub rune_decimals: Option<u8>,
    /// What can be pledged for the leading offer, where parts can be taken.
    #[schema(required)]
    pub instant_best_offer_range: Option<OfferRange>,
    /// What the list can be filtered by.
    pub tags: Vec<OfferTag>,
    /// `isPausedFromMaxLTV` by the name of raw instant offers.
    #[serde(rename = "ltv_paused")]
    pub ltv_paused: bool,
    /// `isPausedFromInsufficientBalance` by the name of raw instant offers.
    #[serde(rename = "balance_paused")]
    pub balance_paused: bool,
    /// Paused because its current LTV is above the cap.
    #[serde(rename = "isPausedFromMaxLTV")]
    pub is_paused_from_max_ltv: bool,
    /// Paused because the vault holds less than what it still lends.
    pub is_paused_from_insufficient_balance: bool,
    /// Paused because terms changed and its lender has not accepted them.
    pub is_paused_from_terms: bool,
    /// Paused because its lender's payment address lacks the coins that it lends; of BRC-20 the one exact coin.
    pub is_paused_from_missing_funds: bool,
    /// Paused by its lender's own hand.
    pub is_paused_by_lender: bool,
    /// Whether announced term changes are accepted in advance.
    pub accepts_next_term: bool,
    /// A change of its terms, if one is announced or was the latest.
    #[schema(required)]
    pub new_term_change_request: Option<TermChangeView>,
    /// When it was created.
    #[schema(value_type = u64)]
    pub created_at: UnixMs,
    /// When it last changed by an act of its lender or a borrower.
    #[schema(value_type = u64)]
    pub updated_at: UnixMs,
}
