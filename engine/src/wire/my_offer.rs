//! An offer's view for its lender.

use std::sync::Arc;

use domain::{GroupId, OfferId, ProcessType, Sats, Slug, UnitPrice, UnixMs};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AsString, CollateralName, ConditionsView, OfferRange, PegView, Percent, TermChangeView};

/// The process type of a loan, by its name on the wire; lenders' lists capitalise it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProcessName {
    /// The lender counter-signs each loan.
    Manual,
    /// The lender's vault pays.
    Instant,
}

impl ProcessName {
    /// The same in the spelling of `loanProcessType`.
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

/// The process type of a loan, in the spelling of lenders' lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum LoanProcessType {
    /// The lender counter-signs each loan.
    Manual,
    /// The lender's vault pays.
    Instant,
}

/// The tags that a lender's list can be filtered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OfferTag {
    /// The lender counter-signs each loan.
    Manual,
    /// The lender's vault pays.
    Instant,
    /// The collateral is an inscription.
    Ordinal,
    /// The collateral is a rune.
    Rune,
    /// The collateral is a BRC-20 token.
    Brc20,
    /// It is the best offer of its ranking.
    #[serde(rename = "best offer")]
    BestOffer,
    /// A borrower has a reservation of it.
    #[serde(rename = "under offer")]
    UnderOffer,
    /// It is paused, for any reason.
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

/// A lender's own offer with its rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "one flag of the API for each reason of a pause")]
pub struct MyOffer {
    /// Its id.
    #[schema(value_type = String)]
    pub offer_id: AsString<OfferId>,
    /// The id under which the vault's signer knows it; `null` for manual offers.
    #[serde(rename = "canisterInstantID")]
    #[schema(value_type = Option<String>, required)]
    pub canister_instant_id: Option<AsString<OfferId>>,
    /// The group that it is in.
    #[schema(value_type = String)]
    pub group_id: AsString<GroupId>,
    /// The group's slug in URLs.
    #[schema(value_type = String)]
    pub group_slug: Slug,
    /// The group's display name.
    #[schema(value_type = String)]
    pub collection_name: Arc<str>,
    /// The group's display symbol.
    #[schema(value_type = String)]
    pub collection_symbol: Arc<str>,
    /// The group's image.
    #[serde(rename = "collectionImgURL")]
    #[schema(value_type = String)]
    pub collection_img_url: Arc<str>,
    /// The type of the group's collateral.
    pub collateral_type: CollateralName,
    /// The number of its sub-collection in the group.
    #[schema(value_type = String)]
    pub sub_collection_id: AsString<u16>,
    /// The sub-collection's slug in requests and signed messages.
    #[schema(value_type = String)]
    pub collection_slug: Slug,
    /// `Manual` or `Instant`.
    pub loan_process_type: LoanProcessType,
    /// The total principal.
    #[schema(value_type = u64)]
    pub principal: Sats,
    /// The principal that is already lent.
    #[schema(value_type = u64)]
    pub used_principal: Sats,
    /// The principal that is neither lent nor reserved.
    #[schema(value_type = u64)]
    pub available_principal: Sats,
    /// The collateral for the available principal, in raw units.
    #[schema(value_type = String)]
    pub available_collateral: AsString<u128>,
    /// The collateral for the total principal, in raw units.
    #[schema(value_type = String)]
    pub fungible_amount: AsString<u128>,
    /// The raw units in a bundle; `null` where the lender sets the amount.
    #[schema(value_type = Option<String>, required)]
    pub bundle_size: Option<AsString<u128>>,
    /// Whether it is the best offer of its ranking.
    pub is_best_offer: bool,
    /// Its rank, from 1; `null` while it is not ranked.
    #[schema(required)]
    pub offer_ranking: Option<usize>,
    /// The number of offers in its ranking.
    pub ranked_offers: usize,
    /// The principal that can be taken of the best offer.
    #[schema(value_type = Option<u64>, required)]
    pub best_offer: Option<Sats>,
    /// The id of the best offer.
    #[schema(value_type = Option<String>, required)]
    pub best_offer_id: Option<AsString<OfferId>>,
    /// The additional principal that would make it the best offer; 0 if it is already, `null` while it is not ranked.
    #[serde(rename = "toLeadSats")]
    #[schema(value_type = Option<u64>, required)]
    pub best_offer_gap_sats: Option<Sats>,
    /// Always `null`: lenders set no lower bound.
    #[schema(value_type = Option<f64>, required)]
    pub min_ltv: Option<Percent>,
    /// The LTV above which it is paused automatically; `null` for manual offers.
    #[schema(value_type = Option<f64>, required)]
    pub max_ltv: Option<Percent>,
    /// The same cap under the name of instant offers; `null` for manual offers.
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
    /// The days until a loan is due.
    pub term: u16,
    /// The floor price in sats; `null` for tokens and while unknown.
    #[schema(value_type = Option<u64>, required)]
    pub floor: Option<Sats>,
    /// Sats per whole unit with eight decimals; `null` while unknown.
    #[schema(value_type = Option<String>, required)]
    pub unit_price: Option<AsString<UnitPrice>>,
    /// The rune's id; `null` for others.
    #[schema(required)]
    pub rune_id: Option<String>,
    /// The rune's name; `null` for others.
    #[schema(required)]
    pub rune_name: Option<String>,
    /// Decimals of a token; `null` for inscriptions.
    #[schema(required)]
    pub rune_decimals: Option<u8>,
    /// The collateral that can be pledged for the best offer, where parts can be taken.
    #[schema(required)]
    pub instant_best_offer_range: Option<OfferRange>,
    /// The tags that the list can be filtered by.
    pub tags: Vec<OfferTag>,
    /// `isPausedFromMaxLTV` under an older name.
    #[serde(rename = "ltv_paused")]
    pub ltv_paused: bool,
    /// `isPausedFromInsufficientBalance` under an older name.
    #[serde(rename = "balance_paused")]
    pub balance_paused: bool,
    /// Paused because its current LTV is above the cap.
    #[serde(rename = "isPausedFromMaxLTV")]
    pub is_paused_from_max_ltv: bool,
    /// Paused because the vault's usable balance is below the principal that can be taken.
    pub is_paused_from_insufficient_balance: bool,
    /// Paused because terms changed and the lender has not accepted them.
    pub is_paused_from_terms: bool,
    /// Paused because the lender's payment address lacks the coins for it; for BRC-20, the one exact coin.
    pub is_paused_from_missing_funds: bool,
    /// Paused by its lender.
    pub is_paused_by_lender: bool,
    /// Paused because the lender's limits do not cover the principal that can be taken; never for an instant offer.
    pub is_paused_from_limits: bool,
    /// Paused because its lender has been absent for longer than the lender's limits allow.
    pub is_paused_from_absence: bool,
    /// Paused because the time until which it was good is over.
    pub is_expired: bool,
    /// Its conditions for borrowers; `null` if anyone can take it. Such an offer is not ranked.
    #[schema(required)]
    pub conditions: Option<ConditionsView>,
    /// The time from which it cannot be taken, in unix milliseconds; `null` if it is good until it is cancelled.
    #[schema(value_type = Option<u64>, required)]
    pub good_until: Option<UnixMs>,
    /// Whether its lender signed `goodUntil`: an edit signs it again, and it can only become shorter.
    pub is_time_signed: bool,
    /// Whether its terms were agreed on with its borrower: it can be cancelled, and not edited.
    pub is_agreed: bool,
    /// The bounds within which its principal follows the floor; `null` if it is fixed.
    #[schema(required)]
    pub peg: Option<PegView>,
    /// Whether announced term changes are accepted in advance.
    pub accepts_next_term: bool,
    /// A change of its terms, if one is announced or was the latest.
    #[schema(required)]
    pub new_term_change_request: Option<TermChangeView>,
    /// The time at which it was created.
    #[schema(value_type = u64)]
    pub created_at: UnixMs,
    /// The time of its last change by its lender or a borrower.
    #[schema(value_type = u64)]
    pub updated_at: UnixMs,
}
